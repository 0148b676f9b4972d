"""The skills that come with the package: through the real protocol, and before the conformance kit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from narratoria import places
from narratoria.protocol.command import command_for
from narratoria.protocol.conformance import check_tool
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.events import Event, StatePatchEvent, UiEvent
from narratoria.protocol.process import Outcome, run
from narratoria.skills.discovery import discover

CATALOGUE = discover([places.BUNDLED_SKILLS])
SCRIPTS = [f"{skill.name}/{script.name}" for skill in CATALOGUE.skills for script in skill.scripts]


async def call(script: str, given: Mapping[str, Any], **context: Any) -> tuple[Outcome, list[Event]]:
    _, found = CATALOGUE.find(script)
    events: list[Event] = []
    request = encode_request(
        request_id="1", tool=found.name, operation=found.name, input=dict(given), context=context
    )
    return await run(command_for(found.path), request, NARRATORIA_V0, on_events=events.extend), events


def payloads(events: list[Event], name: str) -> list[dict[str, Any]]:
    return [event.payload for event in events if isinstance(event, UiEvent) and event.event == name]


def test_every_bundled_skill_is_found_without_a_problem_and_says_how_to_behave() -> None:
    assert CATALOGUE.problems == ()
    assert {"storyteller", "dice-roller", "player-choices"} <= {skill.name for skill in CATALOGUE.skills}
    assert all(skill.prompt.strip() for skill in CATALOGUE.skills)


@pytest.mark.parametrize("script", SCRIPTS)
async def test_a_bundled_script_keeps_to_the_protocol(script: str) -> None:
    _, found = CATALOGUE.find(script)
    report = await check_tool(command_for(found.path), tool=found.name, operation=found.name)
    # outside a story there is nothing to remember, and an empty object fits few scripts
    wrong = [one for one in report.findings if one.verdict != "pass" and one.rule != "succeeds"]
    assert wrong == []


# prose

INN = {
    "id": "inn",
    "name": "the inn",
    "arrival": "The inn is warm.",
    "moments": ["The fire settles.", "A door bangs."],
    "visits": 0,
}
HOB = {"id": "hob", "name": "Hob", "appearance": "Hob is wide.", "habits": ["Hob yawns."], "met": False}
BEAT = {
    "id": "leap",
    "description": "You leap.",
    "outcomes": {"success": "You land.", "partial success": "You just land.", "failure": "You fall."},
}


async def narrate(
    *, state: dict[str, Any] | None = None, seed: str = "1", **given: Any
) -> tuple[str, list[Event]]:
    outcome, events = await call("storyteller/narrate", given, seed=seed, state=state or {})
    assert outcome.ok, outcome.failure
    text: str = outcome.output["text"]
    assert payloads(events, "narration") == [{"text": text}]
    assert "".join(delta["text"] for delta in payloads(events, "narration_delta")) == text
    assert 2 <= len(text.split("\n\n")) <= 3
    return text, events


async def test_the_first_arrival_shows_the_place_and_who_is_there() -> None:
    text, _ = await narrate(action={"kind": "go", "route": "up the hill"}, place=INN, people=[HOB])
    assert "up the hill. The inn is warm." in text
    assert "Hob is wide." in text


async def test_a_second_visit_tells_it_otherwise() -> None:
    text, _ = await narrate(
        action={"kind": "go", "route": "up the hill"},
        place={**INN, "visits": 1},
        people=[{**HOB, "met": True}],
    )
    assert "The inn is warm." not in text
    assert "the inn" in text
    assert "Hob yawns." in text


@pytest.mark.parametrize("ending", ["success", "partial success", "failure"])
async def test_the_roll_decides_what_is_told(ending: str) -> None:
    text, _ = await narrate(action={"kind": "beat"}, beat=BEAT, roll={"outcome": ending}, place=INN)
    assert text.split("\n\n")[:2] == ["You leap.", BEAT["outcomes"][ending]]  # type: ignore[index]


@pytest.mark.parametrize("roll", [None, {}, {"outcome": "banana"}])
async def test_without_a_usable_roll_things_go_as_they_mostly_do(roll: object) -> None:
    text, _ = await narrate(action={"kind": "beat"}, beat=BEAT, roll=roll, place=INN)
    assert "You just land." in text


async def test_typed_words_are_told_in_the_second_person() -> None:
    text, _ = await narrate(action={"kind": "free", "text": "I pick the lock."}, roll={"outcome": "failure"})
    assert text.startswith("You pick the lock. It ")


async def test_what_is_remembered_comes_back() -> None:
    texts = [
        (await narrate(action={"kind": "wait"}, remembered=["the mill burned"], seed=str(seed)))[0]
        for seed in range(4)
    ]
    assert any("the mill burned." in text for text in texts)


async def test_the_same_seed_tells_the_same_and_what_was_told_is_not_told_again_at_once() -> None:
    waiting = {"action": {"kind": "wait", "number": 1}, "place": {**INN, "visits": 1}}
    first, events = await narrate(**waiting)
    again, _ = await narrate(**waiting)
    assert first == again
    told = next(event.patch for event in events if isinstance(event, StatePatchEvent))
    later, _ = await narrate(**{**waiting, "action": {"kind": "wait", "number": 2}}, state=told)
    assert later.split("\n\n")[0] != first.split("\n\n")[0]


async def test_nothing_known_at_all_is_still_a_scene() -> None:
    await narrate()


# choices


async def choices(**given: Any) -> list[dict[str, Any]]:
    outcome, events = await call("player-choices/generate-choices", given, seed="1")
    assert outcome.ok, outcome.failure
    (payload,) = payloads(events, "narrative_choice")
    texts = payload["choices"]
    assert 3 <= len(texts) == len(set(texts)) <= 4
    assert [detail["text"] for detail in payload["details"]] == texts
    details: list[dict[str, Any]] = payload["details"]
    return details


def offer(text: str, **others: Any) -> dict[str, Any]:
    return {"beat": text.lower(), "text": text, **others}


async def test_what_the_story_offers_comes_first_with_its_risk_and_its_reasons() -> None:
    leap = offer("Leap", risky=True, formula="2d6+1", because=["rope"])
    found = await choices(next={"": {"openings": [leap]}}, place={"name": "the inn", "unseen": 2})
    assert found[0] == {
        "text": "Leap",
        "kind": "beat",
        "beat": "leap",
        "because": ["rope"],
        "risky": True,
        "hint": "risky, 2d6+1",
    }
    assert found[1] == {"text": "Take a closer look at the inn", "kind": "look"}


async def test_the_roll_decides_what_can_be_done_next() -> None:
    ahead = {
        "success": {"openings": [offer("Celebrate")]},
        "partial success": {"openings": [offer("Limp")]},
        "failure": {"openings": [offer("Swim")]},
    }
    for ending, text in [("success", "Celebrate"), ("failure", "Swim"), ("banana", "Limp")]:
        assert (await choices(next=ahead, roll={"outcome": ending}))[0]["text"] == text
    assert (await choices(next=ahead, roll=None))[0]["text"] == "Limp"


async def test_the_way_to_what_cannot_wait_comes_before_other_ways() -> None:
    ways = [
        {"to": "mill", "name": "the mill", "steps": 1, "urgent": None},
        {"to": "weir", "name": "the weir", "steps": 2, "urgent": 2, "visited": True},
        {"to": "moor", "name": "the moor", "steps": None, "urgent": None},
    ]
    found = await choices(next={"": {"ways": ways}})
    assert [choice["text"] for choice in found if choice["kind"] == "go"] == [
        "Go back to the weir",
        "Go to the mill",
    ]


async def test_whoever_just_spoke_or_has_no_more_to_say_is_not_offered_for_talk() -> None:
    people = [
        {"id": "hob", "name": "Hob", "unheard": 2},
        {"id": "pell", "name": "Pell", "unheard": 1},
        {"id": "voke", "name": "Voke", "unheard": 0},
    ]
    found = await choices(people=people, action={"kind": "talk", "person": "Hob"})
    assert [choice["target"] for choice in found if choice["kind"] == "talk"] == ["pell"]


async def test_with_nothing_known_there_are_generic_choices() -> None:
    assert {choice["text"] for choice in await choices()} == {"Wait and listen", "Look around", "Continue"}

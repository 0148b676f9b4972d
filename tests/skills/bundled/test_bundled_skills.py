"""The skills that come with the package: through the real protocol, and before the conformance kit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from narratoria import places
from narratoria.protocol.command import command_for
from narratoria.protocol.conformance import check_tool
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.events import Event, UiEvent
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

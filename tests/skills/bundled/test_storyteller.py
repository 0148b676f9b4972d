"""The storyteller with no model at hand: the draft in the style that was set, its own words without one."""

from __future__ import annotations

from typing import Any

import pytest
from tests.skills.bundled.calling import call, payloads

from narratoria.protocol.events import Event, StatePatchEvent

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
    *,
    state: dict[str, Any] | None = None,
    seed: object = "1",
    config: dict[str, Any] | None = None,
    **given: Any,
) -> tuple[str, list[Event]]:
    outcome, events = await call(
        "storyteller/narrate", given, seed=seed, state=state or {}, config=config or {}
    )
    assert outcome.ok, outcome.failure
    text: str = outcome.output["text"]
    (told,) = payloads(events, "narration")
    assert told["text"] == text
    assert len(told["passages"]) == len(text.split("\n\n"))
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
    text, _ = await narrate(action={"kind": "wait"}, remembered=["the mill burned"])
    assert "the mill burned." in text


async def test_the_same_facts_are_told_the_same_and_nothing_is_left_in_the_state() -> None:
    waiting = {"action": {"kind": "wait"}, "place": {**INN, "visits": 1}}
    first, events = await narrate(**waiting)
    assert first == (await narrate(**waiting))[0]
    assert not [event for event in events if isinstance(event, StatePatchEvent)]


async def test_nothing_known_at_all_is_still_a_scene() -> None:
    await narrate()


# a draft, in three styles

DRAFT = [
    "You try the door. It sticks, and the wood is wet under your hand. A gull laughs at you from the ridge "
    "of the roof, and goes on. You put a shoulder to it. It gives, with a noise that the shore must hear.",
    "Inside there is a boat. Marten looks up from his net. “You took your time,” he says.",
]


async def test_the_draft_is_told_as_it_stands_when_nobody_could_tell_it_better() -> None:
    text, events = await narrate(draft=DRAFT, beat=BEAT)
    assert text == "\n\n".join(DRAFT)
    assert payloads(events, "narration")[0]["passages"][0]["source"] == "composer"


async def test_who_wrote_a_paragraph_of_the_draft_is_passed_on() -> None:
    author = {"source": "author", "because": "plot/beats.json"}
    _, events = await narrate(draft=DRAFT, passages=[author], beat=BEAT)
    told = payloads(events, "narration")[0]["passages"]
    assert (told[0], told[1]["source"]) == (author, "composer")


async def test_tersely_it_is_shorter_and_keeps_the_end_and_what_is_said() -> None:
    text, _ = await narrate(draft=DRAFT, config={"style": "terse"})
    assert len(text) < len("\n\n".join(DRAFT))
    assert text.startswith("You try the door.")
    assert "that the shore must hear." in text
    assert "“You took your time,” he says." in text


async def test_vividly_the_place_has_a_word_more_to_say() -> None:
    text, _ = await narrate(draft=DRAFT, place=INN, config={"style": "vivid"})
    assert text.startswith("\n\n".join(DRAFT))
    assert text.endswith(("The fire settles.", "A door bangs."))


@pytest.mark.parametrize("scene", ["travel", "dialogue", "danger", "resolution", ""])
async def test_poetically_there_is_a_cadence_and_all_of_the_draft(scene: str) -> None:
    text, _ = await narrate(draft=DRAFT, sceneType=scene, config={"style": "poetic"})
    assert all(sentence in text for sentence in (*DRAFT[0].split(". ")[:1], DRAFT[1]))
    assert len(text) > len("\n\n".join(DRAFT)) + 20


@pytest.mark.parametrize(
    "given",
    [
        {"draft": "no list"},
        {"draft": [7, None, "  "]},
        {"draft": ["Only one."], "place": "no object", "people": [None, 3]},
        {"passages": "x", "draft": DRAFT},
    ],
)
async def test_a_draft_that_is_none_is_still_a_scene(given: dict[str, Any]) -> None:
    outcome, events = await call(
        "storyteller/narrate", given, state={"storyteller": "?"}, config={"style": 3}
    )
    assert outcome.ok, outcome.failure
    assert payloads(events, "narration")[0]["text"].strip()

"""The storyteller with no model at hand: the draft in the style that was set, its own words without one."""

from __future__ import annotations

from typing import Any

import pytest
from tests.skills.bundled.calling import call, payloads

from narratoria.protocol.events import Event, StatePatchEvent
from narratoria.sdk import narration

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


# what becomes of a model's words

FACTS: dict[str, Any] = {"people": [{"name": "Marten"}], "place": {"name": "the boathouse"}}


@pytest.mark.parametrize(
    ("paragraph", "fault"),
    [
        ("You open the door, and I follow you into the cold brown dark.", "first person"),
        ("You open the door of the boathouse. What do you do next?", "asks the player"),
        ("You open the door. “Good evening,” you say, and you promise to be quiet.", "for the player"),
        ("You open the door, and behind the boat stands Captain Ahab, smiling.", "Ahab"),
        ("As the draft says, you open the door of the boathouse.", "of the game"),
        ("You open it. " + "The gull laughs on the roof. " * 4, "in circles"),
        ("You feel the cold. " * 2 + "You feel the heat. You feel the wind. You feel the joy.", "circles"),
        ("You trip over the guard's feet, and stab him. The guard falls dead.", "is killed"),
        ("You search the boards until you find a small silver key.", "what is not there"),
        ("You hum a tune. The ferryman waves, and you board the ferry.", "goes elsewhere"),
        ("Door.", "no paragraph"),
        ("My hand is on the door. It gives, and Marten looks up.", "first person"),
        ("We're late. The door gives, and lets us in.", "first person"),
        ("You open the door, and behind the boat stands Émile, smiling.", "Émile"),
        ("You open the door, and Łukasz McDonald looks up from the boat.", "McDonald, Łukasz"),
        ("You find a key under the mat, and Marten looks up.", "what is not there"),
    ],
)
def test_a_paragraph_that_must_not_be_told_is_found_out(paragraph: str, fault: str) -> None:
    assert fault in "; ".join(narration.faults(paragraph, FACTS, DRAFT))


@pytest.mark.parametrize(
    "paragraph",
    [
        "You lean on the door until it gives. Marten lifts his eyes. “I knew it,” he says. “What now?”",
        "You take a deep breath, put your shoulder to the door and feel it give. Then you take a seat.",
        "Above the Boathouse the gulls turn. You hear them, and you hear Marten's net drop to the boards.",
        "You say nothing. The wind dies, and a cold draft comes in with you. Marten looks up.",
        "You leave the door open behind you and set out your things. Marten's laughter dies away.",
        "You find a foothold beside the boats, and Marten looks up. You think of the door.",
    ],
)
def test_a_paragraph_that_keeps_to_the_facts_is_told(paragraph: str) -> None:
    assert narration.faults(paragraph, FACTS, DRAFT) == []


def test_a_failure_need_not_be_told_in_every_paragraph() -> None:
    failed = {**FACTS, "roll": {"outcome": "failure"}}
    told = "Marten sits there with the net across his knees and looks up, unhurried."
    assert narration.faults(told, failed, DRAFT)
    assert not narration.faults(told, failed, DRAFT, "Inside there is a boat. Marten looks up from his net.")
    assert narration.faults(told, failed, DRAFT, "You lean on the door, but it stays shut.")


def test_whoever_chose_to_go_may_be_told_as_going() -> None:
    told = "You leave the boathouse by the way you came, and walk back to the quay."
    assert narration.faults(told, FACTS, DRAFT)
    assert not narration.faults(told, {**FACTS, "action": {"text": "I go back to the quay"}}, DRAFT)


def test_a_failure_told_as_a_success_is_found_out() -> None:
    failed = {**FACTS, "roll": {"outcome": "failure"}}
    assert narration.faults("You open the door with ease and walk in, smiling.", failed, DRAFT)
    assert not narration.faults("You lean on the door, but it stays shut and will stay so.", failed, DRAFT)
    for told in (
        "You lean on the door, and it doesn’t budge.",
        "You lean on the door, and lean on it in vain.",
    ):
        assert not narration.faults(told, failed, DRAFT)
    won = {**FACTS, "roll": {"outcome": "success"}}
    assert narration.faults("You lean on the door, and it doesn't budge at all.", won, DRAFT)
    assert not narration.faults("You can't help smiling: without fail, the door gives.", won, DRAFT)
    assert narration.faults("You lean on the door in vain, and it stays as it is.", won, DRAFT)
    assert narration.faults("You throw the stone with all your might, but it misses the bell.", won, DRAFT)


def test_the_unchanging_part_of_a_prompt_comes_first_and_never_changes() -> None:
    first, here = narration.ask(FACTS, DRAFT, "vivid")
    second, there = narration.ask({"action": {"text": "I swim"}}, ["You swim.", "It is cold."], "vivid")
    assert first == second
    assert here != there
    assert narration.ask(FACTS, DRAFT, "terse")[0] != first


def test_a_prompt_stays_small_however_much_is_known() -> None:
    crowd = {
        "people": [{"name": f"Person {n}", "tone": "x" * 900} for n in range(99)],
        "hour": "y" * 9999,
    }
    system, prompt = narration.ask(crowd, ["z " * 9000, "end"], "poetic")
    assert len(system) + len(prompt) < 8000


def test_a_word_that_is_only_part_of_another_was_not_said() -> None:
    assert narration.unspoken("The mermaid looks up.", "“Maid,” he says. “…”") == ["it leaves out “Maid,”"]
    assert narration.unspoken("“Maid!” says he.", "“Maid,” he says.") == []


def test_what_the_draft_lets_the_player_say_may_be_said_beside_what_they_think() -> None:
    draft = ["You say it once more.", "Marten looks up from his net."]
    assert narration.faults("You say it once more. You think of the net.", FACTS, draft) == []
    assert narration.faults("You say it once more. You think that Marten is right.", FACTS, draft)


def test_speech_in_straight_marks_is_speech_as_well() -> None:
    told = narration.tidy('First paragraph: "I knew it. I said so, " says Marten, and "Come in."')
    assert told == "“I knew it. I said so,” says Marten, and “Come in.”"
    assert narration.faults(told, FACTS, DRAFT) == []
    assert narration.tidy('The 6" nail is still there.') == 'The 6" nail is still there.'


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("‘I don’t know,’ says Marten. ‘Come in!’", "“I don’t know,” says Marten. “Come in!”"),
        (
            "'I don't know,' says Marten, by the dogs' door.",
            "“I don't know,” says Marten, by the dogs' door.",
        ),
        ("« I knew it », says Marten.", "“I knew it”, says Marten."),
        ("“He said ‘no,’ and left.”", "“He said ‘no,’ and left.”"),
        ("’Tis the gulls’ roof, and Marten's net.", "’Tis the gulls’ roof, and Marten's net."),
    ],
)
def test_speech_in_whatever_marks_is_told_in_those_of_a_book(written: str, told: str) -> None:
    assert narration.tidy(written) == told


def test_how_much_of_a_paragraph_is_copied_is_counted_outside_of_speech() -> None:
    draft = "You try the door of the boathouse, and it gives. “You took your time,” he says."
    assert narration.copied(draft, draft) == 1.0
    assert (
        narration.copied("You lean on the swollen wood until it moves. “You took your time,” he says.", draft)
        == 0
    )
    assert 0 < narration.copied("You try the door of the boathouse twice before you are let in.", draft) < 1


def test_a_thought_that_never_ends_is_no_paragraph() -> None:
    held = narration.Paragraphs()
    assert held.add("<think>\n\nLet me see. The scene is a boathouse.\n\nSo it should smell.") == []
    assert held.rest() == []


def test_paragraphs_come_out_whole_and_without_a_models_marks() -> None:
    held = narration.Paragraphs()
    got = [
        text
        for piece in ("## Told anew: You g", "o in.\n", "\n**The** net. Then he")
        for text in held.add(piece)
    ]
    assert got == ["You go in."]
    assert held.rest() == []  # what is left of it is no paragraph

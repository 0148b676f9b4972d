"""What must not be told: a paragraph of a model against the draft and the facts."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.sdk.faults import faults

DRAFT = [
    "You try the door. It sticks, and the wood is wet under your hand. A gull laughs at you from the ridge "
    "of the roof, and goes on. You put a shoulder to it. It gives, with a noise that the shore must hear.",
    "Inside there is a boat. Marten looks up from his net. “You took your time,” he says.",
]

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
    assert fault in "; ".join(faults(paragraph, FACTS, DRAFT))


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
    assert faults(paragraph, FACTS, DRAFT) == []


def test_a_failure_need_not_be_told_in_every_paragraph() -> None:
    failed = {**FACTS, "roll": {"outcome": "failure"}}
    told = "Marten sits there with the net across his knees and looks up, unhurried."
    assert faults(told, failed, DRAFT)
    assert not faults(told, failed, DRAFT, "Inside there is a boat. Marten looks up from his net.")
    assert faults(told, failed, DRAFT, "You lean on the door, but it stays shut.")


def test_whoever_chose_to_go_may_be_told_as_going() -> None:
    told = "You leave the boathouse by the way you came, and walk back to the quay."
    assert faults(told, FACTS, DRAFT)
    assert not faults(told, {**FACTS, "action": {"text": "I go back to the quay"}}, DRAFT)


def test_a_failure_told_as_a_success_is_found_out() -> None:
    failed = {**FACTS, "roll": {"outcome": "failure"}}
    assert faults("You open the door with ease and walk in, smiling.", failed, DRAFT)
    assert not faults("You lean on the door, but it stays shut and will stay so.", failed, DRAFT)
    for told in (
        "You lean on the door, and it doesn’t budge.",
        "You lean on the door, and lean on it in vain.",
    ):
        assert not faults(told, failed, DRAFT)
    won = {**FACTS, "roll": {"outcome": "success"}}
    assert faults("You lean on the door, and it doesn't budge at all.", won, DRAFT)
    assert not faults("You can't help smiling: without fail, the door gives.", won, DRAFT)
    assert faults("You lean on the door in vain, and it stays as it is.", won, DRAFT)
    assert faults("You throw the stone with all your might, but it misses the bell.", won, DRAFT)


def test_what_the_draft_lets_the_player_say_may_be_said_beside_what_they_think() -> None:
    draft = ["You say it once more.", "Marten looks up from his net."]
    assert faults("You say it once more. You think of the net.", FACTS, draft) == []
    assert faults("You say it once more. You think that Marten is right.", FACTS, draft)

"""Asking a model for a scene, and reading its answer paragraph by paragraph."""

from __future__ import annotations

import pytest
from tests.sdk.test_faults import DRAFT, FACTS

from narratoria.sdk import brief, narration


def test_the_unchanging_part_of_a_prompt_comes_first_and_never_changes() -> None:
    first, here = narration.ask(FACTS, "vivid")
    second, there = narration.ask({**FACTS, "action": {"text": "I swim"}}, "vivid")
    assert first == second
    assert here != there
    assert narration.ask(FACTS, "terse")[0] != first


def test_a_prompt_stays_small_however_much_is_known() -> None:
    crowd = {
        "people": [{"name": f"Person {n}", "tone": "x" * 900} for n in range(99)],
        "draft": ["y" * 9999],
    }
    _, prompt = narration.ask(crowd, "poetic", budget=800)
    assert brief.estimate(prompt) < 900


def test_the_beginning_of_the_next_question_can_be_read_ahead() -> None:
    system, opening = narration.opening(FACTS, "vivid", examples=("An example.",), budget=1500)
    asked_system, asked = narration.ask(FACTS, "vivid", examples=("An example.",), budget=1500)
    assert system == asked_system
    assert opening
    assert asked.startswith(opening)


ANSWER = (
    "The wood gives.\n\nMarten looks up.\n“Late,” he says.\n\nTRUE NOW: Marten has seen you come in.\n"
    "NEXT:\n2: Ask Marten about the net\n- new: Close the door behind you\nno choice\n3. **Go home.**\n"
)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_an_answer_is_taken_apart_into_prose_a_fact_and_choices(size: int) -> None:
    telling = narration.Telling()
    pieces = [ANSWER[at : at + size] for at in range(0, len(ANSWER), size)]
    paragraphs = [text for piece in pieces for text in telling.add(piece)] + telling.finish()
    assert paragraphs == ["The wood gives.", "Marten looks up. “Late,” he says."]
    assert telling.fact == "Marten has seen you come in."
    assert telling.choices == [
        (2, "Ask Marten about the net"),
        (0, "Close the door behind you"),
        (3, "Go home"),
    ]


def test_an_answer_without_the_rest_is_prose_alone() -> None:
    telling = narration.Telling()
    text = "You lean on the door, and it gives way.\n\nMarten looks up from his net at last."
    assert [*telling.add(text), *telling.finish()] == text.split("\n\n")
    assert (telling.fact, telling.choices) == ("", [])


def test_a_paragraph_comes_out_before_the_next_one_is_finished() -> None:
    telling = narration.Telling()
    assert telling.add("You lean on the door.\n\nMart") == ["You lean on the door."]


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


def test_a_paragraph_out_of_the_instructions_is_known_as_one() -> None:
    assert narration.repeats_instructions("You are the narrator of a story that is played.")
    assert not narration.repeats_instructions("You are given a cup, and the story goes on as it is told.")

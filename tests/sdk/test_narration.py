"""Asking a model for a scene, and reading its answer paragraph by paragraph."""

from __future__ import annotations

import pytest
from tests.sdk.test_faults import DRAFT, FACTS

from narratoria.sdk import narration


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

"""Mistyped words are mended where they are nearly a word, and left alone where they are none."""

from __future__ import annotations

import pytest

from narratoria.planner.spelling import Spelling

SPELLING = Spelling({word: rank for rank, word in enumerate(("the", "climb", "wall", "letter"))}, ("climb",))


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("i clmb the wlal", "i climb the wall"),
        ("i climb the wall", "i climb the wall"),
        ("i read Wlal the lettre", "i read Wlal the letter"),  # it may be a name
        ("i " + "a" * 20_000, "i " + "a" * 20_000),
        ("", ""),
    ],
    ids=["nearly", "right", "a name", "a scream", "nothing"],
)
def test_what_is_nearly_a_word_is_read_as_that_word(typed: str, read: str) -> None:
    assert SPELLING.mend(typed) == read


def test_a_figure_within_a_number_is_no_hasty_word() -> None:
    assert SPELLING.mend("i open the number 12 door 2 see") == "i open the number 12 door to see"

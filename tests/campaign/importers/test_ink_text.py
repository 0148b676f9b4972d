"""A line of ink is split into what is told always and what is told under a condition."""

from __future__ import annotations

import pytest

from narratoria.campaign.importers.ink_text import VaryingText, split_text
from narratoria.campaign.importers.passages import AGAIN, TextPart


def test_a_condition_decides_between_two_texts() -> None:
    assert split_text("It is {dark: night|day}.", "k", {}) == [
        TextPart("It is "),
        TextPart(" night", "dark"),
        TextPart("day", "dark", is_so=False),
        TextPart("."),
    ]


def test_of_two_turns_the_second_is_told_whoever_was_there_before() -> None:
    assert split_text("{First.|Again.}", "k", {}) == [
        TextPart("First.", f"{AGAIN}k", is_so=False),
        TextPart("Again.", f"{AGAIN}k"),
    ]


def test_a_constant_is_told_by_its_value() -> None:
    assert split_text("{NAME} waits.", "k", {"NAME": "Ada"}) == [TextPart("Ada"), TextPart(" waits.")]


@pytest.mark.parametrize("line", ["{x}", "{a|b|c}", "{~a|b}", "{&a|b}", "{!a}", "{x: {y: a}}", "{x: a|b|c}"])
def test_whatever_else_varies_is_refused(line: str) -> None:
    with pytest.raises(VaryingText):
        split_text(line, "k", {})

"""Whatever a player types is told back in words that can stand in a story."""

from __future__ import annotations

import pytest

from narratoria.narrator.grammar import as_wish, is_quoted, narrate_typed_action


@pytest.mark.parametrize(
    "typed", ["Ich breche das Schloss auf", "私は錠前をこじ開ける", "🔥🗡️🐉", "Je crochète la serrure"]
)
def test_what_is_not_english_is_not_taken_for_a_verb(typed: str) -> None:
    assert as_wish(typed) == ""
    assert typed[1:] in narrate_typed_action(typed)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("“Hello,” I say. “You're late.”", "“Hello,” you say. “You're late.”"),
        ('"Go!" I shout at my brother', '"Go!" you shout at your brother.'),
    ],
)
def test_who_speaks_and_says_so_is_told_as_speaking(typed: str, told: str) -> None:
    assert not is_quoted(typed)
    assert narrate_typed_action(typed) == told


def test_what_is_spoken_from_end_to_end_is_speech() -> None:
    assert is_quoted("“I am here.”")
    assert is_quoted('"Hello there"')


def test_what_cannot_be_seen_is_left_out() -> None:
    assert as_wish("I \x00\x07 whistle\x1b") == "whistle"
    assert "\x07" not in narrate_typed_action("Quietly\x07 now")

"""The gate's patterns tell acts from other words, and acts of now from those of another time or place."""

from __future__ import annotations

import pytest

from narratoria.narrator.gate_patterns import forbidden_by, is_act_verb, is_elsewhere, is_of_the_past


@pytest.mark.parametrize("word", ["walks", "walked", "is", "left", "Nods"])
def test_a_verb_after_a_name_is_an_act(word: str) -> None:
    assert is_act_verb(word)


@pytest.mark.parametrize("word", ["the", "slowly", "of"])
def test_another_word_is_no_act(word: str) -> None:
    assert not is_act_verb(word)


def test_what_the_dead_did_once_is_of_the_past() -> None:
    assert is_of_the_past("You remember how Bram ", "laughs", " at the rain")
    assert is_of_the_past("Old Bram ", "lies", " dead in the snow")
    assert not is_of_the_past("Old Bram ", "laughs", " at the rain")


def test_who_is_spoken_of_is_elsewhere() -> None:
    assert is_elsewhere("They say that somewhere Hob ", "walks", " on")
    assert is_elsewhere("Hob ", "is", " not here")
    assert not is_elsewhere("Hob ", "walks", " in")


@pytest.mark.parametrize(
    ("constraint", "broken", "kept"),
    [
        ("Nobody dies in this story.", "The miller is killed.", "The wind dies down."),
        ("There is no magic.", "She casts a spell.", "She casts a line."),
        ("No guns.", "He draws a pistol.", "He draws a map."),
        ("Never show blood.", "Blood runs down the wall.", "Water runs down the wall."),
    ],
)
def test_a_constraint_forbids_what_breaks_it(constraint: str, broken: str, kept: str) -> None:
    forbidden = forbidden_by(constraint)
    assert forbidden is not None
    assert forbidden.search(broken)
    assert not forbidden.search(kept)


def test_a_constraint_that_is_no_prohibition_forbids_nothing() -> None:
    assert forbidden_by("The story is set in winter.") is None


def test_a_sentence_however_long_is_read_in_time() -> None:
    """Looked for from every letter on, words that are forbidden together took hours of a long sentence."""
    forbidden = forbidden_by("Never aaaaa bbbbb ccccc ddddd")
    assert forbidden is not None
    assert forbidden.search("aaaaa bbbbb ccccc " * 20_000) is None
    assert forbidden.search("aaaaa bbbbb ccccc " * 20_000 + "ddddd") is not None

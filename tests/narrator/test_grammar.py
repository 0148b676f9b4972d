"""Whatever a player types is told back in words that can stand in a story."""

from __future__ import annotations

import pytest

from narratoria.narrator.grammar import (
    as_wish,
    call_name,
    in_the_past,
    is_quoted,
    narrate_typed_action,
    predicate,
    quote_speech,
)


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


def test_what_was_promised_for_later_is_told_in_the_past() -> None:
    assert in_the_past("promise Senna that you will try") == "promised Senna that you would try"
    assert in_the_past("lie down, as she tells you to") == "lay down"
    assert (
        in_the_past("cut the line while you listen at the door")
        == "cut the line while you listened at the door"
    )
    assert in_the_past("wait while you happily watch") == "waited while you happily watch"
    assert in_the_past("ask what you can do") == "asked what you could do"
    assert in_the_past("signal to the second lamp") == "signalled to the second lamp"
    assert in_the_past("reveal the plan and call out") == "revealed the plan and called out"


def test_notes_become_sentences_only_where_they_can() -> None:
    assert (
        predicate("has never left her post for weather", "Ismay")
        == "Ismay has never left her post for weather"
    )
    assert predicate("impatient with slower people", "Pell") == ""
    assert as_wish("Keep the bridge open, as he did") == "keep the bridge open, as he did"
    assert as_wish("walking slowly") == ""
    assert call_name("Dr. Voke") == "Dr. Voke"
    assert call_name("Dr. Amelia Voke") == "Dr. Voke"
    assert call_name("Dame Ottoline Carrow") == "Dame Ottoline"
    assert call_name("The Ferryman of Ash") == "The Ferryman of Ash"
    assert call_name("Hob Tarrant") == "Hob"
    assert quote_speech("Does it?", "says Hob") == "“Does it?” says Hob."

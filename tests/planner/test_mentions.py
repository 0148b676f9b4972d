"""Whom and what a player's words point at."""

from __future__ import annotations

import pytest

from narratoria.planner.intent import KnownPerson, KnownPlace, KnownThing, ReadingContext
from narratoria.planner.mentions import count_slips, find_person, find_place, find_thing

CONTEXT = ReadingContext(
    people=(
        KnownPerson("pike", "Pike", "Pike", "he", descriptions=("Mudlark", "a boy made of elbows")),
        KnownPerson("senna", "Senna Rook", "Senna", "she", descriptions=("Dealer in lost things",)),
        KnownPerson(
            "verrin", "Abbess Verrin", "Abbess Verrin", "she", present=False, descriptions=("Abbess",)
        ),
    ),
    things=(
        KnownThing("founder's rule", "founder's rule", "player"),
        KnownThing("bread", "bread", "player"),
        KnownThing("wooden tags", "wooden tags"),
    ),
    places=(KnownPlace("foundry", "The Bell Foundry", 1), KnownPlace("tower", "The Lamp Tower", 2)),
)


@pytest.mark.parametrize(
    ("words", "person"),
    [
        ("ask Pike about the house", "pike"),
        ("show pyke the rule", "pike"),
        ("hit him", "pike"),
        ("I ask her what she sells", "senna"),
        ("give the boy my bread", "pike"),
        ("I follow the mudlark", "pike"),
        ("the abbess would know", "verrin"),
        ("talk to senna", "senna"),
        ("look at the lamp", None),
    ],
)
def test_a_person_is_found_by_name_description_or_pronoun(words: str, person: str | None) -> None:
    mention = find_person(words, CONTEXT)
    assert (mention.id if mention else None) == person


def test_a_pronoun_means_whom_the_player_dealt_with_last() -> None:
    both = ReadingContext(
        people=(KnownPerson("a", "Ada", "Ada", "she"), KnownPerson("b", "Bea", "Bea", "she")), last_person="b"
    )
    mention = find_person("I thank her", both)
    assert mention is not None
    assert mention.id == "b"


@pytest.mark.parametrize(
    ("words", "thing", "known"),
    [
        ("show him the rule", "founder's rule", True),
        ("I take the wooden tags", "wooden tags", True),
        ("take tags", "wooden tags", True),
        ("I pick up the golden crown", "golden crown", False),
    ],
)
def test_a_thing_is_one_the_story_knows_or_is_marked_unknown(words: str, thing: str, known: bool) -> None:
    mention = find_thing(words, CONTEXT, ["Pike"])
    assert mention is not None
    assert (mention.name or mention.text, mention.is_known) == (thing, known)


def test_it_is_the_thing_that_was_used_last() -> None:
    context = ReadingContext(things=CONTEXT.things, last_thing="bread")
    mention = find_thing("eat it", context)
    assert mention is not None
    assert mention.id == "bread"


@pytest.mark.parametrize(
    ("words", "place"),
    [("go to the foundry", "foundry"), ("walk to the lamp tower", "tower"), ("go home", None)],
)
def test_a_place_is_found_by_the_words_of_its_name(words: str, place: str | None) -> None:
    mention = find_place(words, CONTEXT.places)
    assert (mention.id if mention else None) == place


@pytest.mark.parametrize(
    ("word", "name", "slips"),
    [("pike", "pike", 0), ("pyke", "pike", 1), ("piek", "pike", 1), ("x", "pike", 3)],
)
def test_slips_are_letters_wrong_missing_added_or_swapped(word: str, name: str, slips: int) -> None:
    assert count_slips(word, name) == slips

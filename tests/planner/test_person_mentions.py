"""Whom a player's words point at."""

from __future__ import annotations

import pytest

from narratoria.planner.intent import KnownPerson, KnownThing, ReadingContext
from narratoria.planner.person_mentions import count_slips, find_called, find_people, find_person

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


CREW = ReadingContext(
    people=(
        KnownPerson("desmond", "Desmond Ayle", "Desmond", descriptions=("retired driver, grows leeks",)),
        KnownPerson("ruta", "Ruta", "Ruta", descriptions=("a girl in a silver jacket",)),
        KnownPerson("hask", "Warden Hask", "Warden Hask", descriptions=("a tired watchman",)),
        KnownPerson("the buyer", "the buyer", "the", descriptions=("a stranger with a heavy purse",)),
        KnownPerson("orm", "Orm", "Orm", "he", present=False, descriptions=("a man with a lantern",)),
    )
)


@pytest.mark.parametrize(
    ("words", "person"),
    [
        ("I lift the lid", None),
        ("pick up the lantern", None),
        ("wave at the man", None),
        ("greet the driver", "desmond"),
        ("I look at the one in the silver jacket", "ruta"),
        ("pull the jacket lady aside", "ruta"),
        ("While Ruta sings I cut the watchman's purse", "hask"),
    ],
)
def test_a_description_needs_a_word_for_a_person_or_what_only_they_wear(
    words: str, person: str | None
) -> None:
    mention = find_person(words, CREW)
    assert (mention.id if mention else None) == person


@pytest.mark.parametrize(
    ("words", "person"),
    [
        ("Warden, look here", "hask"),
        ("Ruta stole nothing, warden.", "hask"),
        ("is that yours, Des?", "desmond"),
        ("ruta what are you singing", "ruta"),
        ("Once the watchman sleeps, I go", None),
    ],
)
def test_who_is_called_is_who_is_spoken_to(words: str, person: str | None) -> None:
    mention = find_called(words, CREW)
    assert (mention.id if mention else None) == person


def test_a_pronoun_means_who_was_spoken_of_just_before() -> None:
    mention = find_person("I help him", CREW, antecedent="desmond")
    assert mention is not None
    assert mention.id == "desmond"


def test_a_pronoun_means_whom_the_player_dealt_with_last() -> None:
    both = ReadingContext(
        people=(KnownPerson("a", "Ada", "Ada", "she"), KnownPerson("b", "Bea", "Bea", "she")), last_person="b"
    )
    mention = find_person("I thank her", both)
    assert mention is not None
    assert mention.id == "b"


@pytest.mark.parametrize(
    ("word", "name", "slips"),
    [("pike", "pike", 0), ("pyke", "pike", 1), ("piek", "pike", 1), ("x", "pike", 3)],
)
def test_slips_are_letters_wrong_missing_added_or_swapped(word: str, name: str, slips: int) -> None:
    assert count_slips(word, name) == slips


def test_somebody_elsewhere_is_known_by_what_they_wear_or_by_where_they_are() -> None:
    context = ReadingContext(
        people=(
            KnownPerson("pilar", "Pilar", "Pilar", "she", descriptions=("cook", "A woman in a raincoat.")),
            KnownPerson(
                "gil",
                "Gil",
                "Gil",
                "he",
                present=False,
                descriptions=("lampman", "He wears white gloves and a cap."),
            ),
            KnownPerson(
                "vane",
                "Mrs. Vane",
                "Vane",
                "she",
                present=False,
                descriptions=("swimmer", "A string of pearls."),
            ),
        )
    )
    for words, name in (
        ("that little fella with the white gloves, whats his story", "gil"),
        ("the old lady upstairs in the pearls, whats she like", "vane"),
        ("what does the woman in the raincoat want", "pilar"),
    ):
        assert [one.id for one in find_people(words, context)] == [name]


def test_a_word_for_somebody_beside_a_name_that_nobody_has_means_nobody_here() -> None:
    ada = KnownPerson("ada", "Ada Finch", "Ada", "she", descriptions=("Pilot",))
    ned = KnownPerson("ned", "Ned Hale", "Ned", "he", descriptions=("Cook, an old fellow",))
    context = ReadingContext(people=(ada, ned))

    assert find_people("what do you make of this Ferrand fellow?", context) == []
    assert [one.id for one in find_people("what do you make of this old fellow?", context)] == ["ned"]


def test_somebody_s_trade_means_them_where_the_place_speaks_of_it_too() -> None:
    ada = KnownPerson("ada", "Ada Finch", "Ada", "she", descriptions=("Engineer of the north",))
    context = ReadingContext(people=(ada,), things=(KnownThing("engineer", "engineer"),))

    assert [one.id for one in find_people("is the engineer any good?", context)] == ["ada"]

"""What is spoken of is said back as whoever hears it would say it."""

from __future__ import annotations

import pytest

from narratoria.planner.intent import KnownPerson, ReadingContext
from narratoria.planner.matter import find_matter

HANNE = KnownPerson("hanne", "Hanne Luescher", "Hanne", pronoun="she", descriptions=("assistant",))
DOCTOR = KnownPerson("doctor", "Dr. Casimir Rehn", "Dr. Rehn", pronoun="he", descriptions=("doctor",))
KAY = KnownPerson("kay", "Kay Brode", "Kay", pronoun="she")
PEOPLE = ReadingContext(people=(HANNE, DOCTOR, KAY))


@pytest.mark.parametrize(
    ("words", "listener", "matter"),
    [
        ("I'm sorry about your brother", "hanne", "my brother"),
        ("tell the doctor his aunt has confessed everything", "doctor", "my aunt"),
        ("tell hanne that his aunt has confessed", "hanne", "his aunt"),
        ("that cardigan really suits you", "hanne", "the cardigan"),
        ("i won't mention the state of the roof", "doctor", "the state of the roof"),
        ("you're a fraud in a clean collar", "doctor", "a fraud"),
        ("say the king sent me", "hanne", "the king"),
        ("what do you make of Kay", "hanne", "Kay"),
        ("take my lens", "hanne", "your lens"),
        ("you turn your key doc", "doctor", "my key"),
    ],
)
def test_the_matter_is_what_the_words_are_about(words: str, listener: str, matter: str) -> None:
    assert find_matter(words, PEOPLE, listener) == matter


@pytest.mark.parametrize(
    "words",
    [
        "hello hanne",
        "thank the assistant",
        "have a look",
        "tell her everything",
        "tell her its going to be fine",
    ],
)
def test_words_about_nothing_in_particular_have_no_matter(words: str) -> None:
    assert find_matter(words, PEOPLE, "hanne") == ""

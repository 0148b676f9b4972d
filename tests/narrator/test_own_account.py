"""What an author wrote of somebody's life is told as they tell it, or left out."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.narrator.first_person import Pronoun
from narratoria.narrator.own_account import as_own_account, make_teller, names_of

PEOPLE: tuple[tuple[str, Pronoun], ...] = (("Marrit Sole", "she"), ("Old Brade", "he"), ("Julian Ash", "he"))


def tell(note: str, who: Any = "she", name: str = "Sefa Lunt") -> str:
    return as_own_account(note, make_teller(name, who, PEOPLE, note))


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (
            "Her grandmother keeps the bell and rings it when she hears the great one.",
            "My grandmother keeps the bell and rings it when she hears the great one.",
        ),
        (
            "Her mother kept the shop, and she grew up on its counter.",
            "My mother kept the shop, and I grew up on its counter.",
        ),
        (
            "Her daughter Linnet did not fall. She stepped off it. Sefa has two places on the boat.",
            "My daughter Linnet did not fall. She stepped off it. I have two places on the boat.",
        ),
        (
            "She handed her mother over the rail and held her hand.",
            "I handed my mother over the rail and held her hand.",
        ),
        (
            "In her last years her mother Aldith asked. In her last years Aldith set two places.",
            "In my last years my mother Aldith asked. In her last years Aldith set two places.",
        ),
        ("Marrit Sole bought her for her steadiness.", "Marrit Sole bought me for my steadiness."),
        (
            "She carried the Grandmother up and hid her there.",
            "I carried the Grandmother up and hid her there.",
        ),
        ("Her daughter stayed behind; she is eight now.", "My daughter stayed behind; she is eight now."),
    ],
)
def test_of_two_who_are_she_the_grammar_tells_who_is_meant(note: str, said: str) -> None:
    assert tell(note) == said


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (
            "Benno locks up. Julian Ash is here. Benno brings him soup.",
            "I lock up. Julian Ash is here. I bring him soup.",
        ),
        (
            "He drove into Gus's plinth, cracked his beak, and took him home.",
            "I drove into Gus's plinth, cracked his beak, and took him home.",
        ),
        (
            "He has spoken since his father lost his in 1919.",
            "I have spoken since my father lost his in 1919.",
        ),
        ("He was taught by a man who let him ring.", "I was taught by a man who let me ring."),
        ("He is a miller's son who taught himself.", "I am a miller's son who taught himself."),
        (
            "When Brade went blind Benno described the fire to him.",
            "When Brade went blind I described the fire to him.",
        ),
    ],
)
def test_whoever_it_is_done_to_is_another(note: str, said: str) -> None:
    assert tell(note, "he", "Benno Caduff") == said


@pytest.mark.parametrize(
    "note",
    [
        "Her sister went down beside her, and her line came up.",
        "Marget let down her saddle to beg for her.",
        "A friend played cards with her and owed her forty when she died.",
    ],
)
def test_what_may_be_either_s_is_left_out(note: str) -> None:
    assert tell(note) == ""
    assert tell(f"{note} It was noticed. She can swim.") == "I can swim."


def test_a_thing_does_not_tell_of_itself_what_it_says_of_another() -> None:
    assert tell("It took the names. It is old.", "it", "The Quiet") == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("She has a husband, and they write to each other.", "I have a husband, and we write to each other."),
        ("They had one child. They are friends.", "We had one child. We are friends."),
        (
            "Sefa and Aldith were six, and swore that they would go. They had tea.",
            "Aldith and I were six, and swore that we would go. We had tea.",
        ),
        (
            "She looks after her brother, as their mother works.",
            "I look after my brother, as our mother works.",
        ),
        ("She says that it is her knees.", "It is my knees."),
        (
            "He lets the boats in, which she says is what has kept them.",
            "He lets the boats in, which is what has kept them.",
        ),
    ],
)
def test_two_are_we_and_a_claim_is_just_said(note: str, said: str) -> None:
    assert tell(note) == said


def test_somebody_is_known_by_every_name_that_notes_call_them_by() -> None:
    assert set(names_of("Dr. Ada Voss")) >= {"Dr. Ada Voss", "Ada Voss", "Dr. Voss", "Mr. Voss", "Ada"}
    assert tell("Mr. Lunt lives alone.", "he", "Lionel Lunt") == "I live alone."

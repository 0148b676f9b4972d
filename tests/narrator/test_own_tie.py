"""A note on somebody else is said by its owner, who is told from the other or says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.narrator.own_tie import as_own_tie


@pytest.mark.parametrize(
    ("note", "own", "other", "said"),
    [
        (
            "Gave two fingers for him and has never let him thank her",
            "she",
            "he",
            "I gave two fingers for him and have never let him thank me.",
        ),
        (
            "Once refused to marry him, and has stayed away",
            "she",
            "he",
            "I once refused to marry him, and have stayed away.",
        ),
        (
            "Her right hand; trusts him with everything",
            "she",
            "he",
            "My right hand; I trust him with everything.",
        ),
        (
            "Sends him soup; he goes out and comes home late",
            "she",
            "he",
            "I send him soup; he goes out and comes home late.",
        ),
        (
            "Hears him lie; baked for his wedding and is sorry",
            "she",
            "he",
            "I hear him lie; I baked for his wedding and am sorry.",
        ),
    ],
)
def test_a_fragment_gets_its_owner_for_subject(note: str, own: Any, other: Any, said: str) -> None:
    assert as_own_tie(note, own, "Ada Voss", other, "Tam Birch") == said


@pytest.mark.parametrize(
    ("note", "own", "other", "said"),
    [
        (
            "Lets him pull the whistle, if he has washed",
            "he",
            "she",
            "She lets me pull the whistle, if I have washed.",
        ),
        (
            "Buys ice from him, and pays, and never looks up",
            "he",
            "she",
            "She buys ice from me, and pays, and never looks up.",
        ),
        ("Talks to her as to a horse", "she", "he", "He talks to me as to a horse."),
        ("Mends her roof, badly; she does it again", "she", "he", "He mends my roof, badly; I do it again."),
        (
            "Gave her a coat on her birthday; Ada thanked her",
            "she",
            "she",
            "She gave me a coat on my birthday; I thanked her.",
        ),
        (
            "Never eats here; Ada would not take his money",
            "she",
            "he",
            "He never eats here; I would not take his money.",
        ),
    ],
)
def test_what_is_done_to_the_owner_is_the_others_deed(note: str, own: Any, other: Any, said: str) -> None:
    assert as_own_tie(note, own, "Ada Voss", other, "Tam Birch") == said


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Knows well that Tam lets him win", "I know well that Tam lets me win."),
        (
            "Tam delivered him, and he has never won an argument with him",
            "Tam delivered me, and I have never won an argument with him.",
        ),
        ("Drinks with him on Fridays; Tam comes to him", "I drink with him on Fridays; Tam comes to me."),
        ("Sets his watch by him", "I set my watch by him."),
        ("Heats it for him, at his own cost", "I heat it for him, at my own cost."),
        ("His father's friend, who waved", "My father's friend, who waved."),
        ("The gentleman who once shook his hand", "The gentleman who once shook my hand."),
        (
            "Sends him soup; the lad has been eating himself",
            "I send him soup; the lad has been eating himself.",
        ),
        (
            "Drinks his tea and does not ask how he takes it himself",
            "I drink his tea and do not ask how he takes it himself.",
        ),
        ("Suspects a lie; the old man never lets him in", "I suspect a lie; the old man never lets me in."),
        ("Would trust him with his life", "I would trust him with my life."),
    ],
)
def test_of_two_who_are_he_the_grammar_tells_who_is_meant(note: str, said: str) -> None:
    assert as_own_tie(note, "he", "Oz Brand", "he", "Tam Birch") == said


@pytest.mark.parametrize(
    "note",
    [
        "He delivered him, and does not let him forget it",
        "Eats what he is given, and leaves the best",
        "Knows that he is being let win",
        "Coughs, and offers you an orange",
        "Pretends not to see him",
    ],
)
def test_what_cannot_be_told_apart_or_would_not_be_said_is_not(note: str) -> None:
    assert as_own_tie(note, "he", "Oz Brand", "he", "Tam Birch") == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (
            "They were to be married; she asked him for one evening",
            "We were to be married; I asked him for one evening.",
        ),
        (
            "They argue about a strike, which only one of them was at",
            "We argue about a strike, which only one of us was at.",
        ),
        ("He lets her stay; she despises them both for it", "He lets me stay; I despise us both for it."),
        ("Reads him the letters, and they are kind", "I read him the letters, and they are kind."),
    ],
)
def test_the_two_are_we(note: str, said: str) -> None:
    assert as_own_tie(note, "she", "Ada Voss", "he", "Tam Birch") == said


def test_a_note_ends_before_what_would_not_be_said() -> None:
    assert as_own_tie(
        "He brings her tea. He is fond of her, and she has not noticed", "she", "Ada", "he", "Tam"
    ) == ("He brings me tea.")

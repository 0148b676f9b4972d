"""A manner of speaking is read off somebody's sayings, and any sentence is put into it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from narratoria.contracts.scene_facts import PersonFacts
from narratoria.narrator.speech_manner import Manner


def person_facts(notes: dict[str, Any]) -> PersonFacts:
    return msgspec.convert(notes, PersonFacts)


@pytest.mark.parametrize(
    ("voice", "sayings", "said"),
    [
        ("", ["I'm here. It isn't far."], "I've never lied. It's true."),
        ("", ["I am here. It is not far."], "I have never lied. It is true."),
        ("", ["I been there. I done it."], "I never lied. It's true."),
        ("", ["You have a ——. It is ——.", "—— are you?"], "—— have never lied. It is true."),
        ("", ["It's you! Come in!", "Nine bells!"], "I've never lied! It's true."),
    ],
    ids=["runs-together", "whole", "dialect", "gaps", "loud"],
)
def test_the_same_words_sound_as_the_author_lets_somebody_sound(
    voice: str, sayings: list[str], said: str
) -> None:
    assert (
        Manner.of(person_facts({"voice": voice, "sayings": sayings})).says("I have never lied. It is true.")
        == said
    )


WHOLE, RUN_TOGETHER = ["I am here. It is not far."], ["I'm here. It isn't far."]
DIALECT, LOUD = ["I been there. I done it."], ["It's you! Come in!", "Nine bells!"]


@pytest.mark.parametrize(
    ("sayings", "text", "said"),
    [
        (WHOLE, "Why don't you go? Won't you?", "Why do you not go? Will you not?"),
        (WHOLE, "I'm nobody's fool. Nobody's told me.", "I am nobody's fool. Nobody has told me."),
        (WHOLE, "It's been cold. I can’t say more.", "It has been cold. I cannot say more."),
        (WHOLE, "I'd seen it, and I'd rather not.", "I had seen it, and I would rather not."),
        (RUN_TOGETHER, "I know what it is to lose. Who is it?", "I know what it is to lose. Who is it?"),
        (DIALECT, "I would do it for anybody. Ask anybody.", "I'd do it for anybody. Ask anybody."),
        (DIALECT, "I have never told on anybody.", "I never told on nobody."),
        (LOUD, "I owe Mr. Orde a lamp. He knows.", "I owe Mr. Orde a lamp! He knows."),
    ],
)
def test_in_no_manner_do_words_change_their_meaning(sayings: list[str], text: str, said: str) -> None:
    assert Manner.of(person_facts({"sayings": sayings})).says(text) == said


def test_plain_english_is_no_dialect() -> None:
    sayings = ["I never lie. That's what they say.", "I give you my word. I never ask what they want."]
    assert not Manner.of(person_facts({"sayings": sayings})).dialect


@pytest.mark.parametrize(
    ("voice", "temper"),
    [
        ("Quiet, never loud", "plain"),
        ("Speaks with a great deal of patience", "plain"),
        ("Fastidious", "plain"),
        ("Always names his sources", "plain"),
        ("Quick, not formal", "lively"),
    ],
)
def test_how_somebody_does_not_speak_is_not_how_they_speak(voice: str, temper: str) -> None:
    assert Manner.of(person_facts({"voice": voice})).temper == temper


def test_who_never_forgets_a_name_says_names() -> None:
    assert not Manner.of(person_facts({"voice": "Never forgets a name"})).names_nobody
    assert Manner.of(person_facts({"voice": "Never calls anybody by name"})).names_nobody


@pytest.mark.parametrize(
    ("sayings", "greetings", "opener"),
    [
        (["Snow. It never stops."], {}, ""),
        (["Snow. It never stops.", "Snow. What else?"], {}, "Snow."),
        ([], {"warm": "Señor. Come in."}, "Señor."),
        ([], {"warm": "Mr. Orde, at last."}, ""),
        ([], {"warm": "Hello. You again."}, ""),
    ],
)
def test_somebody_begins_with_what_they_call_the_player(
    sayings: list[str], greetings: dict[str, str], opener: str
) -> None:
    assert Manner.of(person_facts({"sayings": sayings, "greetings": greetings})).opener == opener


def test_who_breaks_off_breaks_off() -> None:
    manner = Manner.of(person_facts({"sayings": ["You're the one who. Yes. You have the. For the metal."]}))
    assert (
        manner.says("All I want is to get to the end of the tune.")
        == "All I want is to get to the end of the."
    )


def test_nothing_is_run_together_at_the_end_of_a_sentence() -> None:
    assert (
        Manner.of(person_facts({"sayings": ["It's so."]})).says("I'll tell you how it is.")
        == "I'll tell you how it is."
    )

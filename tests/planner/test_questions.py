"""A question is for whoever is there, for oneself, or about a thing in sight."""

from __future__ import annotations

import pytest

from narratoria.planner.intent import KnownThing, ReadingContext
from narratoria.planner.questions import (
    is_about_own_knowledge,
    is_about_thing_here,
    is_bare_question,
    is_question,
)

CONTEXT = ReadingContext(things=(KnownThing("slate", "slate"), KnownThing("trunk", "trunk")))


@pytest.mark.parametrize(
    "words",
    [
        "has the ferry gone yet",
        "did anybody feed the horses",
        "was the mayor ever here",
        "is there a doctor in town",
        "how much for the saddle",
        "whens the next train",
        "wheres the captain",
        "do you sleep here",
        "the north road, then?",
        "I'd like to know who lit that fire",
    ],
)
def test_a_question_needs_no_mark(words: str) -> None:
    assert is_question(words)


@pytest.mark.parametrize(
    "words",
    ["have a rest", "do a handstand", "what a pity", "When the bell rings I run", "I open the trunk"],
)
def test_what_only_begins_like_a_question_is_none(words: str) -> None:
    assert not is_question(words)


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ("what do I know about the mill", True),
        ("do I remember her name?", True),
        ("remind me who he is", True),
        ("who am I?", True),
        ("what am I carrying", True),
        ("what was I looking for?", True),
        ("how do I get across the river?", False),
        ("when did the mill burn down?", False),
        ("what did you tell me about the mill?", False),
    ],
)
def test_what_the_player_knows_or_has_nobody_else_is_asked(words: str, own: bool) -> None:
    assert is_about_own_knowledge(words) is own


@pytest.mark.parametrize(
    ("words", "here"),
    [
        ("what's written on the slate", True),
        ("whats in the trunk", True),
        ("is there something strange about the trunk?", True),
        ("what's behind the waterfall", False),
        ("what do you keep in the trunk?", False),
        ("what happened in the trunk?", False),
        ("why is there a slate on the wall", False),
    ],
)
def test_what_is_on_or_in_a_thing_here_can_be_looked_at(words: str, here: bool) -> None:
    assert is_about_thing_here(words, CONTEXT) is here


@pytest.mark.parametrize("words", ["got any kids, mister", "Marlow who gets the house", "how far is it"])
def test_a_bare_question_asks_for_nothing_to_be_done(words: str) -> None:
    assert is_question(words)
    assert is_bare_question(words)


@pytest.mark.parametrize("words", ["could you open the gate", "how about a drink", "give me the lamp"])
def test_a_request_is_no_bare_question(words: str) -> None:
    assert not is_bare_question(words)

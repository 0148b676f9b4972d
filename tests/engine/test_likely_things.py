"""Ordinary things, and those that are told of here, are believed though no author wrote them."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from tests.engine.small_story import situation, story

from narratoria.campaign.campaign import Place
from narratoria.engine.likely_things import is_likely_thing, is_own_thing, ordinary_things

TALE = story()
MILL = Place("mill", "The mill", "Sacks lie under the hoist.", details=("A cradle stands in the corner.",))


@pytest.mark.parametrize(
    "name",
    [
        "my hat",
        "the stone",
        "some coins",
        "a coin",
        "the little box",
        "two boxes",
        "a piece of bread",
        "a cup of starlight",
    ],
)
def test_nobody_wonders_at_an_ordinary_thing(name: str) -> None:
    assert is_likely_thing(name, situation(TALE), MILL)


@pytest.mark.parametrize("name", ["a dragon", "the crown of glass", "my rocket", "the", ""])
def test_what_nobody_told_of_is_not_likely(name: str) -> None:
    assert not is_likely_thing(name, situation(TALE), MILL)


def test_a_thing_that_the_place_tells_of_is_likely_there_and_not_elsewhere() -> None:
    elsewhere = TALE.places["inn"]

    for name in ("the hoist", "the cradle"):
        assert is_likely_thing(name, situation(TALE), MILL)
        assert not is_likely_thing(name, situation(TALE), elsewhere)


def test_a_thing_that_the_premise_or_the_players_own_notes_tell_of_is_likely() -> None:
    campaign = replace(TALE, premise=("You inherited a telescope.",))
    state = {"persona": {"name": "Kit", "notes": ["carries a falcon on the wrist", {"pet": "an otter"}]}}

    assert is_likely_thing("my telescope", situation(campaign), MILL)
    assert not is_likely_thing("my telescope", situation(TALE), MILL)
    for name in ("the falcon", "my otter"):
        assert is_likely_thing(name, situation(TALE, state=state), MILL)
        assert not is_likely_thing(name, situation(TALE), MILL)


def test_a_thing_that_somebody_here_is_seen_with_is_likely_while_they_are_here() -> None:
    ada = msgspec.structs.replace(TALE.people["ada"], appearance="She wears a monocle.")
    campaign = replace(TALE, people={"ada": ada})

    assert is_likely_thing("her monocle", situation(campaign), MILL)
    assert not is_likely_thing("her monocle", situation(campaign), TALE.places["inn"])


def test_what_counts_is_the_thing_and_not_what_is_said_of_it() -> None:
    assert not is_likely_thing("the stone dragon", situation(TALE), MILL)


@pytest.mark.parametrize(
    ("name", "text", "is_own"),
    [
        ("sword", "I draw my sword", True),
        ("sword", "I draw my old rusty sword", True),
        ("the crown of glass", "I polish my crown of glass", True),
        ("sword", "I draw the sword", False),
        ("sword", "I ask my brother for the good old sword", False),
        ("", "I draw my sword", False),
    ],
)
def test_a_thing_is_the_players_where_they_call_it_theirs(name: str, text: str, is_own: bool) -> None:
    assert is_own_thing(name, text) is is_own


def test_ordinary_things_are_single_words_in_lower_case() -> None:
    assert len(ordinary_things()) > 100
    assert all(thing == thing.casefold() and " " not in thing for thing in ordinary_things())

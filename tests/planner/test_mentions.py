"""Which things and places a player's words point at."""

from __future__ import annotations

import pytest

from narratoria.planner.intent import KnownPlace, KnownThing, ReadingContext
from narratoria.planner.mentions import find_place, find_thing

CONTEXT = ReadingContext(
    things=(
        KnownThing("founder's rule", "founder's rule", "player"),
        KnownThing("bread", "bread", "player"),
        KnownThing("wooden tags", "wooden tags"),
    ),
    places=(KnownPlace("foundry", "The Bell Foundry", 1), KnownPlace("tower", "The Lamp Tower", 2)),
)


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

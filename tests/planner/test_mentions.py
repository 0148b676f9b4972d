"""Which things and places a player's words point at."""

from __future__ import annotations

import pytest

from narratoria.planner.intent import KnownPerson, KnownPlace, KnownThing, ReadingContext
from narratoria.planner.mentions import find_place, find_thing, trim_to_noun

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


ROOM = ReadingContext(
    people=(KnownPerson("ida", "Ida", "Ida", "she", descriptions=("Warden",)),),
    things=(
        KnownThing("fountain", "fountain"),
        KnownThing("bucket", "bucket"),
        KnownThing("King's Chart", "King's Chart"),
        KnownThing("Firm Hand", "Firm Hand"),
        KnownThing("key to the boat house", "key to the boat house", "ida"),
        KnownThing("copper kettle", "copper kettle"),
    ),
)


@pytest.mark.parametrize(
    ("words", "thing"),
    [
        ("look at the mermaid in the fountain", "mermaid"),
        ("take a lump of clay out of the bucket", "lump of clay"),
        ("buy one of her charts", "chart"),
        ("I study the chart", "King's Chart"),
        ("snatch the whistle out of the warden's hand", "whistle"),
        ("steal the key", "key to the boat house"),
        ("have a look at the kettle", "copper kettle"),
        ("while Ida counts the coins I lift the kettle", "copper kettle"),
        ("I lay my hand on the kettle", "copper kettle"),
        ("give the warden the kettle", "copper kettle"),
    ],
)
def test_a_thing_is_the_first_one_named_after_the_verb(words: str, thing: str) -> None:
    mention = find_thing(words, ROOM)
    assert mention is not None
    assert (mention.name or mention.text) == thing


@pytest.mark.parametrize(
    ("phrase", "noun"),
    [
        ("single clean", ""),
        ("inspector would", "inspector"),
        ("long upper", ""),
        ("engine ticks", "engine"),
        ("long upper room", "long upper room"),
        ("lantern burns", "lantern"),
        ("stove there", "stove"),
        ("barn door open", "barn door"),
    ],
)
def test_a_thing_is_named_by_a_noun(phrase: str, noun: str) -> None:
    assert trim_to_noun(phrase) == noun


TOWN = (
    KnownPlace("square", "The Square", 0, words=frozenset({"fountain", "baker"})),
    KnownPlace("pumps", "The fuel station", 1, words=frozenset({"lamp", "canopy"})),
    KnownPlace("hall", "The Long Hall", 2, words=frozenset({"guild", "globe", "window"})),
    KnownPlace("mill", "The Mill", 1, words=frozenset({"chain", "iron", "window"})),
    KnownPlace("footbridge", "The footbridge", 1),
)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("go over to the petrol place", "pumps"),
        ("I hurry back to the guild, to the room with the huge globe", "hall"),
        ("follow the iron chain", "mill"),
        ("walk up onto the bridge", "footbridge"),
        ("go to the window", None),
        ("walk across the snow", None),
    ],
)
def test_a_place_is_found_by_what_it_and_the_way_there_are_described_by(
    words: str, place: str | None
) -> None:
    mention = find_place(words, TOWN)
    assert (mention.id if mention else None) == place


def test_one_word_after_the_at_the_end_names_a_thing_though_it_may_describe_one() -> None:
    mention = find_thing("have a look in the safe", CONTEXT)
    assert mention is not None
    assert (mention.text, mention.is_known) == ("safe", False)

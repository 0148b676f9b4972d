"""What a player's words may point at: people, things, places and offers, as the story has them now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from narratoria.campaign.campaign import (
    Beat,
    Campaign,
    Conditions,
    Effects,
    Manifest,
    Personality,
    Place,
    Profile,
    ProfileMetadata,
    Way,
)
from narratoria.engine.conditions import StorySituation
from narratoria.engine.reading import reading_context, things_at
from narratoria.engine.snapshot import Progress
from narratoria.planner.intent import KnownThing

MILL = Place("mill", "The mill", "A millstone lies by the door.", ways=(Way("inn", "down the road"),))
INN = Place("inn", "The inn", "An inn.", ways=(Way("mill", "up the road"),))
LANTERN = Beat(
    id="lantern",
    title="Lantern",
    description="It goes out.",
    conditions=Conditions(player_choice="Light your lantern", player_choices=("Make a light",)),
    npcs=("ada",),
    effects=Effects(lose=("brass lantern",)),
)


def person(name: str, place: str, **others: Any) -> Profile:
    return Profile(
        name=name,
        role="miller",
        personality=Personality(),
        metadata=ProfileMetadata(first_appearance=place),
        **others,
    )


def campaign(**others: Any) -> Campaign:
    return Campaign(
        Path(),
        Manifest(title="t", version="1.0.0"),
        start="mill",
        places={"mill": MILL, "inn": INN},
        people={"bo": person("Bo", "inn"), "ada": person("Ada", "mill", inventory=("a copper key",))},
        beats=(LANTERN,),
        **others,
    )


def situation(
    progress: Progress | None = None, state: dict[str, Any] | None = None, **others: Any
) -> StorySituation:
    return StorySituation(campaign(**others), progress or Progress(place="mill"), frozenset(), state or {})


def test_who_is_here_comes_first_and_the_dead_are_known_to_be_dead() -> None:
    people = reading_context(situation(Progress(place="mill", dead=("bo",))), ()).people

    assert [(one.id, one.present, one.alive) for one in people] == [("ada", True, True), ("bo", False, False)]
    assert "miller" in people[0].descriptions


def test_every_place_is_known_with_its_distance_and_the_one_where_the_player_is_with_none() -> None:
    places = reading_context(situation(), ()).places

    assert [(place.id, place.steps) for place in places] == [("mill", 0), ("inn", 1)]


def test_an_offer_has_every_wording_and_what_it_speaks_of_is_at_hand() -> None:
    context = reading_context(situation(), (LANTERN,), last_person="ada", last_thing="key")

    (offer,) = context.offers
    assert (offer.id, offer.texts, offer.people) == (
        "lantern",
        ("Light your lantern", "Make a light"),
        ("ada",),
    )
    assert KnownThing("lantern", "lantern", "player") in context.things
    assert (context.last_person, context.last_thing, context.place_name) == ("ada", "key", "the mill")


def test_things_are_the_players_those_of_who_is_here_and_those_of_the_place() -> None:
    things = things_at(MILL, situation(state={"persona": {"items": ["rope"]}}))

    assert things[0] == KnownThing("rope", "rope", "player")
    assert KnownThing("copper key", "copper key", "ada") in things
    assert any(thing.name == "millstone" and not thing.holder for thing in things)


def test_a_thing_lies_where_it_was_dropped_and_nowhere_else() -> None:
    world = {"world": {"things": {"rope": {"holder": "", "place": "mill"}}}}

    assert KnownThing("rope", "rope") in things_at(MILL, situation(state=world))
    assert KnownThing("rope", "rope") not in things_at(INN, situation(state=world))


def test_a_thing_that_somebody_took_or_a_beat_used_up_is_no_part_of_the_place_any_more() -> None:
    premise = {"premise": ("You hold a brass lantern.",)}
    assert "brass lantern" in names(situation(**premise))
    assert "brass lantern" not in names(
        situation(Progress(place="mill", beat_outcomes={"lantern": ""}), **premise)
    )
    assert "millstone" not in names(situation(state={"world": {"things": {"millstone": {"holder": "ada"}}}}))


def test_what_the_premise_names_stays_at_hand() -> None:
    later = Progress(place="mill", scene=40)

    assert "brass lantern" in names(situation(later, premise=("You hold a brass lantern.",)))


def names(here: StorySituation) -> set[str]:
    return {thing.name for thing in things_at(MILL, here)}


def test_a_place_has_the_words_of_its_description_and_of_the_way_there() -> None:
    inn = next(place for place in reading_context(situation(), ()).places if place.id == "inn")

    assert {"inn", "road"} <= inn.words


def test_what_is_no_noun_is_no_thing() -> None:
    place = Place(
        "yard", "The yard", "The inspector would come. A single clean stripe runs past the old pump."
    )

    things = {thing.name for thing in things_at(place, situation())}
    assert {"inspector", "clean stripe", "old pump"} <= things
    assert not things & {"inspector would", "single clean"}

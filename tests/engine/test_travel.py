"""The way from place to place: the shortest one, told step by step."""

from __future__ import annotations

from pathlib import Path

from narratoria.campaign.campaign import Campaign, Manifest, Place, Way
from narratoria.engine.travel import describe_path, distances_from, path_to

HUT = Place(
    "hut", "The hut", "A hut.", ways=(Way("ford", "down to the ford."), Way("nowhere", "over the edge"))
)
FORD = Place("ford", "The ford", "A ford.", ways=(Way("town", ""), Way("hut", "back up")))
TOWN = Place("town", "The town", "A town.", ways=(Way("hut", "over the hill"),))
ISLE = Place("isle", "The isle", "An isle.")
CAMPAIGN = Campaign(
    Path(),
    Manifest(title="t", version="1.0.0"),
    start="hut",
    places={place.id: place for place in (HUT, FORD, TOWN, ISLE)},
)


def test_a_place_is_as_far_as_the_fewest_steps_and_one_without_a_way_has_no_distance() -> None:
    assert distances_from(HUT, CAMPAIGN) == {"hut": 0, "ford": 1, "town": 2}
    assert distances_from(TOWN, CAMPAIGN) == {"town": 0, "hut": 1, "ford": 2}
    assert distances_from(ISLE, CAMPAIGN) == {"isle": 0}


def test_the_path_is_the_shortest_and_empty_where_none_leads_there() -> None:
    assert path_to(HUT, "town", CAMPAIGN) == ["ford", "town"]
    assert path_to(HUT, "hut", CAMPAIGN) == []
    assert path_to(HUT, "isle", CAMPAIGN) == []
    assert path_to(HUT, "nowhere", CAMPAIGN) == []


def test_a_walk_is_told_by_its_routes_and_by_the_place_where_a_way_has_none() -> None:
    assert describe_path(HUT, ["ford", "town"], CAMPAIGN) == "down to the ford, and then on to the town"

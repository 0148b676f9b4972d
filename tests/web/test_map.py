"""The map: places that were seen, those that ways lead to, and a walk to any of them."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def story(server: Any) -> str:
    return str(server.begin(campaign="harrowmere"))


def test_a_place_is_on_the_map_once_it_was_seen_or_a_way_leads_there(server: Any, story: str) -> None:
    scene = server.get(f"/api/stories/{story}")["scenes"][-1]
    places = {place["id"]: place for place in server.get(f"/api/stories/{story}/map")["places"]}
    here = places[scene["place"]]
    assert here["isHere"]
    assert here["isSeen"]
    assert not here["canGo"]
    assert set(here["people"]) == set(scene["people"])
    assert set(places) == {scene["place"], *here["ways"]}
    beyond = [place for place in places.values() if not place["isHere"]]
    assert beyond
    assert not any(place["isSeen"] or place["ways"] or place["people"] for place in beyond)
    assert all(place["canGo"] for place in beyond)


def test_one_goes_to_a_place_by_picking_it_and_further_ways_appear(server: Any, story: str) -> None:
    before = server.get(f"/api/stories/{story}/map")["places"]
    target = next(place for place in before if not place["isSeen"])
    server.post(f"/api/stories/{story}/go", {"place": target["id"], "scene": 1}, 202)
    scene = server.wait(story, 2)["scenes"][-1]
    assert scene["place"] == target["id"]
    after = {place["id"]: place for place in server.get(f"/api/stories/{story}/map")["places"]}
    assert after[target["id"]]["isHere"]
    assert after[target["id"]]["isSeen"]
    first = next(place["id"] for place in before if place["isHere"])
    assert set(after[first]["people"]).isdisjoint(scene.get("people", ()))


def test_nobody_goes_to_a_place_that_is_not_on_the_map_or_where_they_are(server: Any, story: str) -> None:
    unknown = server.ask("POST", f"/api/stories/{story}/go", {"place": "moon", "scene": 1})
    assert unknown.status == 404
    here = server.get(f"/api/stories/{story}")["scenes"][-1]["place"]
    refused = server.ask("POST", f"/api/stories/{story}/go", {"place": here, "scene": 1})
    assert (refused.status, refused.code) == (409, "no_way")

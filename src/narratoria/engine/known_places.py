"""Lists the places that the player knows: seen or only heard of, the ways between them, and who was where."""

from __future__ import annotations

from dataclasses import dataclass

from narratoria.campaign.campaign import Campaign, Place
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.travel import path_to


@dataclass(frozen=True, slots=True)
class PlaceOnMap:
    place: Place
    is_seen: bool  # otherwise a way leads there, and no more is known
    is_here: bool
    can_go: bool  # whether ways lead there from here
    visits: int
    people: tuple[str, ...]  # who was last seen there
    ways: tuple[str, ...]  # ids of the places that known ways lead to


def list_known_places(snapshot: StorySnapshot, campaign: Campaign) -> tuple[PlaceOnMap, ...]:
    """Return the places on the player's map; those seen first come first."""
    progress, places = snapshot.progress, campaign.places
    visited_places = dict.fromkeys(scene.place for scene in snapshot.scenes if scene.place in places)
    if progress.place in places:
        visited_places.setdefault(progress.place)
    ways = {
        name: tuple(dict.fromkeys(way.to for way in places[name].ways if way.to in places))
        for name in visited_places
    }
    beyond = dict.fromkeys(to for leads in ways.values() for to in leads if to not in visited_places)
    last_seen = {
        person: scene.place
        for scene in snapshot.scenes
        for person in scene.people
        if person not in progress.dead
    }
    here = places.get(progress.place)
    return tuple(
        PlaceOnMap(
            place=places[name],
            is_seen=name in visited_places,
            is_here=name == progress.place,
            can_go=here is not None and bool(path_to(here, name, campaign)),
            visits=progress.visits.get(name, 0),
            people=tuple(person for person, place in last_seen.items() if place == name),
            ways=ways.get(name, ()),
        )
        for name in (*visited_places, *beyond)
    )

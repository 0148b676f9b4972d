"""Finds the way from place to place: how far each is, through which places it leads, and to what."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from narratoria.campaign.campaign import Campaign, Place
from narratoria.engine import beats, endings
from narratoria.engine.conditions import StorySituation


def distances_from(here: Place, campaign: Campaign) -> dict[str, int]:
    """Return how many steps it is from a place to every place that a way leads to."""
    distances, queue = {here.id: 0}, deque([here.id])
    while queue:
        at = queue.popleft()
        for way in campaign.places[at].ways:
            if way.to in campaign.places and way.to not in distances:
                distances[way.to] = distances[at] + 1
                queue.append(way.to)
    return distances


def path_to(here: Place, target: str, campaign: Campaign) -> list[str]:
    """Return the places on the shortest way to a place, first step first; empty where none leads there."""
    before: dict[str, str] = {here.id: ""}
    queue = deque([here.id])
    while queue:
        at = queue.popleft()
        if at == target:
            path = []
            while at != here.id:
                path.append(at)
                at = before[at]
            return path[::-1]
        for way in campaign.places[at].ways:
            if way.to in campaign.places and way.to not in before:
                before[way.to] = at
                queue.append(way.to)
    return []


def describe_path(here: Place, path: list[str], campaign: Campaign) -> str:
    """Return a walk over several places as what follows "You go": the routes of its steps, in order."""
    routes, at = [], here
    for step in path:
        way = next((way for way in at.ways if way.to == step), None)
        at = campaign.places[step]
        routes.append((way.route if way and way.route else f"on to {at.in_a_sentence}").rstrip("."))
    return ", and then ".join(routes)


def neighbour_of(place: str, campaign: Campaign, visits: Mapping[str, int] | None = None) -> str:
    """Return the place next door that one ends up at, known rather than new; empty where there is none."""
    here = campaign.places.get(place)
    neighbours = (
        [way.to for way in here.ways if way.to in campaign.places and way.to != place] if here else []
    )

    def rank(neighbour: str) -> tuple[bool, int]:
        has_way_back = any(way.to == place for way in campaign.places[neighbour].ways)
        return not has_way_back, -(visits or {}).get(neighbour, 0)

    return min(neighbours, key=rank, default="")


def ways_out(place: Place, situation: StorySituation) -> dict[str, tuple[int | None, int | None]]:
    """Return the places one can go to, with the steps from there to something critical, and to anything.

    What leads to the ending that the story leans to counts as critical.
    """
    campaign = situation.campaign
    leans = endings.leaning(situation)
    missing_beats = frozenset(leans.missing) if leans else frozenset()
    elsewhere = [
        beat for beat in beats.openings(situation, missing_beats) if beat.location not in ("", place.id)
    ]
    critical = {
        beat.location for beat in elsewhere if beat.priority == "critical" or beat.id in missing_beats
    }
    any_at_all = {beat.location for beat in elsewhere}
    return {
        way.to: (
            _steps(way.to, critical, place.id, campaign),
            _steps(way.to, any_at_all, place.id, campaign),
        )
        for way in place.ways
        if way.to in campaign.places
    }


def _steps(start: str, targets: AbstractSet[str], excluded: str, campaign: Campaign) -> int | None:
    queue, visited = deque([(start, 1)]), {start, excluded}
    while queue:
        place, steps = queue.popleft()
        if place in targets:
            return steps
        for way in campaign.places[place].ways:
            if way.to not in visited and way.to in campaign.places:
                visited.add(way.to)
                queue.append((way.to, steps + 1))
    return None

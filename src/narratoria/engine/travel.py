"""Finds the way from place to place: how far each is, and through which places it leads."""

from __future__ import annotations

from collections import deque

from narratoria.campaign.campaign import Campaign, Place


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

"""Answers for the map: the places the player has seen, the ways between them, and who was last seen where."""

from __future__ import annotations

import asyncio

import msgspec

from narratoria.campaign.campaign import Campaign, Place
from narratoria.engine.known_places import list_known_places
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.web.app_state import AppState
from narratoria.web.files import file_address, find_inside
from narratoria.web.memories import load_story_campaign
from narratoria.web.operation import ApiError, Operations, not_found
from narratoria.web.stories import Begun, refuse_stale, under_way

maps = Operations("Map", "The places the player knows, and the ways between them.")


class MapPlace(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    name: str
    is_seen: bool  # otherwise a way leads there, and no more is known
    is_here: bool
    can_go: bool  # whether ways lead there from here
    picture: str | None
    visits: int
    people: tuple[str, ...]  # who was last seen there
    ways: tuple[str, ...]  # ids of the places that known ways lead to


class MapPage(msgspec.Struct, frozen=True, rename="camel"):
    places: tuple[MapPlace, ...]  # those seen first come first


class Going(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    place: str
    scene: int  # the number of the present scene
    mark: str = ""  # of that scene


@maps.get("/stories/{story}/map", readers=True)
async def show_map(app_state: AppState, story: str) -> MapPage:
    """The places seen and those that ways lead to, and who was last seen where."""
    session = await app_state.open_story(story)
    campaign = await asyncio.to_thread(load_story_campaign, app_state, session)
    return MapPage(_places(session.snapshot, campaign) if campaign else ())


@maps.post("/stories/{story}/go", status=202, tells=True)
async def go_to_place(app_state: AppState, story: str, body: Going) -> Begun:
    """Go to a place on the map, over as many ways as it takes.

    409 `no_way` where none leads there, or the story is over.
    """
    session = await app_state.open_story(story)
    refuse_stale(session, body.scene, body.mark)
    campaign = await asyncio.to_thread(load_story_campaign, app_state, session)
    known = {place.id: place for place in _places(session.snapshot, campaign)} if campaign else {}
    if campaign is None or body.place not in known:
        raise not_found("place on the map", body.place)
    if not known[body.place].can_go or session.snapshot.progress.ending:
        raise ApiError(409, "no_way", "You cannot go there from here.", "Read on, and choose there.")
    text = f"Go to {campaign.places[body.place].in_a_sentence}"
    return await under_way(
        app_state, session, session.choose(Choice(text=text, kind="go", target=body.place))
    )


def _places(snapshot: StorySnapshot, campaign: Campaign) -> tuple[MapPlace, ...]:
    return tuple(
        MapPlace(
            id=known.place.id,
            name=known.place.name,
            is_seen=known.is_seen,
            is_here=known.is_here,
            can_go=known.can_go,
            picture=_picture(known.place, campaign) if known.is_seen else None,
            visits=known.visits,
            people=known.people,
            ways=known.ways,
        )
        for known in list_known_places(snapshot, campaign)
    )


def _picture(place: Place, campaign: Campaign) -> str | None:
    has_file = place.art and find_inside(campaign.folder, place.art)
    return file_address(campaign.name, place.art) if has_file else None

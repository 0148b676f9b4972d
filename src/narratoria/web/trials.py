"""Answers for trial stories, which an author begins at a place or a beat of their own campaign."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from narratoria.app import load_or_enrich_campaign
from narratoria.campaign.campaign import Campaign
from narratoria.engine.persona import Persona, create
from narratoria.engine.trial import TrialStart, start_at_beat, start_at_place
from narratoria.web.app_state import AppState
from narratoria.web.authorization import require_room
from narratoria.web.campaign_text import require_own
from narratoria.web.operation import Operations, not_found
from narratoria.web.stories import StoryCard, card

trials = Operations("Trial stories", "Play from anywhere in one's own campaign.", role="author")


class StartPoint(msgspec.Struct, frozen=True, rename="camel"):
    """A place or a beat that a trial story can begin at."""

    id: str
    title: str


class StartPoints(msgspec.Struct, frozen=True, rename="camel"):
    places: tuple[StartPoint, ...]
    beats: tuple[StartPoint, ...]
    people: Mapping[str, str]  # where each is when the story begins: their pages are played from there


class NewTrial(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    place: str = ""
    beat: str = ""  # goes before the place


@trials.get("/campaigns/{name}/starts")
async def list_starts(app_state: AppState, name: str) -> StartPoints:
    """The places and beats of one's own campaign, to play from."""
    campaign = await asyncio.to_thread(load_or_enrich_campaign, require_own(app_state, name))
    homes = {person: campaign.home_of(person) for person in campaign.people}
    return StartPoints(
        tuple(StartPoint(place.id, place.name) for place in campaign.places.values()),
        tuple(StartPoint(beat.id, beat.title) for beat in campaign.beats),
        {person: home for person, home in homes.items() if home in campaign.places},
    )


@trials.post("/campaigns/{name}/trial", status=201, tells=True)
async def begin_trial(app_state: AppState, name: str, body: NewTrial) -> StoryCard:
    """Begin a story at a place or a beat, as if what has to come before it had happened.

    It replaces the last trial of the campaign, and is not listed among the stories.
    """
    campaign = await asyncio.to_thread(load_or_enrich_campaign, require_own(app_state, name))
    persona = _default_persona(campaign)
    title, start = _find_start(body, campaign, persona)
    await _throw_away(app_state, campaign.name)
    await require_room(app_state)
    session = await app_state.library.begin(
        campaign, persona=persona, title=title, owner=app_state.account.id, trial=start
    )
    await app_state.open_story(session.story.id)  # tells the first scene
    return await card(app_state, session.story)


def _find_start(body: NewTrial, campaign: Campaign, persona: Mapping[str, Any]) -> tuple[str, TrialStart]:
    if body.beat:
        if (beat := campaign.beat(body.beat)) is None:
            raise not_found("beat", body.beat)
        return beat.title, start_at_beat(beat, campaign, persona)
    if body.place not in campaign.places:
        raise not_found("place", body.place)
    return campaign.places[body.place].name, start_at_place(body.place, persona)


def _default_persona(campaign: Campaign) -> dict[str, Any]:
    """Return whoever is played where nobody says who; just their things where the template asks for more."""
    preset = next((one.name for one in campaign.template.presets), "")
    for answers in ({}, {"preset": preset}):
        if isinstance(made := create(campaign.template, answers), Persona):
            return made.as_state()
    return {"items": list(campaign.template.starting_items)}


async def _throw_away(app_state: AppState, campaign: str) -> None:
    """Delete the trial stories that the account has of a campaign."""
    for story in await app_state.library.stories(campaign):
        if story.is_trial and story.owner == app_state.account.id:
            await app_state.close_story(story.id)
            await app_state.library.delete(story.id)

"""Answers for the people of a story: what each thinks of the player, where they are, and what to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.conditions import StorySituation
from narratoria.engine.journal import KnownFact, list_known_facts
from narratoria.engine.people import place_of
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.story_session import StorySession
from narratoria.engine.topics import is_open, topic_id
from narratoria.web.app_state import AppState
from narratoria.web.memories import (
    StandingPage,
    load_story_campaign,
    name_of,
    portrait_of,
    show_standings,
)
from narratoria.web.operation import ApiError, Operations, not_found
from narratoria.web.stories import Begun, refuse_stale, under_way

people = Operations("People", "Everybody the player has met, and what there is to ask them.")


class TopicQuestion(msgspec.Struct, frozen=True, rename="camel"):
    """Something a person can be asked, or was."""

    id: str
    text: str  # what follows "Ask Pike"


class PersonPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    name: str
    role: str
    portrait: str | None
    is_here: bool
    is_dead: bool
    is_with_player: bool
    last_seen_at: str  # a place
    last_seen_in: int  # a scene; 0 for somebody who was only spoken of
    standing: StandingPage | None
    known: tuple[KnownFact, ...]  # of them, or from them
    knows_of_player: tuple[str, ...]  # what the player did that they saw
    topics: tuple[TopicQuestion, ...]  # what they can be asked
    asked: tuple[TopicQuestion, ...]


class PeoplePage(msgspec.Struct, frozen=True, rename="camel"):
    people: tuple[PersonPage, ...]  # whoever is here first, then the one seen last
    factions: tuple[StandingPage, ...]


class Asking(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    topic: str  # the id of a question
    scene: int  # the number of the present scene
    mark: str = ""  # of that scene


@people.get("/stories/{story}/people", readers=True)
async def list_people(app_state: AppState, story: str) -> PeoplePage:
    """Everybody the player has met: what they think and why, what is known of them, what to ask."""
    session = await app_state.open_story(story)
    standings = await show_standings(app_state, story)
    campaign = await asyncio.to_thread(load_story_campaign, app_state, session)
    if campaign is None:
        return PeoplePage((), standings.factions)
    snapshot = session.snapshot
    facts = list_known_facts(snapshot, campaign)
    by_id = {standing.id: standing for standing in standings.people}
    last_seen = _last_scenes(snapshot.scenes)
    met = dict.fromkeys((*snapshot.progress.met_people, *last_seen, *by_id))
    pages = [
        _page(
            person,
            session,
            campaign,
            standing=by_id.get(person),
            facts=facts,
            last_scene=last_seen.get(person),
        )
        for person in met
        if person in campaign.people
    ]
    pages.sort(key=lambda page: (not page.is_here, -page.last_seen_in, page.name))
    return PeoplePage(tuple(pages), standings.factions)


@people.post("/stories/{story}/ask", status=202, tells=True)
async def ask_person(app_state: AppState, story: str, body: Asking) -> Begun:
    """Ask somebody a question of theirs; the player goes to them first, where they are elsewhere.

    409 `not_open` where it cannot be asked now.
    """
    session = await app_state.open_story(story)
    refuse_stale(session, body.scene, body.mark)
    campaign = await asyncio.to_thread(load_story_campaign, app_state, session)
    person = body.topic.partition("/")[0]
    if campaign is None or person not in campaign.people:
        raise not_found("question", body.topic)
    question = next((one for one in _questions(person, session, campaign) if one.id == body.topic), None)
    if question is None:
        raise ApiError(409, "not_open", "This cannot be asked now.", "Something has to happen first.")
    choice = Choice(
        text=_offer(person, question, session, campaign),
        kind="talk",
        target=person,
        act="ask",
        topic=question.id,
    )
    return await under_way(app_state, session, session.choose(choice))


def _offer(person: str, question: TopicQuestion, session: StorySession, campaign: Campaign) -> str:
    at, name = place_of(person, campaign, session.snapshot.progress), name_of(campaign, person)
    if at in ("", session.snapshot.progress.place):
        return f"Ask {name} {question.text}"
    return f"Go to {campaign.places[at].in_a_sentence} and ask {name} {question.text}"


def _page(
    person: str,
    session: StorySession,
    campaign: Campaign,
    *,
    standing: StandingPage | None,
    facts: Iterable[KnownFact],
    last_scene: Scene | None,
) -> PersonPage:
    progress = session.snapshot.progress
    profile = campaign.people[person].apply_changes(session.snapshot.flags)
    is_dead = person in progress.dead
    here = place_of(person, campaign, progress) == progress.place and not is_dead
    return PersonPage(
        id=person,
        name=profile.name,
        role=profile.role,
        portrait=portrait_of(person, campaign, session),
        is_here=here,
        is_dead=is_dead,
        is_with_player=person in progress.company,
        last_seen_at=last_scene.place if last_scene else "",
        last_seen_in=last_scene.number if last_scene else 0,
        standing=standing,
        known=tuple(fact for fact in facts if fact.person == person),
        knows_of_player=tuple(f"You {act.clause}" for act in progress.player_acts if person in act.people),
        topics=() if is_dead else _questions(person, session, campaign),
        asked=tuple(
            TopicQuestion(topic_id(person, topic), topic.ask)
            for topic in profile.topics
            if topic_id(person, topic) in progress.evidence
        ),
    )


def _questions(person: str, session: StorySession, campaign: Campaign) -> tuple[TopicQuestion, ...]:
    """Return what a person can be asked where they are: the author's topics that are open and unanswered."""
    snapshot = session.snapshot
    at = place_of(person, campaign, snapshot.progress)
    if at not in snapshot.progress.visits and at != snapshot.progress.place:
        return ()  # nobody knows where to find them
    situation = StorySituation(
        campaign.apply_changes(snapshot.flags), snapshot.progress, snapshot.flags, snapshot.state.to_dict()
    ).move_to(at)
    return tuple(
        TopicQuestion(topic_id(person, topic), topic.ask)
        for topic in campaign.people[person].topics
        if topic.offered
        and topic_id(person, topic) not in snapshot.progress.evidence
        and is_open(topic, situation)
    )


def _last_scenes(scenes: Iterable[Scene]) -> dict[str, Scene]:
    """Return the last scene in which each person was there."""
    return {person: scene for scene in scenes for person in scene.people}

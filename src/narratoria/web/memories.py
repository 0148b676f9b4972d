"""Shows a story's opinions and how they came about, and its memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.campaign.load import load_campaign
from narratoria.engine.memory.canon import model_of
from narratoria.engine.memory.recall import BARE
from narratoria.engine.revise import mark_memory
from narratoria.engine.revisions import Mark
from narratoria.engine.snapshot import Progress, StruckMemory
from narratoria.engine.story_session import StorySession
from narratoria.errors import ContractViolation, StoreUnavailable
from narratoria.store.records import FactionReputation, MemoryEvent, NpcPerception, StandingChange
from narratoria.web.app_state import AppState
from narratoria.web.campaigns import campaign_folders
from narratoria.web.files import asset_address, file_address, find_inside
from narratoria.web.operation import Operations

if TYPE_CHECKING:
    from narratoria.store.scope import Scope

memories = Operations("Memory", "What the people of a story remember, and what they think of the player.")

# from this score on; the highest that is reached counts
PEOPLE = (
    (60, "would do a great deal for you"),
    (20, "thinks well of you"),
    (-19, "has not made up their mind about you"),
    (-59, "does not think well of you"),
    (-1000, "would like to see you fall"),
)
FACTIONS = (
    (60, "count you as one of theirs"),
    (20, "think well of you"),
    (-19, "have no opinion of you"),
    (-59, "distrust you"),
    (-1000, "are your enemies"),
)


class StandingPoint(msgspec.Struct, frozen=True, rename="camel"):
    turn: int
    score: float
    reason: str


class StandingPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    name: str
    score: float  # from -100 to 100
    words: str
    portrait: str | None
    history: tuple[StandingPoint, ...]


class Standings(msgspec.Struct, frozen=True, rename="camel"):
    people: tuple[StandingPage, ...]
    factions: tuple[StandingPage, ...]


class MemoryPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    summary: str
    relevance: float | None  # how probably it answers the query; None without one
    turn: int
    episodic: bool
    significance: str
    characters: tuple[str, ...]
    witnesses: tuple[str, ...]
    tags: tuple[str, ...]
    skill: str
    added_by: str  # the model that added it; empty for what the engine knows
    mark: Mark  # pinned: every turn recalls it; struck: none does


@memories.get("/stories/{story}/standings")
async def show_standings(app_state: AppState, story: str) -> Standings:
    """What everybody thinks of the player, and how each opinion came about."""
    session = await app_state.open_story(story)
    campaign = load_story_campaign(app_state, session)
    try:
        scope = await session.memory.scope()
        people = [
            await _person(scope, entry.record, campaign, session)
            for entry in await scope.exact_match("perception")
        ]
        factions = [
            await _faction(scope, entry.record, campaign) for entry in await scope.exact_match("reputation")
        ]
    except StoreUnavailable:  # a story that is told without a store has no ledgers
        people, factions = [], []
    return Standings(tuple(people), tuple(factions))


@memories.get("/stories/{story}/memories")
async def list_memories(  # noqa: PLR0917  the query's parameters
    app_state: AppState,
    story: str,
    query: Annotated[str, msgspec.Meta(max_length=500, description="what they are to be about")] = "",
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50,
    added: Annotated[bool, msgspec.Meta(description="only what a model has added to the story")] = False,
    struck: Annotated[bool, msgspec.Meta(description="what was struck out instead")] = False,
) -> list[MemoryPage]:
    """What is remembered: pinned ones first, then the most relevant for a query or the newest without one."""
    session = await app_state.open_story(story)
    progress = session.snapshot.progress
    if struck:
        return [_struck(one) for one in reversed(progress.struck)][:limit]
    try:
        scope = await session.memory.scope()
    except StoreUnavailable:
        return []
    if query.strip():
        hits = await scope.semantic_search(query, "memory", 2 * limit, min_relevance=0.0)
        pages = [_memory(hit.record, hit.skill, hit.relevance, progress) for hit in hits]
    else:
        most = None if added else 2 * limit
        entries = await scope.exact_match("memory", limit=most, newest_first=True)
        pages = [_memory(one.record, one.skill, None, progress) for one in entries]
    if added:
        pages = [page for page in pages if page.added_by]
    return sorted(_each_scene_once(pages)[:limit], key=lambda page: page.mark != "pinned")


class MemoryMarking(msgspec.Struct, frozen=True, rename="camel"):
    mark: Mark


@memories.put("/stories/{story}/memories/{memory}/mark")
async def mark(app_state: AppState, story: str, memory: str, body: MemoryMarking) -> None:
    """Pin a memory, so that every turn recalls it; strike it out, so that none does; or neither any more."""
    await mark_memory(await app_state.open_story(story), memory, body.mark)


@memories.delete("/stories/{story}/memories/{memory}")
async def strike_out_memory(app_state: AppState, story: str, memory: str) -> None:
    """Strike out a memory: nobody remembers it, and nothing is told by it, from then on."""
    await mark_memory(await app_state.open_story(story), memory, "struck")


async def _person(
    scope: Scope, record: Any, campaign: Campaign | None, session: StorySession
) -> StandingPage:
    assert isinstance(record, NpcPerception)
    history = await scope.history("perception", record.npc_id)
    return StandingPage(
        id=record.npc_id,
        name=name_of(campaign, record.npc_id),
        score=round(record.perception_score, 2),
        words=words_for(record.perception_score, PEOPLE),
        portrait=portrait_of(record.npc_id, campaign, session),
        history=_points(history),
    )


async def _faction(scope: Scope, record: Any, campaign: Campaign | None) -> StandingPage:
    assert isinstance(record, FactionReputation)
    faction = campaign.factions.get(record.faction_id) if campaign else None
    return StandingPage(
        id=record.faction_id,
        name=faction.name if faction else _readable(record.faction_id),
        score=round(record.current_score, 2),
        words=words_for(record.current_score, FACTIONS),
        portrait=None,
        history=_points(await scope.history("reputation", record.faction_id)),
    )


def portrait_of(person: str, campaign: Campaign | None, session: StorySession) -> str | None:
    """Return the address of the newest portrait that a scene shows, else of the author's own."""
    named = next(
        (scene.portraits[person] for scene in reversed(session.snapshot.scenes) if person in scene.portraits),
        "",
    )
    if campaign is not None:
        profile = campaign.people.get(person)
        for path in (named, profile.portrait if profile else ""):
            if path and find_inside(campaign.folder, path):
                return file_address(campaign.name, path)
    return asset_address(session.story.id, named) if named else None


def load_story_campaign(app_state: AppState, session: StorySession) -> Campaign | None:
    """Return the campaign of a story as it is now; None where it is gone or broken."""
    folder = campaign_folders(app_state).get(session.story.campaign)
    try:
        return load_campaign(folder) if folder else None
    except ContractViolation:
        return None


def _each_scene_once(pages: list[MemoryPage]) -> list[MemoryPage]:
    """Less the choices in their own words, where the scene is remembered too: it takes their weight."""
    scene_turns = {page.turn for page in pages if not page.skill}
    echoes = [
        page for page in pages if page.skill and page.summary.startswith(BARE) and page.turn in scene_turns
    ]
    turning = {page.turn for page in echoes if page.episodic}
    return [
        msgspec.structs.replace(page, episodic=page.episodic or (not page.skill and page.turn in turning))
        for page in pages
        if page not in echoes
    ]


def _memory(record: Any, skill: str, relevance: float | None, progress: Progress) -> MemoryPage:
    assert isinstance(record, MemoryEvent)
    return MemoryPage(
        id=record.id,
        summary=record.summary,
        relevance=None if relevance is None else round(relevance, 4),
        turn=record.turn,
        episodic=record.episodic,
        significance=record.significance,
        characters=record.character_ids,
        witnesses=record.witnesses,
        tags=record.semantic_tags,
        skill=skill,
        added_by=model_of(record.source),
        mark="pinned" if record.id in progress.pinned else "none",
    )


def _struck(memory: StruckMemory) -> MemoryPage:
    record = msgspec.convert(
        {"significance": "medium", **memory.body, "id": memory.id, "turn": memory.scene},
        MemoryEvent,
        strict=False,
    )
    return msgspec.structs.replace(_memory(record, "", None, Progress()), mark="struck")


def _points(history: tuple[StandingChange, ...]) -> tuple[StandingPoint, ...]:
    return tuple(StandingPoint(one.turn, round(one.score_after, 2), one.reason) for one in history)


def name_of(campaign: Campaign | None, person: str) -> str:
    if campaign is not None:
        if person in campaign.people:
            return campaign.people[person].name
        if person in campaign.factions:
            return campaign.factions[person].name
    return _readable(person)


def _readable(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").capitalize()


def words_for(score: float, scale: tuple[tuple[int, str], ...]) -> str:
    return next(words for least, words in scale if round(score) >= least)  # as it is shown

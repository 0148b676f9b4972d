"""Shows a story's opinions and how they came about, its memories, and the record behind each receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.campaign.load import load_campaign
from narratoria.engine.beats import consequences
from narratoria.engine.memory.recall import BARE
from narratoria.engine.scene import ReceiptKind
from narratoria.engine.story_session import StorySession
from narratoria.errors import ContractViolation, NoSuchRecord, StoreUnavailable
from narratoria.store.records import FactionReputation, MemoryEvent, NpcPerception, StandingChange
from narratoria.web.app_state import AppState
from narratoria.web.campaigns import campaign_folders
from narratoria.web.files import asset_address, file_address, find_inside
from narratoria.web.operation import Operations, not_found

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


class Reason(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The record behind a receipt."""

    kind: ReceiptKind
    id: str
    title: str
    text: str
    turn: int | None
    record: dict[str, Any]


@memories.get("/stories/{story}/standings")
async def show_standings(app_state: AppState, story: str) -> Standings:
    """What everybody thinks of the player, and how each opinion came about."""
    session = await app_state.open_story(story)
    campaign = _campaign(app_state, session)
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
async def list_memories(
    app_state: AppState,
    story: str,
    query: Annotated[str, msgspec.Meta(max_length=500, description="what they are to be about")] = "",
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50,
) -> list[MemoryPage]:
    """What is remembered: the most relevant first for a query, the newest first without one."""
    session = await app_state.open_story(story)
    try:
        scope = await session.memory.scope()
    except StoreUnavailable:
        return []
    if query.strip():
        hits = await scope.semantic_search(query, "memory", 2 * limit, min_relevance=0.0)
        pages = [_memory(hit.record, hit.skill, hit.relevance) for hit in hits]
    else:
        entries = await scope.exact_match("memory", limit=2 * limit, newest_first=True)
        pages = [_memory(one.record, one.skill, None) for one in entries]
    return _each_scene_once(pages)[:limit]


@memories.get("/stories/{story}/why/{kind}/{id:path}")
async def show_reason(app_state: AppState, story: str, kind: ReceiptKind, id: str) -> Reason:  # noqa: A002  the API's word
    """Why something is told or offered: the record behind a receipt."""
    session = await app_state.open_story(story)
    match kind:
        case "memory":
            return await _memory_reason(session, id)
        case "standing":
            return await _standing_reason(app_state, session, id)
        case "roll":
            return _roll_reason(session, id)
    find = {"beat": _beat_reason, "state": _state_reason, "place": _place_reason, "topic": _topic_reason}
    return find[kind](app_state, session, id)


async def _memory_reason(session: StorySession, name: str) -> Reason:
    entry = await (await session.memory.scope()).get("memory", name)
    record = entry.record
    assert isinstance(record, MemoryEvent)
    return Reason(
        kind="memory",
        id=name,
        title="What is remembered",
        text=record.summary,
        turn=record.turn,
        record=msgspec.to_builtins(record),
    )


async def _standing_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    """`npc`, `perception.npc` or `reputation.faction`."""
    ledger, _, subject = name.replace("/", ".").strip(".").rpartition(".")
    data_types = (ledger,) if ledger in ("perception", "reputation") else ("perception", "reputation")
    scope = await session.memory.scope()
    campaign = _campaign(app_state, session)
    for data_type in data_types:
        if changes := await scope.history(data_type, subject):
            last = changes[-1]
            words = _words(last.score_after, PEOPLE if data_type == "perception" else FACTIONS)
            return Reason(
                kind="standing",
                id=name,
                title=f"{_name(campaign, subject)} {words}",
                text=last.reason,
                turn=last.turn,
                record={"history": [msgspec.to_builtins(change) for change in changes]},
            )
    raise NoSuchRecord(f"nothing is written down about what {subject} thinks of you")


def _beat_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    campaign = _campaign(app_state, session)
    beat = campaign.beat(name) if campaign else None
    scene_number = next((scene.number for scene in session.snapshot.scenes if name in scene.beats), None)
    if beat is None or scene_number is None:  # what has not happened yet is nobody's business
        raise not_found("beat that was told", name)
    return Reason(
        kind="beat",
        id=name,
        title=beat.title,
        text=beat.description,
        turn=scene_number,
        record={"outcome": session.snapshot.progress.beat_outcomes.get(name, "")},
    )


def _roll_reason(session: StorySession, name: str) -> Reason:
    number = "".join(letter for letter in name if letter.isdigit())
    scene = next((one for one in session.snapshot.scenes if str(one.number) == number), None)
    if scene is None or scene.roll is None:
        raise not_found("roll", name)
    roll = scene.roll
    text = f"{roll.formula} came to {roll.total}" + (f": {roll.outcome}" if roll.outcome else "")
    return Reason(
        kind="roll",
        id=name,
        title=scene.action,
        text=text,
        turn=scene.number,
        record=msgspec.to_builtins(roll),
    )


def _state_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    if name in session.snapshot.flags:
        return _flag_reason(app_state, session, name)
    path = name.strip("/").replace("/", ".")
    value = session.snapshot.state.get(path)
    if value is None:
        value = _listed(session, path)
    if value is None:
        raise not_found("value in the state", name)
    return Reason(kind="state", id=name, title=path, text=_plain(value), turn=None, record={"value": value})


def _listed(session: StorySession, path: str) -> Any:
    """`persona.items.a folded letter`: what stands in a list is found by its own name."""
    snapshot = session.snapshot
    for at, letter in enumerate(path):
        held = snapshot.state.get(path[:at]) if letter == "." else None
        names = [one.get("name") if isinstance(one, dict) else one for one in held or ()]
        if isinstance(held, list) and path[at + 1 :] in names:
            return held[names.index(path[at + 1 :])]
    return None


def _flag_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    """Return the record of what has come to be so, and the beat that brought it about."""
    campaign, progress = _campaign(app_state, session), session.snapshot.progress
    left = next(
        (
            beat
            for beat_id, outcome in progress.beat_outcomes.items()
            if (beat := campaign.beat(beat_id) if campaign else None) and name in consequences(beat, outcome)
        ),
        None,
    )
    return Reason(
        kind="state",
        id=name,
        title=left.title if left else "So it is",
        text=name,
        turn=progress.beat_scenes.get(left.id) if left else None,
        record={"value": True, **({"beat": left.id} if left else {})},
    )


def _topic_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    """Return whom a question can be put to; the answer is for whoever asks it."""
    campaign, progress = _campaign(app_state, session), session.snapshot.progress
    person = name.partition("/")[0]
    asked = next(
        (
            choice
            for scene in reversed(session.snapshot.scenes)
            for choice in scene.choices
            if choice.topic == name
        ),
        None,
    )
    if campaign is None or asked is None:
        raise not_found("question that was offered", name)
    profile = campaign.people.get(asked.target or person)
    return Reason(
        kind="topic",
        id=name,
        title=profile.name if profile else person,
        text=asked.text,
        turn=None,
        record={"answered": name in progress.evidence},
    )


def _place_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    """Return the record of a place where the player is or was; nobody has told anything of the others."""
    campaign, progress = _campaign(app_state, session), session.snapshot.progress
    name = progress.place if name == "here" else name
    place = campaign.places.get(name) if campaign else None
    seen = [scene.number for scene in session.snapshot.scenes if scene.place == name]
    if place is None or not seen:
        raise not_found("place that was seen", name)
    return Reason(
        kind="place",
        id=name,
        title=place.name,
        text=place.arrival,
        turn=seen[0],
        record={"visits": progress.visits.get(name, 0), "scenes": seen},
    )


async def _person(
    scope: Scope, record: Any, campaign: Campaign | None, session: StorySession
) -> StandingPage:
    assert isinstance(record, NpcPerception)
    history = await scope.history("perception", record.npc_id)
    return StandingPage(
        id=record.npc_id,
        name=_name(campaign, record.npc_id),
        score=round(record.perception_score, 2),
        words=_words(record.perception_score, PEOPLE),
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
        words=_words(record.current_score, FACTIONS),
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


def _campaign(app_state: AppState, session: StorySession) -> Campaign | None:
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


def _memory(record: Any, skill: str, relevance: float | None) -> MemoryPage:
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
    )


def _points(history: tuple[StandingChange, ...]) -> tuple[StandingPoint, ...]:
    return tuple(StandingPoint(one.turn, round(one.score_after, 2), one.reason) for one in history)


def _name(campaign: Campaign | None, person: str) -> str:
    if campaign is not None:
        if person in campaign.people:
            return campaign.people[person].name
        if person in campaign.factions:
            return campaign.factions[person].name
    return _readable(person)


def _readable(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").capitalize()


def _words(score: float, scale: tuple[tuple[int, str], ...]) -> str:
    return next(words for least, words in scale if round(score) >= least)  # as it is shown


def _plain(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str() | int() | float():
            return str(value)
        case _:
            return msgspec.json.encode(value).decode()[:500]

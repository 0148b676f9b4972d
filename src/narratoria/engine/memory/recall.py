"""Recalls what the store has on a choice, once, before the scene is planned."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.conditions import prose_conditions
from narratoria.engine.people import people_at
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.errors import NarratoriaException
from narratoria.protocol.waiting_time import wait_until_done

if TYPE_CHECKING:  # the store takes longer to import than a scene may wait for
    from narratoria.store.records import MemoryEvent
    from narratoria.store.scope import Scope

MEMORIES, EPISODES, MEMORIES_PER_WITNESS, LORE = 6, 3, 3, 4
MAX_CONDITIONS = 8  # prose conditions in one turn; the others wait for the next
MEMORIES_PER_CONDITION = 3  # the likeliest, which are read together with it
LEAST_PROBABLE = 0.5  # that a condition is so, by what was remembered
BARE = "The player: "  # a choice as a skill has stored it: the scene itself is remembered in a sentence
STORE_TIMEOUT_S = 3.0  # seconds that a scene waits for its memories
# what is weighed further here is told by its score, which does not depend on what else there is to find
MIN_SCORE = 0.2  # what is less likely is not brought up
MIN_EPISODE_SCORE = 0.08  # for a triumph or a failure a likeness is enough

JudgeStatement: TypeAlias = Callable[[str, str], float]  # how probably the first is so, by the second
_log = logging.getLogger(__name__)


class Memory(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    summary: str
    relevance: float
    episodic: bool = False
    outcome: str = ""  # triumph or failure
    scene: int = 0
    people: tuple[str, ...] = ()
    witnesses: tuple[str, ...] = ()
    significance: str = "medium"
    location: str = ""


class Lore(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    text: str
    relevance: float
    heading: str = ""
    file: str = ""


class RecallResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """Holds everything recalled for one turn; saved with the turn, it lets a replay tell the same scene."""

    memories: tuple[Memory, ...] = ()
    lore: tuple[Lore, ...] = ()
    by_witness: dict[str, tuple[Memory, ...]] = msgspec.field(default={}, name="witnessed")  # by person
    borne_out: frozenset[str] = frozenset()  # prose conditions that a memory makes true
    notes: tuple[str, ...] = ()  # why something could not be searched
    understanding: Understanding | None = None  # what the choice means, where it was read


NOTHING = RecallResult()


class MemorySearch(Protocol):
    async def memories(
        self, query: str, *, limit: int, witness: str = "", episodic: bool = False
    ) -> tuple[Memory, ...]: ...

    async def pinned(self, identifiers: Sequence[str]) -> tuple[Memory, ...]: ...

    async def lore(self, query: str, *, limit: int) -> tuple[Lore, ...]: ...


class StoreSearch:
    """Implements `MemorySearch` on what one story has stored."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def memories(
        self, query: str, *, limit: int, witness: str = "", episodic: bool = False
    ) -> tuple[Memory, ...]:
        from narratoria.store.records import MemoryEvent

        # what is of no importance is kept, and would crowd out the rest: a thousand walks, one oath
        filters: dict[str, Any] = {"significance": ["medium", "high", "critical"]}
        if witness:
            filters["witnesses"] = witness
        if episodic:
            filters["episodic"] = True
        least = MIN_EPISODE_SCORE if episodic else MIN_SCORE
        matches = await self._scope.semantic_search(query, "memory", limit, filters, min_score=least)
        return tuple(
            _memory(entry.identifier, entry.record, entry.score)
            for entry in matches
            if isinstance(entry.record, MemoryEvent) and not entry.record.summary.startswith(BARE)
        )

    async def pinned(self, identifiers: Sequence[str]) -> tuple[Memory, ...]:
        from narratoria.store.records import MemoryEvent

        entries = await self._scope.exact_match("memory", {"identifier": list(identifiers)})
        return tuple(
            _memory(entry.identifier, entry.record, 1.0)
            for entry in entries
            if isinstance(entry.record, MemoryEvent)
        )

    async def lore(self, query: str, *, limit: int) -> tuple[Lore, ...]:
        from narratoria.store.records import LoreChunk

        matches = await self._scope.semantic_search(query, "lore", limit, min_score=MIN_SCORE)
        return tuple(
            Lore(
                entry.identifier,
                entry.record.content,
                entry.score,
                entry.record.heading,
                entry.record.file_path,
            )
            for entry in matches
            if isinstance(entry.record, LoreChunk)
        )


def _memory(identifier: str, record: MemoryEvent, relevance: float) -> Memory:
    return Memory(
        id=identifier,
        summary=record.summary,
        relevance=relevance,
        episodic=record.episodic,
        outcome=record.outcome or "",
        scene=record.turn,
        people=record.character_ids,
        witnesses=record.witnesses,
        significance=record.significance,
        location=record.location,
    )


async def search_memories(
    choice: Choice,
    session: StorySnapshot,
    campaign: Campaign,
    search: MemorySearch | None,
    judge: JudgeStatement | None = None,
) -> RecallResult:
    """Search the store for a choice; return what was found until it failed, and nothing without a store.

    `judge` says whether what is remembered makes a condition true; without one, no memory does.
    """
    if search is None:
        return NOTHING
    progress = session.progress
    struck_ids = {one.id for one in progress.struck}

    def of_this_life(matches: tuple[Memory, ...]) -> tuple[Memory, ...]:
        return tuple(
            memory
            for memory in matches
            if not 0 < memory.scene <= progress.began_after and memory.id not in struck_ids
        )

    pinned: tuple[Memory, ...] = ()
    query = choice.text or "what has happened"
    present = people_at(progress.place, campaign, progress)
    memories: dict[str, Memory] = {}
    by_witness: dict[str, tuple[Memory, ...]] = {}
    lore: tuple[Lore, ...] = ()
    borne_out: set[str] = set()
    try:
        pinned = await search.pinned(progress.pinned) if progress.pinned else ()
        for episode in of_this_life(await search.memories(query, limit=EPISODES, episodic=True)):
            memories[episode.id] = episode  # a triumph or a failure is always brought up
        for memory in of_this_life(await search.memories(query, limit=2 * MEMORIES)):
            if memory.significance != "low" and len(memories) < MEMORIES:  # a walk is kept, not brought up
                memories.setdefault(memory.id, memory)
        # what the player has pinned comes first, and takes no room from the rest
        memories = {**{memory.id: memory for memory in pinned}, **memories}
        lore = await search.lore(query, limit=LORE)
        for person in present:
            matches = of_this_life(
                await search.memories(query, limit=2 * MEMORIES_PER_WITNESS, witness=person)
            )
            by_witness[person] = tuple(one for one in matches if one.significance != "low")[
                :MEMORIES_PER_WITNESS
            ]
        conditions = prose_conditions(campaign, progress, session.flags)[:MAX_CONDITIONS]
        for phrase in conditions if judge else ():
            likeliest = of_this_life(await search.memories(phrase, limit=MEMORIES_PER_CONDITION))
            events = [memory.summary for memory in likeliest]
            if judge is not None and await asyncio.to_thread(is_borne_out, phrase, events, judge):
                borne_out.add(phrase)
    except NarratoriaException as error:
        note = f"What happened before could not be looked up: {error}"
        return RecallResult(tuple(memories.values()), lore, by_witness, frozenset(borne_out), (note,))
    return RecallResult(tuple(memories.values()), lore, by_witness, frozenset(borne_out))


def is_borne_out(phrase: str, events: Sequence[str], judge: JudgeStatement) -> bool:
    """Return whether one of these events makes the phrase true."""
    return any(judge(phrase, event) >= LEAST_PROBABLE for event in events)


class LateRecall:
    """Holds the search that a turn did not wait for, so that a later turn can use what it finds."""

    def __init__(self) -> None:
        self._search: asyncio.Task[RecallResult] | None = None

    def put(self, search: asyncio.Task[RecallResult]) -> None:
        self.discard()
        self._search = search

    def take(self, session: StorySnapshot) -> RecallResult:
        """Return what has come in since, without what happened in turns that were undone meanwhile."""
        search = self._search
        if search is None or not search.done():
            return NOTHING
        self._search = None
        if search.cancelled():
            return NOTHING
        if error := search.exception():
            _log.warning("a search that was late failed: %s", error)
            return NOTHING
        last, late = session.progress.scene, search.result()
        return RecallResult(
            tuple(memory for memory in late.memories if memory.scene <= last),
            late.lore,
            {
                person: tuple(memory for memory in memories if memory.scene <= last)
                for person, memories in late.by_witness.items()
            },
        )

    def discard(self) -> None:
        if self._search is not None:
            self._search.cancel()
            self._search = None


def _with_late(recall_result: RecallResult, late: RecallResult) -> RecallResult:
    """Return both; what was asked for now comes first, and there is never more than one turn recalls."""
    memories = {memory.id: memory for memory in (*recall_result.memories, *late.memories)}
    lore = {chunk.id: chunk for chunk in (*recall_result.lore, *late.lore)}
    by_witness = {**recall_result.by_witness}
    for person, memories_of_person in late.by_witness.items():
        if not by_witness.get(person):
            by_witness[person] = memories_of_person
    return msgspec.structs.replace(
        recall_result,
        memories=tuple(memories.values())[: max(MEMORIES, len(recall_result.memories))],
        lore=tuple(lore.values())[:LORE],
        by_witness=by_witness,
    )


def make_recaller(
    open_scope: Callable[[], Awaitable[Scope]],
    campaign: Campaign,
    late: LateRecall | None = None,
    judge: JudgeStatement | None = None,
) -> Callable[[Choice, StorySnapshot], Awaitable[RecallResult]]:
    """Return a function that recalls from a story's own scope; `late` keeps a search that takes too long."""
    late = late or LateRecall()

    async def recall(choice: Choice, session: StorySnapshot) -> RecallResult:
        if choice.kind in ("begin", "again"):
            return NOTHING  # nothing has happened yet, and the first scene waits for no store
        try:
            # opening has a patience of its own: a story that is taken up again must go on as if it had not
            # been left, and would not if its first scene were told without its memory
            scope = await open_scope()
        except NarratoriaException as error:
            return RecallResult(notes=(f"What happened before could not be looked up: {error}",))
        earlier = late.take(session)
        search = asyncio.create_task(search_memories(choice, session, campaign, StoreSearch(scope), judge))
        try:
            await wait_until_done(search, STORE_TIMEOUT_S)
        except asyncio.CancelledError:
            search.cancel()
            raise
        if search.done():
            return _with_late(search.result(), earlier) if earlier != NOTHING else search.result()
        late.put(search)
        note = f"What happened before was not looked up within {STORE_TIMEOUT_S:g} s"
        return _with_late(RecallResult(notes=(note,)), earlier)

    return recall

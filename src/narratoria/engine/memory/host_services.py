"""Serves the store and the embedding model to the skills of a story, as the host channel asks for them.

What is not available is refused in the channel's error codes, and the story goes on without it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from narratoria.engine.memory.provider import MemoryProvider
from narratoria.engine.memory.recall import LateRecall
from narratoria.engine.persistence.turn_record import MemoryRecord
from narratoria.errors import (
    ContractViolation,
    HostRefusal,
    ModelUnavailable,
    NoSuchRecord,
    RecordExists,
    StoreUnavailable,
    StoryConflict,
)
from narratoria.skills.host.services import (
    Caller,
    EmbeddedTexts,
    Filters,
    HostMatch,
    HostRecord,
    OpinionChange,
    RecordToStore,
)

if TYPE_CHECKING:  # its import takes longer than a scene may wait for it
    from narratoria.inference.embedder import Vectors
    from narratoria.store import Scope, StoredRecord


Entry = TypeVar("Entry", bound="StoredRecord")
SAME_TURN = 16  # more records are read than asked for: so many of one turn may be left out


class StoryMemory:
    """Gives skills the store and the embedding model for one story, at the turn that is played."""

    def __init__(
        self,
        story_id: str,
        memory_provider: MemoryProvider,
        *,
        branch: str | None = None,
        turn: int | None = None,
    ) -> None:
        self.story_id, self._memory_provider = story_id, memory_provider
        self.branch = branch  # the story's name in the store; None while it is not there
        self.turn = turn  # what is stored belongs to this one, or to the one under way
        self.fence: int | None = None  # of the story, when this session last took it
        self.session_id = secrets.token_hex(8)
        self.late_recall = LateRecall()
        self.pending_records: list[MemoryRecord] = []  # of this turn, what the store did not take

    async def scope(self, skill: str = "", session: str = "") -> Scope:
        """Return the records of the story up to its turn, or raise StoreUnavailable."""
        if self.branch is None:  # nobody waits for a store that has not taken the choice
            raise StoreUnavailable("the store does not take this turn yet; it is kept in memory")
        store = await self._memory_provider.store()
        return store.at(self.branch, session or self.session_id, self.turn, skill=skill, fence=self.fence)

    # the host's store

    async def semantic_search(
        self,
        caller: Caller,
        query: str,
        *,
        data_type: str | None,
        limit: int,
        filters: Filters,
        min_relevance: float | None,
    ) -> Sequence[HostMatch]:
        with _as_host_refusal():
            scope = await self._scope(caller)
            hits = await scope.semantic_search(
                query, data_type, limit + SAME_TURN, filters, min_relevance=min_relevance
            )
        return [
            HostMatch(
                **msgspec.structs.asdict(_host_record(hit)),
                relevance=hit.relevance,
                similarity=hit.raw_scores.get("cosine"),
            )
            for hit in self._keep_readable(hits, caller)[:limit]
        ]

    async def exact_match(
        self,
        caller: Caller,
        *,
        data_type: str | None,
        filters: Filters,
        limit: int,
        offset: int,
        newest_first: bool,
    ) -> Sequence[HostRecord]:
        with _as_host_refusal():
            scope = await self._scope(caller)
            entries = await scope.exact_match(
                data_type, filters, limit=offset + limit + SAME_TURN, newest_first=newest_first
            )
        readable_entries = self._keep_readable(entries, caller)
        return [_host_record(entry) for entry in readable_entries[offset : offset + limit]]

    async def store(
        self, caller: Caller, data_type: str, record: dict[str, Any], identifier: str | None
    ) -> HostRecord:
        with _as_host_refusal():
            scope = await self._scope(caller)
            return _host_record(await scope.store(data_type, record, identifier))

    async def store_all(self, caller: Caller, items: Sequence[RecordToStore]) -> Sequence[HostRecord]:
        with _as_host_refusal():
            scope = await self._scope(caller)
            entries = await scope.store_all(
                [(item.data_type, item.record, item.identifier) for item in items]
            )
        return [_host_record(entry) for entry in entries]

    async def history(self, caller: Caller, data_type: str, subject: str) -> Sequence[OpinionChange]:
        with _as_host_refusal():
            scope = await self._scope(caller)
            changes = await scope.history(data_type, subject)
        return [OpinionChange(**msgspec.structs.asdict(change)) for change in changes]

    async def update(
        self, caller: Caller, data_type: str, identifier: str, changes: dict[str, Any]
    ) -> HostRecord:
        with _as_host_refusal():
            scope = await self._scope(caller)
            return _host_record(await scope.update(data_type, identifier, changes))

    async def delete(self, caller: Caller, data_type: str, identifier: str) -> bool:
        with _as_host_refusal():
            scope = await self._scope(caller)
            return await scope.delete(data_type, identifier)

    # the host's embedder

    async def embed(self, caller: Caller, texts: Sequence[str]) -> EmbeddedTexts:
        with _as_host_refusal():
            embedder = await self._memory_provider.embedder()
            if embedder is None:
                raise ModelUnavailable("no embedding model is installed")
            rows = await embedder.embed(texts)
        return EmbeddedTexts(embedder.model_id, rows.shape[1], rows.tolist())

    async def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return what texts mean, for the engine itself; ModelUnavailable where no embedder is installed."""
        embedder = await self._memory_provider.embedder()
        if embedder is None:
            raise ModelUnavailable("no embedding model is installed")
        return await embedder.embed(texts)

    def _keep_readable(self, entries: Sequence[Entry], caller: Caller) -> list[Entry]:
        """Return the entries without what other skills have stored in this turn.

        Skills run side by side: what one of them reads must not depend on how quick another was.
        """
        return [
            entry
            for entry in entries
            if self.turn is None or entry.turn != self.turn or entry.skill == caller.skill
        ]

    async def _scope(self, caller: Caller) -> Scope:
        if caller.playthrough != self.story_id:
            raise NoSuchRecord(f"{caller.playthrough!r} is not the story that is being played")
        return await self.scope(caller.skill, caller.session)


def _host_record(entry: StoredRecord) -> HostRecord:
    return HostRecord(
        identifier=entry.identifier,
        data_type=entry.data_type,
        record=msgspec.to_builtins(entry.record),
        skill=entry.skill,
        session_id=entry.session_id,
        stored_at=entry.stored_at,
        updated_at=entry.updated_at,
    )


@contextmanager
def _as_host_refusal() -> Iterator[None]:
    try:
        yield
    except ContractViolation as violation:
        problems = [
            {"pointer": problem.pointer, "message": problem.message} for problem in violation.problems
        ]
        raise HostRefusal("INVALID_PARAMS", str(violation).replace("\n", "; "), problems=problems) from None
    except NoSuchRecord as error:
        raise HostRefusal("NOT_FOUND", str(error)) from None
    except RecordExists as error:
        raise HostRefusal("ALREADY_EXISTS", str(error)) from None
    except (StoreUnavailable, StoryConflict, ModelUnavailable) as error:
        raise HostRefusal("NOT_AVAILABLE", str(error), "go on without it") from None

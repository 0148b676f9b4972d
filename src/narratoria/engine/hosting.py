"""What a story's skills share: the store and the embedder, as the host channel asks for them.

Neither is opened before somebody needs it, or `begin` is called: a story does not wait for its memory. One
that cannot be opened is told once, in `notes`, and refused to skills; the story goes on without it.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from narratoria.errors import (
    ContractViolation,
    HostRefusal,
    ModelUnavailable,
    NoSuchRecord,
    RecordExists,
    StoreUnavailable,
)
from narratoria.skills.host import Caller, Change, Embeddings, Entry, Filters, Found, Item

if TYPE_CHECKING:  # either import takes longer than a scene may wait for it
    from narratoria.inference.embedder import Embedder
    from narratoria.store import Entry as Kept
    from narratoria.store import Scope, Store

T = TypeVar("T")
OpenStore = Callable[["Embedder | None"], Awaitable["Store"]]
OpenEmbedder = Callable[[], Awaitable["Embedder | None"]]


@dataclass(frozen=True, slots=True)
class Story:
    """The one playthrough that can be reached from here."""

    id: str
    campaign: str
    seed: int = 0

    @property
    def identifier(self) -> str:
        """Its name in the store, where letters and digits are those of ASCII."""
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", self.id):
            return self.id
        readable = re.sub(r"[^A-Za-z0-9]+", "-", self.id).strip("-")[:60] or "story"
        return f"{readable}-{hashlib.sha256(self.id.encode()).hexdigest()[:12]}"


class SharedMemory:
    """The host's store and embedder for one story; `close` it in the event loop that used it."""

    def __init__(self, story: Story, open_store: OpenStore, open_embedder: OpenEmbedder) -> None:
        self._story, self._sitting = story, secrets.token_hex(8)
        self._open_store, self._open_embedder = open_store, open_embedder
        self._store: asyncio.Task[Store] | None = None
        self._embedder: asyncio.Task[Embedder | None] | None = None
        self._notes: list[str] = []

    def begin(self) -> None:
        """Starts opening, beside whatever else the event loop has to do."""
        self._opening_store()

    def notes(self) -> tuple[str, ...]:
        """What the player should know about the memory of this story."""
        return tuple(self._notes)

    async def close(self) -> None:
        if self._store is not None and (kept := await _opened(self._store)) is not None:
            await kept.close()
        # looked at after the store, whose opening opens it
        if self._embedder is not None and (model := await _opened(self._embedder)) is not None:
            await model.close()
        self._store = self._embedder = None

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
    ) -> Sequence[Found]:
        with _told_to_skills():
            scope = await self._scope(caller)
            found = await scope.semantic_search(query, data_type, limit, filters, min_relevance=min_relevance)
        return [
            Found(**_fields(hit), relevance=hit.relevance, similarity=hit.raw_scores.get("cosine"))
            for hit in found
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
    ) -> Sequence[Entry]:
        with _told_to_skills():
            scope = await self._scope(caller)
            entries = await scope.exact_match(
                data_type, filters, limit=limit, offset=offset, newest_first=newest_first
            )
        return [Entry(**_fields(entry)) for entry in entries]

    async def store(
        self, caller: Caller, data_type: str, record: dict[str, Any], identifier: str | None
    ) -> Entry:
        with _told_to_skills():
            scope = await self._scope(caller)
            return Entry(**_fields(await scope.store(data_type, record, identifier)))

    async def store_all(self, caller: Caller, items: Sequence[Item]) -> Sequence[Entry]:
        with _told_to_skills():
            scope = await self._scope(caller)
            kept = await scope.store_all([(item.data_type, item.record, item.identifier) for item in items])
        return [Entry(**_fields(entry)) for entry in kept]

    async def history(self, caller: Caller, data_type: str, subject: str) -> Sequence[Change]:
        with _told_to_skills():
            scope = await self._scope(caller)
            changes = await scope.history(data_type, subject)
        return [Change(**msgspec.structs.asdict(change)) for change in changes]

    async def update(self, caller: Caller, data_type: str, identifier: str, changes: dict[str, Any]) -> Entry:
        with _told_to_skills():
            scope = await self._scope(caller)
            return Entry(**_fields(await scope.update(data_type, identifier, changes)))

    async def delete(self, caller: Caller, data_type: str, identifier: str) -> bool:
        with _told_to_skills():
            scope = await self._scope(caller)
            return await scope.delete(data_type, identifier)

    # the host's embedder

    async def embed(self, caller: Caller, texts: Sequence[str]) -> Embeddings:
        with _told_to_skills():
            # several skills may wait for it: one that is stopped stops it for nobody else
            embedder = await asyncio.shield(self._opening_embedder())
            if embedder is None:
                raise ModelUnavailable("no embedding model is installed")
            rows = await embedder.embed(texts)
        return Embeddings(embedder.model_id, rows.shape[1], rows.tolist())

    async def _scope(self, caller: Caller) -> Scope:
        if caller.playthrough != self._story.id:
            raise NoSuchRecord(f"{caller.playthrough!r} is not the story that is being played")
        opened = await asyncio.shield(self._opening_store())
        return opened.at(self._story.identifier, caller.session or self._sitting, skill=caller.skill)

    def _opening_store(self) -> asyncio.Task[Store]:
        if self._store is None:
            self._store = asyncio.create_task(self._open())
        return self._store

    def _opening_embedder(self) -> asyncio.Task[Embedder | None]:
        if self._embedder is None:
            self._embedder = asyncio.create_task(self._find_embedder())
        return self._embedder

    async def _open(self) -> Store:
        embedder = await self._opening_embedder()
        try:
            opened = await self._open_store(embedder)
        except StoreUnavailable as error:
            self._notes.append(f"{error}. The story goes on without its memory.")
            raise
        try:
            await opened.playthroughs.create(
                self._story.campaign, seed=self._story.seed, identifier=self._story.identifier
            )
        except RecordExists:
            pass  # this story was played before
        except BaseException:
            await opened.close()
            raise
        return opened

    async def _find_embedder(self) -> Embedder | None:
        try:
            return await self._open_embedder()
        except (ModelUnavailable, OSError) as error:
            self._notes.append(f"The embedding model cannot be used: {error}. Memories are found by words.")
            return None


async def _opened(opening: asyncio.Task[T]) -> T | None:
    await asyncio.wait([opening])
    return None if opening.cancelled() or opening.exception() else opening.result()


def _fields(entry: Kept) -> dict[str, Any]:
    return {
        "identifier": entry.identifier,
        "data_type": entry.data_type,
        "record": msgspec.to_builtins(entry.record),
        "skill": entry.skill,
        "session_id": entry.session_id,
        "stored_at": entry.stored_at,
        "updated_at": entry.updated_at,
    }


@contextmanager
def _told_to_skills() -> Iterator[None]:
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
    except (StoreUnavailable, ModelUnavailable) as error:
        raise HostRefusal("NOT_AVAILABLE", str(error), "go on without it") from None

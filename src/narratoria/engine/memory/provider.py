"""Opens the store and the embedding model of this process when they are first needed.

What cannot be opened is reported in `notes` and tried again a little later: a disk gets room, another program
is closed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from narratoria.engine.shield import log_failure
from narratoria.errors import ModelUnavailable, StoreDamaged, StoreUnavailable

if TYPE_CHECKING:  # either import takes longer than a scene may wait for it
    from narratoria.inference.embedder import Embedder
    from narratoria.store import Store

T = TypeVar("T")
OpenStore: TypeAlias = Callable[["Embedder | None"], Awaitable["Store"]]
OpenEmbedder: TypeAlias = Callable[[], Awaitable["Embedder | None"]]
Upkeep: TypeAlias = Callable[["Store"], Coroutine[Any, Any, None]]  # runs until it is cancelled

STORE_TIMEOUT_S = 10.0  # to open the store, and for each call of it
RETRY_AFTER_S = 2.0  # before an opening that failed is tried again

_log = logging.getLogger(__name__)


class MemoryProvider:
    """Hands out the store and the embedding model; `close` it in the event loop that used it."""

    def __init__(
        self,
        open_store: OpenStore,
        open_embedder: OpenEmbedder,
        *,
        timeout: float = STORE_TIMEOUT_S,
        retry_after: float = RETRY_AFTER_S,
        upkeep: Upkeep | None = None,
    ) -> None:
        self._open_store, self._open_embedder = open_store, open_embedder
        self._upkeep = upkeep
        self._upkeep_task: asyncio.Task[None] | None = None
        self.timeout, self._retry_after = timeout, retry_after
        self._store: asyncio.Task[Store] | None = None
        self._embedder: asyncio.Task[Embedder | None] | None = None
        self._failed_at = 0.0
        self._is_suspended = False
        self._notes: list[str] = []

    def begin(self) -> None:
        """Start to open the store in the background."""
        self._opening_store()

    def notes(self) -> tuple[str, ...]:
        """Return what the player should know about the store and the model, each thing once."""
        return tuple(self._notes)

    @property
    def open_store(self) -> Store | None:
        """Return the store if it is open."""
        opening = self._store
        is_open = (
            opening is not None and opening.done() and not opening.cancelled() and not opening.exception()
        )
        return opening.result() if opening is not None and is_open else None

    @property
    def damage(self) -> StoreDamaged | None:
        """Return what was found damaged when the store was opened or used, or None."""
        if (store := self.open_store) is not None:
            return store.database.damage
        opening = self._store
        failure = opening.exception() if opening and opening.done() and not opening.cancelled() else None
        return failure if isinstance(failure, StoreDamaged) else None

    @asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        """Close the store, and let nobody open it meanwhile."""
        self._is_suspended = True
        try:
            await self.close()
            yield
        finally:
            self._is_suspended, self._store = False, None
            self.begin()

    async def store(self, timeout_s: float | None = None) -> Store:
        """Return the open store, or raise StoreUnavailable after `timeout_s` seconds."""
        opening = self._opening_store()
        # several may wait: a caller that is cancelled does not cancel it for the others
        await asyncio.wait([opening], timeout=self.timeout if timeout_s is None else timeout_s)
        if not opening.done():
            raise StoreUnavailable("the store has not opened yet; it is still being tried")
        return opening.result()

    async def embedder(self) -> Embedder | None:
        return await asyncio.shield(self._opening_embedder())

    async def close(self) -> None:
        if self._store is not None and (store := await _result_or_none(self._store)) is not None:
            await self._stop_upkeep()
            await store.close()
        # looked at after the store, whose opening opens it
        if self._embedder is not None and (model := await _result_or_none(self._embedder)) is not None:
            await model.close()
        self._store = self._embedder = None

    def _opening_store(self) -> asyncio.Task[Store]:
        if self._store is None or self._may_try_again(self._store):
            self._store = asyncio.create_task(self._open())
        return self._store

    def _may_try_again(self, opening: asyncio.Task[Store]) -> bool:
        if not opening.done() or (not opening.cancelled() and opening.exception() is None):
            return False
        return asyncio.get_running_loop().time() >= self._failed_at + self._retry_after

    def _opening_embedder(self) -> asyncio.Task[Embedder | None]:
        if self._embedder is None:
            self._embedder = asyncio.create_task(self._find_embedder())
        return self._embedder

    async def _open(self) -> Store:
        if self._is_suspended:
            raise StoreUnavailable("the store is closed while a backup is put in its place")
        embedder = await self._opening_embedder()
        try:
            store = await self._open_store(embedder)
        except StoreUnavailable as error:
            self._failed_at = asyncio.get_running_loop().time()
            self._note(f"{error}. The story goes on without its memory.")
            raise
        if self._upkeep is not None:
            self._upkeep_task = asyncio.create_task(self._upkeep(store))
            self._upkeep_task.add_done_callback(
                log_failure(_log.error, "the store is not looked after any more")  # the story goes on
            )
        return store

    async def _stop_upkeep(self) -> None:
        if self._upkeep_task is not None:
            self._upkeep_task.cancel()
            await asyncio.wait([self._upkeep_task])
            self._upkeep_task = None

    async def _find_embedder(self) -> Embedder | None:
        try:
            return await self._open_embedder()
        except (ModelUnavailable, OSError) as error:
            self._note(f"The embedding model cannot be used: {error}. Memories are found by words.")
            return None

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)


async def _result_or_none(opening: asyncio.Task[T]) -> T | None:
    await asyncio.wait([opening])
    return None if opening.cancelled() or opening.exception() else opening.result()

"""The one store of this process and the model that embeds for it: opened when somebody needs them.

What could not be opened is told in `notes`, and is tried again a little later: a disk gets room, another
program is closed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from narratoria.engine.shield import on_failure
from narratoria.errors import ModelUnavailable, StoreUnavailable

if TYPE_CHECKING:  # either import takes longer than a scene may wait for it
    from narratoria.inference.embedder import Embedder
    from narratoria.store import Store

T = TypeVar("T")
OpenStore: TypeAlias = Callable[["Embedder | None"], Awaitable["Store"]]
OpenEmbedder: TypeAlias = Callable[[], Awaitable["Embedder | None"]]
Upkeep: TypeAlias = Callable[["Store"], Coroutine[Any, Any, None]]  # beside the story, until it is cancelled

PATIENCE = 10.0  # seconds for the store to open, and for whatever is asked of it
AGAIN = 2.0  # seconds after a failure in which nobody tries anew

_log = logging.getLogger(__name__)


class MemoryProvider:
    """`close` it in the event loop that used it."""

    def __init__(
        self,
        open_store: OpenStore,
        open_embedder: OpenEmbedder,
        *,
        patience: float = PATIENCE,
        again: float = AGAIN,
        upkeep: Upkeep | None = None,
    ) -> None:
        self._open_store, self._open_embedder = open_store, open_embedder
        self._upkeep = upkeep
        self._looking_after: asyncio.Task[None] | None = None
        self.patience, self._again = patience, again
        self._store: asyncio.Task[Store] | None = None
        self._embedder: asyncio.Task[Embedder | None] | None = None
        self._failed_at = 0.0
        self._notes: list[str] = []

    def begin(self) -> None:
        """Starts opening, beside whatever else the event loop has to do."""
        self._opening_store()

    def notes(self) -> tuple[str, ...]:
        """What the player should know about the store and the model; each is told once."""
        return tuple(self._notes)

    async def store(self, patience: float | None = None) -> Store:
        """The open store; StoreUnavailable says what is in the way. Whoever has waited for it before may be
        less patient than others."""
        opening = self._opening_store()
        # several may wait for it: one that is stopped stops it for nobody else
        await asyncio.wait([opening], timeout=self.patience if patience is None else patience)
        if not opening.done():
            raise StoreUnavailable("the store has not opened yet; it is still being tried")
        return opening.result()

    async def embedder(self) -> Embedder | None:
        return await asyncio.shield(self._opening_embedder())

    async def close(self) -> None:
        if self._store is not None and (kept := await _opened(self._store)) is not None:
            await self._stop_upkeep()
            await kept.close()
        # looked at after the store, whose opening opens it
        if self._embedder is not None and (model := await _opened(self._embedder)) is not None:
            await model.close()
        self._store = self._embedder = None

    def _opening_store(self) -> asyncio.Task[Store]:
        if self._store is None or self._may_try_again(self._store):
            self._store = asyncio.create_task(self._open())
        return self._store

    def _may_try_again(self, opening: asyncio.Task[Store]) -> bool:
        if not opening.done() or (not opening.cancelled() and opening.exception() is None):
            return False
        return asyncio.get_running_loop().time() >= self._failed_at + self._again

    def _opening_embedder(self) -> asyncio.Task[Embedder | None]:
        if self._embedder is None:
            self._embedder = asyncio.create_task(self._find_embedder())
        return self._embedder

    async def _open(self) -> Store:
        embedder = await self._opening_embedder()
        try:
            store = await self._open_store(embedder)
        except StoreUnavailable as error:
            self._failed_at = asyncio.get_running_loop().time()
            self._note(f"{error}. The story goes on without its memory.")
            raise
        if self._upkeep is not None:
            self._looking_after = asyncio.create_task(self._upkeep(store))
            self._looking_after.add_done_callback(
                on_failure(_log.error, "the store is not looked after any more")  # the story goes on
            )
        return store

    async def _stop_upkeep(self) -> None:
        if self._looking_after is not None:
            self._looking_after.cancel()
            await asyncio.wait([self._looking_after])
            self._looking_after = None

    async def _find_embedder(self) -> Embedder | None:
        try:
            return await self._open_embedder()
        except (ModelUnavailable, OSError) as error:
            self._note(f"The embedding model cannot be used: {error}. Memories are found by words.")
            return None

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)


async def _opened(opening: asyncio.Task[T]) -> T | None:
    await asyncio.wait([opening])
    return None if opening.cancelled() or opening.exception() else opening.result()

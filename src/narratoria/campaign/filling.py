"""Gives what was taken in its vectors: at once where that is soon done, beside the story where it is not."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from narratoria.errors import ModelUnavailable, StoreUnavailable

if TYPE_CHECKING:
    from narratoria.store import Store

PATIENCE = 1.0  # seconds that a first scene may wait; until then lore is found by its words


class Filling:
    """Used from one event loop; `stop` it there, before the store is closed."""

    def __init__(self) -> None:
        self._running: asyncio.Task[None] | None = None

    async def fill(self, store: Store, *, within: float = PATIENCE) -> None:
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(_fill(store))
        await asyncio.wait({self._running}, timeout=within)

    async def stop(self) -> None:
        """What has its vectors keeps them; the rest waits for the next time."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})


async def _fill(store: Store) -> None:
    if store.embeddings.embedder is None:
        return
    with contextlib.suppress(ModelUnavailable, StoreUnavailable):  # then it is found by its words
        await store.reembed_pending()

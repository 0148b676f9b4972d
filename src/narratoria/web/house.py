"""What all requests share: the library, the stories that are open, and what is fetched beside them."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

from narratoria.engine.persistence.library import Library
from narratoria.engine.persistence.story import Story, told_apart
from narratoria.engine.story_session import StorySession
from narratoria.errors import NarratoriaException, StoreUnavailable
from narratoria.skills.health import SessionHealth

PATIENCE = 20.0  # seconds for turns under way when the server is stopped
IDLE = 1800.0  # seconds without a request or a listener, after which a story is closed when another is opened
OpenLibrary: TypeAlias = Callable[[], AbstractAsyncContextManager[Library]]

_log = logging.getLogger("narratoria.web")


class House:
    """`campaigns` are folders beside those of the home and of the package."""

    def __init__(self, home: Path, open_library: OpenLibrary, campaigns: Iterable[Path] = ()) -> None:
        self.home, self.campaigns = home, tuple(campaigns)
        self._open_library = open_library
        self._library: Library | None = None
        self._open: dict[str, asyncio.Task[StorySession]] = {}
        self._turns: set[asyncio.Task[Any]] = set()

    @property
    def library(self) -> Library:
        assert self._library is not None, "the house is not open"
        return self._library

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """From the first request to the last; the store opens beside them, nobody waits for it."""
        async with self._open_library() as self._library:
            self._library.memory_provider.begin()
            try:
                yield
            finally:
                await self._close()

    async def stories(self) -> tuple[Story, ...]:
        """The one played last first; without a store, those that are open."""
        try:
            return await self.library.stories()
        except StoreUnavailable:
            return told_apart(telling.story for telling in self._tellings())

    async def telling(self, story_id: str) -> StorySession:
        """The open story; several tabs on one story share it. NoSuchRecord when there is none."""
        opening = self._open.get(story_id)
        if opening is None or (opening.done() and not _is_open(opening)):
            opening = self._open[story_id] = asyncio.create_task(self._resumed(story_id))
        # one request that is given up opens it for the others all the same
        telling = await asyncio.shield(opening)
        telling.touch()
        return telling

    async def _resumed(self, story_id: str) -> StorySession:
        """A turn that was under way when the server last ended is told now."""
        for closed in await self.library.close_idle(IDLE):
            if closed != story_id:
                self._open.pop(closed, None)
        telling = await self.library.open(story_id)
        if (telling.interrupted or telling.scene is None) and not telling.busy:
            self.play(telling.resume())
            await asyncio.sleep(0)  # it begins: whoever asks now is told that it is busy
        return telling

    async def shut(self, story_id: str) -> None:
        """Closes a story, if it is open."""
        if (opening := self._open.pop(story_id, None)) is not None:
            await asyncio.wait({opening})
            if not opening.cancelled() and opening.exception() is None:
                await opening.result().close()

    def play(self, turn: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Goes on with a turn beside the request that began it."""
        task = asyncio.create_task(turn)
        self._turns.add(task)
        task.add_done_callback(self._ended)
        return task

    def healths(self) -> Iterator[SessionHealth]:
        """How the skills fare in the stories that are open."""
        for telling in self._tellings():
            yield telling.snapshot.health

    def _tellings(self) -> Iterator[StorySession]:
        for opening in self._open.values():
            if _is_open(opening):
                yield opening.result()

    async def _close(self) -> None:
        # one that is opened after the store is closed would open it again, for a turn that is broken off
        if opening := {task for task in self._open.values() if not task.done()}:
            for task in opening:
                task.cancel()
            await asyncio.wait(opening)
        if self._turns:
            await asyncio.wait(self._turns, timeout=PATIENCE)
        if self._turns:
            await self.library.break_off()
        if self._turns:
            # To end a turn in order is to take its choice back. The choice is on the disk: the next start
            # tells it.
            os._exit(0)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._turns.discard(task)
        if task.cancelled() or (error := task.exception()) is None or isinstance(error, NarratoriaException):
            return  # whatever is to be told of it stands in the story's log
        _log.error("a turn broke off", exc_info=error)


def _is_open(opening: asyncio.Task[StorySession]) -> bool:
    settled = opening.done() and not opening.cancelled() and opening.exception() is None
    return settled and not opening.result().is_closed

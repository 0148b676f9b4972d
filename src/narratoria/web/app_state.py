"""Defines the state that all requests share: the library, the open stories and the turns under way."""

from __future__ import annotations

import asyncio
import copy
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from narratoria.engine.persistence.library import Library
from narratoria.engine.persistence.story import Story, with_unique_titles
from narratoria.engine.story_session import StorySession
from narratoria.errors import Busy, NarratoriaException, StoreUnavailable
from narratoria.skills.health import SessionHealth
from narratoria.web.accounts import SOLE_PLAYER, Account, Accounts
from narratoria.web.rate_limits import AccountLimits, RateLimit
from narratoria.web.tracing import Trace, trace_nothing
from narratoria.web.turn_queue import TurnQueue

if TYPE_CHECKING:
    from narratoria.web.identity import Entrance
    from narratoria.web.phone import Invitation

TURN_TIMEOUT_S = 20.0  # for turns under way when the server is stopped
IDLE_TIMEOUT_S = (
    1800.0  # without a request or a listener, after which a story is closed when another is opened
)
ELSEWHERE_S = 0.5  # between two looks at a turn that another server tells
T = TypeVar("T")
OpenLibrary: TypeAlias = Callable[[], AbstractAsyncContextManager[Library]]

DEFAULT_LIMITS = AccountLimits()

_log = logging.getLogger("narratoria.web")


class AppState:
    """Holds the state of one server; `campaigns` are folders beside those of the home and of the package."""

    def __init__(
        self,
        home: Path,
        open_library: OpenLibrary,
        campaigns: Iterable[Path] = (),
        *,
        shared: Path | None = None,
        limits: AccountLimits = DEFAULT_LIMITS,
        queue: TurnQueue | None = None,
    ) -> None:
        """`shared` is the folder that servers share; the home where there is none."""
        self.home, self.shared, self.campaigns = home, shared or home, tuple(campaigns)
        self.accounts, self.account = Accounts(self.shared), SOLE_PLAYER
        self.limits, self.queue = limits, queue or TurnQueue()
        self.turn_rate = RateLimit(limits.turns_per_minute)
        self.change_rate = RateLimit(limits.changes_per_minute)
        self._place: Callable[[], None] | None = None  # in the queue, for the turn that is to begin
        self._open_library = open_library
        self.invitation: Invitation | None = None  # set once it is known where the server listens
        self.trace: Trace = trace_nothing
        self.entrance: Entrance | None = None  # likewise
        self._library: Library | None = None
        self._open: dict[str, asyncio.Task[StorySession]] = {}
        self._turns: set[asyncio.Task[Any]] = set()
        self._closing = asyncio.Event()

    def on_behalf_of(self, account: Account) -> AppState:
        """Return this state as an account sees it; everything that is open is shared."""
        state = copy.copy(self)
        state.account, state._place = account, None
        return state

    @property
    def has_accounts(self) -> bool:
        """Return whether people are told apart here."""
        return bool(self.accounts.all())

    @property
    def settings_folder(self) -> Path:
        """Return where the settings of the account are kept."""
        return self.accounts.folder_of(self.account)

    @asynccontextmanager
    async def place_in_queue(self) -> AsyncIterator[None]:
        """Hold a place for the turn that is begun meanwhile; raise QueueFull where none can be waited for."""
        self._place = await self.queue.enter(self.account.id)
        try:
            yield
        finally:
            place, self._place = self._place, None
            if place is not None:  # no turn has taken it
                place()

    @property
    def library(self) -> Library:
        assert self._library is not None, "the application is not running"
        return self._library

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Hold the library open while requests are answered; the store opens beside them."""
        async with self._open_library() as self._library:
            self._library.memory_provider.begin()
            try:
                yield
            finally:
                await self._close()

    async def stories(self, *, limit: int, after: Story | None = None) -> tuple[Story, ...]:
        """Return some stories of the account, the one played last first; without a store, the open ones."""
        owner = self.account.id if self.has_accounts else None
        try:
            return await self.library.page(limit=limit, after=after, owner=owner)
        except StoreUnavailable:
            opened = (session.story for session in self._open_stories())
            return with_unique_titles(story for story in opened if owner in (None, story.owner))

    async def open_story(self, story_id: str) -> StorySession:
        """Return the open story, which all its tabs share; NoSuchRecord when there is none."""
        opening = self._open.get(story_id)
        if opening is None or (opening.done() and not _is_open(opening)):
            opening = self._open[story_id] = asyncio.create_task(self._open_and_resume(story_id))
        # one request that is given up opens it for the others all the same
        session = await asyncio.shield(opening)
        if not await self._is_current(session):  # another server has gone on with it
            session.leave_to_others()
            await session.close()
            return await self.open_story(story_id)
        session.touch()
        return session

    async def _open_and_resume(self, story_id: str) -> StorySession:
        """Open a story, and go on with a turn that was under way when the server last ended."""
        for closed in await self.library.close_idle(IDLE_TIMEOUT_S):
            if closed != story_id:
                self._open.pop(closed, None)
        session = await self.library.open(story_id)
        if (session.interrupted_input or session.scene is None) and not session.busy:
            self.run_turn(self._resume(session))
            await asyncio.sleep(0)  # it begins: whoever asks now is told that it is busy
        return session

    async def _resume(self, session: StorySession) -> None:
        """Tell the turn that waits, unless another server tells it meanwhile."""
        while (session.interrupted_input or session.scene is None) and not (
            session.is_closed or self._closing.is_set()
        ):
            try:
                await session.resume()
                return
            except Busy:  # another server tells it, or somebody tries to go on with it here
                session.is_told_elsewhere = not session.busy
            except StoreUnavailable:  # a database that servers share takes no turn now; it waits there
                pass
            await asyncio.sleep(ELSEWHERE_S)
            if not await self._is_current(session):
                session.leave_to_others()
                await session.close()

    async def _is_current(self, session: StorySession) -> bool:
        try:
            return await self.library.is_current(session)
        except StoreUnavailable:
            return True  # until it answers again

    async def close_story(self, story_id: str) -> None:
        """Close a story, if it is open."""
        if (opening := self._open.pop(story_id, None)) is not None:
            await asyncio.wait({opening})
            if not opening.cancelled() and opening.exception() is None:
                await opening.result().close()

    async def replace_store(self, put_back: Callable[[], T]) -> T:
        """Close all stories and have another file put in the store's place; Busy while a turn is told."""
        if self._turns:
            raise Busy("a turn is being told; wait for the scene")
        for story_id in list(self._open):
            await self.close_story(story_id)
        return await self.library.replace_store(put_back)

    def run_turn(self, turn: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a turn beside the request that began it."""
        task = asyncio.create_task(self._trace_turn(turn))
        self._turns.add(task)
        task.add_done_callback(self._on_turn_end)
        if self._place is not None:
            place, self._place = self._place, None
            task.add_done_callback(lambda _: place())
        return task

    async def _trace_turn(self, turn: Coroutine[Any, Any, Any]) -> Any:
        with self.trace("turn", {"account": self.account.id}):
            return await turn

    @property
    def open_count(self) -> int:
        """Return how many stories are open."""
        return sum(1 for _ in self._open_stories())

    def skill_healths(self) -> Iterator[SessionHealth]:
        """Yield the health of the skills in each open story."""
        for session in self._open_stories():
            yield session.snapshot.health

    def _open_stories(self) -> Iterator[StorySession]:
        for opening in self._open.values():
            if _is_open(opening):
                yield opening.result()

    async def _close(self) -> None:
        self._closing.set()
        # one that is opened after the store is closed would open it again, for a turn that is broken off
        if opening := {task for task in self._open.values() if not task.done()}:
            for task in opening:
                task.cancel()
            await asyncio.wait(opening)
        if self._turns:
            await asyncio.wait(self._turns, timeout=TURN_TIMEOUT_S)
        if self._turns:
            await self.library.save_before_exit()
        if self._turns:
            # To end a turn in order is to take its choice back. The choice is on the disk: the next start
            # tells it.
            os._exit(0)

    def _on_turn_end(self, task: asyncio.Task[Any]) -> None:
        self._turns.discard(task)
        if task.cancelled() or (error := task.exception()) is None or isinstance(error, NarratoriaException):
            return  # whatever is to be told of it stands in the story's log
        _log.error("a turn broke off", exc_info=error)


def _is_open(opening: asyncio.Task[StorySession]) -> bool:
    settled = opening.done() and not opening.cancelled() and opening.exception() is None
    return settled and not opening.result().is_closed

"""A story's turns on the disk: the choice before anything is done about it, the scene before it is shown.

When the store cannot be had, the turns wait here in memory, in their order, and are written before the next.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from narratoria.engine.keeping import Keeping
from narratoria.engine.trace import Chosen, Ended
from narratoria.errors import RecordExists, StoreUnavailable

if TYPE_CHECKING:
    from narratoria.store import Store, Turn

T = TypeVar("T")
LAST_TRIES = 10  # some two seconds


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A turn that is told and not written yet."""

    number: int
    chosen: Chosen
    begun: Turn | None  # of one whose choice is written
    ended: Ended
    state: dict[str, Any]


class Diary:
    """`line` is the story's name in the store; `on_trouble` hears once of each thing in the way."""

    def __init__(
        self,
        keeping: Keeping,
        line: str,
        *,
        campaign: str,
        title: str,
        seed: int,
        turn: int = 0,
        stored: bool = True,
        sitting: str = "",
    ) -> None:
        self.line, self.stored = line, stored  # not stored: the store does not know the story yet
        self._keeping = keeping
        self.on_trouble: Callable[[str], None] = lambda _: None
        self._campaign, self._title, self._seed, self._sitting = campaign, title, seed, sitting
        self._turn = turn  # the last one that was told
        self._chosen: Chosen | None = None
        self._begun: Turn | None = None
        self._waiting: list[_Waiting] = []
        self._complaint = ""

    @property
    def unwritten(self) -> int:
        """How many turns would be lost if the program ended now."""
        return len(self._waiting)

    @property
    def complaint(self) -> str:
        """What is in the way at the moment."""
        return self._complaint

    async def begin(self, chosen: Chosen) -> None:
        """The choice is on the disk when this returns, or what is in the way has been told."""
        if self._begun is not None and self._chosen == chosen:
            return  # it has been there since the story was begun
        self._chosen, self._begun = chosen, None
        if await self._try(self._catch_up):
            self._begun = await self._try(
                lambda store: store.turns.begin(
                    self.line, msgspec.to_builtins(chosen), session_id=self._sitting
                )
            )

    async def finish(self, ended: Ended, state: dict[str, Any]) -> None:
        """The scene is on the disk when this returns, or waits for a better moment."""
        assert self._chosen is not None
        self._turn += 1
        self._waiting.append(_Waiting(self._turn, self._chosen, self._begun, ended, state))
        self._chosen = self._begun = None
        if self._waiting[-1].begun or len(self._waiting) > 1 or not self._complaint:
            await self._try(self._catch_up)

    async def abandon(self) -> None:
        """Takes the choice back."""
        self._chosen = self._begun = None
        if self.stored and not self._waiting:  # a write that was given up on may still come through before
            await self._try(lambda store: store.turns.abandon(self.line))

    async def catch_up(self) -> bool:
        """Writes what waits; whether nothing waits any more."""
        return bool(await self._try(self._catch_up))

    async def close(self) -> None:
        """Writes what waits, with some patience: what is not written now is lost."""
        for number in range(LAST_TRIES):
            if not self._waiting or await self.catch_up():
                return
            await asyncio.sleep(0.01 * 2 ** min(number, 6))

    def move_to(self, line: str, turn: int) -> None:
        """Goes on after an earlier turn, on another line."""
        self.line, self._turn = line, turn

    def forget_last(self) -> None:
        """Drops the last turn that waits."""
        self._waiting.pop()

    async def _catch_up(self, store: Store) -> bool:
        if not self.stored:
            with contextlib.suppress(RecordExists):  # a write that took too long has come through
                await store.playthroughs.create(
                    self._campaign, title=self._title, seed=self._seed, identifier=self.line
                )
            self.stored = True
        while self._waiting:
            await self._write(store, self._waiting[0])
            del self._waiting[0]
        return True

    async def _write(self, store: Store, waiting: _Waiting) -> None:
        if (await store.playthroughs.get(self.line)).turn >= waiting.number:
            return  # a write that took too long has come through
        begun = waiting.begun or await store.turns.begin(
            self.line, msgspec.to_builtins(waiting.chosen), session_id=self._sitting
        )
        self._waiting[0] = replace(waiting, begun=begun)
        await store.turns.finish(
            begun,
            msgspec.to_builtins(waiting.ended),
            waiting.state,
            game_time=waiting.ended.progress.game_time,
        )

    async def _try(self, work: Callable[[Store], Coroutine[Any, Any, T]]) -> T | None:
        try:
            store = await self._keeping.store()
            async with asyncio.timeout(self._keeping.patience):
                done = await work(store)
        except StoreUnavailable as error:
            self._complain(str(error))
            return None
        except TimeoutError:
            self._complain(f"the store has not answered in {self._keeping.patience:g} s")
            return None
        self._complaint = ""
        return done

    def _complain(self, reason: str) -> None:
        if reason != self._complaint:
            self._complaint = reason
            self.on_trouble(reason)

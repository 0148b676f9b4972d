"""Lets so many turns run at once, the others wait in order, with fair shares, and refuses more than that.

Whoever has the fewest turns running comes first, then whoever's last turn was admitted longest ago: one
account that asks for many turns keeps the others waiting no longer than for one.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from narratoria.errors import NarratoriaException

SMOOTHING = 0.1  # of the newest turn in the average
FIRST_GUESS_S = 1.0  # for a turn, before one has been run
AT_ONCE, WAITING = "NARRATORIA_TURNS_AT_ONCE", "NARRATORIA_TURNS_WAITING"


class QueueFull(NarratoriaException):
    """Reports that as many turns wait as may; `retry_after` says when to come back, in seconds."""

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(f"many stories are being told now; try again in {retry_after} s")


@dataclass(frozen=True, slots=True)
class QueueBounds:
    at_once: int = 0  # turns that run at a time; 0: twice as many as there are cores
    waiting: int = 100
    each: int = 5  # that one account may have waiting

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> QueueBounds:
        """Return the bounds of the environment; NarratoriaException for what is no number."""
        values: dict[str, int] = {}
        for name, variable in (("at_once", AT_ONCE), ("waiting", WAITING)):
            text = environment.get(variable, "").strip()
            if not text:
                continue
            if not (text.isascii() and text.isdigit() and len(text) <= 6):
                raise NarratoriaException(f"{variable} is a whole number, and not {text!r}")
            values[name] = int(text)
        return cls(**values)

    @property
    def slots(self) -> int:
        return self.at_once or 2 * (os.cpu_count() or 1)


@dataclass(slots=True, eq=False)
class _WaitingTurn:
    account: str
    number: int
    admitted: asyncio.Future[None]


@dataclass(slots=True)
class TurnQueue:
    """Admits turns; used in one event loop."""

    bounds: QueueBounds = field(default_factory=QueueBounds)
    clock: Callable[[], float] = time.monotonic
    refused: int = 0
    on_finish: Callable[[float], None] = lambda _: None  # called with the seconds that a turn took
    _running: Counter[str] = field(default_factory=Counter)
    _waiting: list[_WaitingTurn] = field(default_factory=list)
    _arrived: int = 0
    _admitted: int = 0
    _last_admitted: dict[str, int] = field(default_factory=dict)  # of those who wait or run
    _average_s: float = FIRST_GUESS_S
    _is_closed: bool = False

    @property
    def running(self) -> int:
        return self._running.total()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def enter(self, account: str) -> Callable[[], None]:
        """Wait for a place and return what gives it back; raise QueueFull where none can be waited for."""
        if self.running >= self.bounds.slots or self._waiting or self._is_closed:
            await self._wait(account)
        else:
            self._count(account)
        begun, is_given_back = self.clock(), False

        def leave() -> None:
            nonlocal is_given_back
            if is_given_back:
                return
            is_given_back = True
            seconds = self.clock() - begun
            self._average_s += SMOOTHING * (seconds - self._average_s)
            self.on_finish(seconds)
            self._give_back(account)

        return leave

    async def _wait(self, account: str) -> None:
        own = sum(one.account == account for one in self._waiting)
        if self._is_closed or len(self._waiting) >= self.bounds.waiting or own >= self.bounds.each:
            self.refused += 1
            raise QueueFull(self.seconds_until_free())
        self._arrived += 1
        waiting = _WaitingTurn(account, self._arrived, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._admit()
        try:
            await waiting.admitted
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            elif waiting.admitted.done() and waiting.admitted.exception() is None:
                self._give_back(account)
            raise

    def close(self) -> None:
        """Refuse those who wait and those who come: the server is about to stop, another may serve."""
        self._is_closed = True
        for one in self._waiting:
            if not one.admitted.done():
                one.admitted.set_exception(QueueFull(1))
        self.refused += len(self._waiting)
        self._waiting.clear()

    def seconds_until_free(self) -> int:
        """Return when half of those who wait will have been told, by how long turns took lately."""
        rounds = (len(self._waiting) / 2 + 1) / self.bounds.slots
        return max(1, math.ceil(rounds * self._average_s))

    def _give_back(self, account: str) -> None:
        self._running[account] -= 1
        if not self._running[account]:
            del self._running[account]
            if not any(one.account == account for one in self._waiting):
                self._last_admitted.pop(account, None)
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.running < self.bounds.slots:
            first = min(self._waiting, key=self._order)
            self._waiting.remove(first)
            if not first.admitted.done():  # else it was given up this very moment
                self._count(first.account)
                first.admitted.set_result(None)

    def _order(self, one: _WaitingTurn) -> tuple[int, int, int]:
        return self._running[one.account], self._last_admitted.get(one.account, 0), one.number

    def _count(self, account: str) -> None:
        self._admitted += 1
        self._running[account] += 1
        self._last_admitted[account] = self._admitted

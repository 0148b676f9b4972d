"""From a choice to its scene: the first word, the last, the choices; and what of that is not the model."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.measure import Effort, Row, Table
from narratoria import app, paths
from narratoria.engine.events import ModelStatus, NarrationDelta, StoryEvent
from narratoria.engine.story_session import StorySession
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.exam import ModelExam, save_exam
from narratoria.inference.installed_models import install_model
from narratoria.inference.model import LocalModel

CAMPAIGN = "tomorrows-post"
TURNS = 20
WARM = 2  # turns before those that count
LIMIT_MS = 3000  # for a scene
OUTSIDE = 0.05  # of a scene's time, where a model tells it
LOADING = 300.0  # seconds
COMPOSER, MODEL = "the composer, which every machine has", f"{EMBEDDED.name} telling every scene"


@dataclass(frozen=True, slots=True)
class Told:
    """Milliseconds after the choice."""

    first_word: float
    last_word: float
    scene: float
    model: float  # of all that, while the model was at work


async def measure(effort: Effort) -> list[Table]:
    turns = max(effort.of(TURNS), 3)
    found = {COMPOSER: await _play(turns, None), MODEL: await _play(turns, "narrates")}
    return [_transition(found), _outside(found)]


async def _play(turns: int, tier: Any) -> list[Told]:
    dice, told = random.Random(3), []
    working = _Working()
    with _home(), mock.patch.object(LocalModel, "_ask", working.around(LocalModel._ask)):
        if tier:  # trusted to write whatever it is worth: here only its time counts
            save_exam(
                install_model(EMBEDDED, paths.INSTALLED_MODELS),
                ModelExam(tier, 1, 1, 1, 100, 50, 10, 1, 1, 1),
            )
        async with _begun(wait=bool(tier)) as telling:
            for number in range(turns + WARM):
                choice = dice.choice(telling.snapshot.scenes[-1].choices)
                one = await _told(telling, partial(telling.choose, choice), working)
                told += [one] if number >= WARM else []
    return told


@asynccontextmanager
async def _begun(*, wait: bool) -> AsyncIterator[StorySession]:
    async with app.open_library() as library:
        telling = await library.begin(CAMPAIGN, seed=7)
        await telling.resume()
        if wait:
            await asyncio.wait_for(_ready(telling), LOADING)
        yield telling


async def _ready(telling: StorySession) -> None:
    async for event in telling.log.subscribe(after=0):
        if isinstance(event, ModelStatus) and event.state == "failed":
            raise RuntimeError(f"{event.model} could not be loaded")
        if isinstance(event, ModelStatus) and event.state == "ready":
            return


async def _told(telling: StorySession, choose: Callable[[], Any], working: _Working) -> Told:
    words: list[float] = []

    def hear(event: StoryEvent) -> None:
        if isinstance(event, NarrationDelta):
            words.append(time.perf_counter())

    working.begin()
    begun = time.perf_counter()
    with telling.log.listening(hear, after=telling.log.last):
        await choose()
    ended, worked = time.perf_counter(), working.seconds
    first, last = (words[0], words[-1]) if words else (ended, ended)
    return Told(*(1000 * each for each in (first - begun, last - begun, ended - begun, worked)))


class _Working:
    """How long a model had something to do of what it was asked for since the turn began."""

    def __init__(self) -> None:
        self._since = self._seconds = 0.0
        self._asking: set[object] = set()

    def begin(self) -> None:
        self._seconds = 0.0
        self._asking.clear()

    @property
    def seconds(self) -> float:
        return self._seconds + (time.perf_counter() - self._since if self._asking else 0.0)

    def around(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        async def asked(*given: Any, **named: Any) -> Any:
            this = object()
            if not self._asking:
                self._since = time.perf_counter()
            self._asking.add(this)
            try:
                return await ask(*given, **named)
            finally:
                if this in self._asking:  # else it was asked in an earlier turn, and counts in none
                    self._asking.discard(this)
                    self._seconds += 0.0 if self._asking else time.perf_counter() - self._since

        return asked


@contextmanager
def _home() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, NARRATORIA_HOME=folder):
        yield


def _transition(found: dict[str, list[Told]]) -> Table:
    rows = [Row("the limit", LIMIT_MS, LIMIT_MS, 1.0, more={"first word, p50": 0.0, "last word, p50": 0.0})]
    for name, told in found.items():
        p50, p95 = (float(np.percentile([one.scene for one in told], share)) for share in (50, 95))
        more = {
            "first word, p50": statistics.median(one.first_word for one in told),
            "last word, p50": statistics.median(one.last_word for one in told),
        }
        rows.append(Row(name, p50, p95, p95 / LIMIT_MS, 1.0, p95 <= LIMIT_MS, more=more))
    note = f"“{CAMPAIGN}”, {len(next(iter(found.values())))} turns each, from a choice to the next choices."
    return Table("From a choice to its scene", note, "ms", "the limit", "lower", rows, ("p50", "p95"))


def _outside(found: dict[str, list[Told]]) -> Table:
    told = [one for one in found[MODEL] if one.model]
    if not told:
        raise RuntimeError(f"{EMBEDDED.name} was asked for none of {len(found[MODEL])} scenes")
    whole, model = (
        statistics.median(times) for times in zip(*((one.scene, one.model) for one in told), strict=True)
    )
    outside = statistics.median(one.scene - one.model for one in told)
    share = outside / whole
    rows = [
        Row("the scene", whole, whole, 1.0),
        Row("the model at work", model, model, model / whole),
        Row("all the rest", outside, outside, share, OUTSIDE, share <= OUTSIDE),
    ]
    note = f"Medians of {len(told)} scenes that {EMBEDDED.name} told; a larger one takes longer for its part."
    return Table("What is not the model's time", note, "ms", "the scene", "lower", rows)

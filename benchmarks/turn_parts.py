"""Where the time of picked and typed turns goes, each part beside its limit.

Two libraries are played by turns in one run: in one of them likely skills are started ahead, as always; in
the other every skill is started when it is called. The limits are measured between their turns.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Effort, Row, Table
from benchmarks.turns import _parts_of
from benchmarks.typed import CAMPAIGN, _load_words, _pick
from narratoria import app
from narratoria.engine.events import ToolBegan
from narratoria.engine.story_session import StorySession
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import open_encoder
from narratoria.inference.reading_model import open_reading_model
from narratoria.skills.warm_pool import MOST

SENTENCE = "I ask the ferryman what he saw on the water last night."
TURNS = 20  # of each kind, in each library
WARM = 2  # turns of each kind before those that count
READING_S = 0.5  # that the player takes for a scene, at least
INTERPRETER, EMBEDDING, READING, FSYNC = "interpreter", "embedding", "reading", "fsync"
WHOLE = "the turn"
# what no way of doing it can leave out: by part, for a picked turn and for a typed one
NEEDED = {
    "recalling and planning": ({EMBEDDING: 1}, {EMBEDDING: 1, READING: 2}),
    "the skills": ({INTERPRETER: 2}, {INTERPRETER: 2}),  # one that tells, after one that knows
    "rendering, remembering and writing the scene": ({EMBEDDING: 1, FSYNC: 1}, {EMBEDDING: 1, FSYNC: 1}),
    "writing the choice before all that": ({FSYNC: 1}, {FSYNC: 1, READING: 1}),
}

Parts = dict[str, list[float]]  # ms of each turn, by part


async def measure(effort: Effort) -> list[Table]:
    turns = max(1, effort.of(TURNS)) + WARM
    home = os.environ.get("NARRATORIA_HOME")
    try:
        return await _compare(turns, pause_s=READING_S if turns > 1 + WARM else 0.0)
    finally:
        os.environ.pop("NARRATORIA_HOME", None)
        if home is not None:
            os.environ["NARRATORIA_HOME"] = home


async def _compare(turns: int, pause_s: float) -> list[Table]:
    limits: dict[str, list[float]] = defaultdict(list)
    async with contextlib.AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ["NARRATORIA_HOME"] = folder
        players = {
            is_warm: _Player(
                await _begin(stack, _make(Path(folder, str(is_warm))), most=MOST if is_warm else 0),
                pause_s,
                offset=int(is_warm),
            )
            for is_warm in (True, False)
        }
        for number in range(turns):
            # by turns the first: the other may find files and programs in the machine's memory
            for player in sorted(players.values(), key=lambda player: player.offset, reverse=number % 2 > 0):
                await player.play(number, is_counted=number >= WARM)
            _time_limits(limits)
    medians = {name: statistics.median(taken) for name, taken in limits.items()}
    return [
        _table(kind, players[True].parts[kind], players[False].parts[kind], medians)
        for kind in ("picked", "typed")
    ]


def _make(folder: Path) -> Path:
    folder.mkdir()
    return folder


async def _begin(stack: contextlib.AsyncExitStack, folder: Path, most: int) -> StorySession:
    library = await stack.enter_async_context(app.open_isolated_library(folder, most_warm=most))
    session = await library.begin(CAMPAIGN, seed=2)
    await session.resume()
    return session


class _Player:
    """Plays a story, picked and typed turns in alternation.

    Two players pick and say different things: what one of them was answered is in our caches."""

    def __init__(self, session: StorySession, pause_s: float, *, offset: int) -> None:
        self._session, self._pause_s, self.offset = session, pause_s, offset
        self._dice, self._words = random.Random(3 + offset), _load_words()
        self.parts: dict[str, Parts] = {"picked": defaultdict(list), "typed": defaultdict(list)}

    async def play(self, number: int, *, is_counted: bool) -> None:
        choice = _pick(self._session.snapshot.scenes[-1], self._dice)
        await self._turn("picked", lambda: self._session.choose(choice), is_counted)
        if self._session.snapshot.progress.ending:
            await self._session.choose(_pick(self._session.snapshot.scenes[-1], random.Random(1)))
        words = self._words[(2 * number + self.offset) % len(self._words)]
        await self._turn("typed", lambda: self._session.say(words), is_counted)

    async def _turn(self, kind: str, play: Callable[[], Any], is_counted: bool) -> None:
        await asyncio.sleep(self._pause_s)
        last, begun = self._session.log.last, time.perf_counter()
        await play()
        ms = (time.perf_counter() - begun) * 1000
        events = self._session.log.since(last)
        parts = _parts_of(events, ms)
        if parts and is_counted:  # without any, it was asked back, which is no turn
            tools = sum(isinstance(event, ToolBegan) for event in events)
            for name, taken in (*parts.items(), (WHOLE, ms), ("tools", tools)):
                self.parts[kind][name].append(taken)


def _time_limits(limits: dict[str, list[float]]) -> None:
    limits[INTERPRETER].append(_time(lambda: subprocess.run([sys.executable, "-I", "-c", ""], check=True)))
    folder = find_embedder()
    if folder is not None:
        encoder, model = open_encoder(folder), open_reading_model(folder)
        limits[EMBEDDING].append(_time(lambda: encoder.encode_texts([SENTENCE], 256)))
        limits[READING].append(_time(lambda: model.score_labels(SENTENCE)))
    with tempfile.NamedTemporaryFile() as file:
        file.write(b".")
        file.flush()
        limits[FSYNC].append(_time(lambda: os.fsync(file.fileno())))


def _time(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def _table(kind: str, warm: Parts, fresh: Parts, limits: dict[str, float]) -> Table:
    column = ("picked", "typed").index(kind)
    needed = {
        part: sum(limits.get(name, 0.0) * times for name, times in of_kind[column].items())
        for part, of_kind in NEEDED.items()
    }
    needed[WHOLE] = sum(needed.values())
    rows = []
    for part in (WHOLE, *NEEDED):
        if not warm[part] or not fresh[part]:
            continue
        p50, p95 = _percentiles(warm[part])
        fresh50, fresh95 = _percentiles(fresh[part])
        more = {
            "limit, ms": needed[part],
            "p50 without, ms": fresh50,
            "p95 without, ms": fresh95,
            "ratio to without": p50 / (fresh50 or 1.0),
        }
        rows.append(Row(part, p50, p95, p50 / (needed[part] or 1.0), more=more))
    bare = ", ".join(f"{name} {ms:.2f}" for name, ms in limits.items())
    tools = statistics.mean(warm["tools"]) if warm["tools"] else 0.0
    note = (
        f"“{CAMPAIGN}”, {len(warm[WHOLE])} turns with {tools:.1f} skills in each; with skills started ahead, "
        f"and “without”: each started when it is called, in the same run. A limit is made of bare parts, "
        f"medians in ms: {bare}. Portraits are among the skills."
    )
    title = f"where a {kind} turn's time goes"
    return Table(title, note, "ms", "its limit", "lower", rows, ("p50", "p95"))


def _percentiles(taken: Sequence[float]) -> tuple[float, float]:
    p50, p95 = (float(np.percentile(taken, share)) for share in (50, 95))
    return p50, p95

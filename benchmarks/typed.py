"""A turn in the player's own words beside a picked one of the same story, and where its time goes."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Effort, Row, Table
from narratoria import app
from narratoria.engine.faults import Faults
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.turn import TurnDependencies

CAMPAIGN = "harrowmere"
CASES = Path(__file__).parents[1] / "evals" / "answers" / "cases" / "own-words.jsonl"
TURNS = 40  # of each kind
WARM = 2  # turns of each kind before those that count
PICKED, TYPED = "a picked choice", "own words"


class ReadingClock(Faults):
    """Nothing goes wrong: measures how long a typed turn waits for what reads its words."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.ms: dict[str, float] = defaultdict(float)

    def on_dependencies(self, dependencies: TurnDependencies) -> TurnDependencies:
        return replace(
            dependencies,
            ask_back=self._timed("whether to ask back", dependencies.ask_back),
            recall=self._timed("recalling", dependencies.recall),
            understand=self._timed("reading, routing and finding", dependencies.understand),
        )

    def _timed(self, name: str, ask: Callable[..., Awaitable[Any]] | None) -> Any:
        async def timed(*given: Any) -> Any:
            assert ask is not None
            begun = time.perf_counter()
            try:
                return await ask(*given)
            finally:
                self.ms[name] += (time.perf_counter() - begun) * 1000

        return timed if ask else None


async def measure(effort: Effort) -> list[Table]:
    """Play picked and typed turns in alternation, so that a busy moment of the machine meets both."""
    dice, words, clock = random.Random(2), _load_words(), ReadingClock()
    times: dict[str, list[float]] = {PICKED: [], TYPED: []}
    parts: dict[str, list[float]] = defaultdict(list)
    first = 0.0
    turns = max(3, effort.of(TURNS)) + WARM
    with tempfile.TemporaryDirectory() as folder:
        async with app.open_isolated_library(Path(folder), clock) as library:
            session = await library.begin(CAMPAIGN, seed=2)
            scene = await session.resume()
            number = 0
            while len(times[TYPED]) < turns:
                choice = _pick(scene, dice)
                times[PICKED].append(await _time(lambda choice=choice: session.choose(choice)))  # type: ignore[misc]
                scene, typed = session.snapshot.scenes[-1], words[number % len(words)]
                number, before = number + 1, len(session.snapshot.scenes)
                if session.snapshot.progress.ending:
                    times[PICKED].pop()
                    continue  # nothing is answered after an ending
                clock.ms.clear()
                took = await _time(lambda typed=typed: session.say(typed))  # type: ignore[misc]
                scene = session.snapshot.scenes[-1]
                if len(session.snapshot.scenes) == before:
                    times[PICKED].pop()
                    continue  # it was asked back, which is no turn
                first = first or took
                times[TYPED].append(took)
                if len(times[TYPED]) > WARM:
                    for name, ms in (*clock.ms.items(), ("all the rest", took - sum(clock.ms.values()))):
                        parts[name].append(ms)
    counted = {name: taken[WARM:] for name, taken in times.items()}
    return [_beside(counted, first), _parts(parts, counted[TYPED])]


async def _time(play: Callable[[], Awaitable[Any]]) -> float:
    begun = time.perf_counter()
    await play()
    return (time.perf_counter() - begun) * 1000


def _load_words() -> list[str]:
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [row["words"] for row in rows if row["campaign"] == CAMPAIGN and row["expects"] != "asks back"]


def _pick(scene: Scene, dice: random.Random) -> Choice:
    """Return any choice; after an ending the story begins again, and remembers."""
    again = [choice for choice in scene.choices if choice.kind == "again"]
    return dice.choice(again or list(scene.choices))


def _percentiles(taken: list[float]) -> tuple[float, float]:
    p50, p95 = (float(np.percentile(taken, share)) for share in (50, 95))
    return p50, p95


def _beside(times: dict[str, list[float]], first: float) -> Table:
    usual, late = _percentiles(times[PICKED])
    rows = []
    for name, taken in times.items():
        p50, p95 = _percentiles(taken)
        rows.append(Row(name, p50, p95, p50 / usual, more={"ratio of p95": p95 / late}))
    rows.append(
        Row(
            "the first words of a process",
            first,
            first,
            first / usual,
            more={"ratio of p95": first / late},
        )
    )
    note = (
        f"“{CAMPAIGN}”, {len(times[TYPED])} turns of each, one after the other in one story, from the choice "
        "or the words to the next choices. With the first words the models that read them are loaded."
    )
    return Table("A typed turn beside a picked one", note, "ms", PICKED, "lower", rows, ("p50", "p95"))


def _parts(parts: dict[str, list[float]], taken: list[float]) -> Table:
    whole, late = _percentiles(taken)
    rows = [Row("the typed turn", whole, late, 1.0)]
    for name, ms in parts.items():
        p50, p95 = _percentiles(ms)
        rows.append(Row(name, p50, p95, p50 / whole))
    note = "Ratios are of medians. The skills, rendering and writing are the rest."
    return Table(
        "Where a typed turn's time goes", note, "ms", "the typed turn", "lower", rows, ("p50", "p95")
    )

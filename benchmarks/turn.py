"""What the first and the tenth turn of a new home take, picked and typed, beside the bare parts of a turn.

CPU and counts say the same on a busy machine as on a quiet one; times do not.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import turn_parts
from benchmarks.measure import Effort, Row, Table
from benchmarks.typed import CAMPAIGN, _load_words, _pick
from narratoria import app
from narratoria.engine.story_session import StorySession
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import Encoder, open_encoder
from narratoria.inference.reading_model import ReadingModel, open_reading_model

SENTENCE = "I ask the ferryman what he saw on the water last night."
BARE = "a bare interpreter"
COUNTED: tuple[tuple[str, type[Any], str], ...] = (
    ("readings", ReadingModel, "_run"),
    ("embeddings", Embedder, "_encode"),
    ("encodings", Encoder, "encode_batch"),
)


@dataclass(frozen=True, slots=True)
class TurnCost:
    cpu_ms: float  # of our own process
    skills_ms: float  # of CPU, of processes that ended meanwhile
    wall_ms: float
    counts: Counter[str]


async def measure(effort: Effort) -> list[Table]:
    tenth = max(2, effort.of(10))
    costs = await _play(tenth)
    limits = _measure_limits()
    return [_table(costs, limits), *await turn_parts.measure(effort)]


async def _play(tenth: int) -> dict[str, TurnCost]:
    """Play picked and typed turns in a new home, and return the first and the tenth of each."""
    dice, words, home = random.Random(3), _load_words(), os.environ.get("NARRATORIA_HOME")
    costs: dict[str, TurnCost] = {}
    with tempfile.TemporaryDirectory() as folder, _counting() as counts:
        os.environ["NARRATORIA_HOME"] = folder
        try:
            async with app.open_isolated_library(Path(folder)) as library:
                session = await library.begin(CAMPAIGN, seed=2)
                await session.resume()
                for number in range(1, tenth + 1):
                    choice = _pick(session.snapshot.scenes[-1], dice)
                    picked = await _cost(counts, lambda choice=choice: session.choose(choice))  # type: ignore[misc]
                    await _leave_ending(session)
                    text = words[number % len(words)]
                    typed = await _cost(counts, lambda text=text: session.say(text))  # type: ignore[misc]
                    if number in (1, tenth):
                        costs[f"picked, turn {number}"] = picked
                        costs[f"typed, turn {number}"] = typed
        finally:
            os.environ.pop("NARRATORIA_HOME")
            if home is not None:
                os.environ["NARRATORIA_HOME"] = home
    return costs


async def _leave_ending(session: StorySession) -> None:
    """Begin again after an ending: nothing that is typed is answered there."""
    if session.snapshot.progress.ending:
        await session.choose(_pick(session.snapshot.scenes[-1], random.Random(1)))


async def _cost(counts: Counter[str], play: Callable[[], Any]) -> TurnCost:
    counts.clear()
    begun, own, others = time.perf_counter(), _cpu(resource.RUSAGE_SELF), _cpu(resource.RUSAGE_CHILDREN)
    await play()
    return TurnCost(
        _cpu(resource.RUSAGE_SELF) - own,
        _cpu(resource.RUSAGE_CHILDREN) - others,
        (time.perf_counter() - begun) * 1000,
        Counter(counts),
    )


@contextmanager
def _counting() -> Iterator[Counter[str]]:
    """Count how often models run and files are opened."""
    counts: Counter[str] = Counter()
    is_on = [True]

    def count(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            counts[name] += 1
            return method(*given, **named)

        return counted

    def on_audit(event: str, _: Any) -> None:
        if event == "open" and is_on[0]:
            counts["files opened"] += 1

    real = [(owner, name, getattr(owner, name)) for _, owner, name in COUNTED]
    sys.addaudithook(on_audit)
    for label, owner, name in COUNTED:
        setattr(owner, name, count(label, getattr(owner, name)))
    try:
        yield counts
    finally:
        is_on[0] = False  # a hook cannot be taken away
        for owner, name, method in real:
            setattr(owner, name, method)


def _measure_limits() -> dict[str, float]:
    """Return what the bare parts of a turn take: ms of CPU, the best of three."""
    limits = {
        BARE: _best(lambda: subprocess.run([sys.executable, "-I", "-c", ""], check=True), children=True)
    }
    folder = find_embedder()
    if folder is not None:
        encoder, model = open_encoder(folder), open_reading_model(folder)
        limits["a bare embedding of a sentence"] = _best(lambda: encoder.encode_texts([SENTENCE], 256))
        limits["a bare reading of a sentence"] = _best(lambda: model.score_labels(SENTENCE))
        limits["a bare reading of a pair"] = _best(lambda: model._score_pair(SENTENCE, SENTENCE))
    with tempfile.NamedTemporaryFile() as file:
        limits["a bare fsync"] = _best(lambda: _write_through(file.fileno()))
    return limits


def _write_through(file: int) -> None:
    os.write(file, b".")
    os.fsync(file)


def _best(work: Callable[[], Any], *, children: bool = False) -> float:
    taken = []
    for _ in range(4):
        whose = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
        begun = _cpu(whose)
        work()
        taken.append(_cpu(whose) - begun)
    return min(taken[1:])


def _cpu(whose: int) -> float:
    used = resource.getrusage(whose)
    return (used.ru_utime + used.ru_stime) * 1000


def _details(cost: TurnCost) -> dict[str, float]:
    return {
        "skills, ms of CPU": cost.skills_ms,
        "wall, ms": cost.wall_ms,
        **{label: float(cost.counts[label]) for label, *_ in COUNTED},
        "files opened": float(cost.counts["files opened"]),
    }


def _table(costs: dict[str, TurnCost], limits: dict[str, float]) -> Table:
    bare = limits[BARE] or 1.0
    none = TurnCost(0.0, 0.0, 0.0, Counter())
    rows = [Row(name, ms, ms, ms / bare, more=_details(none)) for name, ms in limits.items()]
    rows += [
        Row(name, cost.cpu_ms, cost.cpu_ms, cost.cpu_ms / bare, more=_details(cost))
        for name, cost in costs.items()
    ]
    note = (
        f"“{CAMPAIGN}” in a new home, picked and typed turns in alternation. CPU of our own process; that of "
        "skills counts when they are waited for. The first typed turn loads what reads words."
    )
    return Table("the first and the tenth turn", note, "ms of CPU", BARE, "lower", rows)

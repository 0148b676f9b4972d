"""How long a turn takes and what it keeps in memory, from the first to the thousandth; and where it goes."""

from __future__ import annotations

import random
import resource
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.measure import Effort, Row, Table
from narratoria import app
from narratoria.engine.events import PlanMade, SceneReady, StoryEvent, ToolBegan, ToolEnded, TurnStarted
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.telling import Telling

CAMPAIGN = "harrowmere"
TURNS = 1000
AROUND = 20  # turns that are looked at together
FLAT = 1.25  # the last turns to the tenth and those after it: best to best, and memory
FIRST = 10  # what is opened and compiled once is behind the story by then


@dataclass(frozen=True, slots=True)
class Turn:
    ms: float
    cpu_ms: float  # of our own process
    tools: int
    megabytes: float
    parts: dict[str, float]  # ms


async def measure(effort: Effort) -> list[Table]:
    turns = await _play(effort.of(TURNS))
    return [_flatness(turns), _parts(turns[FIRST:] or turns)]


async def _play(count: int) -> list[Turn]:
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        async with app.open_playground(Path(folder)) as library:
            telling = await library.begin(CAMPAIGN, seed=2)
            scene = await telling.resume()
            turns = []
            for _ in range(count):
                turn = await _turn(telling, _choice(scene, dice))
                scene = telling.session.scenes[-1]
                turns.append(turn)
    return turns


def _choice(scene: Scene, dice: random.Random) -> Choice:
    """Any; after an ending the story begins again, and remembers."""
    again = [choice for choice in scene.choices if choice.kind == "again"]
    return dice.choice(again or list(scene.choices))


async def _turn(telling: Telling, choice: Choice) -> Turn:
    last, begun, cpu = telling.log.last, time.perf_counter(), _cpu()
    await telling.choose(choice)
    ms, cpu_ms = (time.perf_counter() - begun) * 1000, (_cpu() - cpu) * 1000
    events = telling.log.since(last)
    tools = sum(isinstance(event, ToolBegan) for event in events)
    return Turn(ms, cpu_ms, tools, _megabytes(), _parts_of(events, ms))


def _parts_of(events: Sequence[StoryEvent], ms: float) -> dict[str, float]:
    """By the times that the events tell."""
    at = {
        name: [datetime.fromisoformat(event.at).timestamp() * 1000 for event in events if type(event) is kind]
        for name, kind in (
            ("started", TurnStarted),
            ("planned", PlanMade),
            ("tool", ToolEnded),
            ("scene", SceneReady),
        )
    }
    if not all(at.values()):
        return {}
    planned, told = at["planned"][0] - at["started"][0], at["tool"][-1] - at["planned"][0]
    kept = at["scene"][-1] - at["tool"][-1]
    return {
        "recalling and planning": planned,
        "the skills": told,
        "rendering, remembering and writing the scene": kept,
        "writing the choice before all that": max(0.0, ms - planned - told - kept),
    }


def _flatness(turns: Sequence[Turn]) -> Table:
    places = sorted({min(FIRST, len(turns) // 2), len(turns) // 10, len(turns) // 2, len(turns)})
    windows = {_name(end, turns): _window(turns, end) for end in places if end}
    limit = next(iter(windows))
    best = min(turn.ms for turn in windows[limit])
    room = statistics.median(turn.megabytes for turn in windows[limit])
    rows = []
    for name, window in windows.items():
        ratio = min(turn.ms for turn in window) / best
        memory = statistics.median(turn.megabytes for turn in window)
        more = {
            "our own CPU, ms": statistics.median(turn.cpu_ms for turn in window),
            "tools": statistics.mean(turn.tools for turn in window),
            "memory, MB": memory,
            "memory, ratio": memory / room,
        }
        target = None if name == limit else FLAT
        met = None if target is None else ratio <= target
        median = statistics.median(turn.ms for turn in window)
        rows.append(Row(name, min(turn.ms for turn in window), median, ratio, target, met, more=more))
    note = f"“{CAMPAIGN}” with its real skills in their boxes, every turn on the disk before it is shown."
    return Table("a turn of a long story", note, "ms", limit, "lower", rows)


def _window(turns: Sequence[Turn], end: int) -> Sequence[Turn]:
    start = end if end <= FIRST else end - AROUND
    return turns[max(0, start - 1) : max(0, start - 1) + AROUND] or turns[-1:]


def _name(end: int, turns: Sequence[Turn]) -> str:
    window = _window(turns, end)
    first = turns.index(window[0]) + 1
    return f"turns {first} to {first + len(window) - 1}"


def _parts(turns: Sequence[Turn]) -> Table:
    parts: dict[str, list[float]] = defaultdict(list)
    for turn in turns:
        for name, ms in turn.parts.items():
            parts[name].append(ms)
    whole = statistics.median(turn.ms for turn in turns)
    rows = [Row("the turn", min(turn.ms for turn in turns), whole, 1.0)]
    rows += [
        Row(name, min(taken), statistics.median(taken), statistics.median(taken) / whole)
        for name, taken in parts.items()
    ]
    return Table("where a turn's time goes", "Ratios are of medians.", "ms", "the turn", "lower", rows)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _megabytes() -> float:
    """What the process holds now; the most it ever held where nobody tells."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return pages * resource.getpagesize() / 1e6

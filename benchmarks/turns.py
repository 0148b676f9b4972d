"""What a turn takes of our process and of memory, from the tenth to the thousandth; and where it goes."""

from __future__ import annotations

import random
import resource
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Effort, Row, Table
from narratoria import app
from narratoria.engine.events import PlanMade, SceneReady, StoryEvent, ToolBegan, ToolEnded, TurnStarted
from narratoria.engine.faults import Faults
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.story_session import StorySession
from narratoria.engine.turn import TurnDependencies

if TYPE_CHECKING:
    from narratoria.store import Store

CAMPAIGN = "harrowmere"
LOOKED_AT = (10, 100, 1000)  # the first: what is opened and compiled once is behind the story by then
AROUND = 20  # turns that are looked at together
FLAT = 1.25  # the CPU of a later turn to the tenth's, median to median


@dataclass(frozen=True, slots=True)
class Turn:
    number: int
    ms: float
    cpu_ms: float  # of our own process
    tools: int
    asked: int  # of the store
    megabytes: float
    parts: dict[str, float]  # ms


class Watching(Faults):
    """Nothing goes wrong: counts what is asked of the store, and leaves the skills out between the turns that
    are looked at, which would take most of an hour's quarter for nothing."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.skills, self.asked = True, 0

    def on_dependencies(self, stage: TurnDependencies) -> TurnDependencies:
        return stage if self.skills else replace(stage, skills=[])

    def on_store(self, store: Store) -> Store:
        database: Any = store.database
        database.read, database.write = self._counted(database.read), self._counted(database.write)
        return store

    def _counted(self, ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
        async def asked(work: Any) -> Any:
            self.asked += 1
            return await ask(work)

        return asked


async def measure(effort: Effort) -> list[Table]:
    turns = await _play([effort.of(number) for number in LOOKED_AT])
    return [_flatness(turns), _parts([turn for window in turns.values() for turn in window])]


async def _play(looked_at: Sequence[int]) -> dict[int, list[Turn]]:
    """The turns around each of these numbers, which the last of them ends."""
    dice, watching = random.Random(1), Watching()
    windows: dict[int, list[Turn]] = {number: [] for number in looked_at}
    with tempfile.TemporaryDirectory() as folder:
        async with app.open_isolated_library(Path(folder), watching) as library:
            telling = await library.begin(CAMPAIGN, seed=2)
            scene = await telling.resume()
            for number in range(1, looked_at[-1] + 1):
                at = [
                    end
                    for end in windows
                    if _first(end, looked_at) <= number < _first(end, looked_at) + AROUND
                ]
                watching.skills = bool(at) or number < looked_at[0]
                turn = await _turn(telling, _choice(scene, dice), number, watching)
                scene = telling.snapshot.scenes[-1]
                for end in at:
                    windows[end].append(turn)
    return windows


def _first(end: int, looked_at: Sequence[int]) -> int:
    return max(1, end - AROUND + 1) if end == looked_at[-1] else end


def _choice(scene: Scene, dice: random.Random) -> Choice:
    """Any; after an ending the story begins again, and remembers."""
    again = [choice for choice in scene.choices if choice.kind == "again"]
    return dice.choice(again or list(scene.choices))


async def _turn(telling: StorySession, choice: Choice, number: int, watching: Watching) -> Turn:
    last, asked, begun, cpu = telling.log.last, watching.asked, time.perf_counter(), _cpu()
    await telling.choose(choice)
    ms, cpu_ms = (time.perf_counter() - begun) * 1000, (_cpu() - cpu) * 1000
    events = telling.log.since(last)
    tools = sum(isinstance(event, ToolBegan) for event in events)
    return Turn(number, ms, cpu_ms, tools, watching.asked - asked, _megabytes(), _parts_of(events, ms))


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


def _flatness(windows: dict[int, list[Turn]]) -> Table:
    named = {f"turn {number:,}": window for number, window in windows.items()}
    limit, first = next(iter(named.items()))
    usual, room = _median(first, "cpu_ms"), _median(first, "megabytes")
    rows = []
    for name, window in named.items():
        ratio = _median(window, "cpu_ms") / usual
        more = {
            "wall, ms": _median(window, "ms"),
            "asked of the store": _median(window, "asked"),
            "tools": statistics.mean(turn.tools for turn in window),
            "memory, MB": _median(window, "megabytes"),
            "memory, ratio": _median(window, "megabytes") / room,
        }
        target = None if name == limit else FLAT
        met = None if target is None else ratio <= target
        best = min(turn.cpu_ms for turn in window)
        rows.append(Row(name, best, _median(window, "cpu_ms"), ratio, target, met, more=more))
    note = (
        f"“{CAMPAIGN}”, every turn on the disk before it is shown; CPU of our own process, medians of "
        f"{AROUND} turns. Those turns run their real skills in their boxes, and the ones between run none."
    )
    return Table("a turn of a long story", note, "ms of CPU", limit, "lower", rows)


def _median(turns: Sequence[Turn], what: str) -> float:
    return float(statistics.median(getattr(turn, what) for turn in turns))


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

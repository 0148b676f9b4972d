"""How costs grow with a home: ten and a hundred times as many memories, skills and pages of lore."""

from __future__ import annotations

import itertools
import json
import math
import random
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from benchmarks.measure import Contender, Effort, Row, Table, Timing, side_by_side
from benchmarks.store import memories
from benchmarks.turns import CAMPAIGN
from narratoria import app, paths
from narratoria.campaign.validate import validate_campaign
from narratoria.engine.story_session import StorySession
from narratoria.planner.planner import TurnPlanner
from narratoria.planning.plan import PlanRequest
from narratoria.skills.discovery import discover
from narratoria.skills.install import create_skill
from narratoria.skills.skill import Skill

FACTORS = (1, 10, 100)
MEMORIES, SKILLS, LORE = 100, 10, 10  # the smallest of each: a hundred times as many is a large home
SLOPE = 0.5  # of how many times as much there is: what costs less than that many times as much grows well
PATIENCE = 60.0  # seconds for a plan: the question is how long it takes, not when it is given up
ACTION = "I hum the tune that the ferryman taught me and see who turns round"


async def measure(effort: Effort) -> list[Table]:
    sizes = [factor for factor in FACTORS if factor <= max(1, 100 * effort.scale)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        remembering = await _with_memories(folder, sizes, effort)
        learning = await _with_skills(folder, sizes, effort)
        reading = await _with_lore(folder, sizes, effort)
    return [*remembering, *learning, reading]


# memories


async def _with_memories(folder: Path, sizes: Sequence[int], effort: Effort) -> list[Table]:
    searches: dict[int, Timing] = {}
    turns: dict[int, Timing] = {}
    for factor in sizes:
        async with _story(folder / f"memories-{factor}", MEMORIES * factor) as telling:
            searches[factor], turns[factor] = await _asked(telling, effort)
    return [
        _table("A search, as memories grow", "memories", MEMORIES, searches),
        _table("A turn, as memories grow", "memories", MEMORIES, turns),
    ]


@asynccontextmanager
async def _story(folder: Path, count: int) -> AsyncIterator[StorySession]:
    async with app.open_isolated_library(folder) as library:
        telling = await library.begin(CAMPAIGN, seed=2)
        await telling.resume()
        scope, items = await telling.memory.scope(), memories(count)
        for first in range(0, count, 500):
            await scope.store_all(items[first : first + 500])
        yield telling


async def _asked(telling: StorySession, effort: Effort) -> tuple[Timing, Timing]:
    scope, dice = await telling.memory.scope(), random.Random(1)
    days = itertools.count()  # no two queries alike: a vector that was computed before costs nothing

    async def search() -> None:
        await scope.semantic_search(f"who lied at the ford, {next(days)} days ago?", "memory", 10)

    async def turn() -> None:
        assert telling.scene is not None
        await telling.choose(dice.choice(telling.scene.choices))

    found = await side_by_side({"search": search, "turn": turn}, effort.repeats)
    return found["search"], found["turn"]


# skills


async def _with_skills(folder: Path, sizes: Sequence[int], effort: Effort) -> list[Table]:
    roots = {factor: folder / f"skills-{factor}" for factor in sizes}
    for factor, root in roots.items():
        for number in range(SKILLS * factor):
            create_skill(f"greeter-{number}", "python", root)
    starts = await _timed({factor: partial(_discover, root) for factor, root in roots.items()}, effort)
    planner = TurnPlanner(app.open_scorer, deadline=PATIENCE, load_timeout_s=PATIENCE)
    requests = {factor: PlanRequest(ACTION, _discover(root)) for factor, root in roots.items()}
    plans = await _timed({n: partial(planner.explain, request) for n, request in requests.items()}, effort)
    return [
        _table("Finding the skills at a start, as they grow", "skills", SKILLS, starts),
        _table("A plan for what a player typed, as skills grow", "skills", SKILLS, plans),
    ]


def _discover(root: Path) -> Sequence[Skill]:
    return discover([paths.BUNDLED_SKILLS, root]).skills


# lore


async def _with_lore(folder: Path, sizes: Sequence[int], effort: Effort) -> Table:
    campaigns = {factor: _write(folder / f"lore-{factor}", LORE * factor) for factor in sizes}
    timings = await _timed(
        {n: partial(validate_campaign, campaign) for n, campaign in campaigns.items()}, effort
    )
    return _table("Validation, as lore grows", "pages of lore", LORE, timings)


def _write(folder: Path, count: int) -> Path:
    (folder / "lore").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"title": "Pages", "version": "1.0.0"}))
    for number in range(count):
        text = f"# Year {number}\n\n" + "It rained, and then it did not. " * 60
        (folder / "lore" / f"year-{number}.md").write_text(text)
    return folder


# tables


async def _timed(of: dict[int, Callable[[], object]], effort: Effort) -> dict[int, Timing]:
    contenders: dict[str, Contender] = {str(factor): work for factor, work in of.items()}
    return {int(name): timing for name, timing in (await side_by_side(contenders, effort.repeats)).items()}


def _table(title: str, what: str, smallest: int, timings: dict[int, Timing]) -> Table:
    names = {factor: f"{smallest * factor:,} {what}" for factor in timings}
    least = timings[min(timings)].best
    rows = []
    for factor, timing in timings.items():
        ratio = timing.best / least
        target = None if factor == 1 else max(1.0, SLOPE * factor)
        met = None if target is None else ratio <= target
        rows.append(Row(names[factor], timing.best * 1000, timing.median * 1000, ratio, target, met))
    return Table(title, "", "ms", names[min(timings)], "lower", rows)


# the picture

WIDTH, HEIGHT, LEFT, TOP = 640, 360, 60, 20
COLOURS = ("#7c5cff", "#d9822b", "#2b8a7e", "#c2415d", "#4a78c2", "#8a6d3b")
Series = dict[
    str, list[tuple[float, float]]
]  # what grew: how many times as much there is, and as long it takes


def series(tables: Iterable[Table]) -> Series:
    return {table.title: [(FACTORS[at], row.ratio) for at, row in enumerate(table.rows)] for table in tables}


def picture(lines: Series) -> str:
    """Both axes by powers of ten: what grows as its cause does rises from corner to corner."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + 20 * len(lines)}" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#777">',
        "<title>How costs grow with what there is</title>",
        *_grid(),
    ]
    for number, (name, points) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        places_ = " ".join(f"{_x(factor):.0f},{_y(ratio):.0f}" for factor, ratio in points)
        parts.append(f'<polyline points="{places_}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{_x(f):.0f}" cy="{_y(r):.0f}" r="4" fill="{colour}"/>' for f, r in points]
        y = HEIGHT + 20 * number
        parts.append(f'<rect x="{LEFT}" y="{y - 10}" width="14" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + 22}" y="{y}">{name}: × {points[-1][1]:.2g}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _grid() -> Iterable[str]:
    yield (
        f'<line x1="{_x(1)}" y1="{_y(1):.0f}" x2="{_x(100)}" y2="{_y(100):.0f}" stroke="#999" '
        'stroke-dasharray="4 5"/>'
    )
    for factor in FACTORS:
        x, y = _x(factor), _y(factor)
        yield f'<line x1="{x:.0f}" y1="{TOP}" x2="{x:.0f}" y2="{_y(0.5):.0f}" stroke="#9994"/>'
        yield f'<text x="{x:.0f}" y="{_y(0.5) + 16:.0f}" text-anchor="middle">{factor} × as much</text>'
        yield f'<line x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - 40}" y2="{y:.0f}" stroke="#9994"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">× {factor}</text>'


def _x(factor: float) -> float:
    return LEFT + 20 + math.log10(factor) / 2 * (WIDTH - LEFT - 80)


def _y(ratio: float) -> float:
    return TOP + (1 - (math.log10(max(ratio, 0.5)) + 0.31) / 2.31) * (HEIGHT - TOP - 60)

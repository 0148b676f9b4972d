"""Timing things side by side: what runs in one run, on one machine, under one load can be compared."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import inspect
import os
import platform
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Contender = Callable[[], Awaitable[Any] | Any]
Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much of everything; the smallest only proves that a benchmark runs."""

    repeats: int = 9
    scale: float = 1.0

    def of(self, amount: int) -> int:
        return max(1, round(amount * self.scale))


FULL = Effort()
TINY = Effort(repeats=1, scale=0.01)


@dataclass(frozen=True, slots=True)
class Timing:
    """Repeated runs of one contender. The best is compared: noise only ever adds."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


async def side_by_side(contenders: Mapping[str, Contender], repeats: int) -> dict[str, Timing]:
    """Each contender in each round, so that a busy moment of the machine meets them all."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for round_ in range(repeats + 1):
        for name in names:
            took = await _time(contenders[name])
            if round_:  # the first round warms caches, and starts what is started once
                seconds[name].append(took)
        names.append(names.pop(0))  # nobody always runs after the same neighbour
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}


async def _time(contender: Contender) -> float:
    begun = time.perf_counter()
    result = contender()
    if inspect.isawaitable(result):
        await result
    return time.perf_counter() - begun


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    best: float  # in the table's unit
    median: float
    ratio: float  # to the limit, best to best
    target: float | None = None
    met: bool | None = None
    megabytes: float | None = None  # a second, at best
    more: Mapping[str, float] = field(default_factory=dict)  # columns of this table alone


@dataclass(frozen=True, slots=True)
class Table:
    """One question: every row against the one named as the limit."""

    title: str
    note: str
    unit: str
    limit: str
    better: Better
    rows: Sequence[Row] = field(default_factory=list)
    figures: tuple[str, str] = ("best", "median")  # what the first two columns are


def table(
    title: str,
    timings: Mapping[str, Timing],
    *,
    amount: int,
    unit: str,
    limit: str,
    better: Better,
    targets: Mapping[str, float] | None = None,
    megabytes: float = 0.0,
    note: str = "",
) -> Table:
    """`higher`: so many a second, against the limit's. `lower`: milliseconds for one, against the limit's."""
    against = timings[limit].best

    def row(name: str, timing: Timing) -> Row:
        target = (targets or {}).get(name)
        if better == "higher":
            best, median, ratio = amount / timing.best, amount / timing.median, against / timing.best
            met = None if target is None else ratio >= target
        else:
            best, median = timing.best / amount * 1000, timing.median / amount * 1000
            ratio = timing.best / against
            met = None if target is None else ratio <= target
        return Row(name, best, median, ratio, target, met, megabytes / timing.best if megabytes else None)

    return Table(title, note, unit, limit, better, [row(*each) for each in timings.items()])


# printing: Markdown, which a terminal shows as well as a page does


def as_markdown(table: Table) -> str:
    sign = "≥" if table.better == "higher" else "≤"
    sizes = any(row.megabytes is not None for row in table.rows)
    more = list(table.rows[0].more) if table.rows else []
    head = ["", *(f"{name}, {table.unit}" for name in table.figures), *(["MB/s"] if sizes else [])]
    head += [f"ratio to “{table.limit}”", *more]
    aims = any(row.target is not None for row in table.rows) or not more
    head += ["target", "met"] if aims else []
    lines = [head]
    for row in table.rows:
        megabytes = [f"{row.megabytes:,.0f}"] if row.megabytes is not None else []
        target = "" if row.target is None else f"{sign} {row.target:g}"
        met = {None: "", True: "yes", False: "**no**"}[row.met]
        figures = [_figure(row.best), _figure(row.median), *megabytes, _figure(row.ratio)]
        figures += [_figure(row.more[name]) for name in more]
        lines.append([row.name, *figures, *([target, met] if aims else [])])
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    lines.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    body = "\n".join(_line(line, widths) for line in lines)
    return "\n\n".join(part for part in (f"### {table.title}", table.note, body) if part) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    return (
        "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]) + " |"
    )


def _figure(value: float) -> str:
    if value >= 100 or not value:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


# the machine


def machine() -> dict[str, str]:
    """What the figures depend on."""
    return {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(f"{name} {version(name) or '(not installed)'}" for name in PACKAGES),
    }


def load() -> float:
    """How many processes wanted a core in the last minute, ours among them; NaN where nobody counts."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


PACKAGES = (
    *("narratoria", "msgspec", "mcp", "langgraph", "dask"),
    *("numpy", "sqlalchemy", "sqlite-vec", "objectbox", "chromadb", "lancedb"),
)


def version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory() -> str:
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return "unknown"
    return f"{total / 2**30:.0f} GiB"

"""How fast, as ratios to a limit in the same run: what the benchmarks find."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from benchmarks import campaign as campaigns
from benchmarks import planning as plans
from benchmarks import protocol as events
from benchmarks import scenes as transitions
from benchmarks import skills as calls
from benchmarks import store as memory
from benchmarks import turns as long_stories
from benchmarks import web
from benchmarks.measure import FULL, TINY, Effort, Row, Table

from evals.scorecard.figures import Figure, Figures, Size, milliseconds, ratio

CAMPAIGN_TABLES = ("against two seconds", "a large campaign, loaded and taken in", "a minimal campaign")
HOW_TOLD = (transitions.COMPOSER, transitions.MODEL)
TOLD = ("first word, p50", "last word, p50", "scene, p95")
SCAN, OURS, VECTORS = memory.SCAN, "Narratoria", "Narratoria, its vectors alone"


def _effort(size: Size) -> Effort:
    return FULL if size == "whole" else TINY


def _named(tables: Iterable[Table], *names: str) -> list[Row]:
    """The rows that are called one of these, of every table that has them."""
    found = [row for table in tables for row in table.rows if row.name in names]
    if not found:
        raise LookupError(f"no benchmark has a row called {' or '.join(names)}")
    return found


def protocol(size: Size) -> Figures:
    tables = asyncio.run(events.measure(_effort(size)))
    many = f"{events.TOOLS} tools at once"
    return {
        "events through one tool": ratio(min(row.ratio for row in _named(tables, "one tool"))),
        f"events through {many}": ratio(min(row.ratio for row in _named(tables, many))),
        "a launch": ratio(max(row.ratio for row in _named(tables, "run") if row.target is not None)),
    }


def planning(size: Size) -> Figures:
    tables = asyncio.run(plans.measure(_effort(size)))
    rows = [row for table in tables for row in table.rows if row.target is not None]
    return {"a plan of 100 tools": ratio(max(row.ratio for row in rows))}


def store(size: Size) -> Figures:
    """Questions with a limit, by the p95 that the tables give; and the two ratios."""
    effort = _effort(size)
    asked = asyncio.run(memory.budgets(effort))
    cold = asyncio.run(memory.cold_call(effort))
    beside = memory.beside_others(effort, [10_000], [SCAN, OURS, VECTORS])
    found = {row.name: milliseconds(row.median) for row in asked.rows}
    ours, alone = (_ending(beside, name) for name in (OURS, VECTORS))
    recall = min(ours.more["recall@10"], ours.more["recall@10 there"], alone.more["recall@10"])
    return {
        **found,
        "a cold call to five memories": ratio(
            _named([cold], "a skill that recalls five memories")[0].ratio, to="a bare interpreter"
        ),
        "vectors under a filter": ratio(alone.ratio, to="a numpy scan"),
        "the whole search, words and records too": ratio(ours.ratio, to="a numpy scan"),
        "recall@10 under filters": Figure(recall, f"{recall:.2f}"),
    }


def _ending(table: Table, name: str) -> Row:
    (row,) = (row for row in table.rows if row.name.endswith(f": {name}"))
    return row


def skills(size: Size) -> Figures:
    (table,) = asyncio.run(calls.measure(_effort(size)))
    return {row.name: milliseconds(row.median, "median") for row in table.rows if row.name in calls.ASKED}


def campaign(size: Size) -> Figures:
    tables = asyncio.run(campaigns.measure(_effort(size)))
    by_title = {table.title: table for table in tables}
    against, large, waiting = (by_title[title] for title in CAMPAIGN_TABLES)
    slowest = max((row for row in against.rows if row.target is not None), key=lambda row: row.median)
    held = _named([large], "memory at its highest")[0].best
    return {
        "the slowest of loading, validating and compiling": _seconds(slowest.median / 1000, slowest.name),
        "memory at its highest": Figure(held, f"{held:,.0f} MB of {large.rows[0].best:,.0f}; {large.note}"),
        **{
            row.name.partition(" (")[0]: ratio(row.median, to="the time there is")
            for row in waiting.rows
            if row.target is not None
        },
    }


def scenes(size: Size) -> Figures:
    transition, outside = asyncio.run(transitions.measure(_effort(size)))
    rows = {row.name: row for row in transition.rows}
    share = _named([outside], "all the rest")[0].ratio
    return {
        **{f"{name}, {figure}": _told(rows[name], figure) for name in HOW_TOLD for figure in TOLD},
        "not the model's time": Figure(share, f"{100 * share:.1f} % of a scene", timing=True),
    }


def _told(row: Row, figure: str) -> Figure:
    value = row.median if figure == "scene, p95" else row.more[figure]
    return Figure(value, f"{value:,.0f} ms", timing=True)


def turns(size: Size) -> Figures:
    flat, _ = asyncio.run(long_stories.measure(_effort(size)))
    last = flat.rows[-1]
    return {
        "the last turns to the tenth": ratio(last.ratio),
        "memory of the process": ratio(last.more["memory, ratio"]),
        "what was compared": Figure(last.best, f"{flat.limit} and {last.name}", timing=True),
    }


def first_page(_: Size) -> Figures:
    row = _named([web.first_page()], "the first page")[0]
    return {"the first page": Figure(row.best, f"{row.best:.0f} kB over the wire")}


def _seconds(value: float, what: str) -> Figure:
    return Figure(value, f"{value:.2f} s ({what})", timing=True)

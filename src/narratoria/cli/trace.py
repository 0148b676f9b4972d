"""`narratoria trace`: the journal of plans, as a list or as the tree of one plan."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn

import click

from narratoria import app
from narratoria.cli.progress import COLOURS, duration
from narratoria.terminal import painted, say, visible

if TYPE_CHECKING:
    from narratoria.planning.plan_log_record import PlanLogRecord

UNKNOWN = 2
MOST_NAMED = 10  # ids that begin alike
REASON = 60  # characters
HEADINGS = ("TIME", "ID", "OUTCOME", "TOOLS", "DURATION", "ATTEMPT", "REASON")


@click.command(short_help="Show what plans did.")
@click.argument("plan_id", metavar="[ID]", required=False)
@click.option("--json", "as_json", is_flag=True, help="The journal's own lines, one JSON object each.")
@click.option(
    "-n", "count", type=click.IntRange(min=1), default=20, metavar="N", help="How many to list; 20 without."
)
def trace(*, plan_id: str | None, as_json: bool, count: int) -> None:
    """List the latest runs of plans, the newest first, or show one of them as a tree.

    ID is a plan's id or the beginning of one. The tree has every tool with its attempts, times, events and
    errors, and the other plans of the same turn.
    """
    from narratoria.planning.plan_log import plan_ids, read, turn_of

    folder = app.open_journal().folder
    try:
        entries = list(read(folder))
    except OSError as error:
        _refuse(f"{error.filename}: cannot be read: {error.strerror}")
    if plan_id is None:
        _list(latest(entries, count), as_json=as_json)
        return
    found = plan_ids(entries, plan_id)
    if not found:
        _refuse(f"no plan has an id that begins with {plan_id!r}; `narratoria trace` lists the latest")
    if len(found) > 1 and plan_id not in found:
        named = ", ".join(found[:MOST_NAMED]) + (" …" if len(found) > MOST_NAMED else "")
        _refuse(f"{len(found)} plans have an id that begins with {plan_id!r}: {named}; give more of it")
    exact = plan_id if plan_id in found else found[0]
    turn = turn_of(entries, exact)
    if as_json:
        _print_lines(turn)
    else:
        from narratoria.cli.tree import tree

        say("\n".join(tree(exact, turn)))


def latest(entries: Sequence[PlanLogRecord], count: int) -> list[PlanLogRecord]:
    """One entry for each run and each generation that came to none, the newest first."""
    executed = {entry.plan_id for entry in entries if entry.kind == "execution"}
    shown = (
        entry for entry in reversed(entries) if entry.kind == "execution" or entry.plan_id not in executed
    )
    return [entry for entry, _ in zip(shown, range(count), strict=False)]


def at(entry: PlanLogRecord) -> str:
    """When it was over, by the clock of whoever asks."""
    return f"{datetime.fromisoformat(entry.at).astimezone():%Y-%m-%d %H:%M:%S}"


def _list(entries: Sequence[PlanLogRecord], *, as_json: bool) -> None:
    if as_json:
        _print_lines(entries)
    elif entries:
        say("\n".join(_table([_row(entry) for entry in entries])))
    else:
        click.echo("No plan has been run yet. `narratoria run PLAN.json` runs one.", err=True)


def _row(entry: PlanLogRecord) -> tuple[str, ...]:
    outcome = "planned" if entry.kind == "generation" and entry.outcome == "success" else entry.outcome
    why = visible(entry.reason.replace("\n", " "))
    return (
        at(entry),
        entry.plan_id[:8] if entry.plan_id else "–",
        "no plan" if entry.plan_id is None else "rejected" if _is_rejected(entry) else outcome,
        _tools(entry),
        duration(entry.duration_ms),
        str(entry.attempt),
        why if len(why) <= REASON else why[: REASON - 1] + "…",
    )


def _is_rejected(entry: PlanLogRecord) -> bool:
    return entry.kind == "generation" and entry.outcome == "failed"


def _tools(entry: PlanLogRecord) -> str:
    if result := entry.result():
        return f"{sum(tool.ok for tool in result.tool_results)}/{len(result.tool_results)}"
    plan = entry.plan()
    return f"0/{len(plan.tools)}" if plan else "–"


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()

    yield painted(line(HEADINGS), sys.stdout, bold=True)
    for row in rows:
        colour = COLOURS.get(row[2], "red" if row[2] in ("no plan", "rejected") else "")
        plain = line(row)
        start = widths[0] + widths[1] + 4
        word = painted(row[2], sys.stdout, fg=colour) if colour else row[2]
        yield plain[:start] + word + plain[start + len(row[2]) :]


def _print_lines(entries: Sequence[PlanLogRecord]) -> None:
    import msgspec

    if entries:
        say("\n".join(msgspec.json.encode(entry).decode() for entry in entries))


def _refuse(message: str) -> NoReturn:
    click.echo(f"narratoria: {message}", err=True)
    raise click.exceptions.Exit(UNKNOWN)

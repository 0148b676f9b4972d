"""Defines `narratoria plan` and `trace`: previews plans, and shows what they did."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from narratoria import app
from narratoria.cli.plan_rendering import format_records
from narratoria.terminal import say

if TYPE_CHECKING:
    from narratoria.planner.plan_scripts import Score
    from narratoria.planner.planner import PlanExplanation
    from narratoria.planning.plan import PlanRequest
    from narratoria.planning.plan_log_record import PlanLogRecord

PLANNERS = ("model", "scorer", "patterns")


UNKNOWN = 2
MOST_NAMED = 10  # ids that begin alike


@click.command()
@click.argument("action")
@click.option("--campaign", metavar="C", help="Plan in the first scene of this campaign.")
@click.option(
    "--planner",
    type=click.Choice(PLANNERS),
    help="The planner to use.  [default: as in a story]",
)
@click.option("--explain", is_flag=True, help="Explain in words how each script was scored.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one line of JSON; with --explain, also the scores."
)
def plan(*, action: str, campaign: str | None, planner: str | None, explain: bool, as_json: bool) -> None:
    """Print the plan for an ACTION, typed as a player would say it.

    \b
    Examples:
      narratoria plan "I pick the lock"
      narratoria plan "I ask Maud for a room" --explain
      narratoria plan "I pick the lock" --planner patterns --json
    """
    from narratoria import plan_preview

    request = plan_preview.build_plan_request(action, campaign)
    explained = asyncio.run(plan_preview.explain_plan(request, planner))
    if as_json:
        document: dict[str, Any] = explained.plan.to_dict()
        print(
            json.dumps(
                _explanation_document(document, explained) if explain else document, ensure_ascii=False
            )
        )
        return
    if explain:
        print("\n".join(format_explanation(explained, request)), end="\n\n")
    json.dump(explained.plan.to_dict(), sys.stdout, indent=2, ensure_ascii=False)
    print()


def format_explanation(explained: PlanExplanation, request: PlanRequest) -> list[str]:
    """Format how each script was scored, the likeliest first."""
    lines = [f"Planned by: {explained.by}."]
    lines += [f"Not by a better one, because {reason}." for reason in explained.fallback_reasons]
    for score in sorted(explained.scores, key=lambda score: -score.needed):
        verdict = "yes" if score.is_chosen else "no "
        numbers = f"needed {score.needed:4.0%}, harmless {score.harmless:4.0%}"
        lines.append(f"  {verdict}  {score.label:<41} {numbers}  ({score.why})")
    if not explained.scores:
        lines.append("  Nothing beyond prose and choices is needed.")
    if not request.skills:
        lines.append("  No skill is offered here; see `narratoria skills list`.")
    return lines


def _explanation_document(document: dict[str, Any], explained: PlanExplanation) -> dict[str, Any]:
    return {
        "plan": document,
        "by": explained.by,
        "stepsDown": list(explained.fallback_reasons),
        "scores": [_score_document(score) for score in explained.scores],
    }


def _score_document(score: Score) -> dict[str, Any]:
    return {
        "script": score.label,
        "chosen": score.is_chosen,
        "needed": round(score.needed, 3),
        "harmless": round(score.harmless, 3),
        "why": score.why,
    }


@click.command(short_help="Show what plans did.")
@click.argument("plan_id", metavar="[ID]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the records as JSON, one per line.")
@click.option(
    "-n",
    "count",
    type=click.IntRange(min=1),
    default=20,
    metavar="N",
    help="Number of runs to list.  [default: 20]",
)
def trace(*, plan_id: str | None, as_json: bool, count: int) -> None:
    """List the latest runs of plans, the newest first, or show one of them as a tree.

    ID is a plan's id or the beginning of one. The tree has every tool with its attempts, times, events and
    errors, and the other plans of the same turn.
    """
    from narratoria.planning.plan_log import plan_ids, read_plan_log, records_of_turn

    folder = app.open_plan_log().folder
    try:
        entries = list(read_plan_log(folder))
    except OSError as error:
        _fail(f"{error.filename}: cannot be read: {error.strerror}")
    if plan_id is None:
        _print_list(latest(entries, count), as_json=as_json)
        return
    matches = plan_ids(entries, plan_id)
    if not matches:
        _fail(f"no plan has an id that begins with {plan_id!r}; `narratoria trace` lists the latest")
    if len(matches) > 1 and plan_id not in matches:
        named = ", ".join(matches[:MOST_NAMED]) + (" …" if len(matches) > MOST_NAMED else "")
        _fail(f"{len(matches)} plans have an id that begins with {plan_id!r}: {named}; give more of it")
    exact = plan_id if plan_id in matches else matches[0]
    turn = records_of_turn(entries, exact)
    if as_json:
        _print_lines(turn)
    else:
        from narratoria.cli.plan_rendering import format_tree

        say("\n".join(format_tree(exact, turn)))


def latest(entries: Sequence[PlanLogRecord], count: int) -> list[PlanLogRecord]:
    """Return a record for each run, and for each plan that was never run, newest first."""
    executed = {entry.plan_id for entry in entries if entry.kind == "execution"}
    shown = (
        entry for entry in reversed(entries) if entry.kind == "execution" or entry.plan_id not in executed
    )
    return [entry for entry, _ in zip(shown, range(count), strict=False)]


def _print_list(entries: Sequence[PlanLogRecord], *, as_json: bool) -> None:
    if as_json:
        _print_lines(entries)
    elif entries:
        say("\n".join(format_records(entries)))
    else:
        click.echo("No plan has been run yet. `narratoria run PLAN.json` runs one.", err=True)


def _print_lines(entries: Sequence[PlanLogRecord]) -> None:
    import msgspec

    if entries:
        say("\n".join(msgspec.json.encode(entry).decode() for entry in entries))


def _fail(message: str) -> NoReturn:
    click.echo(f"narratoria: {message}", err=True)
    raise click.exceptions.Exit(UNKNOWN)

"""Defines `narratoria plan`, `run` and `trace`: previews, runs and inspects plans."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from narratoria import app, paths
from narratoria.cli.plan_rendering import format_records
from narratoria.errors import ContractViolation, PlanRejected, Problem, SkillScriptNotFoundError
from narratoria.terminal import EXIT_SIGNAL_BASE, Seconds, say

if TYPE_CHECKING:
    from narratoria.cli.plan_rendering import SilentProgress
    from narratoria.planner.plan_scripts import Score
    from narratoria.planner.planner import PlanExplanation
    from narratoria.planning.execute import Bounds
    from narratoria.planning.plan import PlanRequest
    from narratoria.planning.plan_log_record import PlanLogRecord
    from narratoria.planning.prepare import PreparedPlan, Resolve
    from narratoria.planning.result import ExecutionResult
    from narratoria.skills.resolve import Tools
    from narratoria.skills.runnable import Runnable
    from narratoria.state import SessionState

PLANNERS = ("model", "scorer", "patterns")


PLAN_FAILED = 1
REJECTED = 2
MOST_SHOWN = 100  # problems
INSIST = 0.02  # seconds between two reminders that there is no time left
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


@click.command(short_help="Run a plan from a file.")
@click.argument("file", metavar="PLAN.json")
@click.option(
    "--state", "state_file", metavar="STATE.json", help="The session state to start from.  [default: empty]"
)
@click.option(
    "--allow-path",
    is_flag=True,
    help="Also run tools that no skill owns. A relative path starts at the plan's folder, then here.",
)
@click.option(
    "--timeout",
    type=Seconds(),
    default=60.0,
    metavar="SECONDS",
    help="Time limit of the whole plan.  [default: 60]",
)
@click.option("--json", "as_json", is_flag=True, help="Print only the result, as JSON.")
@click.pass_context
def run(
    ctx: click.Context, *, file: str, state_file: str | None, allow_path: bool, timeout: float, as_json: bool
) -> None:
    """Execute the plan in a file (- for stdin), and print what became of it.

    What happens meanwhile is shown on stderr, the result on stdout. Ctrl-C stops the plan: what runs has five
    seconds to finish, and a second Ctrl-C ends it at once. `narratoria trace` shows the run again later.

    \b
    Exit code:
      0     every required tool succeeded
      1     the plan failed
      2     the plan was rejected: each problem is on stderr, nothing was run
      130   it was stopped with Ctrl-C
    """
    from narratoria import app
    from narratoria.cli.plan_rendering import LiveProgress, SilentProgress, format_result
    from narratoria.planning.execute import Bounds
    from narratoria.planning.replan import update_health
    from narratoria.protocol.orphans import reap_orphans
    from narratoria.skills.health import SessionHealth

    tools = app.open_tools(allow_path=allow_path)
    try:
        prepared, state = _prepare(file, state_file, tools)
    except ContractViolation as rejected:
        _print_rejection(rejected.problems, tools)
        ctx.exit(REJECTED)
    plan_log, started = app.open_plan_log(), time.monotonic()
    live = SilentProgress() if as_json else LiveProgress(prepared.plan)
    with reap_orphans():
        result, stopped_by = asyncio.run(_execute(prepared, state, Bounds(timeout=timeout), live))
    live.finish()
    if result is None:
        plan_log.record_cancellation(prepared.plan, time.monotonic() - started)
        ctx.exit(EXIT_SIGNAL_BASE + stopped_by)
    plan_log.record_execution(
        prepared.plan, result, update_health(SessionHealth(), prepared.plan, result.tool_results)
    )
    say(result.to_json().decode() if as_json else format_result(result))
    ctx.exit(0 if result.success else PLAN_FAILED)


# preparing: every problem is reported at once, and nothing is run


def _prepare(file: str, state_file: str | None, tools: Tools) -> tuple[PreparedPlan, SessionState]:
    from narratoria import contracts
    from narratoria.planning.plan import MAX_BYTES, Plan
    from narratoria.planning.prepare import prepare_plan
    from narratoria.state import SessionState

    problems: list[Problem] = []
    state = SessionState()
    try:
        if state_file is not None:
            text = _read(state_file, MAX_BYTES)
            state = SessionState(contracts.Contract({"type": "object"}).parse(text, file=state_file))
    except ContractViolation as violation:
        problems += violation.problems
    name = "stdin" if file == "-" else file
    folder = Path.cwd() if file == "-" else Path(file).parent
    try:
        text = _read(file, MAX_BYTES)
        plan = Plan.from_json(text, name)
        try:
            prepared = prepare_plan(plan, _resolver(tools, folder), file=name)
        except PlanRejected as rejected:
            first, more = rejected.problems[:MOST_SHOWN], rejected.problems[MOST_SHOWN:]
            raise PlanRejected([*contracts.add_locations(first, text, file=name), *more]) from None
    except PlanRejected as rejected:
        raise PlanRejected([*problems, *rejected.problems]) from None
    if problems:
        raise PlanRejected(problems)
    return prepared, state


def _read(file: str, most: int) -> bytes:
    try:
        if file == "-":
            text = sys.stdin.buffer.read(most + 1)
        else:
            with Path(file).open("rb") as opened:
                text = opened.read(most + 1)
    except OSError as error:
        raise PlanRejected([Problem(f"cannot be read: {error.strerror}", file=file)]) from None
    if len(text) > most:
        raise PlanRejected([Problem(f"is longer than {most:,} bytes, and no more are read", file=file)])
    return text


def _resolver(tools: Tools, folder: Path) -> Resolve:
    """Return a resolver that tries names, then files beside the plan, then files here."""
    discovered = replace(tools, allow_path=False)

    def resolve(tool_path: str) -> Runnable:
        with contextlib.suppress(SkillScriptNotFoundError):
            return discovered.resolve(tool_path)
        beside = folder / tool_path
        there = _is_file(beside)
        try:
            return tools.resolve(str(beside) if there else tool_path)
        except SkillScriptNotFoundError as error:
            advice = "; it is a file: --allow-path would run it" if there or _is_file(Path(tool_path)) else ""
            raise SkillScriptNotFoundError(f"{error}{advice}") from None

    return resolve


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, a folder that is not ours
        return False


def _print_rejection(problems: Sequence[Problem], tools: Tools) -> None:
    broken = [*tools.catalogue.problems, *(tools.mcontrol.problems if tools.mcontrol else ())]
    if any(problem.pointer.endswith("/toolPath") for problem in problems):
        for problem in broken:  # one of these may be the tool that was meant
            click.echo(f"narratoria: warning: {problem}", err=True)
    for problem in problems[:MOST_SHOWN]:
        click.echo(str(problem), err=True)
    if len(problems) > MOST_SHOWN:
        click.echo(f"… and {len(problems) - MOST_SHOWN:,} more", err=True)
    click.echo("narratoria: the plan was rejected; nothing was run", err=True)


# the run


async def _execute(
    prepared: PreparedPlan, state: SessionState, bounds: Bounds, live: SilentProgress
) -> tuple[ExecutionResult | None, int]:
    """Execute the plan; return its result, or None and the signal that stopped it."""
    from narratoria.planning.execute import execute

    loop = asyncio.get_running_loop()
    assets = paths.home() / "runs" / prepared.plan.request_id  # where the tools of skills leave files
    task = loop.create_task(
        execute(prepared, state, bounds=bounds, context={"assetDir": str(assets)}, on_progress=live.show)
    )
    stopped_by: list[int] = []

    def stop(number: int) -> None:
        stopped_by.append(number)
        if len(stopped_by) > 1:
            insist()
            return
        grace = f"{bounds.shutdown_grace:g} s"
        live.say(f"stopping: what runs has {grace} to finish; Ctrl-C again ends it at once")
        task.cancel()

    def insist() -> None:
        # each cancellation takes one more wait away: the grace of the plan, then that of each process
        if not task.done():
            task.cancel()
            loop.call_later(INSIST, insist)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Windows has no handlers on a loop; there Ctrl-C raises, and the runner's own guard ends the tools
        with contextlib.suppress(AttributeError, NotImplementedError):
            loop.add_signal_handler(getattr(signal, name), stop, getattr(signal, name))
    await asyncio.wait([task])
    return (None, stopped_by[0]) if task.cancelled() else (task.result(), 0)


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

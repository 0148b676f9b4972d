"""Defines `narratoria run`: runs a plan from a file, with a store, and prints what became of it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from narratoria import app, paths
from narratoria.errors import ContractViolation, PlanRejected, Problem, SkillScriptNotFoundError
from narratoria.terminal import EXIT_SIGNAL_BASE, Seconds, say

if TYPE_CHECKING:
    from narratoria.cli.plan_rendering import SilentProgress
    from narratoria.planning.execute import Bounds
    from narratoria.planning.plan import Plan
    from narratoria.planning.prepare import PreparedPlan, Resolve
    from narratoria.planning.result import ExecutionResult
    from narratoria.run_host import RunHost
    from narratoria.skills.host.services import Host
    from narratoria.skills.resolve import Tools
    from narratoria.skills.runnable import Runnable
    from narratoria.state import SessionState

PLAN_FAILED = 1
REJECTED = 2
MOST_SHOWN = 100  # problems
INSIST = 0.02  # seconds between two reminders that there is no time left


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
@click.option(
    "--story",
    metavar="ID",
    help="Run it on what this story remembers.  [default: a new store, thrown away afterwards]",
)
@click.option("--json", "as_json", is_flag=True, help="Print only the result, as JSON.")
@click.pass_context
def run(
    ctx: click.Context,
    *,
    file: str,
    state_file: str | None,
    allow_path: bool,
    timeout: float,
    story: str | None,
    as_json: bool,
) -> None:
    """Execute the plan in a file (- for stdin), and print what became of it.

    Its tools have an empty store that is thrown away afterwards; with --story, that story's store and state.

    What happens meanwhile is shown on stderr, the result on stdout. Ctrl-C stops the plan: what runs has five
    seconds to finish, and a second Ctrl-C ends it at once. `narratoria trace` shows the run again later.

    \b
    Exit code:
      0     every required tool succeeded
      1     the plan failed
      2     the plan was rejected: each problem is on stderr, nothing was run
      130   it was stopped with Ctrl-C
    """
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
        plan_run = PlanRun(
            prepared.plan,
            state,
            Bounds(timeout=timeout),
            lambda host: _resolver(replace(tools, host=host), _folder_of(file)),
            story,
            takes_story_state=state_file is None,
        )
        result, stopped_by = asyncio.run(_execute(plan_run, live))
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
    folder = _folder_of(file)
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


def _folder_of(file: str) -> Path:
    return Path.cwd() if file == "-" else Path(file).parent


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


@dataclass(frozen=True, slots=True)
class PlanRun:
    """A plan that is run by hand, and on what."""

    plan: Plan
    state: SessionState
    bounds: Bounds
    resolve_with: Callable[[Host], Resolve]  # to tools that have the services of a host
    story: str | None
    takes_story_state: bool  # no other state is given


async def _execute(plan_run: PlanRun, live: SilentProgress) -> tuple[ExecutionResult | None, int]:
    """Execute the plan with a store; return its result, or None and the signal that stopped it."""
    from narratoria.run_host import open_run_host

    async with open_run_host(plan_run.story) as run_host:
        return await _execute_with(run_host, plan_run, live)


async def _execute_with(
    run_host: RunHost, plan_run: PlanRun, live: SilentProgress
) -> tuple[ExecutionResult | None, int]:
    from narratoria.planning.execute import execute
    from narratoria.planning.prepare import prepare_plan
    from narratoria.state import SessionState

    loop = asyncio.get_running_loop()
    bounds = plan_run.bounds
    prepared = prepare_plan(plan_run.plan, plan_run.resolve_with(run_host.host))
    assets = paths.home() / "runs" / prepared.plan.request_id  # where the tools of skills leave files
    context = {**run_host.context, "assetDir": str(assets)}
    state = SessionState(run_host.state) if plan_run.takes_story_state else plan_run.state
    task = loop.create_task(execute(prepared, state, bounds=bounds, context=context, on_progress=live.show))
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

"""What a plan adds to the launches of its tools, and what its scheduling costs without any."""

from __future__ import annotations

import os
import subprocess
from collections import deque
from collections.abc import Callable
from typing import Any
from unittest import mock

from benchmarks import peers
from benchmarks.measure import Contender, Effort, Table, side_by_side, table
from benchmarks.protocol import DONE, PYTHON_TOOL
from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.prepare import PreparedPlan, prepare_plan
from narratoria.protocol.command import Command
from narratoria.protocol.process import Outcome
from narratoria.skills.runnable import v0_tool
from narratoria.state import SessionState

TOOLS = 100
CORES = os.cpu_count() or 1
TARGET = 1.5


async def measure(effort: Effort) -> list[Table]:
    return [
        *[await _processes(effort, *tool) for tool in NO_OPS],
        await _scheduling(effort, in_a_row=False),
        await _scheduling(effort, in_a_row=True),
    ]


# real processes


async def _processes(effort: Effort, title: str, argv: tuple[str, ...], weight: float) -> Table:
    tools = effort.of(TOOLS)
    one_by_one, together = (_plan(tools, parallel=parallel, argv=argv) for parallel in (False, True))
    timings = await side_by_side(
        {
            "bare launches, one by one": lambda: _launch(argv, tools, at_once=1),
            "plan, one tool at a time": lambda: _execute(one_by_one),
        },
        round(effort.repeats * weight) or 1,
    )
    bare = f"bare launches, {CORES} at once"
    parallel = await side_by_side(
        {
            bare: lambda: _launch(argv, tools, at_once=CORES),
            f"plan, {CORES} tools at once": lambda: _execute(together),
        },
        round(effort.repeats * weight) or 1,
    )
    return _merged(title, tools, timings, parallel, bare)


def _merged(title: str, tools: int, alone: dict[str, Any], together: dict[str, Any], bare: str) -> Table:
    """One table in which each plan stands against the bare launches that ran as it does."""
    options: dict[str, Any] = {"amount": tools, "unit": "ms a tool", "better": "lower"}
    first = table(
        title,
        alone,
        **options,
        limit="bare launches, one by one",
        targets={"plan, one tool at a time": TARGET},
    )
    second = table(title, together, **options, limit=bare, targets={f"plan, {CORES} tools at once": TARGET})
    return Table(
        title,
        "Each plan against the bare launches in the row above it.",
        first.unit,
        "bare launches",
        "lower",
        [*first.rows, *second.rows],
    )


NO_OPS = (
    (f"A plan of {TOOLS} Python tools that do nothing (`python -I -S`)", PYTHON_TOOL, 0.5),
    (f"A plan of {TOOLS} of the smallest tools there are (`echo`)", ("/bin/echo", DONE), 1.0),
)


def _launch(argv: tuple[str, ...], times: int, *, at_once: int) -> None:
    running: deque[subprocess.Popen[bytes]] = deque()
    null = subprocess.DEVNULL
    for _ in range(times):
        if len(running) == at_once:
            running.popleft().wait()
        running.append(subprocess.Popen(argv, stdin=null, stdout=null, stderr=null))
    for process in running:
        process.wait()


def _plan(tools: int, *, parallel: bool, argv: tuple[str, ...] = (), in_a_row: bool = False) -> PreparedPlan:
    calls = tuple(
        ToolInvocation(
            tool_id=f"tool{number}",
            tool_path="no-op",
            async_=True,
            dependencies=(f"tool{number - 1}",) if in_a_row and number else (),
        )
        for number in range(tools)
    )
    tool = v0_tool("no-op", Command(argv))
    return prepare_plan(Plan(request_id="benchmark", tools=calls, parallel=parallel), lambda _: tool)


async def _execute(prepared: PreparedPlan) -> None:
    result = await execute(prepared, SessionState())
    if not result.success:
        raise RuntimeError(f"the benchmark's own plan failed: {result.failed_tools}")


# scheduling alone: the launch is replaced by a function that has finished already


async def _finished(*_: object, **__: object) -> Outcome:
    return Outcome(None, exit_code=0)


async def _scheduling(effort: Effort, *, in_a_row: bool) -> Table:
    nodes = effort.of(TOOLS)
    prepared = _plan(nodes, parallel=True, in_a_row=in_a_row)

    async def bare() -> None:
        for _ in range(nodes):
            await _finished()

    contenders: dict[str, Contender] = {
        "bare awaits": bare,
        "plan": _without_processes(lambda: _execute(prepared)),
        **peers.graph_contenders(nodes, in_a_row=in_a_row),
    }
    timings = await side_by_side(contenders, effort.repeats)
    absent = [
        name for name, here in (("LangGraph", peers.HAS_LANGGRAPH), ("Dask", peers.HAS_DASK)) if not here
    ]
    missing = f" Not installed here: {', '.join(absent)}; `make bench` installs them." if absent else ""
    return table(
        f"Scheduling alone: {TOOLS} nodes that do nothing, {'in a row' if in_a_row else 'side by side'}",
        timings,
        amount=nodes,
        unit="ms a node",
        limit="plan",
        better="lower",
        note="In one process. The plan keeps its trace, views of the state and deadlines while the launch of "
        f"a tool is replaced by a function that returns at once.{missing}",
    )


def _without_processes(contender: Callable[[], Any]) -> Contender:
    async def replaced() -> None:
        with mock.patch("narratoria.planning.execute.run", _finished):
            await contender()

    return replaced

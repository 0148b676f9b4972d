"""A plan's run as a tree: its tools in order, their attempts, and the turn it belongs to."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from narratoria.cli.progress import COLOURS, WIDEST, duration, reason
from narratoria.cli.trace import at
from narratoria.planning.execute import MAX_GENERATIONS
from narratoria.planning.plan import ToolInvocation
from narratoria.planning.plan_log_record import PlanLogRecord
from narratoria.planning.result import Attempt, ToolResult
from narratoria.terminal import counted, painted, visible

STDERR_LINES = 3


@dataclass(frozen=True, slots=True)
class Node:
    text: str
    notes: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()


def tree(plan_id: str, turn: Sequence[PlanLogRecord]) -> Iterator[str]:
    """The lines; `turn` holds everything about the plan and the others of its turn."""
    own = [entry for entry in turn if entry.plan_id == plan_id]
    yield painted(f"plan {plan_id}", sys.stdout, bold=True)
    for entry in own:
        if entry.kind == "generation":
            yield from _generation(entry)
    executions = [entry for entry in own if entry.kind == "execution"]
    for entry in executions or own[:1]:
        if executions:
            yield _execution(entry)
        yield from _tools(entry)
        if entry.left_out:
            yield f"  left out, because the line was too long: {', '.join(entry.left_out)}"
        for skill, health in sorted(entry.health.items()):
            if health.state != "healthy":
                yield f"  {skill} is {health.state}, with {counted(health.failures, 'failure')} in a row"
    yield from _turn(plan_id, turn)


def _generation(entry: PlanLogRecord) -> Iterator[str]:
    if entry.player_input:
        yield f"  “{visible(entry.player_input)}”"
    what = "generated" if entry.outcome == "success" else _painted("failed", "rejected")
    skills = f" with {', '.join(entry.skills)}" if entry.skills else ""
    without = f", without {', '.join(entry.disabled_skills)}" if entry.disabled_skills else ""
    number = f"attempt {entry.attempt} of {MAX_GENERATIONS}"
    yield f"  {at(entry)}  {what} in {duration(entry.duration_ms)} ({number}){visible(skills + without)}"
    plan = entry.plan()
    if plan and plan.metadata.planner:
        yield f"    planned by: {visible(plan.metadata.planner)}"
        for why in plan.metadata.reasons:
            yield f"    not by a better one, because {visible(why)}"
    for problem in entry.problems:
        yield f"    {visible(str(problem))}"


def _execution(entry: PlanLogRecord) -> str:
    why = f": {visible(entry.reason)}" if entry.reason else ""
    return f"  {at(entry)}  {_painted(entry.outcome)} after {duration(entry.duration_ms)}{why}"


def _tools(entry: PlanLogRecord) -> Iterator[str]:
    plan, result = entry.plan(), entry.result()
    calls = {call.tool_id: call for call in plan.tools} if plan else {}
    omitted = {(of.tool_id, of.attempt): of.count for of in entry.omitted_events}
    if result:
        width = _width(tool.tool_id for tool in result.tool_results)
        nodes = [_ran(tool, calls.get(tool.tool_id), omitted, width) for tool in result.tool_results]
    else:
        width = _width(calls)
        nodes = [Node(f"{visible(name):<{width}}  {_about(call)}") for name, call in calls.items()]
    yield from _drawn(nodes)


def _ran(
    tool: ToolResult, call: ToolInvocation | None, omitted: Mapping[tuple[str, int], int], width: int
) -> Node:
    took = duration(tool.execution_time_ms) if tool.attempts else ""
    about = _about(call) if call else visible(tool.tool_path)
    retries = f", {counted(tool.retry_count, 'retry', 'retries')}" if tool.retry_count else ""
    name, state = f"{visible(tool.tool_id):<{width}}", _painted(tool.state, f"{tool.state:<7}")
    text = f"{name}  {state}  {took:>8}  {about}{retries}"
    runs = [
        (attempt, _events(attempt, omitted.get((tool.tool_id, number), 0)))
        for number, attempt in enumerate(tool.attempts, 1)
    ]
    if len(runs) == 1:  # its one run has no more to say than the tool
        attempt, events = runs[0]
        return Node(text, (*_why(attempt), *events))
    if not runs:
        return Node(text, (reason(tool.error),) if tool.error else ())
    children = tuple(
        Node(
            f"run {number}  {_painted(attempt.state)}  from {duration(attempt.started_at_ms)}, "
            f"took {duration(attempt.execution_time_ms)}",
            (*_why(attempt), *events),
        )
        for number, (attempt, events) in enumerate(runs, 1)
    )
    return Node(text, (), children)


def _about(call: ToolInvocation) -> str:
    after = f", after {', '.join(call.dependencies)}" if call.dependencies else ""
    return visible(f"{call.tool_path}{after}{'' if call.required else ', optional'}")


def _why(attempt: Attempt) -> Iterator[str]:
    if attempt.error:
        code = f" (exit code {attempt.exit_code})" if attempt.exit_code else ""
        yield f"{reason(attempt.error)}{code}"
        for line in attempt.stderr_tail.splitlines()[-STDERR_LINES:]:
            yield f"stderr: {visible(line)}"
    for warning in attempt.warnings:
        yield f"warning: {visible(warning)}"


def _events(attempt: Attempt, omitted: int) -> tuple[str, ...]:
    kinds = Counter(str(event.__struct_config__.tag) for event in attempt.events)
    parts = [f"{count} {kind}" for kind, count in kinds.items()]
    if omitted:
        parts.append(f"{omitted:,} not kept")
    return (f"events: {', '.join(parts)}",) if parts else ()


def _turn(plan_id: str, turn: Sequence[PlanLogRecord]) -> Iterator[str]:
    executed = {entry.plan_id for entry in turn if entry.kind == "execution"}
    steps = [entry for entry in turn if entry.kind == "execution" or entry.plan_id not in executed]
    if all(entry.plan_id == plan_id for entry in steps):
        return
    yield painted("turn", sys.stdout, bold=True)
    for entry in steps:
        here = "→" if entry.plan_id == plan_id else " "
        name = entry.plan_id[:8] if entry.plan_id else "no plan "
        why = f"  {visible(entry.reason)}" if entry.reason else ""
        yield f"{here} {entry.attempt}  {name}  {_painted(entry.outcome)}{why}"


def _width(names: Iterable[str]) -> int:
    return min(WIDEST, max(map(len, names), default=0))


def _painted(state: str, word: str = "") -> str:
    return painted(word or state, sys.stdout, fg=COLOURS[state])


def _drawn(nodes: Sequence[Node], before: str = "") -> Iterator[str]:
    for index, node in enumerate(nodes):
        last = index == len(nodes) - 1
        yield f"{before}{'└─' if last else '├─'} {node.text}"
        inside = before + ("   " if last else "│  ")
        for note in node.notes:
            for line in note.splitlines():
                yield f"{inside}   {line}"
        yield from _drawn(node.children, inside)

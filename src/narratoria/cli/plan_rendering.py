"""Renders a plan's run for the terminal: live while it runs, its result, and a past run as a tree."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from narratoria.cli.tool import event_lines
from narratoria.planning.execute import MAX_GENERATIONS
from narratoria.planning.plan import (
    Plan,
    PlanFinished,
    PlanProgress,
    PlanStarted,
    ToolEmitted,
    ToolFinished,
    ToolInvocation,
    ToolRetrying,
    ToolStarted,
)
from narratoria.planning.plan_log_record import PlanLogRecord
from narratoria.planning.result import Attempt, ExecutionResult, ToolError, ToolResult
from narratoria.terminal import BackgroundWriter, count_noun, paint, visible

MAX_NAME_WIDTH = 24  # characters of a tool's name before it pushes the rest aside
STDERR_LINES = 5  # of a tool that failed
MAX_OUTPUT_CHARS = 2000  # characters of one output

MARKS = {"success": "✓", "failed": "✗", "timeout": "✗", "skipped": "–"}
COLOURS = {"success": "green", "failed": "red", "timeout": "red", "skipped": "yellow", "cancelled": "yellow"}


TREE_STDERR_LINES = 3
REASON = 60  # characters
HEADINGS = ("TIME", "ID", "OUTCOME", "TOOLS", "DURATION", "ATTEMPT", "REASON")


class SilentProgress:
    """Shows nothing: scripts want the result alone."""

    def show(self, progress: PlanProgress) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def finish(self) -> None:
        pass


class LiveProgress(SilentProgress):
    """Writes each event to stderr as one line, with its tool's name."""

    def __init__(self, plan: Plan) -> None:
        self._width = min(MAX_NAME_WIDTH, max((len(call.tool_id) for call in plan.tools), default=0))
        self._writer = BackgroundWriter(sys.stderr)  # nobody reads it: the plan goes on

    def show(self, progress: PlanProgress) -> None:
        for tool_id, text in _progress_lines(progress):
            name = paint(f"{visible(tool_id):<{self._width}}", sys.stderr, fg="cyan")
            self._writer.say(f"{name}  {text}" if tool_id else text)

    def say(self, line: str) -> None:
        self._writer.say(line)

    def finish(self) -> None:
        self._writer.finish()


def _progress_lines(progress: PlanProgress) -> Iterator[tuple[str, str]]:
    match progress:
        case PlanStarted(plan):
            yield "", f"plan {plan.request_id}: {count_noun(len(plan.tools), 'tool')}"
        case ToolStarted(_, tool_id, attempt):
            yield tool_id, "started" if attempt == 1 else f"started again (retry {attempt - 1})"
        case ToolEmitted(_, tool_id, _, event):
            for label, text, style in event_lines(event):
                yield tool_id, f"{paint(f'{label:<6}', sys.stderr, **style)} {visible(text)}"
        case ToolRetrying(_, tool_id, _, error, delay_ms):
            yield (
                tool_id,
                f"{_stderr_mark('failed')} {format_error(error)} (again in {format_duration(delay_ms)})",
            )
        case ToolFinished(_, result):
            yield from ((result.tool_id, line) for line in _result_lines(result))
        case PlanFinished():
            pass  # progress on stdout


def _result_lines(result: ToolResult) -> Iterator[str]:
    mark = _stderr_mark(result.state)
    if result.ok:
        yield f"{mark} {format_duration(result.execution_time_ms)}"
        return
    took = f" after {format_duration(result.execution_time_ms)}" if result.attempts else ""
    yield f"{mark} {result.state}{took}{f': {format_error(result.error)}' if result.error else ''}"
    tail = result.attempts[-1].stderr_tail if result.attempts else ""
    for line in tail.splitlines()[-STDERR_LINES:]:
        yield f"stderr {visible(line)}"


def format_result(result: ExecutionResult) -> str:
    """Format a result: how it ended, what each tool returned, and the state."""
    state = "success" if result.success else "failed"
    word = paint(state, sys.stdout, fg=COLOURS[state], bold=True)
    took = format_duration(result.execution_time_ms)
    lines = [f"plan {result.plan_id}: {word} in {took}, {count_noun(len(result.tool_results), 'tool')}"]
    width = min(MAX_NAME_WIDTH, max((len(tool.tool_id) for tool in result.tool_results), default=0))
    for tool in result.tool_results:
        outcome = format_error(tool.error) if tool.error else _compact_json(tool.output or {})
        mark = paint(f"{MARKS[tool.state]} {tool.state:<7}", sys.stdout, fg=COLOURS[tool.state])
        lines.append(f"  {visible(tool.tool_id):<{width}}  {mark}  {outcome}")
    lines += [
        f"asset {visible(f'{asset.asset_id} ({asset.media_type}) {asset.path}')}"
        for asset in result.aggregated_assets
    ]
    lines.append(f"state {visible(json.dumps(result.aggregated_state, indent=2, ensure_ascii=False))}")
    if not result.success:
        lines.append(f"`narratoria trace {result.plan_id[:8]}` shows each attempt.")
    return "\n".join(lines)


def format_error(error: ToolError) -> str:
    return visible(f"{error.code}: {error.message}")


def format_duration(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.2f} s"


def format_time(entry: PlanLogRecord) -> str:
    """Format the time of a record in the local time zone."""
    return f"{datetime.fromisoformat(entry.at).astimezone():%Y-%m-%d %H:%M:%S}"


def _stderr_mark(state: str) -> str:
    return paint(MARKS[state], sys.stderr, fg=COLOURS[state])


def _compact_json(value: dict[str, Any]) -> str:
    text = visible(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= MAX_OUTPUT_CHARS else f"{text[:MAX_OUTPUT_CHARS]}… ({len(text):,} characters)"


@dataclass(frozen=True, slots=True)
class Node:
    text: str
    notes: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()


def format_tree(plan_id: str, turn: Sequence[PlanLogRecord]) -> Iterator[str]:
    """Yield the lines of a plan's tree; `turn` holds the records of all plans of its turn."""
    own = [entry for entry in turn if entry.plan_id == plan_id]
    yield paint(f"plan {plan_id}", sys.stdout, bold=True)
    for entry in own:
        if entry.kind == "generation":
            yield from _generation_lines(entry)
    executions = [entry for entry in own if entry.kind == "execution"]
    for entry in executions or own[:1]:
        if executions:
            yield _execution_line(entry)
        yield from _tool_lines(entry)
        if entry.left_out:
            yield f"  left out, because the line was too long: {', '.join(entry.left_out)}"
        for skill, health in sorted(entry.health.items()):
            if health.state != "healthy":
                yield f"  {skill} is {health.state}, with {count_noun(health.failures, 'failure')} in a row"
    yield from _turn_lines(plan_id, turn)


def _generation_lines(entry: PlanLogRecord) -> Iterator[str]:
    if entry.player_input:
        yield f"  “{visible(entry.player_input)}”"
    what = "generated" if entry.outcome == "success" else _paint_state("failed", "rejected")
    skills = f" with {', '.join(entry.skills)}" if entry.skills else ""
    without = f", without {', '.join(entry.disabled_skills)}" if entry.disabled_skills else ""
    number = f"attempt {entry.attempt} of {MAX_GENERATIONS}"
    took = format_duration(entry.duration_ms)
    yield f"  {format_time(entry)}  {what} in {took} ({number}){visible(skills + without)}"
    plan = entry.plan()
    if plan and plan.metadata.planner:
        yield f"    planned by: {visible(plan.metadata.planner)}"
        for why in plan.metadata.reasons:
            yield f"    not by a better one, because {visible(why)}"
    for problem in entry.problems:
        yield f"    {visible(str(problem))}"


def _execution_line(entry: PlanLogRecord) -> str:
    why = f": {visible(entry.reason)}" if entry.reason else ""
    took = format_duration(entry.duration_ms)
    return f"  {format_time(entry)}  {_paint_state(entry.outcome)} after {took}{why}"


def _tool_lines(entry: PlanLogRecord) -> Iterator[str]:
    plan, result = entry.plan(), entry.result()
    calls = {call.tool_id: call for call in plan.tools} if plan else {}
    omitted = {(of.tool_id, of.attempt): of.count for of in entry.omitted_events}
    if result:
        width = _name_width(tool.tool_id for tool in result.tool_results)
        nodes = [_tool_node(tool, calls.get(tool.tool_id), omitted, width) for tool in result.tool_results]
    else:
        width = _name_width(calls)
        nodes = [Node(f"{visible(name):<{width}}  {_call_text(call)}") for name, call in calls.items()]
    yield from _draw_tree(nodes)


def _tool_node(
    tool: ToolResult, call: ToolInvocation | None, omitted: Mapping[tuple[str, int], int], width: int
) -> Node:
    took = format_duration(tool.execution_time_ms) if tool.attempts else ""
    about = _call_text(call) if call else visible(tool.tool_path)
    retries = f", {count_noun(tool.retry_count, 'retry', 'retries')}" if tool.retry_count else ""
    name, state = f"{visible(tool.tool_id):<{width}}", _paint_state(tool.state, f"{tool.state:<7}")
    text = f"{name}  {state}  {took:>8}  {about}{retries}"
    runs = [
        (attempt, _event_notes(attempt, omitted.get((tool.tool_id, number), 0)))
        for number, attempt in enumerate(tool.attempts, 1)
    ]
    if len(runs) == 1:  # its one run has no more to say than the tool
        attempt, events = runs[0]
        return Node(text, (*_attempt_notes(attempt), *events))
    if not runs:
        return Node(text, (format_error(tool.error),) if tool.error else ())
    children = tuple(
        Node(
            f"run {number}  {_paint_state(attempt.state)}  from {format_duration(attempt.started_at_ms)}, "
            f"took {format_duration(attempt.execution_time_ms)}",
            (*_attempt_notes(attempt), *events),
        )
        for number, (attempt, events) in enumerate(runs, 1)
    )
    return Node(text, (), children)


def _call_text(call: ToolInvocation) -> str:
    after = f", after {', '.join(call.dependencies)}" if call.dependencies else ""
    return visible(f"{call.tool_path}{after}{'' if call.required else ', optional'}")


def _attempt_notes(attempt: Attempt) -> Iterator[str]:
    if attempt.error:
        code = f" (exit code {attempt.exit_code})" if attempt.exit_code else ""
        yield f"{format_error(attempt.error)}{code}"
        for line in attempt.stderr_tail.splitlines()[-TREE_STDERR_LINES:]:
            yield f"stderr: {visible(line)}"
    for warning in attempt.warnings:
        yield f"warning: {visible(warning)}"


def _event_notes(attempt: Attempt, omitted: int) -> tuple[str, ...]:
    kinds = Counter(str(event.__struct_config__.tag) for event in attempt.events)
    parts = [f"{count} {kind}" for kind, count in kinds.items()]
    if omitted:
        parts.append(f"{omitted:,} not kept")
    return (f"events: {', '.join(parts)}",) if parts else ()


def _turn_lines(plan_id: str, turn: Sequence[PlanLogRecord]) -> Iterator[str]:
    executed = {entry.plan_id for entry in turn if entry.kind == "execution"}
    steps = [entry for entry in turn if entry.kind == "execution" or entry.plan_id not in executed]
    if all(entry.plan_id == plan_id for entry in steps):
        return
    yield paint("turn", sys.stdout, bold=True)
    for entry in steps:
        here = "→" if entry.plan_id == plan_id else " "
        name = entry.plan_id[:8] if entry.plan_id else "no plan "
        why = f"  {visible(entry.reason)}" if entry.reason else ""
        yield f"{here} {entry.attempt}  {name}  {_paint_state(entry.outcome)}{why}"


def _name_width(names: Iterable[str]) -> int:
    return min(MAX_NAME_WIDTH, max(map(len, names), default=0))


def _paint_state(state: str, word: str = "") -> str:
    return paint(word or state, sys.stdout, fg=COLOURS[state])


def _draw_tree(nodes: Sequence[Node], before: str = "") -> Iterator[str]:
    for index, node in enumerate(nodes):
        last = index == len(nodes) - 1
        yield f"{before}{'└─' if last else '├─'} {node.text}"
        inside = before + ("   " if last else "│  ")
        for note in node.notes:
            for line in note.splitlines():
                yield f"{inside}   {line}"
        yield from _draw_tree(node.children, inside)


def _format_row(entry: PlanLogRecord) -> tuple[str, ...]:
    outcome = "planned" if entry.kind == "generation" and entry.outcome == "success" else entry.outcome
    why = visible(entry.reason.replace("\n", " "))
    return (
        format_time(entry),
        entry.plan_id[:8] if entry.plan_id else "–",
        "no plan" if entry.plan_id is None else "rejected" if _is_rejected(entry) else outcome,
        _count_tools(entry),
        format_duration(entry.duration_ms),
        str(entry.attempt),
        why if len(why) <= REASON else why[: REASON - 1] + "…",
    )


def _is_rejected(entry: PlanLogRecord) -> bool:
    return entry.kind == "generation" and entry.outcome == "failed"


def _count_tools(entry: PlanLogRecord) -> str:
    if result := entry.result():
        return f"{sum(tool.ok for tool in result.tool_results)}/{len(result.tool_results)}"
    plan = entry.plan()
    return f"0/{len(plan.tools)}" if plan else "–"


def format_records(entries: Sequence[PlanLogRecord]) -> Iterator[str]:
    """Yield the records of past runs as the lines of a table."""
    rows = [_format_row(entry) for entry in entries]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()

    yield paint(line(HEADINGS), sys.stdout, bold=True)
    for row in rows:
        colour = COLOURS.get(row[2], "red" if row[2] in ("no plan", "rejected") else "")
        plain = line(row)
        start = widths[0] + widths[1] + 4
        word = paint(row[2], sys.stdout, fg=colour) if colour else row[2]
        yield plain[:start] + word + plain[start + len(row[2]) :]

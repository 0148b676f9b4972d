"""How a plan looks to whoever waits for it: live while it runs, and at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from narratoria.cli.tool_run import event_lines
from narratoria.planning.plan import Plan
from narratoria.planning.progress import (
    PlanFinished,
    PlanStarted,
    Progress,
    ToolEmitted,
    ToolFinished,
    ToolRetrying,
    ToolStarted,
)
from narratoria.planning.result import ExecutionResult, ToolError, ToolResult
from narratoria.terminal import Writer, counted, painted, visible

WIDEST = 24  # characters of a tool's name before it pushes the rest aside
STDERR_LINES = 5  # of a tool that failed
MOST_SHOWN = 2000  # characters of one output

MARKS = {"success": "✓", "failed": "✗", "timeout": "✗", "skipped": "–"}
COLOURS = {"success": "green", "failed": "red", "timeout": "red", "skipped": "yellow", "cancelled": "yellow"}


class Silent:
    """For scripts, which want the result alone."""

    def tell(self, told: Progress) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def finish(self) -> None:
        pass


class Live(Silent):
    """One line on stderr for everything that happens, with the tool it happens to."""

    def __init__(self, plan: Plan) -> None:
        self._width = min(WIDEST, max((len(call.tool_id) for call in plan.tools), default=0))
        self._writer = Writer(sys.stderr)  # nobody reads it: the plan goes on

    def tell(self, told: Progress) -> None:
        for tool_id, text in _told(told):
            name = painted(f"{visible(tool_id):<{self._width}}", sys.stderr, fg="cyan")
            self._writer.say(f"{name}  {text}" if tool_id else text)

    def say(self, line: str) -> None:
        self._writer.say(line)

    def finish(self) -> None:
        self._writer.finish()


def _told(told: Progress) -> Iterator[tuple[str, str]]:
    match told:
        case PlanStarted(plan):
            yield "", f"plan {plan.request_id}: {counted(len(plan.tools), 'tool')}"
        case ToolStarted(_, tool_id, attempt):
            yield tool_id, "started" if attempt == 1 else f"started again (retry {attempt - 1})"
        case ToolEmitted(_, tool_id, _, event):
            for label, text, style in event_lines(event):
                yield tool_id, f"{painted(f'{label:<6}', sys.stderr, **style)} {visible(text)}"
        case ToolRetrying(_, tool_id, _, error, delay_ms):
            yield tool_id, f"{_mark('failed')} {reason(error)} (again in {duration(delay_ms)})"
        case ToolFinished(_, result):
            yield from ((result.tool_id, line) for line in _ending(result))
        case PlanFinished():
            pass  # told on stdout


def _ending(result: ToolResult) -> Iterator[str]:
    mark = _mark(result.state)
    if result.ok:
        yield f"{mark} {duration(result.execution_time_ms)}"
        return
    took = f" after {duration(result.execution_time_ms)}" if result.attempts else ""
    yield f"{mark} {result.state}{took}{f': {reason(result.error)}' if result.error else ''}"
    tail = result.attempts[-1].stderr_tail if result.attempts else ""
    for line in tail.splitlines()[-STDERR_LINES:]:
        yield f"stderr {visible(line)}"


def verdict(result: ExecutionResult) -> str:
    """The result for a person: how it ended, what each tool gave, and the state."""
    state = "success" if result.success else "failed"
    word = painted(state, sys.stdout, fg=COLOURS[state], bold=True)
    took = duration(result.execution_time_ms)
    lines = [f"plan {result.plan_id}: {word} in {took}, {counted(len(result.tool_results), 'tool')}"]
    width = min(WIDEST, max((len(tool.tool_id) for tool in result.tool_results), default=0))
    for tool in result.tool_results:
        told = reason(tool.error) if tool.error else _compact(tool.output or {})
        mark = painted(f"{MARKS[tool.state]} {tool.state:<7}", sys.stdout, fg=COLOURS[tool.state])
        lines.append(f"  {visible(tool.tool_id):<{width}}  {mark}  {told}")
    lines += [
        f"asset {visible(f'{asset.asset_id} ({asset.media_type}) {asset.path}')}"
        for asset in result.aggregated_assets
    ]
    lines.append(f"state {visible(json.dumps(result.aggregated_state, indent=2, ensure_ascii=False))}")
    if not result.success:
        lines.append(f"`narratoria trace {result.plan_id[:8]}` shows each attempt.")
    return "\n".join(lines)


def reason(error: ToolError) -> str:
    return visible(f"{error.code}: {error.message}")


def duration(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.2f} s"


def _mark(state: str) -> str:
    return painted(MARKS[state], sys.stderr, fg=COLOURS[state])


def _compact(value: dict[str, Any]) -> str:
    text = visible(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(text):,} characters)"

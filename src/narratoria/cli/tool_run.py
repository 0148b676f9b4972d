"""One run of a tool, shown as it happens."""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from narratoria.errors import NotRunnable
from narratoria.protocol.command import Command, command_for
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.events import (
    AssetEvent,
    DoneEvent,
    ErrorEvent,
    Event,
    LogEvent,
    StatePatchEvent,
    UiEvent,
)
from narratoria.protocol.orphans import nothing_left
from narratoria.protocol.process import Outcome, run
from narratoria.terminal import MOST_WAITING, Stop, Writer, painted, visible

MANIFEST = "manifest.json"
TOOL_FAILED = 1
PROTOCOL_FAILED = 2

LEVELS: dict[str, dict[str, Any]] = {
    "debug": {"dim": True},
    "info": {"fg": "cyan"},
    "warn": {"fg": "yellow"},
    "error": {"fg": "red"},
}
MOST_SHOWN = 2000  # characters of one value
NEXT_STEPS = {
    "TIMEOUT": "If it needs longer, give it more: --timeout S.",
    "RUNNER_GUARDRAIL": "If it needs more, use --max-events or --max-output-bytes.",
    "NOT_STARTED": "A script needs a #! line and `chmod +x`, or an ending such as .py, .mjs or .sh.",
}


def run_tool(path: Path, given: dict[str, Any], *, operation: str, as_json: bool, limits: Limits) -> int:
    """Run the tool, show it, and give the exit code; KeyboardInterrupt after Ctrl-C, when all is ended."""
    if path.name == MANIFEST or (path / MANIFEST).exists():
        raise NotRunnable(f"{path}: is an m-control tool; run it with `mctl run`")
    command = command_for(path)
    request = encode_request(request_id=str(uuid.uuid4()), tool=path.stem, operation=operation, input=given)
    with nothing_left():
        return asyncio.run(_run(path, command, request, as_json=as_json, limits=limits))


async def _run(path: Path, command: Command, request: bytes, *, as_json: bool, limits: Limits) -> int:
    stop = Stop()
    out, err = Writer(sys.stdout, stop.on_broken), Writer(sys.stderr, most=MOST_WAITING)
    try:
        outcome = await run(
            command,
            request,
            NARRATORIA_V0,
            limits=limits,
            on_events=None if as_json else lambda events: _show(events, out),
            on_bytes=out.write if as_json else None,
            on_stderr=err.write,
            on_warnings=lambda warnings: _warn(warnings, err),
        )
        if outcome.ok and not as_json:
            out.say(painted(f"✓ {path.name} succeeded {timing(outcome)}", sys.stdout, fg="green"))
        await out.finished()
        for line in diagnosis(path, outcome):
            err.say(line)
        await err.finished()
    except asyncio.CancelledError:
        if not stop.asked:
            raise
        return stop.exit_code()
    return exit_code(outcome)


def _warn(warnings: Sequence[str], writer: Writer) -> None:
    for warning in warnings:
        writer.say(painted(f"! {visible(warning)}", sys.stderr, fg="yellow"))


def exit_code(outcome: Outcome) -> int:
    if outcome.failure is None:
        return 0
    return TOOL_FAILED if outcome.failure.category == "tool_failure" else PROTOCOL_FAILED


def diagnosis(path: Path, outcome: Outcome) -> list[str]:
    """What stderr has to say after a run."""
    lines: list[str] = []
    if outcome.dropped:
        what = "1 line was" if outcome.dropped == 1 else f"{outcome.dropped} lines were"
        lines.append(painted(f"! {what} dropped: nothing may follow `done`", sys.stderr, fg="yellow"))
    if failure := outcome.failure:
        by_itself = failure.category == "tool_failure"
        verb = "failed" if by_itself else "broke off"
        why = f"{visible(failure.code)}: {visible(failure.message)}"
        lines.append(
            painted(f"✗ {path.name} {verb} {timing(outcome)}: {why}", sys.stderr, fg="red", bold=True)
        )
        if not by_itself:
            advice = NEXT_STEPS.get(failure.code, f"`narratoria tool check {path}` says more.")
            lines.append(f"  → {advice}")
    return lines


def timing(outcome: Outcome) -> str:
    events = "1 event" if outcome.events == 1 else f"{outcome.events} events"
    first = f", the first after {outcome.first_event_ms:.0f} ms" if outcome.first_event_ms else ""
    return f"in {outcome.duration_ms:.0f} ms ({events}{first})"


def _show(events: Sequence[Event], writer: Writer) -> None:
    for event in events:
        for label, text, style in event_lines(event):
            writer.say(f"{painted(f'{label:<6}', sys.stdout, **style)} {visible(text)}")


def event_lines(event: Event) -> list[tuple[str, str, dict[str, Any]]]:
    """What an event looks like: a label, a text, and a style for the label."""
    match event:
        case LogEvent():
            return [(event.level, _joined(event.message, event.fields), LEVELS[event.level])]
        case StatePatchEvent():
            return [("patch", _compact(event.patch), {"fg": "magenta"})]
        case UiEvent():
            return [("ui", _joined(event.event, event.payload), {"fg": "blue"})]
        case AssetEvent():
            what = f"{event.asset_id} ({event.kind}, {event.media_type}) {event.path}"
            return [("asset", _joined(what, event.metadata), {"fg": "blue"})]
        case ErrorEvent():
            text = f"{event.error_code}: {event.error_message}"
            return [("error", _joined(text, event.details), {"fg": "red", "bold": True})]
        case DoneEvent():
            style = {"fg": "green"} if event.ok else {"fg": "red"}
            lines: list[tuple[str, str, dict[str, Any]]] = []
            if not isinstance(event.output, msgspec.UnsetType):
                lines.append(("output", _compact(event.output), style))
            return [*lines, ("done", event.summary or ("ok" if event.ok else "not ok"), style)]


def _joined(text: str, more: dict[str, Any]) -> str:
    return f"{text} {_compact(more)}" if more else text


def _compact(value: dict[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(text)} characters)"

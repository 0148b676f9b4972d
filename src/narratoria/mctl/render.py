"""Renders a run as plain text, in a live terminal, or as the tool's own bytes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from narratoria.protocol.dialects.mctl_v1 import GUARDRAIL_CODE, Error, Log, MctlEvent, Result
from narratoria.terminal import BackgroundWriter, is_terminal, visible

if TYPE_CHECKING:
    from rich.console import Console

    from narratoria.protocol.process import Outcome

STYLES = {"debug": "dim", "info": "", "warn": "yellow", "error": "red"}
NEXT_STEPS = {
    "TIMEOUT": "If it needs longer, use --timeout SECONDS, or timeouts.tools in the config.",
    "CRASHED": "Its own stderr, if any, is above; a crash is a bug of the tool.",
    "INVALID_LINE": "Without --strict the line is passed over with a warning.",
    "NOT_STARTED": "`mctl doctor` looks for the cause.",
}
# JSON leaves these as they are, and to a terminal U+009B begins a command
_UNESCAPED_CONTROL = re.compile(r"[\x7f-\x9f]")


class RunView(Protocol):
    """Shows a run; used in a `with`, so that the terminal is restored."""

    def __enter__(self) -> RunView: ...
    def __exit__(self, *_: object) -> None: ...
    def stdout(self, chunk: bytes) -> None: ...
    def stderr(self, chunk: bytes) -> None: ...
    def events(self, events: Sequence[MctlEvent]) -> None: ...
    def warnings(self, warnings: Sequence[str]) -> None: ...
    def finish(self, outcome: Outcome) -> None: ...


def pretty(tool_id: str, out: BackgroundWriter, err: BackgroundWriter) -> RunView:
    return (LiveView if is_terminal(sys.stdout) else PlainView)(tool_id, out, err)


class PlainView:
    """Writes logs and the result to stdout, and errors to stderr."""

    def __init__(self, tool_id: str, out: BackgroundWriter, err: BackgroundWriter) -> None:
        self.tool_id, self._out, self._err = tool_id, out, err
        self._result: Result | None = None

    def __enter__(self) -> PlainView:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def stdout(self, chunk: bytes) -> None:
        pass  # shown as events

    def stderr(self, chunk: bytes) -> None:
        self._err.write(chunk)

    def events(self, events: Sequence[MctlEvent]) -> None:
        for event in events:
            match event:
                case Log():
                    self.show_log(event)
                case Error():
                    self.show_error(event)
                case Result():
                    self._result = event  # the last one counts, so it is shown at the end

    def warnings(self, warnings: Sequence[str]) -> None:
        for warning in warnings:
            self.say(warning_line(self.tool_id, warning))

    def finish(self, outcome: Outcome) -> None:
        if self._result is not None:
            self.show_result(self._result.payload)
        elif outcome.ok:
            self.say("The tool finished without a result.")
        for line in diagnosis(self.tool_id, outcome, events_shown=True):
            self.say(line)

    def show_log(self, event: Log) -> None:
        self._out.say(f"{event.payload.level:<5} {visible(event.payload.message)}")

    def show_error(self, event: Error) -> None:
        for line in error_lines(event):
            self.say(line)

    def show_result(self, payload: Any) -> None:
        self._out.say(_as_json(payload))

    def say(self, line: str) -> None:
        self._err.say(line)


class LiveView(PlainView):
    """Writes the same in colours, above a spinner while the tool runs."""

    def __init__(self, tool_id: str, out: BackgroundWriter, err: BackgroundWriter) -> None:
        super().__init__(tool_id, out, err)
        self._console = console()
        self._status = self._console.status(f"{tool_id} is running", spinner="dots")
        self._unfinished = b""

    def __enter__(self) -> LiveView:
        self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()
        if self._unfinished:
            self.stderr(b"\n")

    def stderr(self, chunk: bytes) -> None:
        if not sys.stderr.isatty():
            super().stderr(chunk)
            return
        # Both streams meet on one terminal: whole lines only, above the spinner.
        *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
        for line in lines:
            self._print(visible(line.decode(errors="replace")), "dim")

    def finish(self, outcome: Outcome) -> None:
        self._status.stop()
        super().finish(outcome)

    def show_log(self, event: Log) -> None:
        level, message = event.payload.level, event.payload.message
        self._print(f"{level:<5} {visible(message)}", STYLES[level])

    def show_error(self, event: Error) -> None:
        for line in error_lines(event):
            self._print(line, "bold red")

    def show_result(self, payload: Any) -> None:
        from rich.highlighter import JSONHighlighter

        self._console.print(JSONHighlighter()(_as_json(payload)), soft_wrap=True)

    def say(self, line: str) -> None:
        if sys.stderr.isatty():
            self._print(line, "yellow")
        else:
            super().say(line)

    def _print(self, text: str, style: str) -> None:
        from rich.text import Text

        self._console.print(Text(text, style=style), soft_wrap=True)


class Passthrough:
    """Passes the tool's stdout through, with one more line when a guardrail stopped it."""

    def __init__(self, tool_id: str, out: BackgroundWriter, err: BackgroundWriter) -> None:
        self.tool_id, self._out, self._err = tool_id, out, err
        self._guardrail: Error | None = None
        self._last = b"\n"

    def __enter__(self) -> Passthrough:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def stdout(self, chunk: bytes) -> None:
        self._last = chunk
        self._out.write(chunk)

    def stderr(self, chunk: bytes) -> None:
        self._err.write(chunk)

    def events(self, events: Sequence[MctlEvent]) -> None:
        match events[-1]:
            case Error(payload=payload) as event if payload.code == GUARDRAIL_CODE:
                self._guardrail = event

    def warnings(self, warnings: Sequence[str]) -> None:
        for warning in warnings:
            self._err.say(warning_line(self.tool_id, warning))

    def finish(self, outcome: Outcome) -> None:
        if self._guardrail and outcome.failure and outcome.failure.code == GUARDRAIL_CODE:
            start = b"" if self._last.endswith(b"\n") else b"\n"  # the tool was stopped in mid-line
            self._out.write(start + msgspec.json.encode(self._guardrail) + b"\n")
        for line in diagnosis(self.tool_id, outcome, events_shown=False):
            self._err.say(line)


def warning_line(tool_id: str, warning: str) -> str:
    return f"mctl: warning: {tool_id}: {visible(warning)}"


def diagnosis(tool_id: str, outcome: Outcome, *, events_shown: bool) -> list[str]:
    """Return the lines for stderr after a run; `events_shown`: the error events were shown already."""
    failure, lines = outcome.failure, list[str]()
    if failure is None:
        return lines
    has_event = failure.code == GUARDRAIL_CODE or (
        failure.category == "tool_failure" and "exitCode" not in failure.details
    )
    if not (has_event and events_shown) and not (has_event and failure.category == "tool_failure"):
        lines.append(f"mctl: {tool_id}: {failure.code}: {visible(failure.message)}")
    if failure.category != "tool_failure":  # a tool may use any code it likes, ours among them
        step = NEXT_STEPS.get("TIMEOUT" if failure.category == "timeout" else failure.code)
        lines += [f"mctl: {step}"] if step else []
    return lines


def error_lines(event: Error) -> list[str]:
    payload = event.payload
    code = f"{visible(payload.code)}: " if payload.code else ""
    lines = [f"error {code}{visible(payload.message)}"]
    if payload.recoverable is True:
        lines.append("      You can fix this and run the tool again.")
    elif payload.recoverable is False and payload.code != GUARDRAIL_CODE:
        lines.append("      By the tool's own account this is a bug in it; report it to its author.")
    return lines


def _as_json(payload: Any) -> str:
    """Return readable JSON with control characters escaped, so that a terminal does not obey them."""
    text = json.dumps(payload, indent=2, ensure_ascii=False)
    return _UNESCAPED_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns: a drawn table in a terminal, aligned text elsewhere."""
    cells = [[visible(cell).replace("\n", " ") for cell in row] for row in rows]
    if is_terminal(sys.stdout):
        from rich.table import Table
        from rich.text import Text

        table = Table(*headings, box=None, header_style="bold")
        for row in cells:
            table.add_row(*(Text(cell) for cell in row))
        console().print(table)
        return
    lines = [list(headings), *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def console() -> Console:
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)

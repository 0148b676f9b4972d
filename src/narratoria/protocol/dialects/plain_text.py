"""Programs that know nothing of any protocol: what they print is logged, the exit code says how it went.

The request is the same as that of Narratoria's own tools. A program that does not read JSON finds the values
of its input in the environment as well, and those of `args` on its command line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from narratoria.protocol import lines
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Batch, Failure, Guardrail, Limits, ProcessEnding, signal_name
from narratoria.protocol.events import DoneEvent, Event, LogEvent

MAX_TEXT = 256 * 1024  # characters of what was printed that become the output
MAX_MESSAGE = 64 * 1024  # characters of one log
MAX_VALUE = 8 * 1024  # bytes of one variable; longer values are in the request alone
MAX_VALUES = 64
PREFIX = "NARRATORIA_INPUT_"


def add_input(command: Command, input: Mapping[str, Any]) -> Command:
    """Return the command with the arguments and variables that this input asks for."""
    args = input.get("args", ())
    words = tuple(map(_word, args)) if isinstance(args, list | tuple) else ()
    values = {name: value for name, value in map(_variable, input.items()) if value is not None}
    sent = dict(list(values.items())[:MAX_VALUES])
    argv = tuple(word for word in words if "\0" not in word)
    return replace(command, argv=(*command.argv, *argv), env={**command.env, **sent})


def _variable(item: tuple[str, Any]) -> tuple[str, str | None]:
    name = PREFIX + re.sub(r"[^A-Za-z0-9]", "_", item[0]).upper()
    value = _word(item[1])
    usable = item[0] != "args" and "\0" not in value and len(value.encode(errors="replace")) <= MAX_VALUE
    return name, value if usable else None


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class PlainText:
    """Runs programs that speak no protocol, and logs what they print."""

    name = "plain_text"

    def open(self, limits: Limits, cwd: Path) -> _TextConversation:
        return _TextConversation(limits)


PLAIN_TEXT = PlainText()


class _TextConversation:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._text: list[str] = []
        self._room = MAX_TEXT
        self._last = ""

    def read(self, block: bytes, first_line: int) -> Batch[Event]:
        text = block.decode(errors="replace").replace("\r\n", "\n")
        self._keep(text)
        events: list[Event] = [
            LogEvent(version="0", level="info", message=_cut(line.decode(errors="replace"), MAX_MESSAGE))
            for _, line in lines.split(block, first_line)
        ]
        if isinstance(last := events[-1] if events else None, LogEvent):
            self._last = last.message
        return Batch(events)

    def _keep(self, text: str) -> None:
        if self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def interrupted(self, guardrail: Guardrail, message: str) -> Sequence[Event]:
        return ()

    def concluded(self, ending: ProcessEnding) -> Sequence[Event]:
        if ending.guardrail or ending.exit_code is None:
            return ()
        failure = self.judge(ending)
        return (DoneEvent(version="0", ok=failure is None, summary=failure.message if failure else ""),)

    def judge(self, ending: ProcessEnding) -> Failure | None:
        if ending.not_started:
            return Failure("NOT_STARTED", ending.not_started, "process_error")
        if ending.guardrail == "timeout":
            return Failure("TIMEOUT", ending.guardrail_message, "timeout")
        if ending.guardrail:
            return Failure("RUNNER_GUARDRAIL", ending.guardrail_message, "process_error")
        code = ending.exit_code or 0
        if code < 0:
            return Failure("KILLED_BY_SIGNAL", f"was killed by {signal_name(-code)}", "process_error")
        if code > 0:
            last_line = f": {_cut(self._last, 200)}" if self._last else ""
            return Failure(
                "TOOL_FAILED", f"exited with code {code}{last_line}", "tool_failure", {"exitCode": code}
            )
        return None

    def output(self) -> dict[str, Any]:
        """Return what it printed as `text`, and as `json` too where it is a JSON document as a whole."""
        text = "".join(self._text).removeprefix("\ufeff").strip()
        if self._room < 0:
            return {"text": text, "cut": True}
        try:
            return {"text": text, "json": _strict(text)} if text[:1] in ("{", "[") else {"text": text}
        except (ValueError, RecursionError):
            return {"text": text}


def _strict(text: str) -> Any:
    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    if lines.has_long_number(text.encode()):
        raise ValueError("a number that no other program takes for one")
    return json.loads(text, parse_constant=refuse)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"

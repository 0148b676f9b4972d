"""Narratoria's own protocol, version "0": six events, and `done` is the last word."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ProtocolViolationException, UnknownEventTypeException
from narratoria.protocol import lines
from narratoria.protocol.dialect import Batch, Failure, Guardrail, Limits, ProcessEnding, signal_name
from narratoria.protocol.events import (
    EVENT_TYPES,
    AssetEvent,
    DoneEvent,
    ErrorEvent,
    Event,
    LogEvent,
    StatePatchEvent,
    UiEvent,
)
from narratoria.state import merge_into

_decode = msgspec.json.Decoder(Event)
_encode = msgspec.json.Encoder()
_PASSING = (LogEvent, UiEvent)  # handed on and not looked at again


def encode_request(
    *,
    request_id: str,
    tool: str,
    operation: str,
    input: dict[str, Any],
    context: dict[str, Any] | None = None,
) -> bytes:
    """Return the one JSON object a tool finds on its standard input."""
    request = {"requestId": request_id, "tool": tool, "operation": operation, "input": input}
    return _encode.encode(request if context is None else {**request, "context": context})


def decode_line(line: bytes, number: int = 1, limits: Limits = Limits()) -> Event:
    """Return the event on one line, or the reason why it is none."""
    lines.check_text(line, number, limits)
    try:
        event: Event = _decode.decode(line)
    except UNDECODABLE as error:
        raise _refusal(error, number, line) from None
    lines.check_event(line, number, event)
    return event


def _refusal(error: Exception, number: int, line: bytes) -> ProtocolViolationException:
    refused = lines.refusal(error, number, line)
    if refused.field == "type" and refused.reason.startswith("Invalid value"):
        event_types = ", ".join(EVENT_TYPES)
        return UnknownEventTypeException(
            number, "type", f"{refused.reason[14:]} is not an event type ({event_types})"
        )
    return refused


class NarratoriaV0:
    """Speaks Narratoria's own protocol to the runner."""

    name = "narratoria_v0"

    def open(self, limits: Limits, cwd: Path) -> _V0Conversation:
        return _V0Conversation(limits, cwd)


NARRATORIA_V0 = NarratoriaV0()


class _V0Conversation:
    def __init__(self, limits: Limits, cwd: Path) -> None:
        self._limits, self._cwd = limits, cwd
        self._done: DoneEvent | None = None
        self._last_error: ErrorEvent | None = None
        self._patched: dict[str, Any] = {}  # all patches, merged as they come
        self._assets: set[str] = set()

    def read(self, block: bytes, first_line: int) -> Batch[Event]:
        events = decode_block(block, self._limits)
        if events is not None:
            return self._accept(events)
        decoded: list[Event] = []
        numbered = list(lines.split(block, first_line))
        for index, (number, line) in enumerate(numbered):
            try:
                decoded.append(decode_line(line, number, self._limits))
            except ProtocolViolationException as violation:
                return self._accept(decoded, violation)
            if type(decoded[-1]) is DoneEvent:
                return self._accept(decoded, dropped=len(numbered) - index - 1)
        return self._accept(decoded)

    def _accept(
        self, events: list[Event], violation: ProtocolViolationException | None = None, dropped: int = 0
    ) -> Batch[Event]:
        """Keep what the ending will be judged by, and refuse assets that cannot be served."""
        warnings: list[str] = []
        assets: dict[int, AssetEvent | None] = {}
        for event in [event for event in events if type(event) not in _PASSING]:
            match event:
                case StatePatchEvent():
                    merge_into(self._patched, event.patch)
                case ErrorEvent():
                    self._last_error = event
                case AssetEvent():
                    assets[id(event)] = self._admit(event, warnings)
                case DoneEvent():
                    self._done = event
                    last = next(index for index, other in enumerate(events) if other is event)
                    dropped += len(events) - last - 1
                    events = events[: last + 1]
                    break
        if assets:
            events = [accepted for event in events if (accepted := assets.get(id(event), event))]
        return Batch(events, warnings, violation, self._done is not None, dropped)

    def _admit(self, asset: AssetEvent, warnings: list[str]) -> AssetEvent | None:
        path = self._cwd / asset.path
        if asset.asset_id in self._assets:
            reason = "this invocation has announced that id before"
        elif not os.path.isfile(path):  # noqa: PTH113  Path.is_file() raises for a name that is too long
            reason = f"there is no file at {path}"
        elif not os.access(path, os.R_OK):
            reason = f"{path} cannot be read"
        else:
            self._assets.add(asset.asset_id)
            return msgspec.structs.replace(asset, path=str(path))
        warnings.append(f"asset '{asset.asset_id}' was refused: {reason}")
        return None

    def interrupted(self, guardrail: Guardrail, message: str) -> Sequence[Event]:
        return ()

    def concluded(self, ending: ProcessEnding) -> Sequence[Event]:
        return ()

    def judge(self, ending: ProcessEnding) -> Failure | None:
        if ending.not_started:
            return Failure("NOT_STARTED", ending.not_started, "process_error")
        if violation := ending.violation:
            unknown = isinstance(violation, UnknownEventTypeException)
            details = {"line": violation.line, "field": violation.field, "reason": violation.reason}
            code = "UNKNOWN_EVENT_TYPE" if unknown else "INVALID_LINE"
            return Failure(code, str(violation), "invalid_json", details)
        if ending.guardrail == "timeout":
            return Failure("TIMEOUT", ending.guardrail_message, "timeout")
        if ending.guardrail:
            return Failure("RUNNER_GUARDRAIL", ending.guardrail_message, "process_error")
        return self._judge_exit(ending)

    def _judge_exit(self, ending: ProcessEnding) -> Failure | None:
        code = 0 if ending.terminated_after_end else ending.exit_code or 0
        if code < 0:
            return Failure("KILLED_BY_SIGNAL", f"was killed by {signal_name(-code)}", "process_error")
        if code > 0:
            return Failure("NONZERO_EXIT", f"exited with code {code}", "process_error", {"exitCode": code})
        if self._done is None:
            return Failure("MISSING_DONE", "exited without a done event", "process_error")
        if self._done.ok:
            return None
        if error := self._last_error:
            return Failure(error.error_code, error.error_message, "tool_failure", error.details)
        return Failure("TOOL_FAILED", self._done.summary or "said done with ok: false", "tool_failure")

    def output(self) -> dict[str, Any]:
        if self._done is None:
            return {}
        if self._done.output is not msgspec.UNSET:
            return self._done.output
        return {**self._patched, "summary": self._done.summary} if self._done.summary else self._patched


# Decoding a whole block at once. What the checks below let through is what reading it line by line, with a
# closer look at each, would give; where they cannot tell, it is read in that way.


def decode_block(block: bytes, limits: Limits) -> list[Event] | None:
    """Return the events of a block in which nothing needs a closer look, else None."""
    if not block.endswith(b"\n") or len(block) > limits.max_line_bytes or lines.has_long_number(block):
        return None
    try:
        if not block.isascii():
            block.decode()
        texts = block.split(b"\n")
        texts.pop()  # what stands after the last newline: nothing
        events: list[Event] = list(map(_decode_plain.decode, texts))
    except UNDECODABLE:
        return None
    return events if _nothing_more(block, events) and _not_deep(texts, limits.max_depth) else None


def _nothing_more(block: bytes, events: list[Event]) -> bool:
    """The events account for all of the block: no key is unknown or said twice.

    Written again, each known key stands once, and nothing becomes longer than it was. So a block of the
    same length held the same; and one that was only laid out differently has as many strings in it.
    """
    again = _encode.encode_lines(events)
    if len(again) == len(block):
        return True
    strings = lines.delimiters(block)
    return strings is not None and strings == lines.delimiters(again)


def _not_deep(texts: list[bytes], deepest: int) -> bool:
    # a level takes a bracket at either end, and most lines are short
    return max(map(len, texts)) <= 2 * deepest or not any(
        text.count(b"{") + text.count(b"[") > deepest for text in texts if len(text) > 2 * deepest
    )


def _plain_float(text: str) -> float:
    value = float(text)
    if not isfinite(value) or len(_encode.encode(value)) > len(text):
        raise ValueError(f"{text} would be written longer than it is")
    return value


_decode_plain = msgspec.json.Decoder(Event, float_hook=_plain_float)

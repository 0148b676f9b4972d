"""m-control's Tool Protocol v1: four events, and the exit code is the last word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ProtocolViolationException
from narratoria.protocol import lines
from narratoria.protocol.dialect import (
    Batch,
    Category,
    Failure,
    Guardrail,
    Limits,
    ProcessEnding,
    signal_name,
)
from narratoria.protocol.events import TIMESTAMP, Level

GUARDRAIL_CODE = "RUNNER_GUARDRAIL"


class MctlEnvelope(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", rename="camel", omit_defaults=True
):
    ts: Annotated[str, Meta(pattern=TIMESTAMP)]
    tool_id: str


class LogPayload(msgspec.Struct, frozen=True):
    level: Level
    message: str


class ErrorPayload(msgspec.Struct, frozen=True, omit_defaults=True):
    message: str
    code: str = ""
    recoverable: bool | msgspec.UnsetType = msgspec.UNSET  # unset: the tool does not say

    def details(self) -> dict[str, Any]:
        return {} if self.recoverable is msgspec.UNSET else {"recoverable": self.recoverable}


class Started(MctlEnvelope, tag="started", frozen=True, kw_only=True):
    payload: Any


class Log(MctlEnvelope, tag="log", frozen=True, kw_only=True):
    payload: LogPayload


class Result(MctlEnvelope, tag="result", frozen=True, kw_only=True):
    payload: Any


class Error(MctlEnvelope, tag="error", frozen=True, kw_only=True):
    payload: ErrorPayload


MctlEvent: TypeAlias = Started | Log | Result | Error

_decode = msgspec.json.Decoder(MctlEvent)


def encode_request(
    *, tool_id: str, config: dict[str, Any], workspace_root: Path, input: dict[str, Any]
) -> bytes:
    """Return the one JSON object a tool finds on its standard input."""
    context = {"toolId": tool_id, "config": config, "workspaceRoot": str(workspace_root)}
    return msgspec.json.encode({"context": context, "input": input})


def decode_line(line: bytes, tool_id: str, number: int = 1, limits: Limits = Limits()) -> MctlEvent:
    """Return the event on one line, or the reason why it is none."""
    lines.check_text(line, number, limits)
    try:
        event: MctlEvent = _decode.decode(line)
    except UNDECODABLE as error:
        raise lines.refusal(error, number, line) from None
    lines.check_event(line, number, event)
    if event.tool_id != tool_id:
        raise ProtocolViolationException(number, "toolId", f"is '{event.tool_id}', not '{tool_id}'")
    return event


@dataclass(frozen=True, slots=True)
class MctlV1:
    """Speaks the dialect of the tool of this id; strict: a malformed line ends the run."""

    tool_id: str
    strict: bool = False
    name: str = "mctl_v1"

    def open(self, limits: Limits, cwd: Path) -> _MctlConversation:
        return _MctlConversation(self, limits)


def mctl_v1(tool_id: str, *, strict: bool = False) -> MctlV1:
    return MctlV1(tool_id, strict)


class _MctlConversation:
    def __init__(self, dialect: MctlV1, limits: Limits) -> None:
        self._dialect, self._limits = dialect, limits
        self._result: Any = None
        self._last_error: Error | None = None

    def read(self, block: bytes, first_line: int) -> Batch[MctlEvent]:
        events: list[MctlEvent] = []
        warnings: list[str] = []
        for number, line in lines.split(block, first_line):
            try:
                event = decode_line(line, self._dialect.tool_id, number, self._limits)
            except ProtocolViolationException as violation:
                if self._dialect.strict:
                    return Batch(events, warnings, violation)
                warnings.append(f"malformed {violation}")
                continue
            events.append(event)
            match event:
                case Result(payload=payload):
                    self._result = payload
                case Error():
                    self._last_error = event
        return Batch(events, warnings)

    def interrupted(self, guardrail: Guardrail, message: str) -> Sequence[MctlEvent]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        payload = ErrorPayload(message, GUARDRAIL_CODE, recoverable=False)
        return (Error(ts=now, tool_id=self._dialect.tool_id, payload=payload),)

    def concluded(self, ending: ProcessEnding) -> Sequence[MctlEvent]:
        return ()

    def judge(self, ending: ProcessEnding) -> Failure | None:
        if ending.not_started:
            return Failure("NOT_STARTED", ending.not_started, "process_error")
        if violation := ending.violation:
            details = {"line": violation.line, "field": violation.field, "reason": violation.reason}
            return Failure("INVALID_LINE", str(violation), "invalid_json", details)
        if ending.guardrail:
            category: Category = "timeout" if ending.guardrail == "timeout" else "process_error"
            return Failure(GUARDRAIL_CODE, ending.guardrail_message, category)
        match ending.exit_code:
            case 0:
                return None
            case 1:
                return self._expected_failure()
            case code:
                how = f"killed by {signal_name(-code)}" if code and code < 0 else f"exit code {code}"
                return Failure("CRASHED", f"crashed: {how}", "process_error", {"exitCode": code})

    def _expected_failure(self) -> Failure:
        if self._last_error is None:
            return Failure("TOOL_FAILED", "exited with code 1", "tool_failure", {"exitCode": 1})
        payload = self._last_error.payload
        return Failure(
            payload.code or "TOOL_FAILED",
            payload.message,
            "tool_failure",
            payload.details(),
        )

    def output(self) -> dict[str, Any]:
        if self._result is None:
            return {}
        return self._result if isinstance(self._result, dict) else {"value": self._result}

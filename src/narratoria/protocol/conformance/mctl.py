"""Applies the rules of m-control's Tool Protocol v1, and of its checklist for tools, to a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from narratoria.errors import ProtocolViolationException
from narratoria.protocol.conformance import rules
from narratoria.protocol.conformance.observe import Probe, Transcript, inputs_for, malformed
from narratoria.protocol.conformance.rules import ConformanceRule, RuleViolation
from narratoria.protocol.conformance.run_faults import (
    describe_crash,
    describe_overrun,
    refused_lines,
    untidy_lines,
)
from narratoria.protocol.dialects.mctl_v1 import (
    Error,
    MctlEvent,
    Result,
    Started,
    decode_line,
    encode_request,
)

_ENVELOPE = {"type": rules.EVENT_TYPE, "toolId": rules.TOOL_ID}


class MctlKit:
    """Probes and judges m-control's tools."""

    dialect = "mctl_v1"
    rules: tuple[ConformanceRule, ...] = rules.MCTL_RULES
    reads_request = True

    def __init__(
        self,
        tool_id: str,
        config: Mapping[str, Any],
        workspace_root: Path,
        samples: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._tool_id, self._config, self._root, self._samples = tool_id, config, workspace_root, samples

    def probes(self) -> Iterator[Probe]:
        for name, rule, given in inputs_for(self._samples):
            yield Probe(name, self._request(given), rule, sample=rule is None and given in self._samples)
        base = self._samples[0] if self._samples else {}
        request = msgspec.json.decode(self._request(base))
        request["context"]["alsoNew"] = True
        future = msgspec.json.encode({**request, "fromTheFuture": {"a": [1, None]}})
        yield Probe("unknown fields", future, rules.EXTRA_FIELDS)
        yield from malformed(self._request(base))

    def _request(self, given: Mapping[str, Any]) -> bytes:
        return encode_request(
            tool_id=self._tool_id, config=dict(self._config), workspace_root=self._root, input=dict(given)
        )

    def is_last(self, line: bytes) -> bool:
        return False  # the exit code is the last word

    def succeeded(self, transcript: Transcript) -> bool:
        return not transcript.ending.guardrail and transcript.ending.exit_code == 0

    def examine(self, transcript: Transcript) -> Iterator[RuleViolation]:
        """Everything that was not right about a run, apart from how it ended."""
        yield from untidy_lines(transcript)
        for number, line in transcript.numbered:
            try:
                decode_line(line, self._tool_id, number, transcript.limits)
            except ProtocolViolationException as violation:
                yield from self._refused(line, violation)
        events = self._events(transcript)
        if events and not isinstance(events[0], Started):
            happened = f"the first is `{type(events[0]).__name__.lower()}`"
            advice = "Emit `started` as soon as the process runs, before any other event."
            yield RuleViolation(rules.STARTED_FIRST, happened, advice, transcript.numbered[0][0])
        for event in events:
            if isinstance(event, Error) and not event.payload.code:
                advice = 'Add "code", such as "AUTH_FAILED", and "recoverable": true if the user can mend it.'
                yield RuleViolation(rules.ERROR_DETAILS, f"{event.payload.message!r} has no code", advice)

    def _refused(self, line: bytes, violation: ProtocolViolationException) -> Iterator[RuleViolation]:
        if violation.field == "toolId" and violation.reason.startswith("is '"):
            advice = f'Say "toolId": "{self._tool_id}", as the manifest does.'
            yield RuleViolation(rules.TOOL_ID, f"toolId {violation.reason}", advice, violation.line)
        else:
            yield from refused_lines(line, violation, "mctl-event", _ENVELOPE)

    def _events(self, transcript: Transcript) -> list[MctlEvent]:
        events = []
        for number, line in transcript.numbered:
            try:
                events.append(decode_line(line, self._tool_id, number, transcript.limits))
            except ProtocolViolationException:
                continue
        return events

    def ending(self, transcript: Transcript) -> Iterator[RuleViolation]:
        """Yield what was wrong with how the run ended."""
        if transcript.ending.guardrail:
            yield describe_overrun(transcript)
            return
        events = self._events(transcript)
        results = [event for event in events if isinstance(event, Result)]
        errors = [event for event in events if isinstance(event, Error)]
        match transcript.ending.exit_code:
            case 0 if not results:
                advice = "Emit `result` with your answer as payload, or exit with 1 after an `error`."
                yield RuleViolation(rules.RESULT_ON_SUCCESS, "it exited with 0 and gave none", advice)
            case 0 if errors and events.index(errors[-1]) > events.index(results[-1]):
                advice = "Exit with 1 when it failed; when it did not, a log event of level warn will do."
                yield RuleViolation(
                    rules.EXIT_MATCHES_EVENTS, "the last word was `error`, the exit code 0", advice
                )
            case 1 if not errors:
                advice = "Emit `error` with a message before you exit with 1, so that people learn why."
                yield describe_crash(rules.ERROR_ON_FAILURE, transcript, advice)
            case 0 | 1:
                return
            case _:
                advice = "Catch what can be expected to go wrong: emit `error` and exit with 1."
                yield describe_crash(rules.EXIT_ZERO_OR_ONE, transcript, advice)

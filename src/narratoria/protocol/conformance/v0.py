"""Applies the rules of Tool Protocol version "0" to a run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
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
from narratoria.protocol.dialects.narratoria_v0 import decode_line, encode_request
from narratoria.protocol.events import AssetEvent, DoneEvent, ErrorEvent, Event

REQUEST_ID = "conformance-check"
_DONE = re.compile(rb'"type"\s*:\s*"done"')
_ENVELOPE = {"version": rules.VERSION, "type": rules.EVENT_TYPE}


class V0Kit:
    """Probes and judges tools of Narratoria's own protocol."""

    dialect = "narratoria_v0"
    rules: tuple[ConformanceRule, ...] = rules.V0_RULES
    reads_request = False  # a tool may leave its request unread

    def __init__(self, tool: str, samples: Sequence[Mapping[str, Any]] = (), operation: str = "") -> None:
        self._tool, self._samples, self._operation = tool, samples, operation or tool

    def probes(self) -> Iterator[Probe]:
        for name, rule, given in inputs_for(self._samples):
            yield self._probe(name, given, rule=rule, sample=rule is None and given in self._samples)
        base = self._samples[0] if self._samples else {}
        future = {"fromTheFuture": {"a": [1, None]}, "context": {"alsoNew": True, "state": {}}}
        yield self._probe("unknown fields", base, rule=rules.EXTRA_FIELDS, more=future)
        unknown = "no-such-operation"
        yield self._probe("unknown operation", base, rule=rules.UNKNOWN_OPERATION, operation=unknown)
        yield from malformed(self._request(base))

    def _request(self, given: Mapping[str, Any], operation: str = "") -> bytes:
        return encode_request(
            request_id=REQUEST_ID, tool=self._tool, operation=operation or self._operation, input=dict(given)
        )

    def _probe(
        self,
        name: str,
        given: Mapping[str, Any],
        *,
        rule: ConformanceRule | None,
        sample: bool = False,
        operation: str = "",
        more: Mapping[str, Any] | None = None,
    ) -> Probe:
        request = self._request(given, operation)
        if more:
            request = msgspec.json.encode({**msgspec.json.decode(request), **more})
        return Probe(name, request, rule, REQUEST_ID, sample)

    def is_last(self, line: bytes) -> bool:
        return isinstance(_decode(line), DoneEvent)

    def succeeded(self, transcript: Transcript) -> bool:
        return any(event.ok for event in _events(transcript) if isinstance(event, DoneEvent))

    def examine(self, transcript: Transcript) -> Iterator[RuleViolation]:
        """Everything that was not right about a run, apart from how it ended."""
        yield from untidy_lines(transcript)
        for number, line in _until_done(transcript):
            try:
                decode_line(line, number, transcript.limits)
            except ProtocolViolationException as violation:
                yield from refused_lines(line, violation, "tool-event", _ENVELOPE)
        yield from _after_done(transcript)
        yield from _events_together(_events(transcript), transcript)

    def ending(self, transcript: Transcript) -> Iterator[RuleViolation]:
        """Yield what was wrong with how the run ended."""
        ending = transcript.ending
        if ending.guardrail:
            yield describe_overrun(transcript)
            return
        if ending.terminated_after_end:
            grace = f"{transcript.limits.exit_grace:g} s"
            advice = "End the process after `done`; look for threads, timers or children it still waits for."
            yield RuleViolation(
                rules.EXITS_AFTER_DONE, f"it still ran {grace} after `done` and was ended", advice
            )
        elif ending.exit_code:
            advice = "Say what failed with `error` and `done` with ok: false, and exit with 0."
            yield describe_crash(rules.EXIT_ZERO, transcript, advice)
        elif not any(_means_done(line) for _, line in transcript.numbered):
            advice = 'Print {"version":"0","type":"done","ok":true} before you exit, on every way out.'
            yield RuleViolation(rules.ONE_DONE, "it exited without one", advice)


def _means_done(line: bytes) -> bool:
    """Return whether this is `done`, be it a broken one, of which the report tells elsewhere."""
    return _DONE.search(line) is not None or isinstance(_decode(line), DoneEvent)


def _decode(line: bytes) -> Event | None:
    try:
        return decode_line(line)
    except ProtocolViolationException:
        return None


def _until_done(transcript: Transcript) -> Iterator[tuple[int, bytes]]:
    for number, line in transcript.numbered:
        yield number, line
        if isinstance(_decode(line), DoneEvent):
            return


def _events(transcript: Transcript) -> list[Event]:
    events = []
    for number, line in _until_done(transcript):
        try:
            events.append(decode_line(line, number, transcript.limits))
        except ProtocolViolationException:
            continue
    return events


def _after_done(transcript: Transcript) -> Iterator[RuleViolation]:
    heard = sum(1 for _ in _until_done(transcript))
    later = transcript.numbered[heard:]
    again = [number for number, line in later if isinstance(_decode(line), DoneEvent)]
    if again:
        happened = f"there are {len(again) + 1}, and only the first counts"
        yield RuleViolation(
            rules.ONE_DONE, happened, "Say `done` once, when everything else is said.", again[0]
        )
    if later and len(later) > len(again):
        lines = (
            "1 line came after it and was"
            if len(later) == 1
            else f"{len(later)} lines came after it and were"
        )
        advice = "Say everything before `done`: what comes after it is lost."
        yield RuleViolation(rules.NOTHING_AFTER_DONE, f"{lines} dropped", advice, later[0][0])


def _events_together(events: list[Event], transcript: Transcript) -> Iterator[RuleViolation]:
    """Yield what is wrong with the events as a whole."""
    other = next((event.request_id for event in events if event.request_id), "")
    if transcript.probe.request_id and other not in ("", transcript.probe.request_id):
        advice = "Repeat the requestId of the request, or leave it out."
        yield RuleViolation(rules.REQUEST_ID, f"an event carries {other!r}", advice)
    errors = [event for event in events if isinstance(event, ErrorEvent)]
    for done in (event for event in events if isinstance(event, DoneEvent)):
        if done.ok and errors:
            happened = f"it said `error` ({errors[-1].error_code}), and then ok: true"
            advice = "If all is well after all, tell of it with a log event of level warn instead."
            yield RuleViolation(rules.FAILURE_AFTER_ERROR, happened, advice)
        if not done.ok and not errors:
            advice = "Emit `error` with an errorCode and an errorMessage first: it is what people get to see."
            yield RuleViolation(rules.ERROR_BEFORE_FAILURE, "it failed and gave no reason", advice)
    yield from _assets([event for event in events if isinstance(event, AssetEvent)], transcript)


def _assets(assets: list[AssetEvent], transcript: Transcript) -> Iterator[RuleViolation]:
    ids: set[str] = set()
    for asset in assets:
        if asset.asset_id in ids:
            advice = "Number them, or name them after their file; the second one is refused."
            yield RuleViolation(rules.ASSET_IDS, f"{asset.asset_id!r} was announced twice", advice)
        ids.add(asset.asset_id)
        path = transcript.cwd / asset.path
        if not os.path.isfile(path):  # noqa: PTH113  Path.is_file() raises for a name that is too long
            what = "is a folder" if os.path.isdir(path) else "does not exist"  # noqa: PTH112
            advice = "Write the file first; a relative path starts at the folder the tool runs in."
            yield RuleViolation(rules.ASSET_FILES, f"{asset.asset_id!r}: {path} {what}", advice)
        elif not os.access(path, os.R_OK):
            advice = "Let everybody read it, or write it where Narratoria can."
            yield RuleViolation(rules.ASSET_FILES, f"{asset.asset_id!r}: {path} may not be read", advice)

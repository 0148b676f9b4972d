"""Describes how a run ended badly, in words for the tool's author."""

from __future__ import annotations

import signal
from collections.abc import Iterator

from narratoria.protocol.conformance import rules
from narratoria.protocol.conformance.record import Transcript
from narratoria.protocol.conformance.report import ConformanceRule, RuleViolation

_LONG_RUN_MS = 3000.0  # less may be the interpreter's start alone
_SILENCE = 0.9  # of a long run


def describe_overrun(transcript: Transcript) -> RuleViolation:
    if transcript.ending.guardrail == "timeout":
        advice = "Look for what it waits for; if it only needs longer, give it more with --timeout."
        return RuleViolation(rules.ENDS_IN_TIME, f"it {transcript.ending.guardrail_message}", advice)
    advice = "Send less: sum up what is of no interest alone, and write large data to a file, as an asset."
    return RuleViolation(rules.OUTPUT_LIMITS, f"it {transcript.ending.guardrail_message}", advice)


def describe_crash(rule: ConformanceRule, transcript: Transcript, advice: str) -> RuleViolation:
    last = next((line for line in reversed(transcript.stderr_tail.splitlines()) if line.strip()), "")
    stderr = f"; its standard error ends with: {last.strip()[:200]}" if last else ""
    return RuleViolation(rule, f"{describe_exit_code(transcript.ending.exit_code or 0)}{stderr}", advice)


def describe_exit_code(exit_code: int) -> str:
    if exit_code >= 0:
        return f"it exited with {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"it was killed by {name}"


def is_long(transcript: Transcript) -> bool:
    return transcript.duration_ms >= _LONG_RUN_MS and len(transcript.numbered) > 1


def late_output(transcript: Transcript) -> Iterator[RuleViolation]:
    """Yield whether a long run was silent for nearly all of it."""
    first = transcript.first_byte_ms or transcript.duration_ms
    if is_long(transcript) and first > _SILENCE * transcript.duration_ms:
        happened = f"it ran for {transcript.duration_ms / 1000:.1f} s, and everything came at the end"
        advice = "Flush standard output after each event; many languages keep it back when it is a pipe."
        yield RuleViolation(rules.STREAMS, happened, advice)

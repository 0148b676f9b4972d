"""Describes what is wrong with a line, or with the end of a run, in words for the tool's author."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from functools import cache
from typing import Any, NoReturn

from narratoria import contracts
from narratoria.errors import Problem, ProtocolViolationException
from narratoria.protocol.conformance import rules
from narratoria.protocol.conformance.observe import Transcript
from narratoria.protocol.conformance.rules import ConformanceRule, RuleViolation
from narratoria.protocol.lines import BOM

_MISSING = re.compile(r"^'(\w+)' is missing")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufeff]")
_SHOWN = 70  # characters of a line
_SYNTAX = {  # what the contracts say of a document, said of a line
    "the document ended": "something follows after the first value",
    "the document ends": "the line ends before the object does",
    "a JSON value is expected": "this is not JSON",
}


def untidy_lines(transcript: Transcript) -> Iterator[RuleViolation]:
    """Yield what the runtime overlooks, and another reader may not."""
    text = transcript.stdout
    if text.startswith(BOM):
        yield RuleViolation(rules.NO_BOM, "it begins with EF BB BF", "Write UTF-8 without a signature.", 1)
    parts = text.split(b"\n")
    if returns := [number for number, part in enumerate(parts, 1) if part.endswith(b"\r")]:
        advice = "Open standard output in binary mode, or set its newline to \\n."
        happened = f"line {returns[0]} ends" if len(returns) == 1 else f"{len(returns)} lines end"
        yield RuleViolation(rules.UNIX_NEWLINES, f"{happened} in \\r\\n", advice, returns[0])
    blank = [number for number, part in enumerate(parts[:-1], 1) if not part.strip(b" \t\r")]
    if blank:
        happened = f"line {blank[0]} is blank" if len(blank) == 1 else f"{len(blank)} lines are blank"
        yield RuleViolation(rules.NO_BLANK_LINES, happened, "Print one newline after each event.", blank[0])
    cut_off = transcript.ending.guardrail or transcript.ending.terminated_after_end
    if parts[-1].strip() and not cut_off:
        advice = "Print a newline after the last event too; a line counts as whole only then."
        yield RuleViolation(rules.LAST_NEWLINE, f"line {len(parts)} has none", advice, len(parts))


def refused_lines(
    line: bytes, violation: ProtocolViolationException, contract: str, envelope: dict[str, ConformanceRule]
) -> Iterator[RuleViolation]:
    """Return why the runtime refuses a line; `envelope` names the fields that have a rule of their own."""
    number = violation.line
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        happened = f"byte {error.start + 1} of the line, 0x{line[error.start]:02X}, is not UTF-8"
        advice = "Set the encoding of standard output to UTF-8; on some systems it is another by default."
        yield RuleViolation(rules.UTF_8, happened, advice, number)
        return
    if violation.reason.startswith(("is longer", "is nested")):
        advice = "Send several smaller events, or write a file and announce it as an asset."
        yield RuleViolation(rules.LINE_LIMITS, f"the line {violation.reason}", advice, number)
        return
    value = _read(text)
    if not isinstance(value, dict):
        yield _no_object(line, text, number, contract)
    elif violation.reason.startswith("stands in"):
        happened = f'"{violation.field}" stands in it more than once'
        yield RuleViolation(rules.UNIQUE_KEYS, happened, "Keep one; which is meant would be a guess.", number)
    else:
        kind = value.get("type")
        problems = contract_of(contract, kind if isinstance(kind, str) else "").check(text)
        yield from _wrong_fields(problems, violation, kind, envelope)


def _wrong_fields(
    problems: tuple[Problem, ...],
    violation: ProtocolViolationException,
    kind: Any,
    envelope: dict[str, ConformanceRule],
) -> Iterator[RuleViolation]:
    for problem in problems or (Problem(violation.reason, f"/{violation.field}"),):
        missing = _MISSING.match(problem.message)
        name = missing[1] if missing else problem.pointer.lstrip("/").split("/")[0]
        rule = envelope.get(name, rules.EVENT_FIELDS)
        subject = f"{kind}: " if rule is rules.EVENT_FIELDS else ""
        where = f"{problem.pointer.lstrip('/').replace('/', '.')}: " if problem.pointer else ""
        happened, _, remedy = problem.message.partition("; ")
        advice = f"{remedy[:1].upper()}{remedy[1:]}." if remedy and "?" not in remedy else remedy.capitalize()
        yield RuleViolation(
            rule,
            f"{subject}{where}{happened}",
            advice or f"The reference of the tool protocol says what `{name}` may be.",
            violation.line,
        )


def _no_object(line: bytes, text: str, number: int, contract: str) -> RuleViolation:
    seen = _CONTROL.sub("�", text)
    shown = f"`{seen}`" if len(seen) <= _SHOWN else f"`{seen[:_SHOWN]}…`"
    if text.startswith("\ufeff"):
        advice = "Write UTF-8 without a signature, and never in the middle."
        return RuleViolation(rules.JSON_LINES, f"{shown} begins with a byte order mark", advice, number)
    problems = contracts.check(contract, line)
    message = problems[0].message if problems else ""
    reason = next(
        (words for start, words in _SYNTAX.items() if message.startswith(start)), message.split(";")[0]
    )
    match text.lstrip()[:1]:
        case "{" if message.startswith("the document ended"):
            advice = "Begin a new line after each event."
        case "{" if message.startswith(("the document ends", "this text is not closed")):
            advice = "Write the whole object on one line: no pretty-printing, and nothing cut off."
        case '"' | "}" | "]":
            advice = "If this belongs to an event, write all of it on one line, without pretty-printing."
        case "[":
            advice = "Write each event as an object, on a line of its own."
        case "{":
            advice = "Let a JSON library write the line."
        case _:
            advice = "Put text for people into a log event, or write it to standard error."
    return RuleViolation(rules.JSON_LINES, f"{shown}: {reason or 'this is no object'}", advice, number)


def _read(text: str) -> Any:
    """Return the value, or None for what is no JSON."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=str)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


@cache
def contract_of(name: str, kind: str) -> contracts.Contract:
    """Return the contract of one type of event, whose refusals speak of nothing but that type."""
    schema = contracts.load(name)
    for form in schema["oneOf"]:
        if form["title"] == kind:
            properties = {**schema["properties"], **form["properties"]}
            required = [*schema["required"], *form.get("required", ())]
            return contracts.Contract({"type": "object", "properties": properties, "required": required})
    return contracts.contract(name)


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

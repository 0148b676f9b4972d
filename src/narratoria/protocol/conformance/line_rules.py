"""What can be wrong with a line, whatever the protocol, in words for its author."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NoReturn

from narratoria import contracts
from narratoria.errors import Problem, ProtocolViolationException
from narratoria.protocol.conformance import rules
from narratoria.protocol.conformance.record import Transcript
from narratoria.protocol.conformance.report import Breach, Rule
from narratoria.protocol.lines import BOM

_MISSING = re.compile(r"^'(\w+)' is missing")
_SHOWN = 60


def untidy(transcript: Transcript) -> Iterator[Breach]:
    """What the runtime overlooks, and another reader may not."""
    text = transcript.stdout
    if text.startswith(BOM):
        yield Breach(rules.NO_BOM, "it begins with EF BB BF", "Write UTF-8 without a signature.", 1)
    parts = text.split(b"\n")
    if returns := [number for number, part in enumerate(parts, 1) if part.endswith(b"\r")]:
        advice = "Open standard output in binary mode, or set its newline to \\n."
        yield Breach(rules.UNIX_NEWLINES, f"{_lines(returns)} in \\r\\n", advice, returns[0])
    blank = [number for number, part in enumerate(parts[:-1], 1) if not part.strip(b" \t\r")]
    if blank:
        yield Breach(
            rules.NO_BLANK_LINES, f"{_are_blank(blank)}", "Print one newline after each event.", blank[0]
        )
    if parts[-1].strip() and not transcript.ending.guardrail:
        advice = "Print a newline after the last event too; a line counts as whole only then."
        yield Breach(rules.LAST_NEWLINE, f"line {len(parts)} has none", advice, len(parts))


def refused(
    line: bytes, violation: ProtocolViolationException, contract: str, envelope: dict[str, Rule]
) -> Iterator[Breach]:
    """Why the runtime refuses a line; `envelope` names the fields that have a rule of their own."""
    number = violation.line
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        happened = f"byte {error.start + 1} of the line, 0x{line[error.start]:02X}, is not UTF-8"
        advice = "Set the encoding of standard output to UTF-8; on some systems it is another by default."
        yield Breach(rules.UTF_8, happened, advice, number)
        return
    if violation.reason.startswith(("is longer", "is nested")):
        advice = "Send several smaller events, or write a file and announce it as an asset."
        yield Breach(rules.LINE_LIMITS, f"the line {violation.reason}", advice, number)
        return
    value = _read(text)
    if not isinstance(value, dict):
        yield _no_object(line, text, number, contract)
    elif violation.reason.startswith("stands in"):
        happened = f'"{violation.field}" stands in it more than once'
        yield Breach(rules.UNIQUE_KEYS, happened, "Keep one; which is meant would be a guess.", number)
    else:
        kind = value.get("type")
        problems = contract_of(contract, kind if isinstance(kind, str) else "").check(text)
        yield from _wrong_fields(problems, violation, kind, envelope)


def _wrong_fields(
    problems: tuple[Problem, ...],
    violation: ProtocolViolationException,
    kind: Any,
    envelope: dict[str, Rule],
) -> Iterator[Breach]:
    subject = f"{kind}: " if isinstance(kind, str) and kind.isidentifier() else ""
    for problem in problems or (Problem(violation.reason, f"/{violation.field}"),):
        missing = _MISSING.match(problem.message)
        name = missing[1] if missing else problem.pointer.lstrip("/").split("/")[0]
        rule = envelope.get(name, rules.EVENT_FIELDS)
        where = f"{problem.pointer.lstrip('/').replace('/', '.')}: " if problem.pointer else ""
        happened, _, remedy = problem.message.partition("; ")
        advice = f"{remedy[:1].upper()}{remedy[1:]}." if remedy and "?" not in remedy else remedy.capitalize()
        yield Breach(
            rule,
            f"{subject}{where}{happened}",
            advice or f"`{name}` is described in the reference of the tool protocol.",
            violation.line,
        )


def _no_object(line: bytes, text: str, number: int, contract: str) -> Breach:
    shown = json.dumps(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…", ensure_ascii=False)
    problem = contracts.check(contract, line)
    reason, _, _ = problem[0].message.partition(";") if problem else ("it is no JSON object", "", "")
    if text.lstrip().startswith("{") and reason.startswith("the document ended"):
        advice = "Begin a new line after each event."
    elif text.lstrip().startswith("{") and reason.startswith("the document ends"):
        advice = "Write the whole object on one line: no pretty-printing, and nothing cut off."
    elif text.lstrip()[:1] in ("{", "["):
        advice = "Let a JSON library write the line, and make it an object."
    else:
        advice = "Put text for people into a log event, or write it to standard error."
    return Breach(rules.JSON_LINES, f"{shown}: {reason}", advice, number)


def _read(text: str) -> Any:
    """The value, or None for what is no JSON."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=str)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


@cache
def contract_of(name: str, kind: str) -> contracts.Contract:
    """The contract of one type of event, whose refusals speak of nothing but that type."""
    schema = contracts.load(name)
    for form in schema["oneOf"]:
        if form["title"] == kind:
            properties = {**schema["properties"], **form["properties"]}
            required = [*schema["required"], *form.get("required", ())]
            return contracts.Contract({"type": "object", "properties": properties, "required": required})
    return contracts.contract(name)


def _lines(numbers: list[int]) -> str:
    return f"line {numbers[0]} ends" if len(numbers) == 1 else f"{len(numbers)} lines end"


def _are_blank(numbers: list[int]) -> str:
    return f"line {numbers[0]} is" if len(numbers) == 1 else f"{len(numbers)} lines are"

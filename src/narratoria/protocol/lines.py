"""Checks a line before a dialect reads it as an event."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from narratoria.errors import ProtocolViolationException
from narratoria.protocol.dialect import Limits

BOM = b"\xef\xbb\xbf"
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
MOST_DIGITS = 300
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (MOST_DIGITS + 1))
_BRACKETS = re.compile(rb"[\[\]{}]")
_HALF_A_PAIR = re.compile(
    rb"\\u[dD](?:[89aAbB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[c-fC-F][0-9a-fA-F]{2}(?<!\\u[dD][89aAbB]..\\u....))"
)
_SHOWN = 60  # bytes of a line that is quoted
_PATH = re.compile(r" - at `(?:key in )?\$\.?(.*)`$")


def split(block: bytes, first_line: int) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines of a block that hold something, without line ends and first-line BOM."""
    for number, line in enumerate(block.split(b"\n"), first_line):
        text = line.removeprefix(BOM) if number == 1 else line
        if text := text.strip(b" \t\r"):
            yield number, text


def check_text(line: bytes, number: int, limits: Limits) -> None:
    """Refuse what no decoder should be asked to read: too long, not UTF-8, too deep."""
    if len(line) > limits.max_line_bytes:
        raise ProtocolViolationException(number, "", f"is longer than {limits.max_line_bytes} bytes")
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise ProtocolViolationException(number, "", f"is not UTF-8 (byte {error.start})") from None
    if line.count(b"{") + line.count(b"[") > limits.max_depth and _depth(line) > limits.max_depth:
        raise ProtocolViolationException(number, "", f"is nested deeper than {limits.max_depth} levels")


def has_long_number(line: bytes) -> bool:
    """Return whether a JSON text holds a number with more digits than a float takes."""
    return bool(_LONG_NUMBER.search(line) and _LONG_NUMBER.search(_STRING.sub(b'""', line)))


def check_event(line: bytes, number: int, event: msgspec.Struct) -> None:
    """Refuse a decoded line with a number that no float holds, or a key that is said twice."""
    if has_long_number(line) and has_long_number(msgspec.json.encode(event)):  # what is ignored may have one
        reason = f"holds a number of more than {MOST_DIGITS} digits; write it as a text"
        raise ProtocolViolationException(number, "", reason)
    check_keys(line, number, event)


def check_keys(line: bytes, number: int, event: msgspec.Struct) -> None:
    """Refuse a line with an object that says the same key twice; which one is meant would be a guess."""
    # what was decoded says each key once: with as many strings as the line, nothing was said twice
    strings = delimiters(line)
    if strings is not None and strings == delimiters(msgspec.json.encode(event)):
        return

    def refuse_twice(pairs: list[tuple[str, Any]]) -> None:
        key, count = Counter(key for key, _ in pairs).most_common(1)[0] if pairs else ("", 0)
        if count > 1:
            raise ProtocolViolationException(number, key, "stands in the object more than once")

    # numbers stay text: their size is the decoder's business, and `int` refuses very long ones
    json.loads(line, object_pairs_hook=refuse_twice, parse_int=str, parse_float=str)


def refusal(error: Exception, number: int, line: bytes) -> ProtocolViolationException:
    """Return a decoder's refusal in our words: line, field, reason."""
    text = str(error)
    if match := _PATH.search(text):
        return ProtocolViolationException(number, match[1] or "event", _in_words(text[: match.start()]))
    if missing := re.search(r"missing required field `(\w+)`", text):
        return ProtocolViolationException(number, missing[1], "is missing")
    if isinstance(error, msgspec.ValidationError):
        return ProtocolViolationException(number, "", _in_words(text))
    if _HALF_A_PAIR.search(line):
        return ProtocolViolationException(number, "", "holds half of a surrogate pair, which is no character")
    shown = line[:_SHOWN].decode(errors="replace") + ("…" if len(line) > _SHOWN else "")
    reason = text.removeprefix("JSON is malformed: ")
    return ProtocolViolationException(number, "", f"is not valid JSON ({reason}): {shown}")


def _in_words(reason: str) -> str:
    """The decoder speaks of types; tool authors think of values."""
    if reason.startswith("Expected `str` of length"):
        return "must not be empty"
    if reason.startswith("Expected `str` matching"):
        return "does not have the form it must have"
    return reason.replace("Invalid enum value", "does not allow")


def delimiters(data: bytes) -> int | None:
    """Count the quotes that delimit strings; None where telling them from escaped ones needs a parser."""
    if b"\\" not in data:
        return data.count(b'"')
    return None if b"\\\\" in data else data.count(b'"') - data.count(b'\\"')


def _depth(line: bytes) -> int:
    deepest = depth = 0
    for bracket in _BRACKETS.findall(_STRING.sub(b"", line)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest

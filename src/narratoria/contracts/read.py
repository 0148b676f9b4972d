"""Reads JSON strictly: the result is a value or one clear fault."""

from __future__ import annotations

import json
import re
from math import isfinite, isinf
from typing import Any, NoReturn

import msgspec

from narratoria.contracts.json_pointer import walk_tokens

MAX_DEPTH = 100
MAX_BITS = 1000  # of a whole number: 301 digits, which a float just holds
# what decoding bytes raises that are no document of the type, no text, or nested without end
UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
BOM = b"\xef\xbb\xbf"
LONG_NUMBER = re.compile(r"[0-9]{300}")  # or a text of digits; numbers are read faster where there is none
SPACE = " \t\r\n"
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonFault(Exception):
    """Is raised with the reason why a text is no JSON document, and its offset."""

    def __init__(self, text: str, offset: int, message: str) -> None:
        self.text, self.offset, self.message = text, offset, message
        super().__init__(message)


class _RejectedJson(Exception):
    """Is raised for valid JSON that is not accepted here."""


def read_json(source: bytes | str) -> tuple[str, Any]:
    """Return the decoded text and its value; raise JsonFault."""
    text = _decode(source)
    if not text.strip(SPACE):
        raise JsonFault(text, 0, "the document is empty; a JSON document is expected")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse,
            parse_float=_finite,
            parse_int=_within_floats if LONG_NUMBER.search(text) else None,
        )
    except json.JSONDecodeError as error:
        raise JsonFault(text, error.pos, _in_plain_words(error, text)) from None
    except (_RejectedJson, RecursionError, ValueError):  # ValueError: more digits than Python reads
        raise _first_fault(text) from None
    if is_deeper(value, MAX_DEPTH) or SURROGATE_ESCAPE.search(text):
        fault = _find_fault(text)
        if fault:
            raise fault
    return text, value


def is_deeper(value: Any, limit: int) -> bool:
    """Return whether containers are nested more than `limit` deep, also in cyclic values."""
    level = [value]
    for _ in range(limit):
        level = _children(level)
        if not level:
            return False
    return any(isinstance(item, dict | list | tuple) for item in level)


def why_not_json(value: Any) -> str:
    """Return why JSON cannot hold a value; empty if it can."""
    if is_deeper(value, MAX_DEPTH):
        return f"nested more than {MAX_DEPTH} deep"
    level = [value]
    while level:
        reason = next(filter(None, map(_not_json, level)), "")
        if reason:
            return reason
        level = _children(level)
    return ""


def _children(level: list[Any]) -> list[Any]:
    # by identity: a value that is shared a thousand times, or that holds itself, is opened once a level
    containers = {id(item): item for item in level if isinstance(item, dict | list | tuple)}
    return [
        child for item in containers.values() for child in (item.values() if isinstance(item, dict) else item)
    ]


def _not_json(item: Any) -> str:
    match item:
        case None | bool() | list() | tuple():
            return ""
        case int():
            return "a number is too large; write it as a string" if _is_too_large(item) else ""
        case str():
            return "" if _is_text(item) else f"{item!r} holds half of a surrogate pair"
        case float():
            return "" if isfinite(item) else f"{item} is not a JSON number"
        case dict():
            odd = next((key for key in item if not isinstance(key, str) or not _is_text(key)), "")
            return f"{odd!r} cannot be a key" if odd != "" else ""
        case _:
            return f"a {type(item).__name__} is not a JSON value"


def _is_text(text: str) -> bool:
    try:
        return text.isascii() or text.encode() is not None
    except UnicodeEncodeError:
        return False


def _decode(source: bytes | str) -> str:
    if isinstance(source, str):
        text = source.removeprefix("\ufeff")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise JsonFault(
                text, error.start, "half of a surrogate pair stands alone; it is no character"
            ) from None
        return text
    source = bytes(source)
    if source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise JsonFault("", 0, "the document is UTF-16; save it as UTF-8")
    source = source.removeprefix(BOM)
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        before = source[: error.start].decode()
        byte = source[error.start]
        raise JsonFault(
            before, len(before), f"byte 0x{byte:02x} is not UTF-8; save the document as UTF-8"
        ) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RejectedJson
    return members


def _refuse(_constant: str) -> NoReturn:
    raise _RejectedJson


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise _RejectedJson
    return number


def _within_floats(digits: str) -> int:
    number = int(digits)
    if _is_too_large(number):
        raise _RejectedJson
    return number


def _is_too_large(number: int) -> bool:
    """Return whether a whole number is beyond all that other programs take for a number."""
    return abs(number).bit_length() > MAX_BITS


def _first_fault(text: str) -> JsonFault:
    return _find_fault(text) or JsonFault(text, 0, "the document cannot be read as JSON")


def _find_fault(text: str) -> JsonFault | None:
    """Return the first part of a well-formed text that is not accepted here."""
    keys: list[set[str]] = []
    for kind, at, token in walk_tokens(text):
        if kind == "end":
            keys.pop()
            continue
        if token[0] == '"':
            message = _fault_of_string(token)
            if not message and kind == "key":
                key = json.loads(token)
                if key in keys[-1]:
                    message = f"the key {token} is already used in this object; keep one of the two"
                keys[-1].add(key)
        elif token in "{[":
            keys.append(set())
            message = f"nested more than {MAX_DEPTH} deep" if len(keys) > MAX_DEPTH else ""
        else:
            message = _fault_of_number(token)
        if message:
            return JsonFault(text, at, message)
    return None


def _fault_of_string(token: str) -> str:
    if SURROGATE_ESCAPE.search(token):
        try:
            json.loads(token).encode()
        except UnicodeEncodeError:
            return "half of a surrogate pair (\\ud800 … \\udfff) stands alone; it is no character"
    return ""


def _fault_of_number(token: str) -> str:
    if token in ("NaN", "Infinity", "-Infinity"):
        return f"{token} is not JSON; use null or a number"
    if token in ("true", "false", "null"):
        return ""
    try:
        number = float(token) if set(token) & set(".eE") else int(token)
    except ValueError:
        return "the number has too many digits; write it as a string"
    is_too_large = isinf(number) if isinstance(number, float) else _is_too_large(number)
    return f"the number {token[:40]} is too large; write it as a string" if is_too_large else ""


def _in_plain_words(error: json.JSONDecodeError, text: str) -> str:
    at, reason = error.pos, error.msg
    if at >= len(text.rstrip(SPACE)):
        return "the document ends too early; something was not closed or is missing"
    character = text[at]
    after_comma = text[:at].rstrip(SPACE)[-1:] == ","
    sentences = (
        (
            character in "]}" and after_comma,
            "a comma before a closing bracket is not allowed; remove the comma",
        ),
        ("trailing comma" in reason, "a comma before a closing bracket is not allowed; remove the comma"),
        ("Unterminated" in reason, "this text is not closed; a double quote is missing"),
        ("control character" in reason, f"{character!r} must be escaped inside a text, such as \\n"),
        (
            "escape" in reason,
            'this escape is unknown; there are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX',
        ),
        (character == "'", "texts stand in double quotes, not in single ones"),
        (character in "/#", "comments are not allowed in JSON; remove it"),
        ("Extra" in reason, f"the document ended before this; found {character!r}"),
        ("':'" in reason, f"a colon is expected between key and value; found {character!r}"),
        ("','" in reason, f"a comma or a closing bracket is expected; found {character!r}"),
        ("property name" in reason, f"a key in double quotes is expected; found {character!r}"),
    )
    return next(
        (words for fits, words in sentences if fits), f"a JSON value is expected; found {character!r}"
    )

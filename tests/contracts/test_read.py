"""Reading JSON: a value, or one clear fault with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.contracts.beats import BEATS

from narratoria.contracts import Contract


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (b"", (1, 1), "empty"),
        (b" \n\t", (1, 1), "empty"),
        (b"\xef\xbb\xbf", (1, 1), "empty"),
        (b'{"a":\n \xff}', (2, 2), "0xff is not UTF-8"),
        (b"\xff\xfe{\x00}\x00", (1, 1), "UTF-16"),
        (b"{", (1, 2), "ends too early"),
        (b'{"title": "x",\n}', (2, 1), "remove the comma"),
        (b"[1,]", (1, 4), "remove the comma"),
        (b"{'title': 1}", (1, 2), "double quotes"),
        (b"{title: 1}", (1, 2), "a key in double quotes"),
        (b'{"title" 1}', (1, 10), "colon"),
        (b'{"title": 1 "b": 2}', (1, 13), "comma"),
        (b'{"title": None}', (1, 11), "a JSON value is expected"),
        (b'{} // "x"', (1, 4), "comments"),
        (b"{} {}", (1, 4), "ended before this"),
        (b'{"title": "x\ny"}', (1, 13), "escaped"),
        (b'{"title": "\\x"}', (1, 12), "escape is unknown"),
        (b'{"title": "x}', (1, 11), "not closed"),
        (b'{"title": NaN}', (1, 11), "NaN is not JSON"),
        (b'{"a": [1, -Infinity]}', (1, 11), "-Infinity is not JSON"),
        (b'{"a": 1e999}', (1, 7), "too large"),
        (b'{"a": 1' + b"0" * 5000 + b"}", (1, 7), "too many digits"),
        (b'{"a": ' + b"9" * 400 + b"}", (1, 7), "too large"),
        (b'{"b": 1, "a": [-' + b"9" * 400 + b"]}", (1, 16), "too large"),
        (b'{"title": "x",\n"title": "y"}', (2, 1), '"title" is already used'),
        (b'{"a": {"b": 1, "\\u0062": 2}}', (1, 16), "already used"),
        (b'{"title": "\\ud800"}', (1, 11), "surrogate"),
        (b'{"\\udc00": 1}', (1, 2), "surrogate"),
        (b"[" * 101 + b"]" * 101, (1, 101), "more than 100 deep"),
        (b'{"a":' * 200_000, (1, 501), "more than 100 deep"),
        (b"[" * 1_000_000, (1, 101), "more than 100 deep"),
        (b"\x00", (1, 1), "a JSON value is expected"),
    ],
)
def test_what_is_not_json_is_one_clear_problem(text: bytes, place: tuple[int, int], words: str) -> None:
    (problem,) = BEATS.check(text, file="x.json")
    assert words in problem.message
    assert (problem.file, problem.line, problem.column) == ("x.json", *place)


def test_half_a_surrogate_pair_in_a_text_is_refused_and_a_whole_one_is_not() -> None:
    assert "surrogate" in BEATS.check('{"title": "\ud800"}')[0].message
    assert BEATS.parse('{"title": "\\ud83d\\ude00"}') == {"title": "😀"}


def test_a_byte_order_mark_is_tolerated_and_moves_no_column() -> None:
    assert BEATS.check(b'\xef\xbb\xbf{"title": "x"}') == ()
    assert BEATS.check('\ufeff{"title": ""}')[0].column == 11


def test_a_document_of_the_allowed_depth_is_read() -> None:
    text = "[" * 100 + "1" + "]" * 100
    assert Contract({}).check(text) == ()
    assert Contract({}).check_value(json.loads(text)) == ()


def endless() -> list[Any]:
    value: list[Any] = []
    value += [value, value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        {1: 2},
        {"": {0: 1}},
        {"title": {1}},
        {"title": "\ud800"},
        {"\ud800": 1},
        float("nan"),
        object(),
        endless(),
    ],
)
def test_a_value_that_json_cannot_hold_is_a_problem_and_no_crash(value: Any) -> None:
    assert len(BEATS.check_value(value)) == 1

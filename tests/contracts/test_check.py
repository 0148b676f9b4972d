"""Checking a document: everything that is wrong is said at once, with its place and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import narratoria.contracts
from narratoria.contracts import Contract, add_locations, check, check_value, load, parse
from narratoria.contracts.check import MAX_PROBLEMS
from narratoria.errors import ContractViolation, Problem

BEATS = Contract(
    {
        "type": "object",
        "required": ["title"],
        "additionalProperties": False,
        "properties": {
            "title": {"type": "string", "minLength": 1, "description": "What players see. And more."},
            "priority": {"enum": ["critical", "high", "medium", "low", "optional"]},
            "weight": {"type": "integer", "minimum": 0, "maximum": 10},
            "ratio": {"type": "number", "exclusiveMinimum": 0},
            "step": {"multipleOf": 5},
            "secret": {"type": "boolean"},
            "note": {"type": ["string", "null"], "maxLength": 5},
            "id": {"type": "string", "pattern": "^[a-z]+$", "x-rule": "made of small letters"},
            "code": {"type": "string", "pattern": "^[A-Z]+$", "examples": ["ABC"]},
            "when": {"type": "string", "format": "date-time"},
            "tags": {"type": "array", "uniqueItems": True, "minItems": 1, "maxItems": 3},
            "kind": {"const": "beat"},
            "never": False,
            "names": {"type": "object", "propertyNames": {"maxLength": 3}},
            "size": {"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["big", "small"]}]},
            "effect": {"oneOf": [{"$ref": "#/$defs/damage"}, {"$ref": "#/$defs/heal"}]},
            "pair": {"dependentRequired": {"from": ["to"]}},
            "free": {"type": "object", "patternProperties": {"^x-": {}}, "additionalProperties": False},
            "tree": {"$ref": "#/$defs/tree"},
        },
        "$defs": {
            "damage": {
                "type": "object",
                "required": ["type", "amount"],
                "properties": {"type": {"const": "damage"}, "amount": {"type": "integer"}},
            },
            "heal": {
                "type": "object",
                "required": ["type", "target"],
                "properties": {"type": {"const": "heal"}, "target": {"type": "string"}},
            },
            "tree": {
                "type": "object",
                "properties": {"left": {"$ref": "#/$defs/tree"}, "n": {"type": "integer"}},
            },
        },
    }
)


@pytest.mark.parametrize(
    ("member", "pointer", "sentence"),
    [
        (
            '"priority": "urgent"',
            "/priority",
            "'urgent' is not a priority (critical, high, medium, low, optional)",
        ),
        (
            '"priority": "hgih"',
            "/priority",
            "'hgih' is not a priority (critical, high, medium, low, optional); did you mean 'high'?",
        ),
        ('"weight": 11', "/weight", "11 is too large; it must be at least 0 and at most 10"),
        ('"weight": -1', "/weight", "-1 is too small; it must be at least 0 and at most 10"),
        ('"weight": "3"', "/weight", "a whole number is expected, not a string ('3'); remove the quotes"),
        ('"weight": 1.5', "/weight", "a whole number is expected, not a number (1.5)"),
        ('"ratio": 0', "/ratio", "0 is too small; it must be more than 0"),
        ('"ratio": null', "/ratio", "a number is expected, not null"),
        ('"step": 3', "/step", "3 is not a multiple of 5"),
        (
            '"secret": "true"',
            "/secret",
            "true or false is expected, not a string ('true'); remove the quotes",
        ),
        ('"note": []', "/note", "a string or null is expected, not an array"),
        ('"note": "too long"', "/note", "too many characters: 8, where at most 5 are allowed"),
        ('"id": "A B"', "/id", "'A B' is not made of small letters"),
        ('"code": "abc"', "/code", "'abc' does not match the pattern ^[A-Z]+$, such as 'ABC'"),
        ('"when": "now"', "/when", "'now' is not a date and time such as 2026-01-31T18:30:00Z"),
        ('"tags": []', "/tags", "this must not be empty"),
        ('"tags": [1, 2, 1]', "/tags/2", "1 is already listed as item 0; remove one of the two"),
        ('"tags": [1, 1.0]', "/tags", "the same item is listed twice"),
        ('"tags": [1, 2, 3, 4]', "/tags", "too many items: 4, where at most 3 are allowed"),
        ('"kind": "bead"', "/kind", "'beat' is expected, not 'bead'"),
        ('"never": 1', "/never", "1 is not allowed here; remove it"),
        (
            '"names": {"long": 1}',
            "/names/long",
            "as a key, too many characters: 4, where at most 3 are allowed",
        ),
        ('"size": []', "/size", "a whole number or a string is expected, not an array"),
        ('"size": {}', "/size", "a whole number or a string is expected, not an object"),
        ('"effect": {"type": "heal"}', "/effect", "'target' is missing; add it"),
        ('"effect": {"type": "hael", "target": "x"}', "/effect/type", "'hael' is not a type (damage, heal)"),
        (
            '"effect": {"type": "damage", "amount": "1"}',
            "/effect/amount",
            "a whole number is expected, not a string ('1'); remove the quotes",
        ),
        ('"pair": {"from": 1}', "/pair", "'to' is missing; 'from' needs it"),
        ('"free": {"x-a": 1, "y-b": 2}', "/free/y-b", "'y-b' is not a known key; remove it"),
        (
            '"tree": {"left": {"left": {"n": "1"}}}',
            "/tree/left/left/n",
            "a whole number is expected, not a string",
        ),
        ('"Priority": "high"', "/Priority", "'Priority' is not a known key; did you mean 'priority'?"),
    ],
)
def test_a_refusal_says_where_what_and_what_next(member: str, pointer: str, sentence: str) -> None:
    problems = BEATS.check('{"title": "x",\n  ' + member + "}", file="plot/beats.json")
    assert len(problems) == 1
    assert problems[0].message.startswith(sentence)
    assert (problems[0].pointer, problems[0].file, problems[0].line) == (pointer, "plot/beats.json", 2)


def test_a_missing_key_is_named_with_its_purpose_at_the_object_that_lacks_it() -> None:
    (problem,) = BEATS.check("{}")
    assert problem == Problem("'title' is missing; add it: What players see", "", "", 1, 1)


def test_an_unknown_key_that_resembles_none_is_answered_with_the_known_ones() -> None:
    (problem,) = Contract({"properties": {"title": {}, "tags": {}}, "additionalProperties": False}).check(
        '{"zzz": 1}'
    )
    assert problem.message == "'zzz' is not a known key; known are tags, title"


def test_all_problems_are_listed_in_the_order_of_the_text() -> None:
    text = '{\n "weight": "x",\n "oops": 1,\n "priority": "x",\n "tags": [\n  1,\n  1\n ]\n}'
    found = [(p.line, p.column, p.pointer) for p in BEATS.check(text)]
    assert found == [(1, 1, ""), (2, 12, "/weight"), (3, 2, "/oops"), (4, 14, "/priority"), (7, 3, "/tags/1")]


def test_columns_count_characters_and_not_bytes() -> None:
    (problem,) = BEATS.check('{"title": "żółć", "weight": "x"}')
    assert problem.column == 29


def test_keys_with_slashes_and_tildes_are_found() -> None:
    schema = {"additionalProperties": {"type": "integer"}}
    (problem,) = Contract(schema).check('{"ok": 1,\n "a/b~c": "x"}')
    assert (problem.pointer, problem.line, problem.column) == ("/a~1b~0c", 2, 11)


def test_a_line_names_its_place_when_it_is_printed() -> None:
    (problem,) = BEATS.check('{"title": "x", "priority": "urgent"}', file="plot/beats.json")
    assert str(problem).startswith("plot/beats.json:1 /priority: 'urgent' is not a priority")


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


def test_parse_gives_the_value_or_raises_every_problem() -> None:
    assert BEATS.parse('{"title": "x"}') == {"title": "x"}
    with pytest.raises(ContractViolation) as caught:
        BEATS.parse('{"weight": "x", "oops": 1}', file="b.json")
    assert len(caught.value.problems) == 3


def test_a_value_that_is_already_read_is_checked_without_lines() -> None:
    assert BEATS.check_value({"title": "x"}) == ()
    assert BEATS.check_value({"title": 1}) == (Problem("a string is expected, not a number (1)", "/title"),)


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


@pytest.mark.parametrize(
    "text",
    [
        "[" + ",".join('"x"' for _ in range(200_000)) + "]",
        "[" + ",".join("{}" for _ in range(200_000)) + "]",
        "[" + json.dumps({str(n): n for n in range(200_000)}) + "]",
    ],
)
def test_a_flood_of_problems_is_cut_short_and_says_so(text: str) -> None:
    item = {"type": "object", "required": ["a"], "properties": {"a": {}}, "additionalProperties": False}
    problems = Contract({"items": item}).check(text)
    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1].message.startswith("… and about ")


def test_ten_megabytes_with_one_mistake_at_the_end_are_answered_with_its_place() -> None:
    text = '{"title": "' + "x" * 5_000_000 + '",\n "tree": {"n": ' + " " * 5_000_000 + '"x"}}'
    (problem,) = BEATS.check(text)
    assert (problem.pointer, problem.line, problem.column) == ("/tree/n", 2, 5_000_016)


def test_problems_found_later_get_their_places_from_the_text() -> None:
    text = '{"tools": [\n  {"toolId": "a"},\n  {"toolId": "a"}]}'
    found = add_locations([Problem("twice", "/tools/1/toolId"), Problem("all of it")], text, file="p.json")
    assert found == (
        Problem("twice", "/tools/1/toolId", "p.json", 3, 14),
        Problem("all of it", "", "p.json", 1, 1),
    )


# the contracts of the package

PACKAGE = Path(narratoria.contracts.__file__).parent
NAMES = sorted(path.name.removesuffix(".schema.json") for path in PACKAGE.glob("*.schema.json"))


@pytest.mark.parametrize("name", NAMES)
def test_every_contract_of_the_package_compiles_and_refuses_a_number(name: str) -> None:
    assert load(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert load(name)["$id"] == f"urn:narratoria:contract:{name}"
    assert check_value(name, 7)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.binary(max_size=200) | st.text(max_size=200))
def test_no_bytes_make_a_check_crash(name: str, text: bytes | str) -> None:
    assert all(isinstance(problem, Problem) for problem in check(name, text))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["toolId", "toolPath", "tools", "type", "requestId", "input", "a/b", "~", ""]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("name", NAMES)
@given(value=json_values, indent=st.sampled_from([None, 1]))
def test_every_problem_of_a_readable_document_points_at_something_in_it(
    name: str, value: Any, indent: int | None
) -> None:
    text = json.dumps(value, indent=indent)
    problems = check(name, text)
    assert [p.message for p in problems if p.pointer == "" and p.line != 1] == []
    for problem in problems:
        at = value
        for part in problem.pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            at = at[int(key)] if isinstance(at, list) else at[key]
        assert problem.line >= 1
        assert problem.column >= 1
    assert {(p.message, p.pointer) for p in problems} == {
        (p.message, p.pointer) for p in check_value(name, value)
    }


@pytest.mark.parametrize("mutate", [lambda b, n: b[:n], lambda b, n: b[:n] + b"\x00" + b[n:]])
@given(data=st.data())
def test_a_damaged_plan_is_a_list_of_problems(mutate: Any, data: st.DataObject) -> None:
    plan = (PACKAGE / "example-plan.json").read_bytes().rstrip()
    at = data.draw(st.integers(0, len(plan) - 1))
    with pytest.raises(ContractViolation):
        parse("plan-json", mutate(plan, at))

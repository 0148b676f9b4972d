"""Checking a document: everything that is wrong is said at once, with its place and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.beats import BEATS

import narratoria.contracts
from narratoria.contracts import Contract, add_locations, check, check_value, load, parse
from narratoria.contracts.check import MAX_PROBLEMS
from narratoria.errors import ContractViolation, Problem


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


def test_parse_gives_the_value_or_raises_every_problem() -> None:
    assert BEATS.parse('{"title": "x"}') == {"title": "x"}
    with pytest.raises(ContractViolation) as caught:
        BEATS.parse('{"weight": "x", "oops": 1}', file="b.json")
    assert len(caught.value.problems) == 3


def test_a_value_that_is_already_read_is_checked_without_lines() -> None:
    assert BEATS.check_value({"title": "x"}) == ()
    assert BEATS.check_value({"title": 1}) == (Problem("a string is expected, not a number (1)", "/title"),)


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

"""Errors of a union: those of the branch that was meant, and the alternatives where none was."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.contracts import Contract
from narratoria.contracts.check import SchemaErrorExplainer, value_at

SHAPE = {
    "oneOf": [
        {
            "type": "object",
            "required": ["kind", "radius"],
            "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
        },
        {
            "type": "object",
            "required": ["kind", "sides"],
            "properties": {
                "kind": {"enum": ["square", "triangle"]},
                "sides": {"type": "array", "items": {"anyOf": [{"type": "number"}, {"const": "?"}]}},
            },
        },
        {"type": "string", "minLength": 3},
    ]
}


def problems(schema: dict[str, Any], value: Any) -> list[tuple[str, str]]:
    return [(problem.pointer, problem.message) for problem in Contract(schema).check_value(value)]


@pytest.mark.parametrize(
    ("value", "pointer", "words"),
    [
        ({"kind": "circle"}, "", "'radius' is missing"),
        ({"kind": "circle", "radius": "2"}, "/radius", "a number is expected"),
        ({"kind": "hexagon"}, "/kind", "'hexagon' is not a kind (circle, square, triangle)"),
        ("ab", "", "too few characters"),
        (7, "", "an object or a string is expected, not a number (7)"),
        (None, "", "an object or a string is expected, not null"),
    ],
)
def test_a_value_is_told_what_is_wrong_with_what_it_was_meant_to_be(
    value: Any, pointer: str, words: str
) -> None:
    ((where, message),) = problems(SHAPE, value)
    assert where == pointer
    assert message.startswith(words)


def test_every_fault_of_the_branch_that_was_meant_is_told() -> None:
    found = problems(SHAPE, {"kind": "square", "sides": [1, "x", []]})
    assert [pointer for pointer, _ in found] == ["/sides/1", "/sides/2"]


def test_where_no_branch_was_meant_the_allowed_forms_are_listed() -> None:
    schema = {"anyOf": [{"type": "integer", "minimum": 10}, {"type": "integer", "maximum": -10}]}
    ((pointer, message),) = problems(schema, 3)
    assert pointer == ""
    assert "3 fits none of the allowed forms" in message
    assert "; or " in message


def test_a_union_in_a_list_is_told_for_each_item() -> None:
    schema = {"items": SHAPE}
    found = problems(schema, [7, {"kind": "circle", "radius": 1}, {"kind": "circle"}])
    assert [pointer for pointer, _ in found] == ["/0", "/2"]


def test_errors_of_one_union_are_one_group() -> None:
    explainer = SchemaErrorExplainer(
        {"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
    )
    errors = [
        {
            "schemaLocation": f"/properties/a/anyOf/{number}/type",
            "instanceLocation": "/a",
            "error": "wrong type",
        }
        for number in (0, 1)
    ]
    (group,) = explainer.groups(errors)
    (problem,) = explainer.explain({"a": "x"}, group)
    assert (problem.pointer, problem.message) == (
        "/a",
        "a whole number or null is expected, not a string ('x')",
    )


def test_a_value_is_found_by_its_pointer() -> None:
    document = {"a/b": [{"~": 1}]}
    assert value_at(document, "/a~1b/0/~0") == 1
    assert value_at(document, "") is document

"""Schemas of strangers: usual ones are taken, and those that would never end are refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.contracts.foreign_schema import UnusableSchema, check_size, without_ids

NAME = {"type": "string"}


def doubled(keyword: str, times: int) -> dict[str, Any]:
    """Return definitions of which each refers twice to the next."""
    parts: dict[str, Any] = {f"d{at}": {keyword: [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(times)}
    return {
        "type": "object",
        "$defs": {**parts, f"d{times}": NAME},
        "properties": {"x": {"$ref": "#/$defs/d0"}},
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"name": NAME}},
        {"type": "object", "$defs": {"n": NAME}, "properties": {"a": {"$ref": "#/$defs/n"}}},
        {"allOf": [NAME, {"$ref": "#/allOf/0"}]},
        {"type": "object", "$defs": {"a/b~c": NAME}, "properties": {"a": {"$ref": "#/$defs/a~1b~0c"}}},
        doubled("anyOf", 5),
    ],
)
def test_a_schema_that_somebody_would_write_is_taken(schema: dict[str, Any]) -> None:
    check_size(schema)


def deep() -> dict[str, Any]:
    schema: dict[str, Any] = NAME
    for _ in range(5000):
        schema = {"allOf": [schema]}
    return schema


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (doubled("allOf", 40), "more than"),
        (doubled("anyOf", 40), "more than"),
        ({"$defs": doubled("oneOf", 30)["$defs"]}, "more than"),
        ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, "back to itself"),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}}, "back to itself"),
        ({"properties": {"tree": {"$dynamicRef": "#node"}}}, "not supported"),
        ({"properties": {"a": {"$ref": "#name"}}}, "elsewhere"),
        ({"properties": {"a": {"$ref": "urn:narratoria:contract:plan-json"}}}, "elsewhere"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "elsewhere"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "nowhere"),
        ({"allOf": [NAME], "$ref": "#/allOf/" + "9" * 5000}, "nowhere"),
        (deep(), "too deeply"),
    ],
)
def test_one_that_would_never_end_or_leads_elsewhere_is_refused(schema: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnusableSchema, match=reason):
        check_size(schema)


def test_ids_are_left_out_and_properties_of_that_name_are_not() -> None:
    schema = {"$id": "https://example.org/x", "properties": {"$id": {"$id": "y", "type": "string"}}}
    assert without_ids(schema) == {"properties": {"$id": {"type": "string"}}}

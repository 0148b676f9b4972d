"""What a server lists is read into schemas that the planner can fill, whatever the server says."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.planner.typed_input import InputSources, fill_typed_input
from narratoria.skills.mcp.listed_tools import inline_references, read_listed_tools

NESTED = {
    "$defs": {"Hour": {"enum": ["dusk", "dawn"], "title": "Hour", "type": "string"}},
    "title": "Arguments",
    "type": "object",
    "properties": {
        "hour": {"$ref": "#/$defs/Hour", "default": "dusk"},
        "title": {"type": "string", "default": "Sky"},
    },
}


def test_a_reference_is_replaced_by_what_it_refers_to() -> None:
    assert inline_references(NESTED) == {
        "type": "object",
        "properties": {
            "hour": {"enum": ["dusk", "dawn"], "type": "string", "default": "dusk"},
            "title": {"type": "string", "default": "Sky"},
        },
    }


def test_the_planner_fills_what_was_a_reference() -> None:
    (tool,) = read_listed_tools([{"name": "look", "description": "Looks.", "input": NESTED}])
    filled = fill_typed_input(tool["input"], InputSources("I get up at dawn", {}))
    assert filled.values == {"hour": "dawn", "title": "Sky"}
    assert filled.problems == ()


def test_a_schema_that_leads_back_to_itself_ends() -> None:
    circle = {
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
        "type": "object",
        "properties": {"node": {"$ref": "#/$defs/Node"}},
    }
    (tool,) = read_listed_tools([{"name": "walk", "input": circle}])
    assert "$ref" not in str(tool)


@pytest.mark.parametrize(
    "listed",
    [None, {}, "tools", [1, None, []], [{"name": ""}], [{"name": 3}], [{"name": "x" * 129}]],
)
def test_what_is_no_list_of_tools_is_an_empty_one(listed: Any) -> None:
    assert read_listed_tools(listed) == []


@pytest.mark.parametrize("schema", [None, [], "object", {"type": "array"}, {"type": "object", "required": 3}])
def test_a_tool_with_an_unusable_schema_takes_any_object(schema: Any) -> None:
    (tool,) = read_listed_tools([{"name": "ask", "input": schema}])
    assert tool["input"] == {"type": "object"}


def test_a_name_counts_once_and_a_long_description_is_cut() -> None:
    listed = [{"name": "ask", "description": "word " * 2000}, {"name": "ask", "description": "again"}]
    (tool,) = read_listed_tools(listed)
    assert len(tool["description"]) == 1024

"""A typed function is called with the input's values, and its types are the schema of the input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import pytest
from tests.sdk.conftest import Tell

from narratoria import sdk
from narratoria.sdk.typed_function import find_problem, input_schema

DRAW = "def main(place: str, times: int = 1):\n    return {'said': f'{place} {times}'}\n"


def test_the_types_of_a_function_are_the_schema_of_its_input():
    def main(
        request: sdk.Request,
        place: Annotated[str, "/place/name"],
        mood: Literal["hopeful", "grim"] = "hopeful",
        names: list[str] | None = None,
        how_many: Annotated[int, "How many omens", {"minimum": 1}] = 1,
    ) -> dict[str, str]:
        """Draw omens
        for a place.

        And more."""
        return {}

    assert input_schema(main) == {
        "type": "object",
        "description": "Draw omens for a place.",
        "properties": {
            "place": {"type": "string", "x-from": "/place/name"},
            "mood": {"enum": ["hopeful", "grim"], "default": "hopeful"},
            "names": {"type": "array", "items": {"type": "string"}},
            "how_many": {"type": "integer", "description": "How many omens", "minimum": 1, "default": 1},
        },
        "required": ["place"],
    }


def test_a_typed_function_gets_the_values_by_name_and_its_defaults(tell: Tell):
    said = tell(DRAW, {"input": {"place": "the mill", "unknown": 1}})
    assert said.last["output"] == {"said": "the mill 1"}


def test_a_typed_function_may_take_the_request_as_well(tell: Tell):
    code = "def main(request: sdk.Request, place: str):\n    return {'seed': request.seed, 'place': place}\n"
    said = tell(code, {"input": {"place": "here"}, "context": {"seed": 4}})
    assert said.last["output"] == {"seed": 4, "place": "here"}


def test_a_function_with_one_parameter_of_any_name_gets_the_request(tell: Tell):
    assert tell("def main(r):\n    return dict(r.input)\n", {"input": {"a": 1}}).last["output"] == {"a": 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "place: is missing"),
        ({"place": 3}, "place: a text is expected"),
        ({"place": "x", "times": True}, "times: a whole number is expected"),
    ],
)
def test_an_input_that_does_not_fit_is_a_clean_failure(tell: Tell, given, message):
    said = tell(DRAW, {"input": given})
    assert (said.events[0]["errorCode"], said.events[0]["errorMessage"]) == ("INVALID_INPUT", message)
    assert said.last["ok"] is False


@pytest.mark.parametrize(
    ("value", "schema", "problem"),
    [
        ("x", {"enum": ["a", "b"]}, "one of a, b is expected"),
        (
            [1, "x"],
            {"type": "array", "items": {"type": "integer"}},
            "in the list, a whole number is expected",
        ),
        (1, {"type": "number"}, ""),
        (object(), {}, ""),
    ],
)
def test_what_is_wrong_with_a_value_is_said_in_words(value, schema, problem):
    assert find_problem(value, schema) == problem


def test_a_script_prints_its_schema_and_does_nothing_else(tmp_path: Path):
    script = tmp_path / "draw.py"
    script.write_text(f"from narratoria import sdk\n{DRAW}sdk.run(main)\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), "--input-schema"],
        capture_output=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    assert json.loads(done.stdout)["required"] == ["place"]

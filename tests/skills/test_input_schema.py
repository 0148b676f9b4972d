"""A script's declared input is a JSON Schema of an object, and an input is held against it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from narratoria.errors import ContractViolation
from narratoria.skills.input_schema import check_input, find_schema_problem
from narratoria.skills.manifest import read_manifest

PLACE = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}


def test_an_input_that_fits_has_no_problems():
    assert check_input(PLACE, {"place": "the mill"}) == ()


@pytest.mark.parametrize(
    ("value", "pointer", "words"),
    [({"place": 3}, "/place", "a string is expected"), ({}, "", "'place' is missing")],
)
def test_what_does_not_fit_is_named(value, pointer, words):
    (problem,) = check_input(PLACE, value)
    assert problem.pointer == pointer
    assert words in problem.message


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "string"}, "/type"),
        ({"properties": {"place": {"type": "strin"}}}, "/properties/place/type"),
        ({"properties": {"place": {"x-from": "place"}}}, "/properties/place/x-from"),
        ({"properties": {"place": {}}, "required": ["plase"]}, "/required"),
        ({"$ref": "urn:nobody:knows"}, ""),
    ],
)
def test_a_schema_that_will_not_do_says_where(schema, where):
    pointer, reason = find_schema_problem(schema)
    assert pointer == where
    assert reason


def test_a_manifest_with_a_broken_input_is_refused_with_its_line(tmp_path: Path):
    (tmp_path / "draw.py").write_text("", encoding="utf-8")
    script = {"name": "draw", "path": "draw.py", "input": {"properties": {"n": {"type": "whole"}}}}
    manifest = {"name": "omens", "version": "1.0.0", "description": "Omens.", "scripts": [script]}
    (tmp_path / "skill.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    with pytest.raises(ContractViolation) as refused:
        read_manifest(tmp_path)
    (problem,) = refused.value.problems
    assert problem.pointer == "/scripts/0/input/properties/n/type"
    assert problem.line > 1


def test_a_manifest_keeps_the_schema_of_each_script(tmp_path: Path):
    (tmp_path / "draw.py").write_text("", encoding="utf-8")
    scripts = [{"name": "draw", "path": "draw.py", "input": PLACE}]
    manifest = {"name": "omens", "version": "1.0.0", "description": "Omens.", "scripts": scripts}
    (tmp_path / "skill.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert read_manifest(tmp_path).scripts[0].input_schema == PLACE

"""The schema of a skill's settings: the fields of a form, or every mistake with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.skills.test_config import MISTAKES, STORYTELLER, only, skill_with

from narratoria.errors import ContractViolation
from narratoria.skills.config import read_config
from narratoria.skills.config_schema import read_schema
from narratoria.skills.skill import Skill


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def teller(tmp_path: Path) -> Skill:
    return skill_with(tmp_path / "teller")


def test_a_schema_becomes_the_fields_of_a_form(teller: Skill) -> None:
    schema = read_schema(teller.folder)
    fields = {field.key: field for field in schema.fields}
    assert [field.widget for field in schema.fields] == [
        "dropdown", "password", "number", "number", "toggle", "list", "textarea", "group",
    ]  # fmt: skip
    key = fields["apiKey"]
    assert (key.title, key.sensitive, key.env_var, key.category) == (
        "API key",
        True,
        "STORY_API_KEY",
        "Hosted",
    )
    assert (fields["words"].minimum, fields["words"].maximum, fields["words"].default) == (10, 500, 120)
    assert fields["provider"].enum == ("ollama", "claude")
    assert fields["greeting"].multiline
    assert schema.field("scale.pin") in fields["scale"].fields
    assert fields["scale"].fields[2].sensitive
    assert [*schema.categories] == ["", "Hosted"]


def test_a_skill_without_a_schema_has_nothing_to_set(tmp_path: Path, home: Path) -> None:
    skill = skill_with(tmp_path / "plain", None)
    effective = read_config(skill, home).effective({})
    assert (dict(effective.values), effective.problems, effective.warnings) == ({}, (), ())


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_schema_is_told_with_its_line_and_what_to_do(mistake: str, tmp_path: Path) -> None:
    skill = skill_with(tmp_path / "s", f'{{\n"type": "object",\n"properties": {{\n"a": {{{mistake}}}\n}}\n}}')
    with pytest.raises(ContractViolation) as caught:
        read_schema(skill.folder)
    line, pointer, words = MISTAKES[mistake]
    found = only(caught.value.problems)
    assert (found.line, found.pointer, found.file) == (
        line,
        pointer,
        str(skill.folder / "config-schema.json"),
    )
    assert words in found.message


@pytest.mark.parametrize(
    "rule", ['"if": {"$ref": "file:///etc/passwd"}', '"not": {"type": "nope"}', '"allOf": [{"pattern": "("}]']
)
def test_a_rule_that_is_no_schema_or_reaches_elsewhere_is_refused(rule: str, tmp_path: Path) -> None:
    skill = skill_with(tmp_path / "s", f'{{"type": "object", "properties": {{}}, {rule}}}')
    with pytest.raises(ContractViolation) as caught:
        read_schema(skill.folder)
    assert only(caught.value.problems).line == 1


def test_every_problem_of_a_schema_is_told_at_once(tmp_path: Path) -> None:
    properties = {"a": {"type": "nope"}, "b": {"type": "string", "minLength": -1}}
    with pytest.raises(ContractViolation) as caught:
        read_schema(skill_with(tmp_path / "s", {"type": "object", "properties": properties}).folder)
    assert {p.pointer for p in caught.value.problems} == {"/properties/a/type", "/properties/b/minLength"}


def test_a_schema_that_leads_out_of_the_skill_is_not_read(tmp_path: Path) -> None:
    skill = skill_with(tmp_path / "s", None)
    (tmp_path / "elsewhere.json").write_text(json.dumps(STORYTELLER))
    (skill.folder / "config-schema.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(ContractViolation, match="leads out"):
        read_schema(skill.folder)

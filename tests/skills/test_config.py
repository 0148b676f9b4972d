from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narratoria import paths
from narratoria.errors import ContractViolation, Problem
from narratoria.skills.config import SkillConfig, change_config, config_file, read_config
from narratoria.skills.config_values import mask
from narratoria.skills.decisions import change_decisions
from narratoria.skills.redact import MASK
from narratoria.skills.skill import Skill

SECRET = "sk-test-51Hx9Q2eVf7"

STORYTELLER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "provider": {
            "type": "string",
            "enum": ["ollama", "claude"],
            "default": "ollama",
            "title": "Provider",
        },
        "apiKey": {
            "type": "string",
            "title": "API key",
            "description": "The key for hosted providers.",
            "minLength": 8,
            "x-sensitive": True,
            "x-env-var": "STORY_API_KEY",
            "x-category": "Hosted",
        },
        "words": {
            "type": "integer",
            "minimum": 10,
            "maximum": 500,
            "default": 120,
            "x-env-var": "STORY_WORDS",
        },
        "warmth": {"type": "number", "default": 0.5},
        "streaming": {"type": "boolean", "default": True},
        "banned": {"type": "array", "items": {"type": "string"}, "default": []},
        "greeting": {"type": "string", "format": "textarea"},
        "scale": {
            "type": "object",
            "properties": {
                "min": {"type": "integer", "default": -100},
                "max": {"type": "integer", "default": 100},
                "pin": {"type": "string", "format": "password"},
            },
        },
    },
}

AGREED = ["env:STORY_API_KEY", "env:STORY_WORDS"]


def skill_with(folder: Path, schema: dict[str, Any] | str | None = STORYTELLER) -> Skill:
    folder.mkdir(parents=True, exist_ok=True)
    if schema is not None:
        text = schema if isinstance(schema, str) else json.dumps(schema, indent=2)
        (folder / "config-schema.json").write_text(text, encoding="utf-8")
    return Skill(name="teller", version="1.0.0", description="Tells.", folder=folder)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def teller(tmp_path: Path) -> Skill:
    return skill_with(tmp_path / "teller")


@pytest.fixture
def written(teller: Skill, home: Path) -> Callable[[Any], SkillConfig]:
    """The settings after their file was written by hand."""

    def write(document: Any) -> SkillConfig:
        file = config_file(home, "teller")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(document if isinstance(document, str) else json.dumps(document, indent=1), "utf-8")
        change_decisions(home, lambda settings: settings.with_granted("teller", AGREED))
        return read_config(teller, home)

    return write


def only(problems: tuple[Problem, ...]) -> Problem:
    assert len(problems) == 1, problems
    return problems[0]


# the schema


MISTAKES = {
    '"type": "strin"': (4, "/properties/a/type", "did you mean 'string'"),
    '"type": "string", "format": "pasword"': (4, "/properties/a/format", "did you mean 'password'"),
    '"type": "string", "x-sensitve": true': (4, "/properties/a/x-sensitve", "did you mean 'x-sensitive'"),
    '"type": "string", "x-env-var": "A B"': (4, "/properties/a/x-env-var", "environment variable"),
    '"type": "string", "pattern": "("': (4, "/properties/a/pattern", "regular expression"),
    '"type": "integer", "default": "7"': (4, "/properties/a/default", "remove the quotes"),
    '"type": "integer", "maximum": 5, "default": 7': (4, "/properties/a/default", "too large"),
    '"type": "integer", "minimum": 9, "maximum": 5': (4, "/properties/a/minimum", "no value would do"),
    '"type": "array"': (4, "/properties/a", "'items' is missing"),
    '"type": "object", "properties": {}, "required": ["b"]': (4, "/properties/a/required/0", "not among"),
}


# what a script is given


def test_what_is_not_set_comes_from_the_environment_and_then_from_the_default(
    written: Callable[[Any], SkillConfig],
) -> None:
    config = written({"provider": "claude", "scale": {"min": -5}})
    effective = config.effective({"STORY_WORDS": "80", "STORY_API_KEY": SECRET})
    assert dict(effective.values) == {
        "provider": "claude",
        "apiKey": SECRET,
        "words": 80,
        "warmth": 0.5,
        "streaming": True,
        "banned": [],
        "scale": {"min": -5, "max": 100},
    }
    assert (effective.sources["provider"], effective.sources["words"], effective.sources["warmth"]) == (
        "config", "environment", "default",
    )  # fmt: skip
    assert effective.problems == effective.warnings == ()


def test_what_is_set_goes_before_the_environment(written: Callable[[Any], SkillConfig]) -> None:
    assert written({"words": 30}).effective({"STORY_WORDS": "80"}).values["words"] == 30


def test_an_empty_variable_is_no_source(written: Callable[[Any], SkillConfig]) -> None:
    assert written({}).effective({"STORY_WORDS": ""}).values["words"] == 120


def test_a_variable_that_nobody_agreed_to_is_not_read_and_it_is_said_why(teller: Skill, home: Path) -> None:
    effective = read_config(teller, home).effective({"STORY_WORDS": "80"})
    assert (effective.values["words"], effective.sources["words"]) == (120, "default")
    told = only(effective.warnings)
    assert (told.pointer, "80" in told.message) == ("/words", False)
    assert "`narratoria skills grant teller env:STORY_WORDS`" in told.message


def test_a_variable_in_a_group_needs_consent_as_well(tmp_path: Path, home: Path) -> None:
    inner = {"type": "object", "properties": {"key": {"type": "string", "x-env-var": "GITHUB_TOKEN"}}}
    skill = skill_with(tmp_path / "s", {"type": "object", "properties": {"hub": inner}})
    effective = read_config(skill, home).effective({"GITHUB_TOKEN": SECRET})
    assert dict(effective.values) == {}
    assert "env:GITHUB_TOKEN" in only(effective.warnings).message


def test_a_variable_that_the_user_wrote_into_the_file_needs_no_further_consent(
    written: Callable[[Any], SkillConfig], teller: Skill, home: Path
) -> None:
    written({"words": "${STORY_WORDS}"})
    change_decisions(home, lambda settings: settings.without("teller"))
    assert read_config(teller, home).effective({"STORY_WORDS": "80"}).values["words"] == 80


def test_a_skill_that_came_with_the_package_is_given_the_variables_it_names(
    teller: Skill, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "BUNDLED_SKILLS", teller.folder.parent)
    assert read_config(teller, home).effective({"STORY_WORDS": "80"}).values["words"] == 80


def test_variables_are_replaced_anywhere_in_a_text_and_can_be_escaped(
    written: Callable[[Any], SkillConfig],
) -> None:
    env = {"WHO": "Ada", "WHERE": "the ${WHO} inn"}
    config = written(
        {"greeting": "Hail ${WHO} of ${WHERE}, not $${WHO} nor $WHO ${ } ${", "banned": ["${WHO}!"]}
    )
    values = config.effective(env).values
    assert values["greeting"] == "Hail Ada of the ${WHO} inn, not ${WHO} nor $WHO ${ } ${"
    assert values["banned"] == ["Ada!"]


def test_a_variable_becomes_what_its_setting_is(written: Callable[[Any], SkillConfig]) -> None:
    env = {"N": "42", "F": "0.25", "OFF": "no", "LIST": "a, b", "SCALE": '{"min": 1}'}
    names = {"words": "N", "warmth": "F", "streaming": "OFF", "banned": "LIST", "scale": "SCALE"}
    config = written({key: f"${{{name}}}" for key, name in names.items()})
    effective = config.effective(env)
    assert effective.problems == ()
    assert {key: effective.values[key] for key in names} == {
        "words": 42,
        "warmth": 0.25,
        "streaming": False,
        "banned": ["a", "b"],
        "scale": {"min": 1, "max": 100},
    }


def test_a_default_of_the_skill_may_not_read_the_environment(tmp_path: Path, home: Path) -> None:
    properties = {"a": {"type": "string", "default": "${HOME}"}}
    skill = skill_with(tmp_path / "s", {"type": "object", "properties": properties})
    assert read_config(skill, home).effective({"HOME": "/root"}).values == {"a": "${HOME}"}


def test_a_variable_that_is_not_set_is_told_and_the_setting_counts_as_not_given(
    written: Callable[[Any], SkillConfig],
) -> None:
    config = written({"provider": "claude", "words": "${NOT_SET}"})
    effective = config.effective({})
    assert (effective.values["words"], effective.problems) == (120, ())
    warning = only(effective.warnings)
    assert (warning.file, warning.line, warning.pointer) == (str(config.file), 3, "/words")
    assert "${NOT_SET}" in warning.message
    assert "export it" in warning.message


def test_a_needed_setting_without_a_value_is_a_problem_that_says_how_to_set_it(
    tmp_path: Path, home: Path
) -> None:
    skill = skill_with(tmp_path / "s", {**STORYTELLER, "required": ["apiKey"]})
    change_config(skill, home, {"apiKey": "${NOT_SET}"}, env={}, in_terminal=True)  # it may be set later
    problems = read_config(skill, home).effective({}).problems
    assert {p.pointer for p in problems} == {"/apiKey"}
    told = "\n".join(p.message for p in problems)
    assert "narratoria skills config set teller --ask apiKey" in told
    assert "STORY_API_KEY" in told
    assert "${NOT_SET}" in told


def test_wrong_values_are_told_with_file_line_pointer_and_advice(
    written: Callable[[Any], SkillConfig],
) -> None:
    config = written({"provider": "cluade", "words": 5, "scale": {"min": "low"}})
    told = {(p.line, p.pointer): p.message for p in config.effective({}).problems}
    assert set(told) == {(2, "/provider"), (3, "/words"), (5, "/scale/min")}
    assert "did you mean 'claude'" in told[2, "/provider"]
    assert "at least 10" in told[3, "/words"]


def test_a_file_that_is_no_json_is_told_with_its_line(written: Callable[[Any], SkillConfig]) -> None:
    with pytest.raises(ContractViolation) as caught:
        written('{\n "words": 30,\n}')
    assert only(caught.value.problems).line == 3


def test_an_unknown_key_is_told_kept_and_passed_to_no_script(
    teller: Skill, home: Path, written: Callable[[Any], SkillConfig]
) -> None:
    config = written({"provder": "claude", "old": {"deep": [1]}})
    effective = config.effective({})
    assert not {"provder", "old"} & set(effective.values)
    assert [w.pointer for w in effective.warnings] == ["/provder", "/old"]
    assert "did you mean 'provider'" in effective.warnings[0].message
    change_config(teller, home, {"words": 30})
    kept = json.loads(config.file.read_text())
    assert kept == {"provder": "claude", "old": {"deep": [1]}, "words": 30}


def test_rules_between_settings_hold(tmp_path: Path, home: Path) -> None:
    hosted = {"if": {"properties": {"provider": {"const": "claude"}}}, "then": {"required": ["apiKey"]}}
    skill = skill_with(tmp_path / "s", {**STORYTELLER, **hosted})
    change_config(skill, home, {"provider": "ollama"}, env={})
    with pytest.raises(ContractViolation, match="'apiKey' is missing"):
        change_config(skill, home, {"provider": "claude"}, env={})
    change_config(skill, home, {"provider": "claude", "apiKey": SECRET}, env={})


# secrets


@pytest.mark.parametrize(
    "stored",
    [
        {"apiKey": "hush"},
        {"apiKey": ["hush-hush"]},
        {"scale": {"pin": 771177}},
        {"scale": "hush-hush"},
        {"apiKey": {"hush": "hush-hush"}},
    ],
)
def test_no_problem_quotes_a_secret(stored: dict[str, Any], written: Callable[[Any], SkillConfig]) -> None:
    config = written(stored)
    effective = config.effective({})
    assert effective.problems
    for text in (str(effective.problems), repr(config), repr(effective), json.dumps(config.masked)):
        assert "hush-hush" not in text
        assert "'hush'" not in text.replace("'hush': ", "")
        assert "771177" not in text


def test_values_are_shown_without_secrets_and_with_the_names_of_variables(
    written: Callable[[Any], SkillConfig],
) -> None:
    config = written(
        {"apiKey": SECRET, "scale": {"pin": "1234", "min": 3}, "greeting": "Hi ${WHO}", "old": SECRET}
    )
    shown = config.shown(config.effective({"WHO": "Ada"}))
    assert shown["apiKey"] == shown["scale"]["pin"] == shown["old"] == MASK
    assert (shown["greeting"], shown["scale"]["min"], shown["scale"]["max"]) == ("Hi ${WHO}", 3, 100)
    assert mask({"apiKey": "${STORY_API_KEY}"}, config.schema) == {"apiKey": "${STORY_API_KEY}"}
    assert mask({"apiKey": "x${STORY_API_KEY}"}, config.schema) == {"apiKey": MASK}
    assert mask({"apiKey": ""}, config.schema) == {"apiKey": ""}


def test_a_form_may_give_a_mask_back_and_the_secret_stays(teller: Skill, home: Path) -> None:
    change_config(teller, home, {"apiKey": SECRET, "scale": {"pin": "1234", "min": 1}}, env={})
    change_config(teller, home, {"apiKey": MASK, "scale": {"pin": MASK, "min": 2}}, env={})
    values = read_config(teller, home).values
    assert values == {"apiKey": SECRET, "scale": {"pin": "1234", "min": 2}}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_a_file_with_a_secret_is_its_owners_alone_and_stays_so(teller: Skill, home: Path) -> None:
    file = config_file(home, "teller")
    umask = os.umask(0o022)
    try:
        change_config(teller, home, {"words": 30})
        assert stat.S_IMODE(file.stat().st_mode) == 0o644
        change_config(teller, home, {"apiKey": SECRET})
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        change_config(teller, home, {}, unset=["apiKey"])
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        os.umask(umask)


@pytest.mark.parametrize(
    "changes", [{"scale.pin": "1234"}, {"scale": {"pin": "1234"}}, {"apiKey": "${X_Y_Z}"}]
)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_a_secret_in_a_group_or_by_its_name_makes_the_file_private_too(
    changes: dict[str, Any], teller: Skill, home: Path
) -> None:
    change_config(teller, home, changes, env={}, in_terminal=True)
    assert stat.S_IMODE(config_file(home, "teller").stat().st_mode) == 0o600


# saving


def test_a_variable_is_never_saved_resolved(teller: Skill, home: Path) -> None:
    env = {"WHO": "Ada", "STORY_API_KEY": SECRET, "N": "77"}
    change_config(teller, home, {"greeting": "Hi ${WHO} $${WHO}", "words": "${N}"}, env=env, in_terminal=True)
    change_config(teller, home, {"streaming": False}, env=env)
    assert json.loads(config_file(home, "teller").read_text()) == {
        "greeting": "Hi ${WHO} $${WHO}",
        "words": "${N}",
        "streaming": False,
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"words": 3}, "at least 10"),
        ({"words": "${N}"}, "at least 10"),
        ({"wrods": 30}, "did you mean 'words'"),
        ({"greeting": "\ud800"}, "surrogate"),
        ({"warmth": float("nan")}, "number"),
        ({"scale.mni": 1}, "not a setting"),
    ],
)
def test_a_change_that_is_refused_leaves_the_file_as_it_was(
    changes: dict[str, Any], words: str, teller: Skill, home: Path
) -> None:
    change_config(teller, home, {"words": 30})
    before = config_file(home, "teller").read_bytes()
    with pytest.raises(ContractViolation, match=words):
        change_config(teller, home, {"streaming": False, **changes}, env={"N": "3"})
    assert config_file(home, "teller").read_bytes() == before


def test_all_reasons_against_a_change_are_told_at_once(teller: Skill, home: Path) -> None:
    with pytest.raises(ContractViolation) as caught:
        change_config(teller, home, {"words": 3, "provider": "x", "nope": 1})
    assert {p.pointer for p in caught.value.problems} == {"/words", "/provider", "/nope"}


def test_a_link_to_the_file_stays_a_link(teller: Skill, home: Path, tmp_path: Path) -> None:
    file, kept = config_file(home, "teller"), tmp_path / "dotfiles" / "teller.json"
    file.parent.mkdir(parents=True)
    kept.parent.mkdir()
    file.symlink_to(kept)
    change_config(teller, home, {"words": 30})
    assert file.is_symlink()
    assert json.loads(kept.read_text()) == {"words": 30}


key_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def simple_fields(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """The schema of a field, and a value that fits it."""
    secret = {"x-sensitive": True} if draw(st.booleans()) else {}
    match draw(st.sampled_from(["string", "enum", "integer", "number", "boolean"])):
        case "string":
            return {"type": "string", **secret}, draw(texts)
        case "enum":
            options = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
            return {"type": "string", "enum": options}, draw(st.sampled_from(options))
        case "integer":
            low = draw(st.integers(-1000, 1000))
            value = draw(st.integers(low, low + 50))
            return {"type": "integer", "minimum": low, "maximum": low + 50, **secret}, value
        case "number":
            return {"type": "number"}, draw(st.floats(allow_nan=False, allow_infinity=False))
        case _:
            return {"type": "boolean"}, draw(st.booleans())


@st.composite
def any_fields(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    match draw(st.sampled_from(["simple", "list", "group"])):
        case "simple":
            return draw(simple_fields())
        case "list":
            return {"type": "array", "items": {"type": "string"}}, draw(st.lists(texts, max_size=3))
        case _:
            inner = draw(st.dictionaries(key_names, simple_fields(), max_size=3))
            schema = {"type": "object", "properties": {key: field for key, (field, _) in inner.items()}}
            return schema, {key: value for key, (_, value) in inner.items()}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    declared=st.dictionaries(key_names, any_fields(), max_size=5),
    unknown=st.dictionaries(texts, json_values, max_size=3),
)
def test_what_is_saved_is_what_is_read_whatever_the_schema(
    declared: dict[str, tuple[dict[str, Any], Any]], unknown: dict[str, Any], tmp_path_factory: Any
) -> None:
    folder: Path = tmp_path_factory.mktemp("round")
    properties = {key: field for key, (field, _) in declared.items()}
    skill = skill_with(folder / "skill", {"type": "object", "properties": properties})
    unknown = {key: value for key, value in unknown.items() if key not in declared}
    file = config_file(folder, "teller")
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(unknown))
    values = {key: value for key, (_, value) in declared.items()}

    change_config(skill, folder, values, env={})
    config = read_config(skill, folder)
    assert dict(config.values) == {**unknown, **values}
    effective = config.effective({})
    assert effective.problems == ()
    escaped = {key: value for key, value in values.items() if "${" in json.dumps(value)}
    assert {key: value for key, value in effective.values.items() if key not in escaped} == {
        key: value for key, value in values.items() if key not in escaped
    }

    again = change_config(skill, folder, config.masked if not unknown else {}, env={})
    assert dict(again.values) == {**unknown, **values}  # a form that is saved untouched changes nothing
    change_config(skill, folder, {}, unset=[*values], env={})
    assert dict(read_config(skill, folder).values) == unknown

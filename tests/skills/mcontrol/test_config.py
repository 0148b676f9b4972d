from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.errors import ContractViolation
from narratoria.skills.mcontrol.config import (
    Config,
    ToolSettings,
    declared_values,
    load_config,
    merge_layers,
    read_value,
)
from narratoria.skills.mcontrol.manifest import read_manifest


@pytest.fixture
def places(tmp_path):
    """A home and a project folder, and the environment that says so."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    return home, project, {"M_CONTROL_HOME": str(home / ".m-control")}


def test_without_any_file_the_config_is_empty_and_the_folder_is_the_workspace(places):
    home, project, env = places

    config = load_config(project, env)

    assert config.settings == ()
    assert config.workspace_root == project
    assert config.home_file == home / ".m-control" / "config.json"
    assert config.file_to_edit == project / ".m-control" / "config.json"


def test_the_project_goes_over_the_home_key_by_key(places, write_config):
    home, project, env = places
    write_config(
        home,
        tools={"azdo": {"token": "home", "organization": "ours"}},
        timeouts={"default": 1000, "tools": {"lamp": 1, "oil": 2}},
        runtimes={"node": "node18"},
    )
    write_config(
        project,
        tools={"azdo": {"token": "project"}},
        timeouts={"tools": {"lamp": 3}},
        runtimes={"python": "python3"},
    )

    config = load_config(project, env)

    assert read_value(config, "azdo.token") == "project"
    assert read_value(config, "azdo.organization") == "ours"
    assert config.default_timeout_ms == 1000
    assert config.tool_timeouts_ms == {"lamp": 3, "oil": 2}
    assert config.runtimes == {"node": "node18", "python": "python3"}


def test_a_list_of_roots_is_replaced_not_extended(places, write_config):
    home, project, env = places
    write_config(home, paths={"toolsRoots": ["/a", "/b"]})
    write_config(project, paths={"toolsRoots": ["/c"]})

    assert load_config(project, env).tools_roots == (Path("/c"),)


def test_relative_places_start_where_the_config_belongs(places, write_config):
    home, project, env = places
    write_config(home, paths={"toolsRoots": ["my/tools", "/abs"]}, runtimes={"node": "bin/node"})
    write_config(project, runtimes={"python": [".venv/bin/python", "-I"], "dotnet": "dotnet"})

    config = load_config(project, env)

    assert config.tools_roots == (home / "my/tools", Path("/abs"))
    assert config.runtimes["node"] == str(home / "bin/node")
    assert config.runtimes["python"] == (str(project / ".venv/bin/python"), "-I")
    assert config.runtimes["dotnet"] == "dotnet"


def test_the_home_of_nobody_is_a_folder_like_any_other(places, write_config):
    _, project, env = places
    write_config(project, paths={"toolsRoots": ["~nobody-by-this-name/tools"]})

    assert load_config(project, env).tools_roots == (project / "~nobody-by-this-name/tools",)


def test_the_project_is_found_from_its_subfolders(places, write_config):
    _, project, env = places
    write_config(project, tools={"a": 1})
    (project / "src" / "deep").mkdir(parents=True)

    config = load_config(project / "src" / "deep", env)

    assert config.workspace_root == project
    assert read_value(config, "a") == 1


def test_the_home_config_does_not_make_the_home_a_project(places, write_config):
    home, _, env = places
    write_config(home, tools={"a": 1})
    (home / "work").mkdir()

    config = load_config(home / "work", env)

    assert config.workspace_root == home / "work"
    assert [settings.file for settings in config.settings] == [home / ".m-control" / "config.json"]


@pytest.mark.parametrize(
    "tools",
    [
        {"azdo": {"token": {"read": "x"}}},
        {"azdo.token.read": "x"},
        {"azdo": {"token.read": "x"}},
        {"azdo.token": {"read": "x"}},
        {"azdo": "scalar", "azdo.token.read": "x"},
    ],
)
def test_nested_and_dotted_spellings_mean_the_same(places, write_config, tools):
    _, project, env = places
    write_config(project, tools=tools)

    assert read_value(load_config(project, env), "azdo.token.read") == "x"


def test_the_layers_may_spell_a_key_differently(places, write_config):
    home, project, env = places
    write_config(home, tools={"azdo": {"token": "home"}})
    write_config(project, tools={"azdo.token": "project"})

    assert read_value(load_config(project, env), "azdo.token") == "project"


def test_a_key_in_two_spellings_in_one_file_is_refused(places, write_config):
    _, project, env = places
    path = write_config(project, tools={"azdo": {"token": "a"}, "azdo.token": "b"})

    with pytest.raises(ContractViolation, match=r"azdo\.token is set in more than one spelling") as refused:
        read_value(load_config(project, env), "azdo.token")
    assert refused.value.problems[0].file == str(path)


def test_dots_inside_a_value_are_left_alone(places, write_config):
    _, project, env = places
    write_config(project, tools={"hosts": {"example.com": 1}})

    assert read_value(load_config(project, env), "hosts") == {"example.com": 1}


@pytest.mark.parametrize("override", [{"azdo": {"token": None}}, {"azdo": None}, {"azdo": "gone"}])
def test_a_project_can_unset_what_the_home_sets(places, write_config, override):
    home, project, env = places
    write_config(home, tools={"azdo": {"token": "home"}})
    write_config(project, tools=override)

    assert read_value(load_config(project, env), "azdo.token") is None


@pytest.mark.parametrize("version", [0, 2, "1", None, True, 1.5])
def test_another_config_version_is_a_hard_failure_that_says_what_to_do(places, write_config, version):
    _, project, env = places
    path = write_config(project, configVersion=version)

    with pytest.raises(ContractViolation) as refused:
        load_config(project, env)

    problem = refused.value.problems[0]
    assert (problem.file, problem.line, problem.pointer) == (str(path), 2, "/configVersion")


def test_the_message_about_a_version_names_both_versions_and_the_way_out(places, write_config):
    _, project, env = places
    write_config(project, configVersion=7)

    with pytest.raises(ContractViolation, match=r"is 7, and this mctl reads version 1 only; .*mctl init"):
        load_config(project, env)


def test_a_missing_config_version_is_told_with_the_line_to_add(places):
    _, project, env = places
    path = project / ".m-control" / "config.json"
    path.parent.mkdir()
    path.write_text('{"tools": {}}')

    with pytest.raises(ContractViolation, match='add "configVersion": 1'):
        load_config(project, env)


def test_the_problems_of_both_files_are_told_together(places, write_config):
    home, project, env = places
    write_config(home, configVersion=2)
    write_config(project, tols={}, timeouts={"default": "soon"})

    with pytest.raises(ContractViolation) as refused:
        load_config(project, env)

    pointers = {problem.pointer for problem in refused.value.problems}
    assert pointers == {"/configVersion", "/timeouts/default", "/tols"}


def test_broken_json_is_told_with_its_line(places):
    _, project, env = places
    path = project / ".m-control" / "config.json"
    path.parent.mkdir()
    path.write_text('{\n "configVersion": 1,\n "tools": {,}\n}')

    with pytest.raises(ContractViolation) as refused:
        load_config(project, env)

    assert (refused.value.problems[0].file, refused.value.problems[0].line) == (str(path), 3)


def test_a_tool_gets_its_declared_keys_and_nothing_else(tmp_path, places, write_config, write_manifest):
    _, project, env = places
    write_config(project, tools={"azdo": {"token": "t", "secret": "s"}, "other.key": 1, "azdo.flag": False})
    manifest = read_manifest(
        write_manifest(
            tmp_path / "lamp",
            requiredConfig=["azdo.token"],
            optionalConfig=["azdo.flag", "azdo.unset"],
        )
    )

    assert declared_values(load_config(project, env), manifest) == {"azdo.token": "t", "azdo.flag": False}


@pytest.mark.parametrize("unset", [{}, {"azdo": {"token": None}}, {"azdo.token": ""}])
def test_a_missing_required_key_names_the_file_to_edit_and_the_line_to_add(
    tmp_path, places, write_config, write_manifest, unset
):
    _, project, env = places
    path = write_config(project, tools=unset)
    manifest = read_manifest(write_manifest(tmp_path / "lamp", requiredConfig=["azdo.token", "azdo.org"]))

    with pytest.raises(ContractViolation) as refused:
        declared_values(load_config(project, env), manifest)

    first, second = refused.value.problems
    assert str(first).startswith(f"{path} /tools/azdo/token: lamp needs azdo.token")
    assert '"tools": {"azdo": {"token": "…"}}' in first.message
    assert second.pointer == "/tools/azdo/org"


def test_without_any_config_the_way_out_begins_with_init(tmp_path, places, write_manifest):
    _, project, env = places
    manifest = read_manifest(write_manifest(tmp_path / "lamp", requiredConfig=["oil"]))

    with pytest.raises(ContractViolation, match="run `mctl init`, then add"):
        declared_values(load_config(project, env), manifest)


names = st.text("ab-_1", min_size=1, max_size=3)
values = st.recursive(
    st.integers() | names, lambda inner: st.dictionaries(names, inner, max_size=2), max_leaves=4
)
objects = st.dictionaries(names, values, max_size=3)


@given(objects, objects)
def test_a_merge_keeps_what_the_upper_layer_says_and_loses_no_other_key(under, over):
    merged = merge_layers(under, over)

    assert merged.keys() == under.keys() | over.keys()
    assert merge_layers(merged, over) == merged
    for key, value in over.items():
        if not (isinstance(value, dict) and isinstance(under.get(key), dict)):
            assert merged[key] == value


@given(st.lists(names, min_size=1, max_size=4), st.data())
def test_a_key_is_found_wherever_its_dots_are_folded(parts, data):
    value: object = "found"
    rest = list(parts)
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        value = {".".join(rest[-size:]): value}
        rest = rest[:-size]
    config = Config(Path("/w"), Path("/h"), Path("/p"), settings=(ToolSettings(Path("/p"), value),))

    assert read_value(config, ".".join(parts)) == "found"

"""A manifest's `mcp` becomes scripts of the skill, and what its server lists is written down in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.skills.mcp.conftest import ASK

from narratoria import paths
from narratoria.errors import ContractViolation, SkillScriptNotFoundError
from narratoria.skills.decisions import change_decisions, load_decisions, requested_permissions
from narratoria.skills.discovery import Catalogue, read_skill
from narratoria.skills.health import check_readiness
from narratoria.skills.mcp.manifest import script_name, write_tools
from narratoria.skills.review import find_misspelt_keys, find_script_problems

if TYPE_CHECKING:
    from tests.skills.mcp.conftest import MakeServerSkill


def test_the_tools_of_a_server_are_scripts_with_their_input(make_server_skill: MakeServerSkill) -> None:
    skill = make_server_skill(tools=[{**ASK, "name": "sky/ask", "timeout": 5000}])
    (script,) = skill.scripts
    assert (script.name, script.tool, script.timeout) == ("sky-ask", "sky/ask", 5.0)
    assert (script.protocol, script.required) == ("mcp", False)
    assert script.input_schema == ASK["input"]
    catalogue = Catalogue((skill,))
    assert catalogue.find("skills/almanac/sky-ask")[1] is script
    with pytest.raises(SkillScriptNotFoundError):
        catalogue.find("skills/almanac/almanac.py")  # the server is no script itself


def test_a_server_that_may_be_executed_is_no_script_of_its_own(make_skill: Any, tmp_path: Path) -> None:
    folder = make_skill(
        tmp_path, "tides", {"scripts/serve.sh": "#!/bin/sh\n"}, mcp={"command": "serve.sh", "tools": [ASK]}
    )
    (folder / "scripts" / "serve.sh").chmod(0o755)
    skill = read_skill(folder)
    assert [script.name for script in skill.scripts] == ["ask"]
    assert skill.mcp
    assert skill.mcp.file == folder / "scripts" / "serve.sh"


def test_a_server_without_tools_is_told_what_to_do(make_server_skill: MakeServerSkill) -> None:
    (warning,) = make_server_skill().warnings
    assert "narratoria skills inputs" in warning.message


@pytest.mark.parametrize(
    ("mcp", "where"),
    [
        ({"command": "../serve.py"}, "/mcp/command"),
        ({"command": "bin/serve.py"}, "/mcp/command"),
        ({"command": "sh", "tools": [ASK, ASK]}, "/mcp/tools/1/name"),
        ({"command": "sh", "tools": [{"name": "a", "input": {"type": "array"}}]}, "/mcp/tools/0/input/type"),
        ({"command": "sh", "tools": [{}]}, "/mcp/tools/0"),
        ({"url": "ftp://example.org"}, "/mcp/url"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    make_skill: Any, tmp_path: Path, mcp: dict[str, Any], where: str
) -> None:
    with pytest.raises(ContractViolation) as refused:
        read_skill(make_skill(tmp_path, "tides", mcp=mcp))
    assert [problem.pointer for problem in refused.value.problems] == [where]
    assert refused.value.problems[0].line > 1


def test_a_skill_with_a_server_elsewhere_waits_for_the_permission_for_its_host(
    make_server_skill: MakeServerSkill,
) -> None:
    skill = make_server_skill(url="https://sky.example.org/mcp", tools=[ASK])
    assert list(requested_permissions(skill)) == ["network:sky.example.org"]
    before = check_readiness(skill, paths.home(), load_decisions(paths.home()))
    assert before.condition == "misconfigured"
    assert "narratoria skills grant almanac network:sky.example.org" in before.reason
    change_decisions(paths.home(), lambda was: was.with_granted("almanac", ["network:sky.example.org"]))
    assert check_readiness(skill, paths.home(), load_decisions(paths.home())).condition == "ready"


def test_scripts_too_may_ask_for_a_host(make_skill: Any, tmp_path: Path) -> None:
    skill = read_skill(make_skill(tmp_path, "tides", permissions=["network:other.example.org"]))
    assert requested_permissions(skill).hosts == ("other.example.org",)


def test_a_setting_that_there_is_not_and_a_misspelt_key_are_found(
    make_server_skill: MakeServerSkill,
) -> None:
    skill = make_server_skill(env={"KEY": "${apiKey}"}, tols=[ASK])
    problems, _ = find_script_problems(skill)
    assert "the setting 'apiKey', which there is not" in problems[0].message
    (slip,) = find_misspelt_keys(skill.folder)
    assert "did you mean 'tools'?" in slip.message


def test_writing_tools_keeps_what_the_author_has_set(make_server_skill: MakeServerSkill) -> None:
    filled = {"action": {"type": "string", "x-from": "/place/name"}}
    old = {**ASK, "timeout": 4000, "input": {**ASK["input"], "properties": filled}}
    skill = make_server_skill(tools=[old, {"name": "gone"}])
    new, gone = write_tools(
        skill.folder / "skill.json", [ASK, {"name": "fresh", "input": {"type": "object"}}]
    )
    assert (new, gone) == (["fresh"], ["gone"])
    written = json.loads((skill.folder / "skill.json").read_text())["mcp"]["tools"]
    assert written[0]["timeout"] == 4000
    assert written[0]["input"]["properties"]["action"]["x-from"] == "/place/name"
    assert [script.name for script in read_skill(skill.folder).scripts] == ["ask", "fresh"]


@pytest.mark.parametrize(("tool", "name"), [("get_sky", "get_sky"), ("a b/c", "a-b-c"), ("…", "tool")])
def test_a_tool_is_called_by_a_name_that_plans_can_write(tool: str, name: str) -> None:
    assert script_name(tool) == name

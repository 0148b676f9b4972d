"""From a plan's toolPath to a tool: scripts of skills, m-control's tools, and for people any path."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from narratoria import paths
from narratoria.errors import NotRunnable, SkillScriptNotFoundError
from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan
from narratoria.planning.prepare import prepare_plan
from narratoria.protocol.process import run
from narratoria.skills.decisions import change_decisions
from narratoria.skills.discovery import discover
from narratoria.skills.mcontrol.config import load_config
from narratoria.skills.mcontrol.tools import discover as discover_mcontrol
from narratoria.skills.mcontrol.tools import tools_roots
from narratoria.skills.permissions import Permissions
from narratoria.skills.resolve import Tools, effective_permissions
from narratoria.skills.runnable import InvocationRequest
from narratoria.skills.sandbox import probe
from narratoria.state import SessionState

if TYPE_CHECKING:
    from tests.skills.conftest import MakeSkill

ECHO = """\
import json, os, sys
request = json.load(sys.stdin)
output = {"request": request, "cwd": os.getcwd()}
print(json.dumps({"version": "0", "type": "done", "ok": True, "output": output}))
"""


@pytest.fixture
def tools(tmp_path: Path, make_skill: MakeSkill) -> Tools:
    make_skill(
        tmp_path / "skills",
        "dice",
        {
            "scripts/roll.py": ECHO,
            "flat.xyz": "",
            "run.sh": 'echo \'{"version":"0","type":"done","ok":true}\'',
        },
        scripts=[
            {"name": "roll-dice", "path": "roll.py", "timeout": 1500},
            {"name": "flat", "path": "flat.xyz"},
            {"name": "shell", "path": "run.sh"},
        ],
    )
    (tmp_path / "loose.py").write_text(ECHO)
    return Tools(discover([tmp_path / "skills"]))


async def test_a_script_runs_by_its_name_as_its_skill_says(tools: Tools, tmp_path: Path) -> None:
    tool = tools.resolve("dice/roll-dice")
    assert (tool.name, tool.skill, tool.limits.timeout) == ("roll-dice", "dice", 1.5)
    request = InvocationRequest("r-1", {"formula": "1d20"}, {"state": {}})
    outcome = await run(tool.command, tool.encode(request), tool.dialect)
    assert outcome.ok
    asked = outcome.output["request"]
    assert (asked["requestId"], asked["tool"], asked["input"]) == ("r-1", "roll-dice", {"formula": "1d20"})
    assert asked["operation"] == "roll-dice"


async def test_a_script_needs_no_execute_permission_where_its_ending_names_the_interpreter(
    tools: Tools,
) -> None:
    tool = tools.resolve("skills/dice/run.sh")
    assert (await run(tool.command, tool.encode(InvocationRequest("r", {})), tool.dialect)).ok


def test_a_python_script_runs_with_this_interpreter(tools: Tools) -> None:
    assert tools.resolve("dice/roll-dice").command.argv[0] == sys.executable


def test_a_script_that_cannot_be_started_is_told_with_its_reason(tools: Tools) -> None:
    with pytest.raises(NotRunnable, match=r"flat\.xyz.*chmod"):
        tools.resolve("dice/flat")


def test_a_script_that_has_gone_since_it_was_found_is_told(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "skills/dice/scripts/roll.py").unlink()
    with pytest.raises(NotRunnable, match="no such file"):
        tools.resolve("dice/roll-dice")


@pytest.mark.parametrize(
    "tool_path", ["LOOSE", "/bin/echo", "dice/other", "../loose.py", "echo", "", "a\x00b"]
)
def test_a_plan_never_runs_what_no_skill_owns(tools: Tools, tmp_path: Path, tool_path: str) -> None:
    with pytest.raises(SkillScriptNotFoundError, match="no skill owns"):
        tools.resolve(tool_path.replace("LOOSE", str(tmp_path / "loose.py")))


async def test_a_person_may_allow_any_path(tools: Tools, tmp_path: Path) -> None:
    tool = Tools(tools.catalogue, allow_path=True).resolve(str(tmp_path / "loose.py"))
    assert (tool.name, tool.skill) == ("loose", None)
    outcome = await run(tool.command, tool.encode(InvocationRequest("r", {})), tool.dialect)
    assert outcome.output["cwd"] == str(tmp_path)


def test_a_path_that_was_allowed_and_leads_nowhere_is_told_with_its_reason(
    tools: Tools, tmp_path: Path
) -> None:
    open_tools = Tools(tools.catalogue, allow_path=True)
    for path, reason in ((tmp_path / "ghost", "no such file"), (tmp_path, "is a directory")):
        with pytest.raises(NotRunnable, match=reason):
            open_tools.resolve(str(path))


def test_a_skills_script_is_its_skills_even_where_any_path_is_allowed(tools: Tools, tmp_path: Path) -> None:
    open_tools = Tools(tools.catalogue, allow_path=True)
    assert open_tools.resolve(str(tmp_path / "skills/dice/scripts/roll.py")).skill == "dice"


# m-control's tools


LAMP = """\
import json, sys
request = json.load(sys.stdin)
def emit(kind, payload):
    event = {"type": kind, "ts": "2025-02-25T10:00:00.000Z", "toolId": "lamp", "payload": payload}
    print(json.dumps(event), flush=True)
emit("log", {"level": "info", "message": "lighting"})
if request["input"].get("broken"):
    emit("error", {"code": "NO_OIL", "message": "the lamp is dry", "recoverable": True})
    sys.exit(1)
emit("result", {"lit": True, "config": request["context"]["config"]})
"""


@pytest.fixture
def with_mcontrol(tools: Tools, tmp_path: Path) -> Tools:
    folder = tmp_path / "tools" / "lamp"
    folder.mkdir(parents=True)
    manifest = {
        "manifestVersion": 1,
        "id": "lamp",
        "version": "1.0.0",
        "name": "Lamp",
        "description": "Lights a lamp.",
        "runtime": "python",
        "entry": "main.py",
        "requiredConfig": ["lamp.oil"],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "main.py").write_text(LAMP)
    settings = tmp_path / ".m-control" / "config.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"configVersion": 1, "tools": {"lamp": {"oil": "olive"}}}))
    config = load_config(tmp_path, {"M_CONTROL_HOME": str(tmp_path / "home")})
    env = {"M_CONTROL_TOOLS_ROOT": str(tmp_path / "tools")}
    return Tools(tools.catalogue, discover_mcontrol(tools_roots(config, env)), config)


def plan_of(*tools: dict[str, object]) -> Plan:
    document = {"requestId": "3f2b8c1e-6a54-4d0b-9c57-2a7d1e0f4b61", "tools": tools}
    return Plan.from_json(json.dumps(document))


async def test_a_plan_runs_an_mcontrol_tool_by_its_id_or_its_manifest(
    with_mcontrol: Tools, tmp_path: Path
) -> None:
    plan = plan_of(
        {"toolId": "a", "toolPath": "lamp"},
        {"toolId": "b", "toolPath": str(tmp_path / "tools/lamp/manifest.json")},
        {
            "toolId": "c",
            "toolPath": "dice/roll-dice",
            "dependencies": ["a"],
            "input": {"lit": {"$from": "a", "path": "/lit"}},
        },
    )
    result = await execute(prepare_plan(plan, with_mcontrol.resolve), SessionState())
    assert [(tool.state, tool.error) for tool in result.tool_results] == [("success", None)] * 3
    a, b, c = (tool.output or {} for tool in result.tool_results)
    assert a == b
    assert a["lit"] is True
    assert list(a["config"].values()) == ["olive"]
    assert c["request"]["input"] == {"lit": True}


async def test_an_mcontrol_tool_that_fails_is_retried_and_disabled_like_a_skill(with_mcontrol: Tools) -> None:
    """`recoverable` is told and decides nothing."""
    policy = {"maxRetries": 1, "backoffMs": 0}
    plan = plan_of({"toolId": "a", "toolPath": "lamp", "input": {"broken": True}, "retryPolicy": policy})
    result = await execute(prepare_plan(plan, with_mcontrol.resolve), SessionState())
    (tool,) = result.tool_results
    assert (tool.state, tool.retry_count) == ("failed", 1)
    assert tool.error is not None
    assert (tool.error.code, tool.error.message, tool.error.category) == (
        "NO_OIL",
        "the lamp is dry",
        "tool_failure",
    )
    assert tool.error.details["recoverable"] is True
    assert result.disabled_skills == ("lamp",)


def test_an_mcontrol_tool_without_its_config_cannot_run(with_mcontrol: Tools, tmp_path: Path) -> None:
    (tmp_path / ".m-control" / "config.json").write_text('{"configVersion": 1}')
    config = load_config(tmp_path, {"M_CONTROL_HOME": str(tmp_path / "home")})
    with pytest.raises(NotRunnable, match="oil"):
        Tools(with_mcontrol.catalogue, with_mcontrol.mcontrol, config).resolve("lamp")


async def test_an_mcontrol_tool_among_the_skills_is_kept_in_the_box(
    with_mcontrol: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no way to ask for permissions, so it has none; those in m-control's own roots are the user's."""
    if not probe().isolates:
        pytest.skip("there is no box on this machine")
    secret = tmp_path / "secret"
    secret.write_text("sesame")
    monkeypatch.setenv("TOKEN_OF_THE_USER", "sesame")
    tries = f"import os\nfound = [os.access({str(secret)!r}, os.R_OK), os.environ.get('TOKEN_OF_THE_USER')]\n"
    folder = Path(shutil.copytree(tmp_path / "tools" / "lamp", tmp_path / "adopted" / "lamp"))
    (folder / "main.py").write_text(tries + LAMP.replace('"lit": True', '"found": found'))
    adopted = Tools(discover([tmp_path / "adopted"]), mcontrol_config=with_mcontrol.mcontrol_config)
    result = await execute(
        prepare_plan(plan_of({"toolId": "a", "toolPath": "lamp"}), adopted.resolve), SessionState()
    )
    (tool,) = result.tool_results
    assert (tool.state, tool.error) == ("success", None)
    assert (tool.output or {})["found"] == [False, None]


def test_a_grant_that_makes_no_sense_is_none_and_costs_nothing_else(tools: Tools) -> None:
    (dice,) = tools.catalogue.skills
    asking = replace(dice, permissions=Permissions.parse(["network", "model"]))
    change_decisions(paths.home(), lambda settings: settings.with_granted("dice", ["netwrok", "model"]))
    assert [*effective_permissions(asking)] == ["model"]

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from narratoria import contracts
from narratoria.errors import ContractViolation, NotRunnable
from narratoria.protocol.dialects.mctl_v1 import mctl_v1
from narratoria.protocol.process import run
from narratoria.skills.mcontrol.config import Config, ToolSettings
from narratoria.skills.mcontrol.manifest import read_manifest
from narratoria.skills.mcontrol.tools import command_line, find_program, prepare_launch, timeout_ms


def config_of(root: Path, **fields) -> Config:
    return Config(root, root / "home.json", root / "project.json", **fields)


@pytest.fixture
def lamp(tmp_path, write_manifest):
    """Makes the manifest of a tool whose entry exists."""

    def make(**changes):
        manifest = read_manifest(write_manifest(tmp_path / "lamp", **changes))
        manifest.entry.write_text("#!/bin/sh\n")
        return manifest

    return make


@pytest.fixture
def program(tmp_path):
    """Makes an executable file to stand for a runtime that this machine may not have."""

    def make(name):
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return str(path)

    return make


def test_python_tools_run_in_the_interpreter_at_hand(tmp_path, lamp):
    manifest = lamp()

    assert command_line(manifest, config_of(tmp_path)) == (sys.executable, str(manifest.entry))


def test_node_tools_run_in_the_node_on_the_path(tmp_path, lamp, program, monkeypatch):
    node = program("node")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    manifest = lamp(runtime="node", entry="main.mjs")

    assert command_line(manifest, config_of(tmp_path)) == (node, str(manifest.entry))


def test_powershell_tools_run_without_a_profile(tmp_path, lamp, program):
    manifest = lamp(runtime="powershell", entry="main.ps1")

    line = command_line(manifest, config_of(tmp_path, runtimes={"powershell": program("pwsh")}))

    assert line[1:] == ("-NoLogo", "-NoProfile", "-NonInteractive", "-File", str(manifest.entry))


@pytest.mark.parametrize(("entry", "verbs"), [("lamp.dll", ()), ("lamp.csproj", ("run", "--project"))])
def test_dotnet_runs_what_is_built_and_builds_what_is_not(tmp_path, lamp, program, entry, verbs):
    manifest = lamp(runtime="dotnet", entry=entry)

    line = command_line(manifest, config_of(tmp_path, runtimes={"dotnet": program("dotnet")}))

    assert line[1:] == (*verbs, str(manifest.entry))


def test_an_executable_is_its_own_command(tmp_path, lamp):
    manifest = lamp(runtime="executable", entry="lamp.sh")
    manifest.entry.chmod(0o755)

    assert command_line(manifest, config_of(tmp_path)) == (str(manifest.entry),)


def test_an_executable_that_may_not_be_executed_is_told_how_it_may(tmp_path, lamp):
    with pytest.raises(NotRunnable, match=r"chmod \+x"):
        command_line(lamp(runtime="executable", entry="lamp.sh"), config_of(tmp_path))


def test_a_list_replaces_everything_before_the_entry(tmp_path, lamp, program):
    pwsh = program("pwsh")
    manifest = lamp(runtime="powershell", entry="main.ps1")

    line = command_line(manifest, config_of(tmp_path, runtimes={"powershell": (pwsh, "-File")}))

    assert line == (pwsh, "-File", str(manifest.entry))


def test_a_runtime_that_is_not_there_is_told_with_both_ways_out(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(NotRunnable, match=r'pwsh or powershell on PATH; install it, or set "runtimes"'):
        find_program("powershell", config_of(tmp_path))


def test_an_override_that_is_not_there_is_told_with_its_place(tmp_path):
    with pytest.raises(NotRunnable, match="/runtimes/node: /gone/node is not a program here"):
        find_program("node", config_of(tmp_path, runtimes={"node": "/gone/node"}))


def test_an_entry_that_is_not_there_is_told_with_the_manifest(tmp_path, lamp):
    manifest = lamp()
    manifest.entry.unlink()

    with pytest.raises(NotRunnable, match=r"manifest\.json /entry: .*main\.py is not there"):
        command_line(manifest, config_of(tmp_path))


@pytest.mark.parametrize("entry", ["ü" * 500, "circle.py", "main.py/inner.py"])
def test_an_entry_that_can_be_no_file_is_not_there_either(tmp_path, write_manifest, entry):
    manifest = read_manifest(write_manifest(tmp_path, entry=entry))
    (tmp_path / "main.py").write_text("")
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")

    with pytest.raises(NotRunnable, match="is not there"):
        command_line(manifest, config_of(tmp_path))


def test_the_nearest_word_on_the_timeout_holds(tmp_path, lamp):
    with_own, without = lamp(timeoutMs=20), lamp()
    everything = config_of(tmp_path, default_timeout_ms=30, tool_timeouts_ms={"lamp": 10})
    default = config_of(tmp_path, default_timeout_ms=30)

    assert timeout_ms(with_own, everything) == 10
    assert timeout_ms(with_own, default) == 20
    assert timeout_ms(without, default) == 30
    assert timeout_ms(without, config_of(tmp_path)) == 30_000


def test_the_command_lines_timeout_goes_before_all(tmp_path, lamp):
    config = config_of(tmp_path, tool_timeouts_ms={"lamp": 10})

    assert prepare_launch(lamp(timeoutMs=20), config, payload={}, timeout=7.5).limits.timeout == 7.5
    assert prepare_launch(lamp(timeoutMs=20), config, payload={}).limits.timeout == 0.01


def test_the_request_keeps_its_contract_and_holds_declared_keys_only(tmp_path, lamp):
    settings = ToolSettings(tmp_path / "project.json", {"lamp": {"oil": "whale", "secret": "s"}})
    manifest = lamp(requiredConfig=["lamp.oil"], optionalConfig=["lamp.colour"])

    launch = prepare_launch(manifest, config_of(tmp_path, settings=(settings,)), payload={"wick": [1, None]})

    assert contracts.check("mctl-request", launch.request) == ()
    assert json.loads(launch.request) == {
        "context": {"toolId": "lamp", "config": {"lamp.oil": "whale"}, "workspaceRoot": str(tmp_path)},
        "input": {"wick": [1, None]},
    }
    assert launch.command.cwd == tmp_path


def test_nothing_is_prepared_while_a_required_key_is_missing(tmp_path, lamp):
    with pytest.raises(ContractViolation, match=r"lamp needs lamp\.oil"):
        prepare_launch(lamp(requiredConfig=["lamp.oil"]), config_of(tmp_path), payload={})


async def test_a_prepared_launch_runs_and_answers(tmp_path, write_manifest):
    manifest = read_manifest(write_manifest(tmp_path / "lamp"))
    manifest.entry.write_text(
        "import json, os, sys\n"
        "request = json.load(sys.stdin)\n"
        "payload = {'request': request, 'cwd': os.getcwd()}\n"
        "print(json.dumps({'type': 'result', 'ts': '2025-02-25T10:00:00Z', 'toolId': 'lamp',"
        " 'payload': payload}))\n"
    )
    launch = prepare_launch(manifest, config_of(tmp_path), payload={"n": 1})

    outcome = await run(launch.command, launch.request, mctl_v1("lamp"), limits=launch.limits)

    assert outcome.ok
    assert outcome.output["request"]["input"] == {"n": 1}
    assert outcome.output["cwd"] == str(tmp_path)

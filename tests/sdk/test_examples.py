"""The examples do what they show, and the three torches are one tool."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from narratoria.protocol.command import command_for

EXAMPLES = Path(__file__).parents[2] / "examples"
TORCHES = ["torch.py", "torch.sh", "torch.mjs"]
HELLOS = ["hello-python", "hello-node"]


def call(path: Path, request: Any) -> tuple[list[dict[str, Any]], int]:
    if path.suffix == ".mjs" and not shutil.which("node"):
        pytest.skip("node is not installed")
    text = request if isinstance(request, bytes) else json.dumps(request).encode()
    ended = subprocess.run(command_for(path).argv, input=text, capture_output=True, timeout=30, check=False)
    assert ended.stderr == b""
    return [json.loads(line) for line in ended.stdout.splitlines()], ended.returncode


@pytest.mark.parametrize("name", TORCHES)
@pytest.mark.parametrize("lamp", ['the "old" lamp', "Fackel 🔥", "back\\slash", ""])
def test_a_torch_is_lit_in_every_language_alike(name: str, lamp: str) -> None:
    request = {"requestId": "r-1", "tool": "torch", "operation": "light", "input": {"name": lamp}}
    events, exit_code = call(EXAMPLES / "tools" / name, request)
    for event in events:
        event.pop("requestId", None)
    lamp = lamp or "torch"
    assert events == [
        {"version": "0", "type": "log", "level": "info", "message": f"Lighting the {lamp}"},
        {"version": "0", "type": "state_patch", "patch": {"flags": {"torchLit": True}}},
        {"version": "0", "type": "ui_event", "event": "torch", "payload": {"lit": True}},
        {
            "version": "0",
            "type": "done",
            "ok": True,
            "summary": f"The {lamp} burns.",
            "output": {"name": lamp, "lit": True},
        },
    ]
    assert exit_code == 0


@pytest.mark.parametrize("name", TORCHES)
def test_a_torch_is_doused_by_the_operation(name: str) -> None:
    events, _ = call(EXAMPLES / "tools" / name, {"operation": "douse", "input": {}})
    assert events[-1]["output"] == {"name": "torch", "lit": False}


@pytest.mark.parametrize("name", [*TORCHES, "plain.py"])
def test_an_example_runs_without_a_request(name: str) -> None:
    events, exit_code = call(EXAMPLES / "tools" / name, b"")
    assert events[-1]["type"] == "done"
    assert events[-1]["ok"] is True
    assert exit_code == 0


def test_the_plain_tool_rolls_the_same_for_the_same_seed() -> None:
    request = {"input": {"sides": 1000}, "context": {"seed": 4}}
    rolls = {call(EXAMPLES / "tools" / "plain.py", request)[0][-1]["output"]["roll"] for _ in range(3)}
    assert len(rolls) == 1


def test_the_plain_tool_fails_cleanly_on_a_bad_input() -> None:
    events, exit_code = call(EXAMPLES / "tools" / "plain.py", {"input": {"sides": "many"}})
    assert [event["type"] for event in events] == ["error", "done"]
    assert events[-1]["ok"] is False
    assert exit_code == 0


def entry(name: str) -> Path:
    folder = EXAMPLES / "mctl" / name
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["id"] == name
    entry: str = manifest["entry"]
    return folder / entry


@pytest.mark.parametrize("name", HELLOS)
def test_an_m_control_example_greets_with_the_configured_greeting(name: str) -> None:
    context = {"toolId": name, "config": {"hello.greeting": "Ahoj"}, "workspaceRoot": "/"}
    events, exit_code = call(entry(name), {"context": context, "input": {"name": "Ada"}})
    assert [event["type"] for event in events] == ["started", "log", "result"]
    assert {event["toolId"] for event in events} == {name}
    assert events[-1]["payload"] == {"greeting": "Ahoj, Ada!"}
    assert exit_code == 0


@pytest.mark.parametrize("name", HELLOS)
@pytest.mark.parametrize("bad", [{"input": {"name": ""}}, {"input": {"name": 7}}, b"{"])
def test_an_m_control_example_says_what_was_wrong_and_exits_with_1(name: str, bad: Any) -> None:
    events, exit_code = call(entry(name), bad)
    assert [event["type"] for event in events] == ["started", "error"]
    assert events[-1]["payload"]["code"] in {"BAD_NAME", "BAD_REQUEST"}
    assert exit_code == 1

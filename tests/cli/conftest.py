from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.warm_process import run_warm

PRELUDE = """\
import json, os, signal, sys, time
request = json.load(sys.stdin)
def emit(kind, **fields):
    print(json.dumps({"version": "0", "type": kind, **fields}, ensure_ascii=False), flush=True)
"""


@dataclass(frozen=True)
class Cave:
    """A folder with plans and tools, and a home of its own, in which `narratoria` is a process of its own."""

    root: Path
    home: Path
    plan_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def env(self) -> dict[str, str]:
        keep = {key: value for key, value in os.environ.items() if not key.startswith("M_CONTROL")}
        ours = {"NARRATORIA_HOME": self.home, "M_CONTROL_HOME": self.home / "m-control", "TZ": "UTC"}
        return {**keep, **{key: str(value) for key, value in ours.items()}, "PYTHONWARNINGS": "error"}

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "narratoria.cli"]

    def tool(self, name: str, script: str, *, folder: Path | None = None) -> Path:
        """A Python tool that finds `request` and `emit` ready."""
        path = (folder or self.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PRELUDE + script, encoding="utf-8")
        return path

    def skill(self, name: str, script: str) -> str:
        """A skill with one script; the path a plan has to name."""
        folder = self.home / "skills" / name
        self.tool("act.py", script, folder=folder / "scripts")
        scripts = [{"name": "act", "path": "act.py"}]
        manifest = {"name": name, "version": "1.0.0", "description": f"Does {name}.", "scripts": scripts}
        (folder / "skill.json").write_text(json.dumps(manifest), encoding="utf-8")
        return f"{name}/act"

    def mcontrol(self, tool_id: str, script: str, *, folder: Path | None = None) -> Path:
        """An m-control tool; its manifest."""
        home = (folder or self.root / "tools") / tool_id
        self.tool("main.py", script, folder=home)
        manifest = {
            "manifestVersion": 1,
            "id": tool_id,
            "version": "1.0.0",
            "name": tool_id,
            "description": f"Does {tool_id}.",
            "runtime": "python",
            "entry": "main.py",
        }
        (home / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return home / "manifest.json"

    def plan(self, *tools: dict[str, Any], name: str = "plan.json", **fields: Any) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {"requestId": self.plan_id, "tools": list(tools), **fields}
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
        return name

    def narratoria(self, *args: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[str]:
        done = run_warm(
            "narratoria.cli", *args, input=stdin, cwd=self.root, env={**self.env, **env}, timeout=110
        )
        return subprocess.CompletedProcess(args, done.returncode, done.stdout.decode(), done.stderr.decode())

    @property
    def journal(self) -> list[dict[str, Any]]:
        file = self.home / "logs" / "plans.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def call(tool_id: str, tool_path: str, *needs: str, retries: int = 0, **fields: Any) -> dict[str, Any]:
    retry = {"maxRetries": retries, "backoffMs": 1}
    return {"toolId": tool_id, "toolPath": tool_path, "dependencies": needs, "retryPolicy": retry, **fields}


@pytest.fixture
def cave(tmp_path: Path) -> Cave:
    root = tmp_path / "cave"
    root.mkdir()
    return Cave(root, tmp_path / "home")


@pytest.fixture(name="call")
def _call() -> Any:
    return call


@pytest.fixture
def write_omens() -> Callable[[Path, str], None]:
    """Writes a skill called omens into a folder of skills, with the script that the test gives."""

    def write(skills: Path, script: str) -> None:
        folder = skills / "omens"
        (folder / "scripts").mkdir(parents=True)
        (folder / "scripts" / "draw.py").write_text(script, encoding="utf-8")
        manifest = {
            "name": "omens",
            "version": "1.0.0",
            "description": "Draws an omen when somebody looks for a sign.",
            "scripts": [{"name": "draw", "path": "draw.py", "required": False}],
            "examples": ["I look at the stars"],
        }
        (folder / "skill.json").write_text(json.dumps(manifest), encoding="utf-8")

    return write

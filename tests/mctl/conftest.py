from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.warm_process import run_warm

PRELUDE = """\
import json, os, sys, time
request = json.load(sys.stdin)
def emit(kind, **payload):
    event = {"type": kind, "ts": "2025-02-25T10:00:00.000Z", "toolId": TOOL, "payload": payload}
    print(json.dumps(event, ensure_ascii=False), flush=True)
"""


@dataclass(frozen=True)
class Workshop:
    """A project folder of its own, with a home of its own, in which mctl is a process of its own."""

    root: Path
    home: Path

    @property
    def env(self) -> dict[str, str]:
        keep = {key: value for key, value in os.environ.items() if not key.startswith("M_CONTROL")}
        keep.pop("NO_COLOR", None)
        return {**keep, "M_CONTROL_HOME": str(self.home), "PYTHONWARNINGS": "error", "TERM": "xterm"}

    def tool(self, tool_id: str, script: str = "", *, bare: bool = False, **changes: Any) -> Path:
        """A Python tool; its script finds `request` and `emit` ready unless it is to be bare."""
        folder = self.root / "tools" / tool_id
        folder.mkdir(parents=True, exist_ok=True)
        start = "" if bare else f"TOOL = {tool_id!r}\n{PRELUDE}"
        (folder / "main.py").write_text(start + script, encoding="utf-8")
        manifest = {
            "manifestVersion": 1,
            "id": tool_id,
            "version": "1.0.0",
            "name": tool_id.title(),
            "description": f"Does what {tool_id} does.",
            "runtime": "python",
            "entry": "main.py",
            **changes,
        }
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        return folder

    def config(self, *, at_home: bool = False, **sections: Any) -> Path:
        path = (self.home if at_home else self.root / ".m-control") / "config.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"configVersion": 1, **sections}, indent=1), encoding="utf-8")
        path.chmod(0o600)
        return path

    def mctl(
        self, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        environment = {**self.env, **(env or {})}
        return run_warm(
            "narratoria.mctl", *args, input=stdin, cwd=cwd or self.root, env=environment, timeout=60
        )


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    root = tmp_path / "project"
    root.mkdir()
    return Workshop(root, tmp_path / "home" / ".m-control")

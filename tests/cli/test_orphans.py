"""The commands that run tools end what a tool hides from everybody else."""

from __future__ import annotations

import subprocess
import sys
import uuid
from pathlib import Path

import psutil
import pytest

HIDES = """
import json, subprocess, sys
sys.stdin.read()
quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
sleeper = [sys.executable, "-c", "import time; time.sleep(600)", "{mark}"]
subprocess.Popen(["setsid", "-f", "env", "-i", *sleeper], **quiet).wait()
print(json.dumps({{"version": "0", "type": "done", "ok": True}}))
"""


def hidden(mark: str) -> list[psutil.Process]:
    return [
        process for process in psutil.process_iter(["cmdline"]) if mark in (process.info["cmdline"] or ())
    ]


@pytest.fixture
def mark() -> str:
    return f"hidden-{uuid.uuid4().hex}"


@pytest.fixture
def tool(tmp_path: Path, mark: str) -> Path:
    path = tmp_path / "hides.py"
    path.write_text(HIDES.format(mark=mark), encoding="utf-8")
    return path


def narratoria(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "narratoria.cli", *arguments], capture_output=True, text=True, check=False
    )


def test_a_process_without_mark_session_or_pipes_ends_with_the_command(tool: Path, mark: str) -> None:
    assert narratoria("tool", "run", str(tool)).returncode == 0
    assert hidden(mark) == []


def test_the_kit_names_what_a_tool_hides_and_ends_it(tool: Path, mark: str) -> None:
    checked = narratoria("tool", "check", str(tool))
    assert checked.returncode == 1
    assert "✗ Nothing it started is still running when it has ended." in checked.stdout
    assert "still running: " in checked.stdout
    assert hidden(mark) == []

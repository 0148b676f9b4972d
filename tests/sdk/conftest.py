"""A tool author's script in a process of its own, on a pipe."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.skills.host.conftest import host, theatre, watchdog_is_up  # noqa: F401  fixtures

Start = Callable[..., "subprocess.Popen[bytes]"]

HEAD = "import json, os, sys, threading, time\nfrom narratoria import sdk\n"


class Said:
    """What a finished script said."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes) -> None:
        out, err = process.communicate(stdin, timeout=30)
        self.lines = out.split(b"\n")
        assert self.lines.pop() == b"", "the last line has no end"
        self.events: list[dict[str, Any]] = [json.loads(line) for line in self.lines]
        self.stderr = err.decode()
        self.exit_code = process.returncode

    @property
    def kinds(self) -> list[str]:
        assert all(event["version"] == "0" for event in self.events)
        return [event["type"] for event in self.events]

    @property
    def last(self) -> dict[str, Any]:
        return self.events[-1]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    def starting(code: str, **options: Any) -> subprocess.Popen[bytes]:
        script = tmp_path / "tool.py"
        script.write_text(HEAD + textwrap.dedent(code), encoding="utf-8")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, **(pipes | options))

    return starting


@pytest.fixture
def tell(start: Start) -> Callable[..., Said]:
    """Run a script to its end; a function `main` in it is run by the SDK."""

    def telling(code: str, request: Any = None, *, stdin: bytes | None = None, **options: Any) -> Said:
        text = textwrap.dedent(code)
        if "def main" in text:
            text += "\nsdk.run(main)\n"
        if stdin is None:
            stdin = b"" if request is None else json.dumps(request).encode()
        return Said(start(text, **options), stdin)

    return telling


Tell = Callable[..., Said]

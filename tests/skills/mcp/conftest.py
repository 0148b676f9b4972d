from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from narratoria.skills.discovery import read_skill
from narratoria.skills.skill import Skill

SERVERS = Path(__file__).parents[2] / "tools" / "mcp"
ASK = {
    "name": "ask",
    "description": "Answers what the player does.",
    "input": {"type": "object", "properties": {"action": {"type": "string"}}, "required": ["action"]},
}
MakeServerSkill = Callable[..., Skill]


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test grants is not granted in the next."""
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))


@pytest.fixture
def make_server_skill(tmp_path: Path, make_skill: Any) -> MakeServerSkill:
    """Writes a skill with one of the tests' servers in it, and reads it."""

    def make(server: str = "almanac.py", name: str = "almanac", **mcp: Any) -> Skill:
        described = mcp if "url" in mcp else {"command": server, **mcp}
        folder = make_skill(tmp_path / "skills", name, mcp=described)
        shutil.copy(SERVERS / server, folder)
        return read_skill(folder)

    return make


@pytest.fixture
def almanac_url() -> Iterator[str]:
    """The reference server, listening on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, str(SERVERS / "almanac.py"), "http", str(port)], stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()

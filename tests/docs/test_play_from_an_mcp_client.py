"""The page about MCP clients: its program plays, and its settings start a server."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from tests.docs.blocks import named
from tests.docs.walk import run_installed_commands

PAGE = "docs/how-to/play-from-an-mcp-client.md"
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed")


@pytest.mark.slow
def test_the_program_plays_two_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program,) = named(PAGE, "python")
    (tmp_path / "play.py").write_text(program, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # a client hands nothing else of Narratoria's on
    play, serve = named(PAGE, "sh")
    said = run_installed_commands([play.strip()], tmp_path)
    assert said.count("\n> ") == 2, said
    assert serve.split()[:3] == ["narratoria", "mcp", "--http"]  # as tests/mcp_server starts it


def test_a_client_with_these_settings_lists_the_tools_of_the_page(tmp_path: Path) -> None:
    (settings,) = named(PAGE, "json")
    server = json.loads(settings)["mcpServers"]["narratoria"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    parameters = mcp.StdioServerParameters(**server, env={"PATH": path, "NARRATORIA_HOME": str(tmp_path)})

    async def list_tools() -> set[str]:
        async with mcp.Client(parameters) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    page = Path(PAGE).read_text(encoding="utf-8")
    assert all(f"`{tool}`" in page for tool in asyncio.run(list_tools()))

"""The server says what it can do, and over HTTP it is open to this machine and to whoever has the token."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.mcp_server.conftest import caller, mcp

TOOLS = {
    *("list_stories", "begin_story", "read_scene", "choose", "say", "undo", "show_state", "search_memory"),
    *("list_campaigns", "create_campaign", "list_campaign_files", "read_campaign_file"),
    *("write_campaign_file", "validate_campaign", "check_campaign", "read_campaign_schema"),
}
LOOKING = TOOLS - {"begin_story", "choose", "say", "undo", "create_campaign", "write_campaign_file"}
TOKEN = "a-token-of-the-tests-own"


async def test_every_tool_has_a_description_and_says_whether_it_changes_anything(open_client: Any) -> None:
    async with open_client() as call:
        tools = (await call.client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        assert all(tool.description and tool.description.endswith(".") for tool in tools)
        assert {tool.name for tool in tools if tool.annotations.read_only_hint} == LOOKING
        assert call.client.server_info.name == "narratoria"
        assert "do not make up scenes of your own" in call.client.instructions


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    environment = {**os.environ, "NARRATORIA_HOME": str(tmp_path / "home"), "NARRATORIA_MCP_TOKEN": TOKEN}
    process = subprocess.Popen(
        [sys.executable, "-m", "narratoria.cli", "mcp", "--http", "--port", "0"],
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if match := re.fullmatch(r"Serving (http://127\.0\.0\.1:\d+/mcp)\n", line):
                assert process.stderr.readline() == "Authorization: Bearer as set\n"
                yield match[1]
                break
    finally:
        process.terminate()
        process.communicate(timeout=30)


async def test_a_client_with_the_token_plays_over_http(served: str) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as http,
        mcp.Client(streamable_http_client(served, http_client=http)) as client,
    ):
        call = caller(client)
        first = await call("begin_story", campaign="tomorrows-post", seed=7)
        second = await call("choose", story=first["story"], choice=1)
        assert second["scene"] == 2


def test_nobody_else_is_answered(served: str) -> None:
    assert _status(served, {}) == 401
    assert _status(served, {"Authorization": "Bearer another-token-of-somebody"}) == 401
    assert _status(served, {"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}) == 421
    address, port = served.split("/")[2].split(":")
    assert address == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for other in others - {"127.0.0.1"}:
        with socket.socket() as probe:
            assert probe.connect_ex((other, int(port))) != 0 or other.startswith("127.")


def _status(url: str, headers: dict[str, str]) -> int:
    accepted = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}'
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, {**accepted, **headers})) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code

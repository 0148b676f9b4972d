"""The description of an MCP server says where it is, what it needs, and what is wrong with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from narratoria.errors import NotRunnable
from narratoria.skills.mcp.server import McpServer, find_launch_problem, find_server_problems


@pytest.mark.parametrize(
    ("document", "where", "reason"),
    [
        ({}, "/mcp", "name one of both"),
        ({"command": "x", "url": "https://example.org/mcp"}, "/mcp", "name one of both"),
        ({"url": "http://example.org/mcp"}, "/mcp/url", "unencrypted; write https"),
        ({"url": "https://"}, "/mcp/url", "names no host"),
        ({"url": "https://${host}/mcp"}, "/mcp/url", "names no host"),
        ({"url": "https://me:secret@example.org/mcp"}, "/mcp/url", "take it from a setting"),
        ({"url": "https://[example.org/mcp"}, "/mcp/url", "is no address"),
        ({"url": "https://example.org:port/mcp"}, "/mcp/url", "is no address"),
    ],
)
def test_a_server_that_cannot_be_meant_is_refused(document: dict[str, str], where: str, reason: str) -> None:
    (problem,) = find_server_problems(document)
    assert problem.pointer == where
    assert reason in problem.message


@pytest.mark.parametrize("url", ["https://example.org/mcp", "http://127.0.0.1:8000/mcp", "http://localhost/"])
def test_https_is_allowed_everywhere_and_http_on_this_machine(url: str) -> None:
    assert find_server_problems({"url": url}) == []


def test_a_server_at_an_address_needs_the_permission_for_its_host() -> None:
    assert McpServer(url="https://Sky.Example.org:8443/mcp").permission == "network:sky.example.org"
    assert McpServer(command="server.py").permission == ""


def test_the_settings_that_a_description_takes_are_named() -> None:
    server = McpServer(command="x", args=("--key", "${key}"), env={"PLACE": "${place}/${key}"})
    assert server.settings == ("key", "place")


def test_a_file_of_the_skill_runs_with_its_interpreter_and_a_program_from_the_path(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text("")
    assert McpServer(command="server.py", args=("a",), file=file).command_line() == (
        sys.executable,
        str(file),
        "a",
    )
    assert Path(McpServer(command="sh").command_line()[0]).is_absolute()
    with pytest.raises(NotRunnable, match="neither a file of the skill nor a program on the PATH"):
        McpServer(command="no-such-server").command_line()
    assert "no-such-server" in find_launch_problem(McpServer(command="no-such-server"))

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed")

Call = Callable[..., Any]


class Refused(Exception):
    """A tool's error, as the client reads it."""


@pytest.fixture
def open_client(tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Call]]:
    """Starts `narratoria mcp` as a client does, and gives a function that calls its tools."""

    @asynccontextmanager
    async def client(*options: str, home: Path = tmp_path / "home") -> AsyncIterator[Call]:
        environment = {"NARRATORIA_HOME": str(home), "PATH": "/usr/bin:/bin"}
        parameters = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "narratoria.cli", "mcp", *options], env=environment
        )
        async with mcp.Client(parameters) as connected:
            yield caller(connected)

    return client


def caller(connected: Any) -> Call:
    async def call(name: str, /, **arguments: Any) -> dict[str, Any]:
        result = await connected.call_tool(name, arguments)
        if result.is_error:
            raise Refused(" ".join(block.text for block in result.content))
        document: dict[str, Any] = result.structured_content
        return document

    call.client = connected  # type: ignore[attr-defined]
    return call

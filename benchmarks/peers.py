"""Others that do a comparable job, as their own documentation tells to use them; each only if installed."""

from __future__ import annotations

import json
import operator
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypedDict

from benchmarks.measure import Contender, version

HAS_MCP = version("mcp") is not None
HAS_LANGGRAPH = version("langgraph") is not None
HAS_DASK = version("dask") is not None

_SERVER = Path(__file__).with_name("mcp_server.py")


# MCP: a stdio server that answers one tool call


def write_mcp_notifications(path: Path, messages: Sequence[str]) -> Path:
    """What the server says before its answer: the log messages of the tool it stands beside."""
    with path.open("w") as file:
        for message in messages:
            params = {"level": "info", "data": message}
            line = {"jsonrpc": "2.0", "method": "notifications/message", "params": params}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    return path


async def mcp_call(notifications: Path | None, *, expect: int) -> None:
    """Start the server, call its tool once, and see it end."""
    heard = 0

    async def count(_: Any) -> None:
        nonlocal heard
        heard += 1

    async with _mcp_session(notifications, count) as session:
        answer = await session.call_tool("speak", {})
    if answer.is_error or heard != expect:
        raise RuntimeError(f"the peer heard {heard} of {expect} messages, so its time would mean nothing")


@asynccontextmanager
async def mcp_server() -> AsyncIterator[Contender]:
    """A server that stays; each call of what this yields is a call of its tool."""
    async with _mcp_session(None, None) as session:
        yield lambda: session.call_tool("speak", {})


@asynccontextmanager
async def _mcp_session(notifications: Path | None, on_log: Any) -> AsyncIterator[Any]:
    from mcp import ClientSession, StdioServerParameters, stdio_client

    arguments = ["-I", "-S", str(_SERVER), *([str(notifications)] if notifications else [])]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    async with (
        stdio_client(server) as (read, write),
        ClientSession(read, write, logging_callback=on_log) as session,
    ):
        await session.initialize()
        yield session


# graphs of nodes that do nothing; building a graph is not timed, here as for a plan


def graph_contenders(nodes: int, *, in_a_row: bool) -> dict[str, Contender]:
    contenders: dict[str, Contender] = {}
    if HAS_LANGGRAPH:
        contenders["LangGraph, ainvoke"] = _langgraph(nodes, in_a_row)
    if HAS_DASK:
        contenders["Dask, threads"] = _dask(nodes, in_a_row, "threads")
        contenders["Dask, synchronous"] = _dask(nodes, in_a_row, "synchronous")
    return contenders


class _Trail(TypedDict):
    done: Annotated[list[str], operator.add]


def _langgraph(nodes: int, in_a_row: bool) -> Contender:
    os.environ.setdefault("LANGSMITH_TRACING", "false")
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(_Trail)
    names = [f"node{number}" for number in range(nodes)]
    for name in names:
        graph.add_node(name, _langgraph_node(name))
    for before, after in _edges(names, in_a_row):
        graph.add_edge(before or START, after or END)
    compiled = graph.compile()

    async def invoke() -> None:
        result = await compiled.ainvoke({"done": []}, {"recursion_limit": nodes + 10})
        if len(result["done"]) != nodes:
            raise RuntimeError(f"LangGraph ran {len(result['done'])} of {nodes} nodes")

    return invoke


def _langgraph_node(name: str) -> Callable[[_Trail], Any]:
    async def node(_: _Trail) -> dict[str, list[str]]:
        return {"done": [name]}

    return node


def _edges(names: Sequence[str], in_a_row: bool) -> list[tuple[str | None, str | None]]:
    if in_a_row:
        return list(zip([None, *names], [*names, None], strict=True))
    return [edge for name in names for edge in ((None, name), (name, None))]


def _dask(nodes: int, in_a_row: bool, scheduler: str) -> Contender:
    import dask

    step = dask.delayed(lambda *_: 1, pure=False)
    if in_a_row:
        last = step()
        for _ in range(nodes - 1):
            last = step(last)
        goals = [last]
    else:
        goals = [step() for _ in range(nodes)]
    return lambda: dask.compute(*goals, scheduler=scheduler, optimize_graph=False)

"""Servers that misbehave, each in its own way; the way is the first argument."""

import os
import sys
import time
from typing import Any

from mcp.server import MCPServer

way = sys.argv[1]
server = MCPServer("faulty")


@server.tool()
def ask(action: str) -> Any:
    """Answers what the player does."""
    if way == "dies":
        os._exit(3)
    if way == "hangs":
        time.sleep(600)
    if way == "floods":
        return "A grey gull cries. " * 100_000
    if way == "data":
        return {"rows": ["x" * 1000] * 1000}
    return "A grey gull cries."


if way == "garbage":
    print("Loading…\n{{{ not a message\n\0\0", flush=True)
    time.sleep(600)
if way == "deaf":
    time.sleep(600)
if way == "changed":
    server.remove_tool("ask")
    server.add_tool(lambda words: "Another one.", name="ask_anew", description="Answers.")
if way == "empty":
    server.remove_tool("ask")
if way == "stays":
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
server.run("stdio")
if way == "stays":
    time.sleep(600)

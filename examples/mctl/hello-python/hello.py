#!/usr/bin/env python3
"""Greets somebody: an m-control tool with nothing but the standard library."""

import json
import sys
from datetime import UTC, datetime

TOOL_ID = "hello-python"


def emit(kind, **payload):
    event = {"type": kind, "ts": datetime.now(UTC).isoformat(), "toolId": TOOL_ID, "payload": payload}
    print(json.dumps(event), flush=True)


def main():
    """Exit code 0: it worked; 1: it did not, and an `error` says why; 2 or more is a crash."""
    emit("started")
    try:
        request = json.loads(sys.stdin.buffer.read() or b"{}")
        greeting = request.get("context", {}).get("config", {}).get("hello.greeting", "Hello")
        name = request.get("input", {}).get("name", "world")
    except (ValueError, AttributeError) as problem:
        emit("error", message=f"the request cannot be read: {problem}", code="BAD_REQUEST", recoverable=False)
        return 1
    if not isinstance(name, str) or not name:
        emit("error", message="name must be a text, as in name=Ada", code="BAD_NAME", recoverable=True)
        return 1
    emit("log", level="info", message=f"Greeting {name}")
    emit("result", greeting=f"{greeting}, {name}!")
    return 0


if __name__ == "__main__":
    sys.exit(main())

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
        given = request.get("input", {})
    except (ValueError, AttributeError):
        emit("error", message="the request is not what mctl sends", code="BAD_REQUEST", recoverable=False)
        return 1
    if not isinstance(given, dict):
        emit("error", message='input must be an object: {"name": "Ada"}', code="BAD_INPUT", recoverable=True)
        return 1
    name = given.get("name", "world")
    if not isinstance(name, str) or not name:
        emit("error", message="name must be a text, as in name=Ada", code="BAD_NAME", recoverable=True)
        return 1
    emit("log", level="info", message=f"Greeting {name}")
    emit("result", greeting=f"{greeting}, {name}!")
    return 0


if __name__ == "__main__":
    sys.exit(main())

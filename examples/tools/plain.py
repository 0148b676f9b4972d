#!/usr/bin/env python3
"""Rolls a die: a tool in plain Python, to see that the SDK is a convenience and no requirement."""

import json
import random
import sys


def emit(kind, **fields):
    # flush: through a pipe, Python would keep the line until the end
    print(json.dumps({"version": "0", "type": kind, **fields}), flush=True)


def main():
    try:
        request = json.loads(sys.stdin.buffer.read() or b"{}")
        sides = request.get("input", {}).get("sides", 6)
        # the seed makes a replay roll the same
        roll = random.Random(request.get("context", {}).get("seed")).randint(1, sides)
    except (ValueError, TypeError, AttributeError) as problem:
        emit("error", errorCode="BAD_REQUEST", errorMessage=f"the request cannot be read: {problem}")
        emit("done", ok=False, summary="Nothing was rolled.")
        return
    emit("log", level="info", message=f"Rolling a die with {sides} sides")
    emit("done", ok=True, summary=f"You rolled {roll}.", output={"roll": roll})


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Keeps what it is told and recalls what it knows, through the host: needs `store:read` and `store:write`."""

from narratoria import sdk
from narratoria.sdk import host


def main(request: sdk.Request) -> dict[str, object]:
    note = request.input.get("note")
    if note:
        host.store("memory", {"summary": note, "location": request.input.get("place", "")})
        sdk.log(f"Remembered: {note}")

    recalled = host.semantic_search(request.input.get("about") or note or "", "memory", limit=3)
    return {"recalled": [memory["record"]["summary"] for memory in recalled]}


if __name__ == "__main__":
    sdk.run(main)

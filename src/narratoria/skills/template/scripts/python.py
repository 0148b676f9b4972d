"""Greets somebody. What is printed by accident goes to standard error; events are sent with `sdk`."""

from __future__ import annotations

from typing import Any

from narratoria import sdk


def main(request: sdk.Request) -> dict[str, Any]:
    who = request.input.get("who", "stranger")
    times = request.input.get("times", 1)
    if not isinstance(who, str) or not who:
        raise sdk.ToolFailure("BAD_WHO", "who must be a name")
    if type(times) is not int or not 1 <= times <= 10:
        raise sdk.ToolFailure("BAD_TIMES", "times must be a whole number from 1 to 10")
    greeting = request.config.get("greeting", "Good day")
    for _ in range(times):
        sdk.log(f"{greeting}, {who}!")
    sdk.state_patch({"greeted": {who: True}})
    return {"said": f"{greeting}, {who}!", "times": times}


sdk.run(main)

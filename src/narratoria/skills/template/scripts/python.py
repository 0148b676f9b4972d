"""Greets somebody. What is printed by accident goes to standard error; events are sent with `sdk`."""

from __future__ import annotations

from typing import Any

from narratoria import sdk


def main(request: sdk.Request, who: str = "stranger", times: int = 1) -> dict[str, Any]:
    if not who:
        raise sdk.InvalidInput("who", "a name is expected")
    if not 1 <= times <= 10:
        raise sdk.InvalidInput("times", "a whole number from 1 to 10 is expected")
    said = f"{request.config.get('greeting', 'Good day')}, {who}!"
    for _ in range(times):
        sdk.log(said)
    sdk.state_patch({"greeted": {who: True}})
    return {"said": said, "times": times, "tell": f"{who} greets you back."}


sdk.run(main)

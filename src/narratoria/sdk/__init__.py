"""For tool authors: read the request, say what happens, and be done.

    from narratoria import sdk

    def main(request: sdk.Request) -> dict:
        sdk.log("Striking a flint")
        sdk.state_patch({"flags": {"torchLit": True}})
        return {"brightness": 3}

    sdk.run(main)

Nothing but the standard library is imported, and that sparingly: a tool is started for every call.
"""

from narratoria.sdk.emit import InvalidInput, ToolFailure, asset, done, error, log, state_patch, ui_event
from narratoria.sdk.invocation import run
from narratoria.sdk.request import Request, read_request

__all__ = [
    "InvalidInput",
    "Request",
    "ToolFailure",
    "asset",
    "done",
    "error",
    "log",
    "read_request",
    "run",
    "state_patch",
    "ui_event",
]

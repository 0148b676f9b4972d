"""One call from beginning to end: whatever `main` does, the runtime gets a clean ending."""

from __future__ import annotations

import os
import signal
import sys

from narratoria.sdk.emit import ToolFailure, done, error, wire
from narratoria.sdk.request import Request, read_request

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any


def run(main: Callable[[Request], dict[str, Any] | None]) -> None:
    """Call `main`; the dict it returns becomes `done.output`, an exception `error` and `done.ok: false`."""
    _keep_stdout_for_events()
    _leave_on_sigterm()
    try:
        output = main(read_request())
        if output is not None or not wire.ended:
            done(True, output=output)
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None
    except ToolFailure as failure:
        _fail(failure.code, failure.message, failure.details)
    except Exception as bug:  # noqa: BLE001 - the border between any author's code and the protocol
        _print_traceback()
        reason = f"{type(bug).__name__}: {bug}".removesuffix(": ")
        _fail("UNHANDLED_EXCEPTION", reason.encode(errors="backslashreplace").decode())


def _fail(code: str, message: str, details: dict[str, Any] | None = None) -> None:
    if wire.ended:
        raise SystemExit(1)  # after `done` the exit code is the only thing left to say it with
    error(code, message, details)
    done(False, message)


def _keep_stdout_for_events() -> None:
    """From here on a stray print, also one of a library or a child process, goes to stderr."""
    wire.fd = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr


def _leave_on_sigterm() -> None:
    """Let `finally` blocks run when the runtime stops this process."""

    def leave(signum: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + signum)

    signal.signal(signal.SIGTERM, leave)


def _print_traceback() -> None:
    import traceback

    traceback.print_exc()

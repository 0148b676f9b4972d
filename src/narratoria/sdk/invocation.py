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


DESCRIBE = "--input-schema"  # as the only argument: print what the input must be, and do nothing


def run(main: Callable[..., dict[str, Any] | None]) -> None:
    """Call `main`; the dict it returns becomes `done.output`, an exception `error` and `done.ok: false`.

    `main` takes the request, or the values of its input by name and type.
    """
    if sys.argv[1:] == [DESCRIBE]:
        _print_schema(main)
        return
    _keep_stdout_for_events()
    _leave_on_sigterm()
    try:
        output = _call(main, read_request())
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


def _call(main: Callable[..., dict[str, Any] | None], request: Request) -> dict[str, Any] | None:
    code = getattr(main, "__code__", None)
    if code is None or (code.co_argcount == 1 and not code.co_kwonlyargcount and _takes_request(main)):
        return main(request)
    from narratoria.sdk.typed_function import call_typed

    output: dict[str, Any] | None = call_typed(main, request)
    return output


def _takes_request(main: Callable[..., Any]) -> bool:
    """Return whether the one parameter of a function is the request: by its name or type, or untyped."""
    name = main.__code__.co_varnames[0]
    hint = main.__annotations__.get(name)
    text = hint if isinstance(hint, str) else getattr(hint, "__name__", "")
    return hint is None or name == "request" or text.rpartition(".")[2] == "Request"


def _print_schema(main: Callable[..., Any]) -> None:
    import json

    from narratoria.sdk.typed_function import input_schema

    print(json.dumps(input_schema(main), ensure_ascii=False))


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

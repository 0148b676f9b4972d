"""One run of a tool, from the launch to the exit code."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable

from narratoria.mctl.render import Passthrough, View, pretty
from narratoria.protocol.dialects.mctl_v1 import mctl_v1
from narratoria.protocol.process import Outcome, run
from narratoria.skills.mcontrol.launch import Launch

TOOL_FAILED = 1
MCTL_FAILED = 2  # crashes, guardrails, strict violations
STOPPED_BY = 128  # plus the signal's number, as shells count
SIGPIPE = 13  # by its number: Windows has no name for it


def invoke(tool_id: str, launch: Launch, *, as_json: bool, strict: bool) -> int:
    """Run the tool, show it, and give the exit code; KeyboardInterrupt after Ctrl-C, when all is ended."""
    return asyncio.run(_invoke(tool_id, launch, as_json=as_json, strict=strict))


async def _invoke(tool_id: str, launch: Launch, *, as_json: bool, strict: bool) -> int:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    stopped_by: list[int] = []

    def stop(number: int) -> None:
        stopped_by.append(number)
        task.cancel()

    def stop_for_broken_pipe() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nothing is left to stop
            loop.call_soon_threadsafe(stop, SIGPIPE)

    _stop_on_signals(loop, stop)
    view: View = Passthrough(tool_id, stop_for_broken_pipe) if as_json else pretty(tool_id)
    try:
        with view:
            outcome = await run(
                launch.command,
                launch.request,
                mctl_v1(tool_id, strict=strict),
                limits=launch.limits,
                on_events=view.events,
                on_bytes=view.stdout,
                on_stderr=view.stderr,
            )
            view.finish(outcome)
    except asyncio.CancelledError:
        if not stopped_by:
            raise  # Ctrl-C, which asyncio.run turns into KeyboardInterrupt
        return STOPPED_BY + stopped_by[0]
    return exit_code(outcome)


def exit_code(outcome: Outcome) -> int:
    if outcome.failure is None:
        return 0
    return TOOL_FAILED if outcome.failure.category == "tool_failure" else MCTL_FAILED


def _stop_on_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[int], None]) -> None:
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has neither the second nor handlers on a loop; there the runner's own guard ends the tool.
        with contextlib.suppress(AttributeError, NotImplementedError):
            loop.add_signal_handler(getattr(signal, name), stop, getattr(signal, name))

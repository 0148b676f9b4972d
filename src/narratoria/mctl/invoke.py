"""Runs a tool, from its launch to the exit code."""

from __future__ import annotations

import asyncio
import sys

from narratoria.mctl.render import Passthrough, RunView, pretty
from narratoria.protocol.dialects.mctl_v1 import mctl_v1
from narratoria.protocol.orphans import reap_orphans
from narratoria.protocol.process import Outcome, run
from narratoria.skills.mcontrol.tools import Launch
from narratoria.terminal import MAX_BACKLOG_BYTES, BackgroundWriter, StopOnSignal

TOOL_FAILED = 1
MCTL_FAILED = 2  # crashes, guardrails, strict violations


def invoke(tool_id: str, launch: Launch, *, as_json: bool, strict: bool) -> int:
    """Run the tool, show its events and return the exit code; KeyboardInterrupt after Ctrl-C."""
    with reap_orphans():
        return asyncio.run(_invoke(tool_id, launch, as_json=as_json, strict=strict))


async def _invoke(tool_id: str, launch: Launch, *, as_json: bool, strict: bool) -> int:
    stop = StopOnSignal()
    out, err = (
        BackgroundWriter(sys.stdout, stop.on_broken),
        BackgroundWriter(sys.stderr, most=MAX_BACKLOG_BYTES),
    )
    view: RunView = Passthrough(tool_id, out, err) if as_json else pretty(tool_id, out, err)
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
                on_warnings=view.warnings,
            )
            view.finish(outcome)
        await out.wait_finished()
        await err.wait_finished()
    except asyncio.CancelledError:
        if not stop.asked:
            raise
        return stop.exit_code()
    return exit_code(outcome)


def exit_code(outcome: Outcome) -> int:
    if outcome.failure is None:
        return 0
    return TOOL_FAILED if outcome.failure.category == "tool_failure" else MCTL_FAILED

"""Parses what a person types after `mctl run ID`, and runs the tool, from its launch to the exit code."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from narratoria.contracts.read import JsonFault, read_json
from narratoria.mctl.render import Passthrough, RunView, pretty
from narratoria.protocol.dialects.mctl_v1 import mctl_v1
from narratoria.protocol.orphans import reap_orphans
from narratoria.protocol.process import Outcome, run
from narratoria.skills.mcontrol.config import merge_layers
from narratoria.skills.mcontrol.tools import Launch
from narratoria.terminal import MAX_BACKLOG_BYTES, BackgroundWriter, StopOnSignal


def tool_input(option: str | None, pairs: Sequence[str]) -> Any:
    """Return the value of `--input` with the `key=value` pairs merged over it; {} for neither."""
    given = _parse_option(option) if option is not None else {}
    if not pairs:
        return given
    if not isinstance(given, dict):
        raise click.UsageError("key=value needs an object to go into, and --input is not one.")
    for pair in pairs:
        given = merge_layers(given, parse_pair(pair))
    return given


def parse_pair(pair: str) -> dict[str, Any]:
    """Parse `a.b=1` into `{"a": {"b": 1}}`; what is not JSON is a string."""
    # a terminal may hand over bytes that are no text, and JSON cannot hold them
    key, equals, text = pair.encode(errors="replace").decode().partition("=")
    if not equals or not all(key.split(".")):
        raise click.UsageError(f"{pair!r} is not of the form key=value.")
    try:
        _, value = read_json(text)
    except JsonFault:
        value = text
    *above, last = key.split(".")
    nested: dict[str, Any] = {last: value}
    for part in reversed(above):
        nested = {part: nested}
    return nested


def _parse_option(option: str) -> Any:
    source, text = "--input", option.encode(errors="surrogateescape")
    if option == "-":
        source, text = "standard input", sys.stdin.buffer.read()
    elif option.startswith("@"):
        source = option[1:]
        try:
            text = Path(source).read_bytes()
        except OSError as error:
            raise click.UsageError(f"--input {option}: cannot be read: {error}.") from error
    try:
        return read_json(text)[1]
    except JsonFault as fault:
        raise click.UsageError(f"{source} is not JSON: {fault.message}.") from fault


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

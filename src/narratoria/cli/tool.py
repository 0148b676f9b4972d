"""Defines `narratoria tool`: runs a tool and shows its events, or checks it against the protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from narratoria.protocol.dialect import Limits
from narratoria.protocol.events import (
    AssetEvent,
    DoneEvent,
    ErrorEvent,
    Event,
    LogEvent,
    StatePatchEvent,
    UiEvent,
)
from narratoria.protocol.process import Outcome
from narratoria.terminal import Seconds, paint, visible

PATH = click.Path(path_type=Path)
OPERATION = "Operation to ask for, if the tool has several.  [default: its own name]"
MANY = click.IntRange(min=1)


INPUT_METAVAR = "JSON|@FILE|-"
INPUT_EXAMPLE = """Try --input '{"name": "lantern"}'."""


MANIFEST = "manifest.json"
TOOL_FAILED = 1
PROTOCOL_FAILED = 2
LEVELS: dict[str, dict[str, Any]] = {
    "debug": {"dim": True},
    "info": {"fg": "cyan"},
    "warn": {"fg": "yellow"},
    "error": {"fg": "red"},
}
MOST_SHOWN = 2000  # characters of one value
NEXT_STEPS = {
    "TIMEOUT": "If it needs longer, give it more: --timeout S.",
    "RUNNER_GUARDRAIL": "If it needs more, use --max-events or --max-output-bytes.",
    "NOT_STARTED": "A script needs a #! line and `chmod +x`, or an ending such as .py, .mjs or .sh.",
}


def parse_json_object(_ctx: click.Context, _param: click.Parameter, value: str) -> dict[str, Any]:
    """Parse an option's JSON object: as written, from a @file, or from stdin for `-`."""
    from narratoria.contracts.read import JsonFault, read_json

    try:
        _, document = read_json(_input_bytes(value))
    except JsonFault as fault:
        raise click.BadParameter(
            f"{_input_source(value)} is not JSON: {fault.message}. {INPUT_EXAMPLE}"
        ) from fault
    except OSError as error:
        raise click.BadParameter(f"{value[1:]} cannot be read: {error.strerror}.") from error
    if not isinstance(document, dict):
        raise click.BadParameter(f"{_input_source(value)} is not a JSON object. {INPUT_EXAMPLE}")
    return document


def parse_json_objects(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> list[dict[str, Any]]:
    return [parse_json_object(ctx, param, value) for value in values]


def _input_bytes(value: str) -> bytes | str:
    if value == "-":
        return sys.stdin.buffer.read()
    return Path(value[1:]).read_bytes() if value.startswith("@") else value


def _input_source(value: str) -> str:
    return "standard input" if value == "-" else value[1:] if value.startswith("@") else "it"


@click.group()
def tool() -> None:
    """Run a tool by itself, or check it.

    A tool is a program in any language that reads one JSON object from standard input and writes one
    JSON object per line to standard output, the last of them saying that it is done:

    \b
      {"version":"0","type":"log","level":"info","message":"Striking a flint"}
      {"version":"0","type":"done","ok":true,"summary":"The torch burns."}
    """


@tool.command(short_help="Run a tool and show its events.")
@click.argument("path", type=PATH)
@click.option(
    "--input",
    "given",
    metavar=INPUT_METAVAR,
    callback=parse_json_object,
    default="{}",
    help="The tool's input: as it stands here, from a file, or (-) from standard input. Empty by default.",
)
@click.option("--operation", metavar="NAME", help=OPERATION)
@click.option(
    "--story",
    metavar="ID",
    help="Let it use what this story remembers.  [default: a new store, thrown away afterwards]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the tool's own lines unchanged.")
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask before it runs without a box.")
@click.option(
    "--timeout", type=Seconds(), default=30.0, show_default=True, metavar="S", help="Stop it after S seconds."
)
@click.option(
    "--max-events", type=MANY, default=10_000, show_default=True, metavar="N", help="Stop it after N events."
)
@click.option(
    "--max-output-bytes",
    type=MANY,
    default=10_000_000,
    show_default=True,
    metavar="N",
    help="Stop it after N bytes of output.",
)
@click.pass_context
def run(
    ctx: click.Context,
    *,
    path: Path,
    given: dict[str, Any],
    operation: str | None,
    story: str | None,
    as_json: bool,
    is_agreed: bool,
    timeout: float,
    max_events: int,
    max_output_bytes: int,
) -> None:
    """Run the tool at PATH and show what it says, as it says it.

    PATH is a program, or a script: .py runs with this Python, .js and .mjs with node, .sh with bash,
    .ps1 with pwsh; a script that is executable runs by itself. It starts in its own folder. What it
    writes to standard error goes to standard error.

    It has a channel to a store that is empty and thrown away afterwards, or with --story to what that
    story remembers. A script of a skill finds the skill's settings, may do what the skill asks for (in a
    story: what was granted), and is not run with an input that does not fit.

    A script of an installed skill runs in the skill's box. Before anything else is run, you are asked at a
    terminal. What it writes to a terminal cannot steer it.

    \b
    Examples:
      narratoria tool run torch.sh
      narratoria tool run torch.sh --input '{"name": "lantern"}'
      narratoria tool run torch.sh --input @request.json --json | jq .

    \b
    Exit code:
      0    it is done, and well
      1    it is done, and says that it failed (done with ok: false)
      2    it broke the protocol, was stopped, or could not be started
      130  Ctrl-C; the tool and everything it started are ended with it
    """
    from narratoria.cli.tool_run import ToolRun, run_tool

    limits = Limits(timeout=timeout, max_events=max_events, max_output_bytes=max_output_bytes)
    ctx.exit(run_tool(ToolRun(path, given, operation or path.stem, as_json, limits, story, is_agreed)))


@tool.command(short_help="Check whether a tool follows the protocol.")
@click.argument("path", type=PATH)
@click.option(
    "--input",
    "samples",
    metavar=INPUT_METAVAR,
    callback=parse_json_objects,
    multiple=True,
    help="An input that the tool should succeed with; can be repeated.",
)
@click.option("--operation", metavar="NAME", help=OPERATION)
@click.option("--json", "as_json", is_flag=True, help="Print the report as a JSON object.")
@click.option(
    "--timeout",
    type=Seconds(),
    default=10.0,
    show_default=True,
    metavar="S",
    help="Time limit of a run.",
)
@click.pass_context
def check(
    ctx: click.Context,
    *,
    path: Path,
    samples: list[dict[str, Any]],
    operation: str | None,
    as_json: bool,
    timeout: float,
) -> None:
    """Find out whether the tool at PATH keeps to the protocol, and what to mend if it does not.

    The tool is run a dozen times: with an empty input and yours, with text in many scripts, with a
    megabyte, with fields and operations it cannot know, with requests that are broken or missing, twice
    at the same time, and told to stop. Let it do nothing then that you would not want done.

    A PATH to a manifest.json, or to a folder with one, is checked as an m-control tool.

    \b
    In the report:
      ✓  the rule holds
      !  it works, and could do better
      ✗  the rule is broken: what happened, with which input, and what to do (→)

    \b
    Exit code:
      0  nothing is broken
      1  something is
      2  the tool cannot be started
    """
    from narratoria.cli.tool_check import check_path

    ctx.exit(check_path(path, samples, operation=operation or path.stem, as_json=as_json, timeout=timeout))


def exit_code(outcome: Outcome) -> int:
    if outcome.failure is None:
        return 0
    return TOOL_FAILED if outcome.failure.category == "tool_failure" else PROTOCOL_FAILED


def diagnosis(path: Path, outcome: Outcome) -> list[str]:
    """Return the lines for stderr after a run."""
    lines: list[str] = []
    if outcome.dropped:
        what = "1 line was" if outcome.dropped == 1 else f"{outcome.dropped} lines were"
        lines.append(paint(f"! {what} dropped: nothing may follow `done`", sys.stderr, fg="yellow"))
    if failure := outcome.failure:
        by_itself = failure.category == "tool_failure"
        verb = "failed" if by_itself else "broke off"
        why = f"{visible(failure.code)}: {visible(failure.message)}"
        lines.append(paint(f"✗ {path.name} {verb} {timing(outcome)}: {why}", sys.stderr, fg="red", bold=True))
        if not by_itself:
            advice = NEXT_STEPS.get(failure.code, f"`narratoria tool check {path}` says more.")
            lines.append(f"  → {advice}")
    return lines


def timing(outcome: Outcome) -> str:
    events = "1 event" if outcome.events == 1 else f"{outcome.events} events"
    first = f", the first after {outcome.first_event_ms:.0f} ms" if outcome.first_event_ms else ""
    return f"in {outcome.duration_ms:.0f} ms ({events}{first})"


def event_lines(event: Event) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the lines of an event: a label, a text, and the label's style."""
    match event:
        case LogEvent():
            return [(event.level, _joined(event.message, event.fields), LEVELS[event.level])]
        case StatePatchEvent():
            return [("patch", _compact(event.patch), {"fg": "magenta"})]
        case UiEvent():
            return [("ui", _joined(event.event, event.payload), {"fg": "blue"})]
        case AssetEvent():
            what = f"{event.asset_id} ({event.kind}, {event.media_type}) {event.path}"
            return [("asset", _joined(what, event.metadata), {"fg": "blue"})]
        case ErrorEvent():
            text = f"{event.error_code}: {event.error_message}"
            return [("error", _joined(text, event.details), {"fg": "red", "bold": True})]
        case DoneEvent():
            style = {"fg": "green"} if event.ok else {"fg": "red"}
            lines: list[tuple[str, str, dict[str, Any]]] = []
            if not isinstance(event.output, msgspec.UnsetType):
                lines.append(("output", _compact(event.output), style))
            return [*lines, ("done", event.summary or ("ok" if event.ok else "not ok"), style)]


def _joined(text: str, more: dict[str, Any]) -> str:
    return f"{text} {_compact(more)}" if more else text


def _compact(value: dict[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(text)} characters)"

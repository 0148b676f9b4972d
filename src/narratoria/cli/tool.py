"""`narratoria tool`: run a tool by itself, or have it checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from narratoria.cli.arguments import METAVAR, json_object, json_objects
from narratoria.terminal import Seconds

PATH = click.Path(path_type=Path)
OPERATION = "What the tool is asked to do, if it can do several things.  [default: its own name]"
MANY = click.IntRange(min=1)


@click.group()
def tool() -> None:
    """Run a tool by itself, or have it checked.

    A tool is a program in any language that reads one JSON object from standard input and writes one
    JSON object per line to standard output, the last of them saying that it is done:

    \b
      {"version":"0","type":"log","level":"info","message":"Striking a flint"}
      {"version":"0","type":"done","ok":true,"summary":"The torch burns."}
    """


@tool.command(short_help="Run a tool and show what it says.")
@click.argument("path", type=PATH)
@click.option(
    "--input",
    "given",
    metavar=METAVAR,
    callback=json_object,
    default="{}",
    help="The tool's input: as it stands here, from a file, or (-) from standard input. Empty by default.",
)
@click.option("--operation", metavar="NAME", help=OPERATION)
@click.option("--json", "as_json", is_flag=True, help="Pass the tool's own lines through, byte for byte.")
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
    as_json: bool,
    timeout: float,
    max_events: int,
    max_output_bytes: int,
) -> None:
    """Run the tool at PATH and show what it says, as it says it.

    PATH is a program, or a script: .py runs with this Python, .js and .mjs with node, .sh with bash,
    .ps1 with pwsh; a script that is executable runs by itself. It starts in its own folder. What it
    writes to standard error goes to standard error.

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
    from narratoria.cli.tool_run import run_tool
    from narratoria.protocol.dialect import Limits

    limits = Limits(timeout=timeout, max_events=max_events, max_output_bytes=max_output_bytes)
    ctx.exit(run_tool(path, given, operation=operation or path.stem, as_json=as_json, limits=limits))


@tool.command(short_help="Find out whether a tool keeps to the protocol.")
@click.argument("path", type=PATH)
@click.option(
    "--input",
    "samples",
    metavar=METAVAR,
    callback=json_objects,
    multiple=True,
    help="An input that the tool should succeed with; may be given several times.",
)
@click.option("--operation", metavar="NAME", help=OPERATION)
@click.option("--json", "as_json", is_flag=True, help="Print the report as a JSON object.")
@click.option(
    "--timeout",
    type=Seconds(),
    default=10.0,
    show_default=True,
    metavar="S",
    help="How many seconds a run may take.",
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

"""Defines the commands of `mctl`: init, list, run, doctor."""

from __future__ import annotations

import difflib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from narratoria import __version__
from narratoria.errors import NotRunnable
from narratoria.terminal import EXIT_REFUSED, ErrorReportingGroup, Seconds, is_terminal

if TYPE_CHECKING:
    from narratoria.skills.mcontrol.config import Config
    from narratoria.skills.mcontrol.manifest import ToolManifest

EXIT_PROBLEMS = 1


@click.group(cls=ErrorReportingGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="mctl (Narratoria) %(version)s")
def mctl() -> None:
    """Find and run m-control tools: small programs in any language that read one JSON request and
    answer with one JSON event per line.

    A tool is a folder with a manifest.json. Tools are looked for in the folders named by the environment
    variable M_CONTROL_TOOLS_ROOT, then in those of the config (paths.toolsRoots), then in ./tools.

    \b
    Begin with:
      mctl init      write a config file for this project
      mctl list      see which tools there are
      mctl run ID    run one of them
      mctl doctor    find out why something does not work
    """


@mctl.command()
@click.option(
    "--global", "everywhere", is_flag=True, help="Write ~/.m-control/config.json, for all projects."
)
@click.option("--force", is_flag=True, help="Replace a config file that is already there.")
def init(everywhere: bool, force: bool) -> None:
    """Write an empty config file: .m-control/config.json in this folder."""
    from narratoria.skills.mcontrol.config import EMPTY_CONFIG, FILE_NAME, FOLDER, home_file

    path = home_file() if everywhere else Path.cwd() / FOLDER / FILE_NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    # It will hold tokens: for the owner's eyes from the first moment on.
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if force else os.O_EXCL)
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError:
        click.echo(f"mctl: {path} is already there; edit it, or use --force to start afresh", err=True)
        raise click.exceptions.Exit(EXIT_REFUSED) from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(json.dumps(EMPTY_CONFIG, indent=2) + "\n")
    click.echo(f"Wrote {path}")
    click.echo(
        'Settings for tools go under "tools". It may come to hold secrets: keep it out of version control.'
    )
    click.echo("Next: `mctl list` shows the tools there are, `mctl doctor` what they still need.")


@mctl.command("list")
@click.option("--json", "as_json", is_flag=True, help="A JSON array instead of a table.")
def list_tools(as_json: bool) -> None:
    """Show the tools there are. Manifests that cannot be used are named on stderr, with the reason."""
    from narratoria.mctl.render import print_table
    from narratoria.skills.mcontrol.config import load_config
    from narratoria.skills.mcontrol.tools import discover, tools_roots

    catalog = discover(tools_roots(load_config(Path.cwd())))
    for problem in catalog.problems:
        click.echo(f"mctl: warning: {problem}", err=True)
    if as_json:
        click.echo(json.dumps([_listing(tool) for tool in catalog.tools], indent=2, ensure_ascii=False))
    elif catalog.tools:
        rows = [(tool.id, tool.version, tool.runtime, tool.description) for tool in catalog.tools]
        print_table(("ID", "VERSION", "RUNTIME", "DESCRIPTION"), rows)
    else:
        searched = ", ".join(str(root.path) for root in catalog.roots)
        click.echo(f"No tools in {searched}. A tool is a folder there with a manifest.json.", err=True)


@mctl.command(short_help="Run a tool.")
@click.argument("tool_id", metavar="ID")
@click.argument("pairs", metavar="[KEY=VALUE]...", nargs=-1)
@click.option(
    "--input",
    "input_option",
    metavar="JSON|@FILE|-",
    help="The tool's input as JSON: as it stands here, from a file, or (-) from stdin.",
)
@click.option("--json", "as_json", is_flag=True, help="Pass the tool's event lines through, byte for byte.")
@click.option("--strict", is_flag=True, help="A malformed event line is a failure, not a warning.")
@click.option(
    "--timeout",
    type=Seconds(),
    metavar="SECONDS",
    help="Stop the tool after this time, whatever the config and the manifest say.",
)
@click.pass_context
def run(
    ctx: click.Context,
    *,
    tool_id: str,
    pairs: tuple[str, ...],
    input_option: str | None,
    as_json: bool,
    strict: bool,
    timeout: float | None,
) -> None:
    """Run the tool ID: one of `mctl list`, or the path of a manifest.json.

    KEY=VALUE goes into the tool's input, over what --input gives. A value that reads as JSON is that
    value (n=3, on=true), anything else is a string; dots in a key make objects (pr.id=42).

    \b
    Exit code:
      0, 1  the tool's own: it succeeded, it failed in a way it foresaw
      2     it crashed or was stopped, or mctl could not run it
    """
    from narratoria.mctl.invoke import invoke, tool_input
    from narratoria.skills.mcontrol.config import load_config
    from narratoria.skills.mcontrol.tools import prepare_launch

    payload = tool_input(input_option, pairs)
    config = load_config(Path.cwd())
    tool = _find(tool_id, config)
    launch = prepare_launch(tool, config, payload=payload, timeout=timeout)
    ctx.exit(invoke(tool.id, launch, as_json=as_json, strict=strict))


@mctl.command(short_help="Check everything, and say what to mend.")
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Check config files, tools roots, manifests, runtimes and settings, and say what to mend.

    \b
    Exit code:
      0  nothing is wrong
      1  something is
    """
    from narratoria.mctl.doctor import examine

    colours = {"ok": "green", "note": "yellow", "wrong": "red"}
    section, wrong = "", 0
    for check in examine(Path.cwd()):
        if check.section != section:
            section = check.section
            click.echo(section)
        label = check.verdict.ljust(5)
        styled = click.style(label, fg=colours[check.verdict]) if is_terminal(sys.stdout) else label
        click.echo(f"  {styled}  {check.text}")
        wrong += check.verdict == "wrong"
    if wrong:
        click.echo(f"{wrong} to mend. Each line above says where and how; then run `mctl doctor` again.")
        ctx.exit(EXIT_PROBLEMS)
    click.echo("All is well.")


def _listing(tool: ToolManifest) -> dict[str, Any]:
    return {
        "id": tool.id,
        "version": tool.version,
        "name": tool.name,
        "description": tool.description,
        "runtime": tool.runtime,
        "entry": str(tool.entry),
        "manifest": str(tool.path),
        "requiredConfig": tool.required_config,
        "optionalConfig": tool.optional_config,
        "timeoutMs": tool.timeout_ms,
        "tags": tool.tags,
    }


def _find(name: str, config: Config) -> ToolManifest:
    from narratoria.skills.mcontrol.manifest import FILE_NAME, read_manifest
    from narratoria.skills.mcontrol.tools import discover, tools_roots

    if Path(name).name == FILE_NAME:
        return read_manifest(Path(name))
    catalog = discover(tools_roots(config))
    if tool := catalog.get(name):
        return tool
    for problem in catalog.problems:  # one of them may be the tool that was meant
        click.echo(f"mctl: warning: {problem}", err=True)
    near = difflib.get_close_matches(name, [tool.id for tool in catalog.tools], n=1)
    hint = f"did you mean {near[0]}?" if near else "`mctl list` shows those there are"
    searched = ", ".join(str(root.path) for root in catalog.roots)
    raise NotRunnable(f"there is no tool {name!r} in {searched}; {hint}")

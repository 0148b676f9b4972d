"""Defines the command `narratoria`: a table of subcommands, each imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeAlias

import click

from narratoria import __version__
from narratoria.terminal import ErrorReportingGroup

CommandTable: TypeAlias = Mapping[
    str, tuple[str, str]
]  # name: (module:attribute, its line in the group's help)


COMMANDS: CommandTable = {
    "play": ("narratoria.cli.play:play", "Play a story."),
    "serve": ("narratoria.cli.serve:serve", "Serve stories to several people, as a service."),
    "stories": ("narratoria.cli.stories:stories", "List, branch, compare, export and import stories."),
    "replay": (
        "narratoria.cli.stories:replay",
        "Tell a story again from its log, and compare.",
    ),
    "autoplay": ("narratoria.cli.play:autoplay", "Let a story play itself, optionally with faults."),
    "run": ("narratoria.cli.plan_run:run", "Run a plan from a file."),
    "trace": ("narratoria.cli.plan:trace", "Show past runs of plans, or one of them as a tree."),
    "plan": ("narratoria.cli.plan:plan", "Show the plan for an action, and why."),
    "skills": ("narratoria.cli.skills:skills", "List, configure, enable and check skills."),
    "campaign": ("narratoria.cli.campaign:campaign", "Validate, inspect and write campaigns."),
    "maker": ("narratoria.cli.maker:maker", "Sign what you pass on, and know whose you are given."),
    "store": ("narratoria.cli.store:store", "Search, back up and check what stories remember."),
    "tool": ("narratoria.cli.tool:tool", "Run a tool by itself, or check it."),
    "mcp": ("narratoria.cli.mcp:mcp", "Let an MCP client play and write campaigns."),
    "model": ("narratoria.cli.model:model", "Manage the language models on this machine."),
    "doctor": ("narratoria.cli.doctor:doctor", "Check whether everything is in order."),
}


class LazyGroup(click.Group):
    """Imports a command when it is called; knows them by name, from a table."""

    def __init__(self, *args: Any, table: CommandTable, **more: Any) -> None:
        super().__init__(*args, **more)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        module, _, attribute = self._table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._table.items()])


# name: (module:attribute, what `narratoria --help` says of it)


class Commands(ErrorReportingGroup, LazyGroup):
    """Groups all commands."""


@click.group(cls=Commands, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="narratoria %(version)s")
def narratoria() -> None:
    """An on-device storytelling engine, whose skills are small programs in any language.

    \b
    To write such a program, begin with:
      narratoria tool run PATH     see what it does
      narratoria tool check PATH   see whether it keeps to the protocol
    """

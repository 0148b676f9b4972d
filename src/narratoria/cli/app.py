"""The top of the command line: a table of commands, each imported when it is called."""

from __future__ import annotations

import click

from narratoria import __version__
from narratoria.cli.lazy import LazyGroup, Table
from narratoria.terminal import PlainWords

# name: (module:attribute, what `narratoria --help` says of it)
COMMANDS: Table = {
    "play": ("narratoria.cli.play:play", "Play a story."),
    "stories": ("narratoria.cli.stories:stories", "See, branch, compare, export and bring in stories."),
    "replay": ("narratoria.cli.replay:replay", "Tell a story again from its log; say where it would differ."),
    "autoplay": ("narratoria.cli.autoplay:autoplay", "Let a story play itself, with faults if you like."),
    "run": ("narratoria.cli.run:run", "Execute a plan from a file."),
    "trace": ("narratoria.cli.trace:trace", "Show what plans did: the latest ones, or one as a tree."),
    "plan": ("narratoria.cli.plan:plan", "Show the plan for an action, and why."),
    "skills": ("narratoria.cli.skills:skills", "See, configure, enable and check skills."),
    "campaign": ("narratoria.cli.campaign:campaign", "Check and look at campaigns; write one of your own."),
    "store": ("narratoria.cli.store:store", "See, search, back up and check what stories remember."),
    "tool": ("narratoria.cli.tool:tool", "Run a tool by itself, or have it checked."),
    "model": ("narratoria.cli.model:model", "The language models on this machine, and those to be had."),
    "doctor": ("narratoria.cli.doctor:doctor", "Find out whether everything is in order here."),
}


class Commands(PlainWords, LazyGroup):
    pass


@click.group(cls=Commands, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="narratoria %(version)s")
def narratoria() -> None:
    """An on-device storytelling engine, whose skills are small programs in any language.

    \b
    To write such a program, begin with:
      narratoria tool run PATH     see what it does
      narratoria tool check PATH   see whether it keeps to the protocol
    """

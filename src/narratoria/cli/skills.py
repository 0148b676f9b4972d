"""`narratoria skills`: the table of what can be done with skills."""

from __future__ import annotations

import click

from narratoria.cli.lazy import LazyGroup, Table

SUBCOMMANDS: Table = {
    "list": ("narratoria.cli.skills_show:list_skills", "The skills there are, and whether they can be used."),
    "show": (
        "narratoria.cli.skills_show:show",
        "One skill: its scripts, its settings, what is wrong with it.",
    ),
    "config": ("narratoria.cli.skills_config:config", "Get and set what a skill can be told."),
    "enable": ("narratoria.cli.skills_switch:enable", "Let plans use a skill."),
    "disable": ("narratoria.cli.skills_switch:disable", "Keep plans from using a skill."),
    "grant": ("narratoria.cli.skills_grants:grant", "Let a skill do what it asks for."),
    "revoke": ("narratoria.cli.skills_grants:revoke", "Take back what a skill was granted."),
    "validate": ("narratoria.cli.skills_show:validate", "Check manifests, config schemas and settings."),
    "new": ("narratoria.cli.skills_files:new", "Begin a skill of your own."),
    "install": ("narratoria.cli.skills_files:install", "Install a skill from a zip archive or a folder."),
    "remove": ("narratoria.cli.skills_files:remove", "Remove an installed skill."),
}


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def skills() -> None:
    """See, configure, enable and check skills.

    Skills are found among those of the package, then in your home for Narratoria (NARRATORIA_HOME, if
    set), then in ./skills. What you set is kept in your home, for every skill in its own config.json.

    \b
    Exit code, of every command here:
      0  done
      1  something was found wrong, or there is no such value
      2  what was asked for cannot be done: no such skill, a value that does not fit, a broken file
    """

"""`narratoria campaign`: the table of what can be done with campaigns."""

from __future__ import annotations

import click

from narratoria.cli.lazy import LazyGroup, Table

SUBCOMMANDS: Table = {
    "validate": ("narratoria.cli.campaign_check:validate", "Find what is wrong with its files, with lines."),
    "check": ("narratoria.cli.campaign_check:check", "Find out which beats and endings can be reached."),
    "info": ("narratoria.cli.campaign_info:info", "What a campaign holds."),
    "list": ("narratoria.cli.campaign_author:list_campaigns", "Yours, and those that came along."),
    "new": ("narratoria.cli.campaign_author:new", "Begin one, with a few questions."),
    "enrich": ("narratoria.cli.campaign_take:enrich", "Fill up one that leaves much open."),
    "ingest": ("narratoria.cli.campaign_take:ingest", "Take its lore and files into the store."),
    "provenance": ("narratoria.cli.campaign_take:provenance", "Who wrote what in it."),
    "pack": ("narratoria.cli.campaign_author:pack", "Pack it into one file, to pass on."),
    "install": ("narratoria.cli.campaign_author:install", "Install one that was packed."),
    "import": ("narratoria.cli.campaign_author:import_file", "Bring in what was written elsewhere."),
    "schemas": ("narratoria.cli.campaign_info:schemas", "Write the contracts of its files, for an editor."),
}


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def campaign() -> None:
    """Write, check and look at campaigns: the folders that stories are told from.

    CAMPAIGN is a folder, or the name of one among yours and those that came with Narratoria.

    \b
    Exit code, of every command here:
      0  done, or nothing is wrong (there may be warnings)
      1  something is wrong
      2  what was asked for cannot be done, such as finding a campaign of that name
    """

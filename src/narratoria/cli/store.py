"""`narratoria store`: the table of what can be done with what stories remember."""

from __future__ import annotations

import click

from narratoria.cli.lazy import LazyGroup, Table

SUBCOMMANDS: Table = {
    "stats": ("narratoria.cli.store_look:stats", "What there is, and what queries have cost."),
    "search": ("narratoria.cli.store_look:search", "Find memories and lore by what they are about."),
    "export": ("narratoria.cli.store_look:export", "Everything that stories keep, as lines of JSON."),
    "retention": ("narratoria.cli.store_retention:retention", "What stories may forget, and what would go."),
    "check": ("narratoria.cli.store_files:check", "Look through the file for damage."),
    "backup": ("narratoria.cli.store_files:backup", "Copy the store to a file."),
    "restore": ("narratoria.cli.store_files:restore", "Put a backup in the store's place."),
}


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def store() -> None:
    """See, search, limit, back up, restore and check what stories remember.

    It is one file, narratoria.db in your home for Narratoria (NARRATORIA_HOME, if set), or what
    NARRATORIA_DATABASE_URL names. While a story is played, it belongs to that story: `backup` and `check`
    work nevertheless, the others ask you to close it first.

    \b
    Exit code, of every command here:
      0  done
      1  something was found wrong, or nothing was found
      2  what was asked for cannot be done: a file that cannot be used, a story that does not exist
    """

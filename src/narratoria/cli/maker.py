"""Defines `narratoria maker`: the user's key for signing, and whose keys the user knows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from narratoria.cli.commands import CommandTable, LazyGroup
from narratoria.terminal import is_terminal, say, visible

if TYPE_CHECKING:
    from narratoria.signatures import Maker

SUBCOMMANDS: CommandTable = {
    "create": ("narratoria.cli.maker:create", "Make your key, to sign what you pass on."),
    "list": ("narratoria.cli.maker:list_makers", "Show your key, and whose keys you know."),
    "know": ("narratoria.cli.maker:know", "Say whose a key is."),
    "forget": ("narratoria.cli.maker:forget", "Know a key no longer."),
}
DECLINED = 1
UNSIGNED = "not signed: nobody can tell who made it, or whether it was changed since"


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def maker() -> None:
    """Sign stories and campaigns that you pass on, and know whose you are given.

    A signature says that a file is as its maker left it. Who that is, you say yourself: compare the key with
    the one that they show you, and `know` it by a name.
    """


@click.command(short_help="Make your key, to sign what you pass on.")
@click.argument("name")
def create(*, name: str) -> None:
    """Make your key and call yourself NAME in what you sign: `campaign pack --sign`, `stories export --sign`.

    It lies in maker.json in your home for Narratoria. Keep a copy: without it, nobody can tell that what you
    sign later is from you as well.
    """
    from narratoria import paths
    from narratoria.signatures import create_key

    made = create_key(paths.shared_home(), name)
    say(f"Your key is {made.key}\nWho knows it sees that a file is from you: tell it to them yourself.")


@click.command("list", short_help="Show your key, and whose keys you know.")
def list_makers() -> None:
    """Your own key first, then those that you know."""
    from narratoria import paths
    from narratoria.signatures import known_makers, own_maker

    own = own_maker(paths.shared_home())
    say(f"{own.key}  {visible(own.name)} (you)" if own else "You have no key: narratoria maker create NAME")
    for key, name in sorted(known_makers(paths.shared_home()).items(), key=lambda item: item[1]):
        say(f"{visible(key)}  {visible(name)}")


@click.command(short_help="Say whose a key is.")
@click.argument("key")
@click.argument("name")
def know(*, key: str, name: str) -> None:
    """Know KEY as NAME's; what it has signed is then from NAME."""
    from narratoria import paths
    from narratoria.signatures import change_known

    change_known(paths.shared_home(), key, name)
    say(f"What {key} has signed is from {visible(name)}.")


@click.command(short_help="Know a key no longer.")
@click.argument("key")
def forget(*, key: str) -> None:
    """Know KEY no longer; what was brought in stays."""
    from narratoria import paths
    from narratoria.signatures import change_known

    change_known(paths.shared_home(), key, None)
    say(f"{key} is nobody's any more.")


def describe_maker(made_by: Maker | None) -> str:
    """Return whose a file is, as a sentence goes on."""
    return visible(str(made_by)) if made_by else UNSIGNED


def confirm_stranger(made_by: Maker | None, show: Callable[[], None], *, yes: bool) -> None:
    """Show a stranger's file, and ask whether it may come in; what is no terminal has decided already."""
    if yes or (made_by and made_by.known_as):
        return
    if not is_terminal(sys.stdin):
        if made_by:
            click.echo(f"narratoria: this file is {describe_maker(made_by)}", err=True)
        return
    show()
    if not click.confirm("Bring it in?"):
        raise click.exceptions.Exit(DECLINED)

"""Defines `narratoria play`: plays a story in the browser, or in the terminal."""

from __future__ import annotations

import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from narratoria.errors import NarratoriaException
from narratoria.terminal import say

if TYPE_CHECKING:
    from narratoria.web.running_server import RunningServer

FIRST_STORY = "tomorrows-post"


LOOPBACK = "127.0.0.1"


@click.command()
@click.argument("campaign", required=False)
@click.option("--terminal", is_flag=True, help="Play here, in the terminal.")
@click.option(
    "--browser/--no-browser",
    default=None,
    help="Open the browser, or only print the address.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help="Port to listen on; 0 picks a free one."
)
@click.option("--host", metavar="ADDRESS", help="Let others in your network play, with a passphrase: 0.0.0.0")
@click.option("--story", metavar="ID", help="Continue this story; `narratoria stories list` shows their ids.")
@click.option("--seed", type=int, metavar="N", help="Start a new story with this seed, to be repeatable.")
@click.option("--new", is_flag=True, help="Start a new story instead of continuing the last one.")
@click.option("--title", metavar="TEXT", help="Title of a new story.")
@click.option(
    "--preset", metavar="NAME", help="Your character in a new story, one of the campaign's presets."
)
@click.option("--name", metavar="TEXT", help="Your name in a new story.")
@click.option(
    "--free-text/--choices-only",
    default=None,
    help="Accept actions in your own words, besides the choices (the default), or only choices.",
)
@click.option("--plain", is_flag=True, help="No colours.")
def play(
    *,
    campaign: str | None,
    terminal: bool,
    browser: bool | None,
    port: int | None,
    host: str | None,
    story: str | None,
    seed: int | None,
    new: bool,
    title: str | None,
    preset: str | None,
    name: str | None,
    free_text: bool | None,
    plain: bool,
) -> None:
    """Play a story: in your browser, or with --terminal by number and in your own words.

    CAMPAIGN is the name of a campaign or its folder. A story goes on where it was left; every choice and
    every scene is on the disk before you see it. Nothing leaves this machine.

    What is not a terminal, such as a pipe, is read as one; the options from --story on are for the terminal.
    There, q leaves the story, and /help says what else there is.

    \b
    Examples:
      narratoria play
      narratoria play --terminal
      narratoria play --new --seed 7
      printf '1\\n2\\n' | narratoria play --new
    """
    if not _any_given(terminal or plain or new, free_text is not None, story, seed, title, preset, name) and (
        browser is not None or port is not None or host or sys.stdin.isatty()
    ):
        play_in_browser(campaign, host=host or LOOPBACK, port=port, browser=browser is not False)
        return
    from narratoria.cli.terminal_player import NewStoryOptions, TerminalPlayer

    begin = NewStoryOptions(new or bool(preset or name) or seed is not None, seed, title, preset, name)
    TerminalPlayer(plain=plain, own_words=free_text is not False).play(campaign or FIRST_STORY, story, begin)


def _any_given(*given: object) -> bool:
    return any(one is not None and one is not False for one in given)


def play_in_browser(
    campaign: str | None, *, host: str = LOOPBACK, port: int | None = None, browser: bool = True
) -> None:
    """Serve this home until interrupted, or open the server that runs already."""
    from narratoria import app, paths
    from narratoria.web.app_state import AppState
    from narratoria.web.running_server import claim
    from narratoria.web.server import FOLDER, Server, log_to, run

    home = paths.home()
    folders, path = _resolve_campaign(campaign)
    claimed = claim(home / FOLDER)
    if claimed is None:
        _open_running_server(home / FOLDER, path, browser=browser)
        return
    try:
        app.ensure_database_unused()
        _ask_passphrase(home / FOLDER, host)
        log_to(home / "logs")
        server = Server(AppState(home, app.open_library, folders), host=host, port=port, claim=claimed)
        run(server, lambda running: _announce(running, path, browser=browser))
    finally:
        claimed.release()
    say("The stories rest here. `narratoria play` goes on with them.")


def _resolve_campaign(name: str | None) -> tuple[tuple[Path, ...], str]:
    """Return the folder of a campaign outside the home, and the page that begins it."""
    if name is None:
        return (), "/"
    from narratoria import app

    campaign = app.open_campaign(name)
    elsewhere = (campaign.folder,) if Path(name).is_dir() else ()
    return elsewhere, f"/new/{quote(campaign.name, safe='')}"


def _announce(running: RunningServer, path: str, *, browser: bool) -> None:
    address = running.address_for_browser(path)
    opened = browser and _open_browser(running.address_for_browser(path, once=True))
    if opened:
        say(f"Narratoria is open in your browser. If it is not: {address}")
    else:
        say(f"Open this address in a browser: {address}")
    say("Ctrl-C ends it; stories are kept.")
    sys.stdout.flush()


def _open_browser(address: str) -> bool:
    """Open a browser in a thread; return whether there is one."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    ):
        return False  # one that would take over this terminal
    threading.Thread(target=browser.open, args=(address,), daemon=True).start()
    return True


def _open_running_server(folder: Path, path: str, *, browser: bool) -> None:
    from narratoria.web.running_server import is_answering, last_announced

    running = last_announced(folder)
    if running is None or not is_answering(running):
        holder = f" (process {running.pid})" if running else ""
        raise NarratoriaException(
            f"another Narratoria{holder} has this home and does not answer; wait a moment, or end it"
        )
    say("Narratoria is running already.")
    _announce(running, path, browser=browser)


def _ask_passphrase(folder: Path, host: str) -> None:
    """Ask once for a passphrase if others in the network can reach the server; it is kept as a hash."""
    from narratoria.web.access_guard import is_loopback
    from narratoria.web.access_keys import SHORTEST_PASSPHRASE, has_passphrase, set_passphrase

    if is_loopback(host) or has_passphrase(folder):
        return
    say(f"Others in your network will be able to open {host}. Choose a passphrase for them.")
    passphrase: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise NarratoriaException(f"a passphrase has {SHORTEST_PASSPHRASE} characters or more")
    set_passphrase(folder, passphrase)

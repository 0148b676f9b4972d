"""`narratoria play` in the browser: the server is started, and a browser opened on it."""

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
    from narratoria.web.running import Running

LOOPBACK = "127.0.0.1"


def play_in_browser(
    campaign: str | None, *, host: str = LOOPBACK, port: int | None = None, browser: bool = True
) -> None:
    """Serves this home until it is interrupted; where it is served already, opens that."""
    from narratoria import app, paths
    from narratoria.web.house import House
    from narratoria.web.running import claim
    from narratoria.web.server import FOLDER, Server, log_to, run

    home = paths.home()
    folders, path = _campaign(campaign)
    claimed = claim(home / FOLDER)
    if claimed is None:
        _open_other(home / FOLDER, path, browser=browser)
        return
    try:
        app.ensure_database_unused()
        _ask_passphrase(home / FOLDER, host)
        log_to(home / "logs")
        server = Server(House(home, app.open_library, folders), host=host, port=port, claim=claimed)
        run(server, lambda running: _announce(running, path, browser=browser))
    finally:
        claimed.release()
    say("The stories rest here. `narratoria play` goes on with them.")


def _campaign(name: str | None) -> tuple[tuple[Path, ...], str]:
    """The folder of a campaign that lies elsewhere, and the page that begins it."""
    if name is None:
        return (), "/"
    from narratoria import app

    campaign = app.open_campaign(name)
    elsewhere = (campaign.folder,) if Path(name).is_dir() else ()
    return elsewhere, f"/new/{quote(campaign.name, safe='')}"


def _announce(running: Running, path: str, *, browser: bool) -> None:
    address = running.opening(path)
    opened = browser and _open(running.opening(path, once=True))
    if opened:
        say(f"Narratoria is open in your browser. If it is not: {address}")
    else:
        say(f"Open this address in a browser: {address}")
    say("Ctrl-C ends it; stories are kept.")
    sys.stdout.flush()


def _open(address: str) -> bool:
    """Whether there is a browser to open; it is opened beside the server, which does not wait for it."""
    try:
        known = webbrowser.get()
    except webbrowser.Error:
        return False
    if isinstance(known, webbrowser.GenericBrowser) and not isinstance(known, webbrowser.BackgroundBrowser):
        return False  # one that would take over this terminal
    threading.Thread(target=known.open, args=(address,), daemon=True).start()
    return True


def _open_other(folder: Path, path: str, *, browser: bool) -> None:
    from narratoria.web.running import is_answering, last_announced

    running = last_announced(folder)
    if running is None or not is_answering(running):
        holder = f" (process {running.pid})" if running else ""
        raise NarratoriaException(
            f"another Narratoria{holder} has this home and does not answer; wait a moment, or end it"
        )
    say("Narratoria is running already.")
    _announce(running, path, browser=browser)


def _ask_passphrase(folder: Path, host: str) -> None:
    """For a server that others in the network can reach; asked once, kept as a hash."""
    from narratoria.web.guard import is_loopback
    from narratoria.web.keys import SHORTEST_PASSPHRASE, has_passphrase, set_passphrase

    if is_loopback(host) or has_passphrase(folder):
        return
    say(f"Others in your network will be able to open {host}. Choose a passphrase for them.")
    passphrase: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise NarratoriaException(f"a passphrase has {SHORTEST_PASSPHRASE} characters or more")
    set_passphrase(folder, passphrase)

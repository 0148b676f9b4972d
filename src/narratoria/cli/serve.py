"""Defines `narratoria serve`: runs a server without a terminal, configured by the environment and a file."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from narratoria.errors import NarratoriaException

if TYPE_CHECKING:
    from narratoria.web.service_config import ServiceConfig


@click.command()
@click.option(
    "--config",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Settings as TOML; those of the environment come first.",
)
@click.option("--check", is_flag=True, help="Only say whether the settings can be used.")
def serve(*, file: Path | None, check: bool) -> None:
    """Serve stories to several people, without a terminal: behind a proxy, in a container, as a service.

    Settings are variables of the environment (NARRATORIA_HOST, NARRATORIA_PUBLIC_ORIGIN …), or stand in FILE
    under the same names in small letters. SIGTERM ends it: turns under way are finished first. Logs go to the
    standard error.

    \b
    Examples:
      narratoria serve --config /etc/narratoria.toml
      narratoria serve --config /etc/narratoria.toml --check
    """
    from narratoria.web.service_config import combine_settings, read_service_config, read_settings_file

    settings = combine_settings(read_settings_file(file) if file else {}, os.environ)
    os.environ.update(
        settings
    )  # where the home, the shared folder and the database are, other parts read there
    config = read_service_config(settings)
    _require_guard(config)
    if find_spec("prometheus_client") is None:
        raise NarratoriaException("a service needs more packages: pip install 'narratoria[service]'")
    if check:
        click.echo("The settings can be used.")
        return
    _serve(config)


def _require_guard(config: ServiceConfig) -> None:
    """Raise NarratoriaException where anybody who reaches the server could do everything."""
    from narratoria import paths
    from narratoria.web.access_guard import is_loopback
    from narratoria.web.access_keys import SHORTEST_PASSPHRASE, has_passphrase
    from narratoria.web.server import FOLDER

    if config.passphrase and len(config.passphrase) < SHORTEST_PASSPHRASE:
        raise NarratoriaException(f"a passphrase has {SHORTEST_PASSPHRASE} characters or more")
    is_reachable = config.public is not None or not is_loopback(config.host)
    is_guarded = config.proxy or config.passphrase or has_passphrase(paths.shared_home() / FOLDER)
    if is_reachable and not is_guarded:
        raise NarratoriaException(
            "others can reach this server, and nothing says who may come in: set NARRATORIA_IDENTITY_HEADER "
            "for a proxy that signs people in, or NARRATORIA_PASSPHRASE (or NARRATORIA_PASSPHRASE_FILE)"
        )


def _serve(config: ServiceConfig) -> None:
    from narratoria import app, paths
    from narratoria.web.access_keys import set_passphrase
    from narratoria.web.app_state import AppState
    from narratoria.web.request_log import log_to_stderr
    from narratoria.web.running_server import claim
    from narratoria.web.server import FOLDER, Server, run
    from narratoria.web.turn_queue import TurnQueue

    home = paths.home()
    claimed = claim(home / FOLDER)
    if claimed is None:
        raise NarratoriaException(
            f"another Narratoria has the home {home}; give each server a NARRATORIA_HOME"
        )
    try:
        if config.passphrase:
            set_passphrase(paths.shared_home() / FOLDER, config.passphrase)
        log_to_stderr(config.log_format)
        state = AppState(
            home,
            app.open_library,
            shared=paths.shared_home(),
            limits=config.limits,
            queue=TurnQueue(config.bounds),
        )
        server = Server(
            state, host=config.host, port=config.port, claim=claimed, config=config, is_service=True
        )
        run(server, lambda running: print(f"serving on {running.address}", file=sys.stderr, flush=True))
    finally:
        claimed.release()

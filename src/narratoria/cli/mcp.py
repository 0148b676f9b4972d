"""Defines `narratoria mcp`: the MCP server of this home."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import os
from pathlib import Path

import click

from narratoria.errors import NarratoriaException

TOKEN = "NARRATORIA_MCP_TOKEN"


@click.command(short_help="Let an MCP client play and write campaigns.")
@click.option("--http", is_flag=True, help="Serve over HTTP on this machine, instead of stdin and stdout.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Port for --http.")
@click.option(
    "--campaign",
    "campaigns",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also offer the campaign in this folder; can be repeated.",
)
def mcp(*, http: bool, port: int | None, campaigns: tuple[Path, ...]) -> None:
    """Serve an MCP client: it can play stories, look at their state and memory, and write campaigns.

    The client starts this command itself and speaks with it over its standard input and output. With --http,
    clients on this machine reach it at the address that is printed, with the token that is printed beside it
    or stands in NARRATORIA_MCP_TOKEN. Nothing of it can be reached from another machine.

    \b
    Exit code:
      0  the client is gone, or you interrupted it
      2  it cannot be served: the MCP SDK is not installed, or the port is taken
    """
    if importlib.util.find_spec("mcp") is None:
        raise NarratoriaException("the MCP SDK is not installed; try: pip install 'narratoria[mcp]'")
    from narratoria import app, paths
    from narratoria.mcp_server.server import SHORTEST_TOKEN, new_token, serve_http, serve_stdio
    from narratoria.web.app_state import AppState

    logging.basicConfig(level=logging.WARNING)  # to stderr: stdout is the client's
    app_state = AppState(
        paths.home(),
        app.open_library,
        [folder.resolve() for folder in campaigns],
        shared=paths.shared_home(),
    )
    if not http:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve_stdio(app_state))
        return
    token = os.environ.get(TOKEN) or new_token()
    if len(token) < SHORTEST_TOKEN:
        raise NarratoriaException(
            f"{TOKEN} is too short to keep anybody out; use {SHORTEST_TOKEN} characters"
        )

    def announce(address: str) -> None:
        shown = "as set" if os.environ.get(TOKEN) else token
        click.echo(f"Serving {address}\nAuthorization: Bearer {shown}", err=True)

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve_http(app_state, port=port, token=token, on_ready=announce))

"""Runs the MCP server of a home: over standard input and output, or over HTTP on this machine alone."""

from __future__ import annotations

import functools
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from narratoria import __version__
from narratoria.errors import NarratoriaException
from narratoria.mcp_server.campaign_tools import CampaignTools
from narratoria.mcp_server.story_tools import StoryTools
from narratoria.web.app_state import AppState
from narratoria.web.operation import to_api_error
from narratoria.web.running_server import listen

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
SHORTEST_TOKEN = 16  # characters of one that the user sets
INSTRUCTIONS = """\
Narratoria tells stories on this machine. To play: list_campaigns, begin_story, then read the scene to the
player word for word, with its numbered choices, and pass on what the player decides with choose or say.
The stories are told by Narratoria; do not make up scenes of your own. To write: create_campaign,
write_campaign_file, and validate_campaign until it finds no errors."""
_log = logging.getLogger(__name__)


def build_server(app_state: AppState) -> MCPServer[Any]:
    """Return the server with all its tools; `app_state` must be running while it is used."""
    server: MCPServer[Any] = MCPServer(
        "narratoria", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )
    stories, campaigns = StoryTools(app_state), CampaignTools(app_state)
    looking = (
        *(stories.list_stories, stories.read_scene, stories.show_state, stories.search_memory),
        *(campaigns.list_campaigns, campaigns.list_campaign_files, campaigns.read_campaign_file),
        *(campaigns.validate_campaign, campaigns.check_campaign, campaigns.read_campaign_schema),
    )
    doing = (
        *(stories.begin_story, stories.choose, stories.say, stories.undo),
        *(campaigns.create_campaign, campaigns.write_campaign_file),
    )
    changing = (stories.undo, campaigns.write_campaign_file)
    for tool in (*looking, *doing):
        server.add_tool(
            _with_clear_errors(tool),
            description=" ".join((tool.__doc__ or "").split()),
            annotations=ToolAnnotations(
                read_only_hint=tool in looking, destructive_hint=tool in changing, open_world_hint=False
            ),
        )
    return server


def _with_clear_errors(tool: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Return the tool with whatever Narratoria refuses as an error that its client can read."""

    @functools.wraps(tool)
    async def answer(*args: Any, **more: Any) -> Any:
        try:
            return await tool(*args, **more)
        except NarratoriaException as error:
            body = to_api_error(error).body
            raise ToolError(f"{body.message} {body.advice}".strip()) from None

    return answer


async def serve_stdio(app_state: AppState) -> None:
    """Serve the client on standard input and output until it goes."""
    async with app_state.run():
        await build_server(app_state).run_stdio_async()


async def serve_http(
    app_state: AppState, *, port: int | None, token: str, on_ready: Callable[[str], None]
) -> None:
    """Serve clients on this machine that know the token, until interrupted."""
    socket = listen(LOOPBACK, port)
    address = f"http://{LOOPBACK}:{socket.getsockname()[1]}{PATH}"
    app = TokenGuard(build_server(app_state).streamable_http_app(host=LOOPBACK), token)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, proxy_headers=False, lifespan="on"
    )
    async with app_state.run():
        on_ready(address)
        await uvicorn.Server(config).serve(sockets=[socket])


def new_token() -> str:
    return secrets.token_urlsafe(24)


class TokenGuard:
    """Lets those requests through that bring the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._expected = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._opens(scope):
            message = {"error": "this server is opened by the header `Authorization: Bearer TOKEN`"}
            refusal = JSONResponse(message, 401, headers={"www-authenticate": "Bearer"})
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _opens(self, scope: Scope) -> bool:
        headers = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(headers) == 1 and hmac.compare_digest(headers[0], self._expected)

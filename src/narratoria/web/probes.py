"""Answers whoever watches the server, without a key and under any name: is it alive, and is it ready."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from narratoria.errors import StoreUnavailable
from narratoria.web.app_state import AppState

HEALTH, READINESS = "/healthz", "/readyz"
READY_TIMEOUT_S = 2.0  # for the store to answer


def probe_routes(app_state: AppState) -> list[Route]:
    """Return the routes of the probes; neither says anything about stories or players."""

    async def show_health(_: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def show_readiness(_: Request) -> Response:
        try:
            await app_state.library.check_store(READY_TIMEOUT_S)
        except (StoreUnavailable, TimeoutError):  # why, is for the log: it may name a place
            return PlainTextResponse("the store does not answer\n", 503)
        return PlainTextResponse("ready\n")

    return [Route(HEALTH, show_health, methods=["GET"]), Route(READINESS, show_readiness, methods=["GET"])]

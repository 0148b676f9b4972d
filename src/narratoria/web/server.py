"""Builds, starts and stops the server without losing a turn that is being told."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp

from narratoria.paths import make_private
from narratoria.store.query_log import PrivateLog
from narratoria.web.access_guard import UNLOCK, AccessGuard, HostNames, PassphrasePage, is_loopback
from narratoria.web.access_keys import AccessKeys, Guesses, open_access_keys, ticket_for
from narratoria.web.app_state import AppState
from narratoria.web.audit import Handle, audit, with_audit
from narratoria.web.authorization import authorize
from narratoria.web.campaign_text import campaign_text
from narratoria.web.campaigns import campaigns
from narratoria.web.character import character
from narratoria.web.connection_limits import MOST_CONNECTIONS, ConnectionLimits
from narratoria.web.files import show_app
from narratoria.web.identity import Entrance, Identification
from narratoria.web.imports import imports
from narratoria.web.inspection import inspection
from narratoria.web.journal import journal
from narratoria.web.map import maps
from narratoria.web.memories import memories
from narratoria.web.models import models
from narratoria.web.openapi import describe
from narratoria.web.operation import ApiError, Operation, Operations, endpoint, error_response
from narratoria.web.people import people
from narratoria.web.phone import Invitation, phone
from narratoria.web.privacy import privacy
from narratoria.web.probes import HEALTH, READINESS, probe_routes
from narratoria.web.profiles import profiles
from narratoria.web.providers import providers
from narratoria.web.reasons import reasons
from narratoria.web.request_log import RequestLog
from narratoria.web.revisions import revisions
from narratoria.web.running_server import HomeClaim, RunningServer, last_announced, listen
from narratoria.web.service_config import ServiceConfig
from narratoria.web.settings import settings
from narratoria.web.sharing import sharing
from narratoria.web.skills import skills
from narratoria.web.store import store
from narratoria.web.stories import home, stories
from narratoria.web.stream import EventStreams
from narratoria.web.tracing import Tracing
from narratoria.web.trials import trials

GROUPS: tuple[Operations, ...] = (
    home,
    campaigns,
    stories,
    journal,
    people,
    character,
    maps,
    inspection,
    memories,
    revisions,
    phone,
    imports,
    campaign_text,
    trials,
    reasons,
    skills,
    models,
    providers,
    settings,
    privacy,
    profiles,
    sharing,
    audit,
    store,
)
SHUTDOWN_TIMEOUT_S = 10  # that open connections are given when the server is stopped
BACKLOG = 64  # connections that are accepted at a time, before any of them is counted
FOLDER = "web"
DEFAULT_CONFIG = ServiceConfig()


def build_app(
    app_state: AppState,
    keys: AccessKeys,
    names: HostNames,
    config: ServiceConfig = DEFAULT_CONFIG,
    *,
    is_service: bool = False,
) -> ASGIApp:
    """Return the application: every route, behind the access guard; a service counts and logs requests."""
    streams = EventStreams(app_state)
    identification = Identification(app_state.accounts, keys.secret, config.proxy)
    app_state.invitation = Invitation(names.port, names.addresses, lambda: ticket_for(keys.token))
    routes: list[Any] = [*probe_routes(app_state), Route("/api/openapi.json", _openapi)]
    count: Callable[[Operation, Handle], Handle] = _leave_uncounted
    if is_service:
        from narratoria.web.metrics import PATH, Metrics

        metrics = Metrics(app_state, config.metrics_from)
        count = metrics.count
        routes.append(Route(PATH, metrics.show, methods=["GET"]))
    for operation in (operation for group in GROUPS for operation in group.all):
        handle = with_audit(operation, app_state, endpoint(operation, app_state, authorize))
        routes.append(Route(f"/api{operation.path}", count(operation, handle), methods=[operation.method]))
    routes += [
        Route("/api", _no_route, methods=METHODS),
        Route("/api/{path:path}", _no_route, methods=METHODS),
        WebSocketRoute("/api/stories/{story}/events", streams.follow),
    ]
    passphrase_page = PassphrasePage(keys)
    routes += [
        Route(UNLOCK, passphrase_page.show, methods=["GET"]),
        Route(UNLOCK, passphrase_page.unlock, methods=["POST"]),
        Route("/{path:path}", show_app, methods=["GET"]),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with app_state.run():
            try:
                yield
            finally:
                streams.close()

    inner = Starlette(routes=routes, lifespan=lifespan)
    guard = AccessGuard(
        inner,
        names,
        keys,
        open_to_all=(HEALTH, READINESS, *(("/metrics",) if is_service else ())),
        identification=identification,
        for_anybody=FOR_ANYBODY,
    )
    passphrase_page.give_cookie = guard.give_cookie
    is_secure = names.public is not None and names.public.is_secure
    app_state.entrance = Entrance(identification, guard.profile_cookie_name, is_secure, Guesses())
    return RequestLog(guard) if is_service else guard


def _leave_uncounted(_: Operation, handle: Handle) -> Handle:
    return handle


# for who has a key, and has not said which profile they are
FOR_ANYBODY = (
    ("GET", "/api/profiles"),
    ("POST", "/api/profiles/enter"),
    ("POST", "/api/profiles/leave"),
    ("GET", "/api/alive"),
)
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


async def _no_route(request: Request) -> Response:
    message = f"There is nothing at {request.method} {request.url.path}."
    return error_response(ApiError(404, "no_such_route", message, "What there is: /api/openapi.json"))


async def _openapi(_: Request) -> Response:
    return Response(msgspec.json.encode(describe(GROUPS)), media_type="application/json")


class Server:
    """Runs a server on its socket; `serve` runs until it is told to stop."""

    def __init__(
        self,
        app_state: AppState,
        *,
        host: str,
        port: int | None,
        claim: HomeClaim,
        config: ServiceConfig = DEFAULT_CONFIG,
        is_service: bool = False,
    ) -> None:
        public, self._tracing = config.public, None
        if config.otlp_endpoint:
            self._tracing = Tracing(config.otlp_endpoint)
            app_state.trace = self._tracing.trace
        folder = app_state.home / FOLDER
        before = last_announced(folder)
        self._socket = listen(host, port, before.port if before else None)
        self.port: int = self._socket.getsockname()[1]
        # where a proxy says who people are, nobody needs a passphrase
        is_guarded = config.proxy is None and (public is not None or not is_loopback(host))
        keys = open_access_keys(app_state.shared / FOLDER, guarded=is_guarded)
        self.running = RunningServer(os.getpid(), self.port, _address(host, self.port), keys.token)
        self._claim, self._app_state = claim, app_state
        names = HostNames.of(host, self.port, public)
        app = build_app(app_state, keys, names, config, is_service=is_service)
        # behind a proxy all players have one address
        limits = ConnectionLimits(most_per_address=MOST_CONNECTIONS) if public else ConnectionLimits()
        self._uvicorn = _QuietUvicorn(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                date_header=False,
                http=limits.http_protocol(),
                ws=limits.websocket_protocol(),
                backlog=BACKLOG,
                ws_max_size=65536,  # nobody has anything to say there
                ws_ping_interval=20.0,
                ws_ping_timeout=60.0,
                timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
                proxy_headers=False,  # nobody stands before us: such headers are made up
                h11_max_incomplete_event_size=64 * 1024,
            )
        )

    async def serve(self, on_ready: Callable[[RunningServer], None] = lambda _: None) -> None:
        """Serve until SIGINT or SIGTERM: turns under way are finished, or gone on with at the next start."""
        self._uvicorn.on_ready = lambda: self._ready(on_ready)
        self._uvicorn.on_stop = self._app_state.queue.close
        try:
            await self._uvicorn.serve(sockets=[self._socket])
        finally:
            if self._tracing is not None:
                await asyncio.to_thread(self._tracing.close)

    def stop(self) -> None:
        self._uvicorn.should_exit = True

    def _ready(self, on_ready: Callable[[RunningServer], None]) -> None:
        self._claim.announce(self.running)
        on_ready(self.running)


class _QuietUvicorn(uvicorn.Server):
    """Reports when uvicorn answers, and treats a signal to stop as a normal end."""

    on_ready: Callable[[], None] = staticmethod(lambda: None)
    on_stop: Callable[[], None] = staticmethod(lambda: None)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals as uvicorn does, without raising them again once the server has stopped."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {one: signal.signal(one, self.handle_exit) for one in signals}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.on_stop()  # who waits for a turn is told at once to come back, to another server perhaps
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.on_ready()


def _address(host: str, port: int) -> str:
    if host in ("0.0.0.0", "::"):
        host = _own_address()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _own_address() -> str:
    """Return the address that others in the same network reach; nothing is sent to find it out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def log_to(folder: Path) -> None:
    """Write errors to `web.log`; none of it is ever shown in a browser."""
    make_private(folder)
    handler = PrivateLog(folder / "web.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for name in ("narratoria", "uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.propagate = False
        logger.setLevel(logging.WARNING)


def run(server: Server, on_ready: Callable[[RunningServer], None]) -> None:
    asyncio.run(server.serve(on_ready))

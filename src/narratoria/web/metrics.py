"""Counts requests and turns for Prometheus, and shows the figures to whom they are for."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from narratoria import __version__
from narratoria.web.app_state import AppState
from narratoria.web.operation import Operation
from narratoria.web.public_origin import Network

PATH = "/metrics"
TURN_BUCKETS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)
Handle: TypeAlias = Callable[[Request], Awaitable[Response]]


class Metrics:
    """Holds the figures of one server; labels are names of operations, never of people or stories."""

    def __init__(self, app_state: AppState, readers: Sequence[Network]) -> None:
        self._registry, self._readers = CollectorRegistry(), tuple(readers)
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        labels = ("operation", "status")
        self._requests = Counter(
            "narratoria_requests_total", "Requests to the API.", labels, registry=self._registry
        )
        self._seconds = Histogram(
            "narratoria_request_seconds",
            "Seconds until a request was answered.",
            ("operation",),
            registry=self._registry,
        )
        turns = Histogram(
            "narratoria_turn_seconds",
            "Seconds that a turn took, once it had its place.",
            buckets=TURN_BUCKETS,
            registry=self._registry,
        )
        queue = app_state.queue
        queue.on_finish = turns.observe
        self._gauge("narratoria_turns_running", "Turns under way.", lambda: queue.running)
        self._gauge("narratoria_turns_waiting", "Turns that wait for a place.", lambda: queue.waiting)
        self._gauge("narratoria_turns_refused", "Turns refused since the start.", lambda: queue.refused)
        self._gauge("narratoria_open_stories", "Stories in memory.", lambda: app_state.open_count)
        about = Gauge("narratoria_info", "The version.", ("version",), registry=self._registry)
        about.labels(__version__).set(1)

    def _gauge(self, name: str, about: str, read: Callable[[], float]) -> None:
        Gauge(name, about, registry=self._registry).set_function(read)

    def count(self, operation: Operation, handle: Handle) -> Handle:
        """Return a request handler that is counted and timed."""

        async def answer(request: Request) -> Response:
            begun = time.perf_counter()
            response = await handle(request)
            self._seconds.labels(operation.name).observe(time.perf_counter() - begun)
            self._requests.labels(operation.name, response.status_code).inc()
            return response

        return answer

    async def show(self, request: Request) -> Response:
        """Answer who watches the server, from the addresses that may; to all others there is nothing."""
        peer = request.client.host if request.client else ""
        if "x-forwarded-for" in request.headers or not self._may_read(peer):
            return PlainTextResponse("There is no such page.", 404)
        return Response(generate_latest(self._registry), headers={"content-type": CONTENT_TYPE_LATEST})

    def _may_read(self, address: str) -> bool:
        try:
            peer = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(peer in network for network in self._readers)

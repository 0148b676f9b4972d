"""Spans are sent to the collector that is named, and nowhere without one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from narratoria.errors import NarratoriaException
from narratoria.web.tracing import Tracing, trace_nothing


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """A collector on this machine, and what it was sent."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1/traces", bodies
        finally:
            server.shutdown()
            thread.join()


def test_an_operation_and_the_turn_in_it_are_sent_as_spans_of_one_trace() -> None:
    with collector() as (endpoint, bodies):
        tracing = Tracing(endpoint)
        with tracing.trace("choose", {"story": "mill-1"}), tracing.trace("turn", {}):
            pass
        tracing.close()
    sent = ExportTraceServiceRequest.FromString(b"".join(bodies))
    spans = {span.name: span for span in sent.resource_spans[0].scope_spans[0].spans}
    assert set(spans) == {"choose", "turn"}
    assert spans["turn"].parent_span_id == spans["choose"].span_id
    assert [(one.key, one.value.string_value) for one in spans["choose"].attributes] == [("story", "mill-1")]


def test_without_a_collector_nothing_is_traced() -> None:
    with trace_nothing("choose", {"story": "mill-1"}) as span:
        assert span is None


def test_without_opentelemetry_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(NarratoriaException, match=r"narratoria\[otel\]"):
        Tracing("http://127.0.0.1:9/v1/traces")

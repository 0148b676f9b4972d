"""Sends a trace of each operation and turn to an OpenTelemetry collector, where one is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

from narratoria import __version__
from narratoria.errors import NarratoriaException

Trace: TypeAlias = Callable[[str, Mapping[str, str]], AbstractContextManager[Any]]


def trace_nothing(name: str, attributes: Mapping[str, str]) -> AbstractContextManager[Any]:
    return nullcontext()


class Tracing:
    """Sends spans by OTLP over HTTP, some at a time and beside the requests."""

    def __init__(self, endpoint: str) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            raise NarratoriaException(
                "NARRATORIA_OTLP_ENDPOINT needs OpenTelemetry; install it with pip install 'narratoria[otel]'"
            ) from None
        about = Resource.create({"service.name": "narratoria", "service.version": __version__})
        self._provider = TracerProvider(resource=about)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        self._tracer = self._provider.get_tracer("narratoria")

    def trace(self, name: str, attributes: Mapping[str, str]) -> AbstractContextManager[Any]:
        """Return a context whose time is one span, inside the one that it is entered in."""
        return self._tracer.start_as_current_span(name, attributes=dict(attributes))

    def close(self) -> None:
        """Send what has not been sent."""
        self._provider.shutdown()

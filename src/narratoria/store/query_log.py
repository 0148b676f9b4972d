"""Logs what every query cost, a line each, and computes percentiles."""

from __future__ import annotations

import contextlib
import logging
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import msgspec

from narratoria.contracts.read import UNDECODABLE
from narratoria.paths import make_private, open_private

FILE = "store.jsonl"
MAX_BYTES = 5_000_000
KEPT = 3  # files put aside
REMEMBERED = 1000  # latencies of each method

_log = logging.getLogger(__name__)


class QueryStats(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Summarises the calls of one method since the store was opened; percentiles are of the latest calls."""

    calls: int
    failures: int
    results: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float


@dataclass(slots=True)
class QueryMeasurement:
    """Measures one query; the caller sets the number of results."""

    method: str
    data_type: str
    scope: Mapping[str, Any]
    results: int = 0


@dataclass(slots=True)
class _Tally:
    """Counts the calls of one method."""

    latencies: deque[float]  # in milliseconds
    calls: int = 0
    failures: int = 0
    results: int = 0
    slowest: float = 0.0

    def add(self, milliseconds: float, results: int, *, failed: bool) -> None:
        self.calls += 1
        self.failures += failed
        self.results += results
        self.slowest = max(self.slowest, milliseconds)
        self.latencies.append(milliseconds)

    def stats(self) -> QueryStats:
        ordered = sorted(self.latencies)

        def percentile(share: float) -> float:
            return round(ordered[min(int(share * len(ordered)), len(ordered) - 1)], 3)

        return QueryStats(
            calls=self.calls,
            failures=self.failures,
            results=self.results,
            p50_ms=percentile(0.50),
            p95_ms=percentile(0.95),
            p99_ms=percentile(0.99),
            max_ms=round(self.slowest, 3),
        )


class PrivateLog(RotatingFileHandler):
    """Rotates a log whose files only their owner can read; what a full disk does not take is lost."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=open_private)  # type: ignore[return-value]

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the library's
        """Ignore a full disk: whoever stores something reports it."""


class QueryLog:
    """Logs queries; it writes nothing without a folder, and a failing log stops no query."""

    def __init__(self, folder: Path | None, *, max_bytes: int = MAX_BYTES) -> None:
        self._tallies: dict[str, _Tally] = {}
        self._file: RotatingFileHandler | None = None
        self.last_used = time.monotonic()
        if folder is not None:
            try:
                make_private(folder)
                self._file = PrivateLog(
                    folder / FILE, maxBytes=max_bytes, backupCount=KEPT, encoding="utf-8", delay=True
                )
            except OSError as error:
                _log.warning("queries are not logged in %s: %s", folder, error)

    @contextlib.contextmanager
    def measure(self, method: str, data_type: str, scope: Mapping[str, Any]) -> Iterator[QueryMeasurement]:
        measured = QueryMeasurement(method, data_type, scope)
        start = time.perf_counter()
        failure = ""
        try:
            yield measured
        except BaseException as error:
            failure = type(error).__name__
            raise
        finally:
            self._note(measured, (time.perf_counter() - start) * 1000, failure)

    def stats(self) -> dict[str, QueryStats]:
        return {method: tally.stats() for method, tally in sorted(self._tallies.items())}

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _note(self, measured: QueryMeasurement, milliseconds: float, failure: str) -> None:
        self.last_used = time.monotonic()
        tally = self._tallies.setdefault(measured.method, _Tally(deque(maxlen=REMEMBERED)))
        tally.add(milliseconds, measured.results, failed=bool(failure))
        if self._file is None:
            return
        line = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "method": measured.method,
            "dataType": measured.data_type,
            "scope": measured.scope,
            "results": measured.results,
            "latencyMs": round(milliseconds, 3),
            **({"failure": failure} if failure else {}),
        }
        text = msgspec.json.encode(line).decode()
        self._file.emit(logging.makeLogRecord({"msg": text, "levelno": logging.INFO}))


class _LogLine(msgspec.Struct, frozen=True, rename="camel"):
    method: str
    latency_ms: float
    results: int = 0
    failure: str = ""


def read_query_stats(folder: Path) -> dict[str, QueryStats]:
    """Return the figures of the queries in the log, by method; what its rotation removed does not count."""
    tallies: defaultdict[str, _Tally] = defaultdict(lambda: _Tally(deque()))
    for line in _read_lines(folder):
        tallies[line.method].add(line.latency_ms, line.results, failed=bool(line.failure))
    return {method: tally.stats() for method, tally in sorted(tallies.items())}


def _read_lines(folder: Path) -> Iterator[_LogLine]:
    decoder = msgspec.json.Decoder(_LogLine)
    for path in (*(folder / f"{FILE}.{number}" for number in range(KEPT, 0, -1)), folder / FILE):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        for line in text.splitlines():
            try:
                yield decoder.decode(line)
            except UNDECODABLE:
                continue  # half a line, that a crash or a full disk left

"""What every query cost: one line each in a log that rotates, and percentiles of the latest."""

from __future__ import annotations

import contextlib
import logging
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import msgspec

from narratoria.paths import make_private, open_private

FILE = "store.jsonl"
MAX_BYTES = 5_000_000
KEPT = 3  # files put aside
REMEMBERED = 1000  # latencies of each method

_log = logging.getLogger(__name__)


class QueryStats(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How one method has fared since the store was opened; percentiles are of its latest calls."""

    calls: int
    failures: int
    results: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float


@dataclass(slots=True)
class Measured:
    """A query under way; it says what it found."""

    method: str
    data_type: str
    scope: Mapping[str, Any]
    results: int = 0


@dataclass(slots=True)
class _Tally:
    calls: int = 0
    failures: int = 0
    results: int = 0
    slowest: float = 0.0
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))


class PrivateLog(RotatingFileHandler):
    """A log that rotates, each of its files for the user's own eyes."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=open_private)  # type: ignore[return-value]


class _QuietFile(PrivateLog):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the library's
        """A full disk is told where something is stored, not here."""


class Monitor:
    """Without a folder, nothing is written; a log that cannot be written stops no query."""

    def __init__(self, folder: Path | None, *, max_bytes: int = MAX_BYTES) -> None:
        self._tallies: dict[str, _Tally] = {}
        self._file: RotatingFileHandler | None = None
        self.last_used = time.monotonic()
        if folder is not None:
            try:
                make_private(folder)
                self._file = _QuietFile(
                    folder / FILE, maxBytes=max_bytes, backupCount=KEPT, encoding="utf-8", delay=True
                )
            except OSError as error:
                _log.warning("queries are not logged in %s: %s", folder, error)

    @contextlib.contextmanager
    def measure(self, method: str, data_type: str, scope: Mapping[str, Any]) -> Iterator[Measured]:
        measured = Measured(method, data_type, scope)
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
        return {method: _stats(tally) for method, tally in sorted(self._tallies.items())}

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _note(self, measured: Measured, milliseconds: float, failure: str) -> None:
        self.last_used = time.monotonic()
        tally = self._tallies.setdefault(measured.method, _Tally())
        tally.calls += 1
        tally.failures += bool(failure)
        tally.results += measured.results
        tally.slowest = max(tally.slowest, milliseconds)
        tally.latest.append(milliseconds)
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


def _stats(tally: _Tally) -> QueryStats:
    ordered = sorted(tally.latest)

    def percentile(share: float) -> float:
        return round(ordered[min(int(share * len(ordered)), len(ordered) - 1)], 3)

    return QueryStats(
        calls=tally.calls,
        failures=tally.failures,
        results=tally.results,
        p50_ms=percentile(0.50),
        p95_ms=percentile(0.95),
        p99_ms=percentile(0.99),
        max_ms=round(tally.slowest, 3),
    )

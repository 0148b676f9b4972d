"""What queries have cost, read from the log that the monitor writes, whoever wrote it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec

from narratoria.store.monitor import FILE, KEPT, QueryStats


class _Line(msgspec.Struct, frozen=True, rename="camel"):
    method: str
    latency_ms: float
    results: int = 0
    failure: str = ""


def logged(folder: Path) -> dict[str, QueryStats]:
    """How the queries in the log have fared, by method; those that its rotation has taken are not counted."""
    found: defaultdict[str, list[_Line]] = defaultdict(list)
    for line in _lines(folder):
        found[line.method].append(line)
    return {method: _stats(lines) for method, lines in sorted(found.items())}


def _lines(folder: Path) -> Iterator[_Line]:
    decoder = msgspec.json.Decoder(_Line)
    for path in (*(folder / f"{FILE}.{number}" for number in range(KEPT, 0, -1)), folder / FILE):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        for line in text.splitlines():
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # half a line, that a crash or a full disk left


def _stats(lines: list[_Line]) -> QueryStats:
    ordered = sorted(line.latency_ms for line in lines)

    def percentile(share: float) -> float:
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]

    return QueryStats(
        calls=len(lines),
        failures=sum(bool(line.failure) for line in lines),
        results=sum(line.results for line in lines),
        p50_ms=percentile(0.50),
        p95_ms=percentile(0.95),
        p99_ms=percentile(0.99),
        max_ms=ordered[-1],
    )

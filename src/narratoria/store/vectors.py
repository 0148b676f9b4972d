"""The vectors of a line of turns in memory: exact cosines, over the rows a filter leaves and no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

_SMALLEST = 64  # rows
_GROWTH = 1.5
_GATHERED = 0.3  # of all rows; with more of them wanted, one pass over everything is quicker than picking


@dataclass(frozen=True, slots=True)
class Cosines:
    """The records that were looked at, by number, and how near each comes: its best window counts."""

    ids: NDArray[np.int64]
    values: NDArray[np.float32]

    def nearest(self, limit: int) -> list[tuple[int, float]]:
        """The `limit` nearest records, nearest first; among equals the lower number."""
        count = min(max(limit, 0), len(self.ids))
        if not count:
            return []
        least = np.partition(self.values, len(self.values) - count)[len(self.values) - count]
        best = np.flatnonzero(self.values >= least)  # equals of the last one included
        order = best[np.lexsort((self.ids[best], -self.values[best]))][:count]
        return [(int(self.ids[row]), float(self.values[row])) for row in order]


class VectorIndex:
    """One writer and many readers at a time, from any thread; a reader sees what was there when it asked."""

    # Rows are never written over: a removed record leaves its rows behind until most of them are such, and
    # a reader that has taken the arrays can go on with them, whatever the writer does.

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._lock = Lock()
        self._matrix: Vectors = np.empty((0, dimensions), np.float32)
        self._used = 0  # rows, those of removed records included
        self._places: dict[int, tuple[int, int]] = {}  # record → its first row, and how many
        self._live = 0  # rows that belong to a record

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, record: object) -> bool:
        return record in self._places

    @property
    def bytes(self) -> int:
        return self._matrix.nbytes

    def put(self, record: int, windows: Vectors) -> None:
        """Adds a record with a vector for each window of its text, or gives it other ones."""
        self.put_all({record: windows})

    def put_all(self, records: Mapping[int, Vectors]) -> None:
        """Readers see all of these records or none."""
        rows = {record: self._of_length_one(record, windows) for record, windows in records.items()}
        with self._lock:
            self._forget(rows)
            self._reserve(sum(len(windows) for windows in rows.values()))
            for record, windows in rows.items():
                self._matrix[self._used : self._used + len(windows)] = windows
                self._places[record] = (self._used, len(windows))
                self._used += len(windows)
                self._live += len(windows)

    def remove(self, records: Iterable[int]) -> None:
        """Forgets these records; those it does not know are ignored."""
        with self._lock:
            self._forget(records)
            if self._used - self._live > max(self._live, _SMALLEST):
                self._reserve(0)

    def cosines(self, query: Vectors, among: Iterable[int] | None = None) -> Cosines:
        """Every record among those named (unknown ones left out), or every one there is."""
        with self._lock:
            matrix, used = self._matrix, self._used
            if among is None:
                found = list(self._places.items())
            else:
                found = [
                    (record, self._places[record])
                    for record in dict.fromkeys(among)
                    if record in self._places
                ]
        if not found:
            return Cosines(np.empty(0, np.int64), np.empty(0, np.float32))
        ids = np.fromiter((record for record, _ in found), np.int64, len(found))
        places = np.array([place for _, place in found], np.int64)
        rows, starts = _rows_of(places)
        unit = _unit(np.asarray(query, np.float32))
        near = (matrix[:used] @ unit)[rows] if len(rows) > used * _GATHERED else matrix[rows] @ unit
        values: Vectors = near if len(rows) == len(ids) else np.maximum.reduceat(near, starts)
        return Cosines(ids, values)

    def _of_length_one(self, record: int, windows: Vectors) -> Vectors:
        rows = np.atleast_2d(np.asarray(windows, np.float32))
        if rows.ndim != 2 or rows.shape[1] != self._dimensions or not len(rows):
            raise ValueError(
                f"record {record}: vectors of shape {np.shape(windows)}; "
                f"this index holds one or more rows of {self._dimensions} figures for a record"
            )
        if not np.isfinite(rows).all():
            raise ValueError(f"record {record}: its vectors hold figures that are not numbers; embed it anew")
        return _unit(rows)

    def _forget(self, records: Iterable[int]) -> None:
        for record in records:
            place = self._places.pop(record, None)
            if place is not None:
                self._live -= place[1]

    def _reserve(self, more: int) -> None:
        """Room for more rows: a new matrix without the rows of removed records when this one is full."""
        enough = self._used + more <= len(self._matrix)
        if enough and self._used - self._live <= max(self._live, _SMALLEST):
            return
        wanted = self._live + more
        matrix: Vectors = np.empty((max(_SMALLEST, int(wanted * _GROWTH)), self._dimensions), np.float32)
        if self._places:
            kept = sorted(self._places.items(), key=lambda pair: pair[1][0])
            rows, starts = _rows_of(np.array([place for _, place in kept], np.int64))
            matrix[: len(rows)] = self._matrix[rows]
            self._places = {
                record: (int(start), count) for (record, (_, count)), start in zip(kept, starts, strict=True)
            }
        self._matrix, self._used = matrix, self._live


def _rows_of(places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of some (first, count) places in their order, and where among them each place starts."""
    counts = places[:, 1]
    starts = np.cumsum(counts) - counts
    rows = np.repeat(places[:, 0] - starts, counts) + np.arange(int(counts.sum()))
    return rows, starts


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return scaled

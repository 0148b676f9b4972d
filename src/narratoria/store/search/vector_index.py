"""Holds the vectors of a branch in memory and computes exact cosines over the rows a filter allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int64]

_SMALLEST = 64  # rows
_GROWTH = 1.5
_GATHERED = 0.3  # of all rows; with more of them wanted, one pass over everything is quicker than picking


@dataclass(frozen=True, slots=True)
class Cosines:
    """Holds the compared records by number, each with the cosine of its best window."""

    ids: Numbers
    values: NDArray[np.float32]

    def nearest(self, limit: int) -> list[tuple[int, float]]:
        """Return the `limit` nearest records, nearest first; among equals the lower number."""
        count = min(max(limit, 0), len(self.ids))
        if not count:
            return []
        least = np.partition(self.values, len(self.values) - count)[len(self.values) - count]
        best = np.flatnonzero(self.values >= least)  # equals of the last one included
        order = best[np.lexsort((self.ids[best], -self.values[best]))][:count]
        return [(int(self.ids[row]), float(self.values[row])) for row in order]


@dataclass(frozen=True, slots=True)
class _Held:
    """Holds a consistent snapshot for readers."""

    matrix: Vectors
    used: int  # rows, those of removed records included
    ids: Numbers  # rising
    firsts: Numbers  # each record's first row
    counts: Numbers  # and how many it has


class VectorIndex:
    """Allows one writer and many readers from any thread; a reader sees the state when it asked."""

    # Nothing that a reader may hold is written over: removed records leave their rows behind until most rows
    # are such, and every change makes new arrays of the few figures beside the matrix.

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._writing = Lock()
        nothing = np.empty(0, np.int64)
        self._held = _Held(np.empty((0, dimensions), np.float32), 0, nothing, nothing, nothing)

    def __len__(self) -> int:
        return len(self._held.ids)

    @property
    def bytes(self) -> int:
        return self._held.matrix.nbytes

    def missing(self, records: Sequence[int] | Numbers) -> list[int]:
        """Return those of the records that are not in the index."""
        asked = np.unique(np.asarray(records, np.int64))
        return [int(record) for record in asked[~np.isin(asked, self._held.ids, assume_unique=True)]]

    def put(self, record: int, windows: Vectors) -> None:
        """Adds a record with a vector for each window of its text, or gives it other ones."""
        self.put_all({record: windows})

    def put_all(self, records: Mapping[int, Vectors]) -> None:
        """Add the records, of which readers see all or none."""
        if not records:
            return
        ordered = sorted(records)
        rows = [self._of_length_one(record, records[record]) for record in ordered]
        counts = np.array([len(windows) for windows in rows], np.int64)
        with self._writing:
            held = _without(self._held, np.array(ordered, np.int64))
            held = _with_room(held, int(counts.sum()))
            firsts = held.used + np.cumsum(counts) - counts
            held.matrix[held.used : held.used + int(counts.sum())] = np.concatenate(rows)
            at = np.searchsorted(held.ids, ordered)
            self._held = _Held(
                held.matrix,
                held.used + int(counts.sum()),
                np.insert(held.ids, at, ordered),
                np.insert(held.firsts, at, firsts),
                np.insert(held.counts, at, counts),
            )

    def remove(self, records: Iterable[int]) -> None:
        """Remove these records; unknown ones are ignored."""
        with self._writing:
            self._held = _with_room(_without(self._held, np.fromiter(records, np.int64)), 0)

    def cosines(self, query: Vectors, among: Sequence[int] | Numbers | None = None) -> Cosines:
        """Compare the named records, without unknown ones, or all records."""
        held = self._held
        places = slice(None) if among is None else _places_of(held.ids, np.asarray(among, np.int64))
        ids, counts = held.ids[places], held.counts[places]
        if not len(ids):
            return Cosines(np.empty(0, np.int64), np.empty(0, np.float32))
        rows, starts = _rows_of(held.firsts[places], counts)
        unit = _unit(np.asarray(query, np.float32))
        picked = len(rows) <= held.used * _GATHERED
        near = _dot(held.matrix[rows], unit) if picked else _dot(held.matrix[: held.used], unit)[rows]
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


def _without(held: _Held, records: Numbers) -> _Held:
    gone = _places_of(held.ids, records)
    if not len(gone):
        return held
    is_kept = np.ones(len(held.ids), bool)
    is_kept[gone] = False
    return _Held(held.matrix, held.used, held.ids[is_kept], held.firsts[is_kept], held.counts[is_kept])


def _with_room(held: _Held, more: int) -> _Held:
    """Return a snapshot with room for more rows, in a new matrix without removed records if need be."""
    live = int(held.counts.sum())
    if held.used + more <= len(held.matrix) and held.used - live <= max(live, _SMALLEST):
        return held
    size = max(_SMALLEST, int((live + more) * _GROWTH))
    matrix: Vectors = np.empty((size, held.matrix.shape[1]), np.float32)
    rows, starts = _rows_of(held.firsts, held.counts)
    matrix[:live] = held.matrix[rows]
    return _Held(matrix, live, held.ids, starts, held.counts)


def _places_of(ids: Numbers, numbers: Numbers) -> Numbers:
    """Return the positions of the numbers among the ids, each once, without unknown ones."""
    if not len(ids):
        return np.empty(0, np.int64)
    asked = np.unique(numbers)
    places: Numbers = np.minimum(np.searchsorted(ids, asked), len(ids) - 1)
    matches: Numbers = places[ids[places] == asked]
    return matches


def _rows_of(firsts: Numbers, counts: Numbers) -> tuple[Numbers, Numbers]:
    """Return the rows of some records one after another, and where each record's rows start."""
    starts = np.cumsum(counts) - counts
    rows = np.repeat(firsts - starts, counts) + np.arange(int(counts.sum()))
    return rows, starts


def _dot(rows: Vectors, unit: Vectors) -> Vectors:
    # not `@`: its threads wait for each other on busy cores, and the median of a scan was twice this one's
    product: Vectors = np.einsum("ij,j->i", rows, unit)
    return product


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return scaled

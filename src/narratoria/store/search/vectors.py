"""Makes the vectors of records, and computes exact cosines over those of a branch."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, and_, delete, func, insert, select, update

from narratoria.errors import ModelUnavailable
from narratoria.store.engines.database import Database, Writing
from narratoria.store.tables import embedding_model, record, vector

BATCH = 8  # records embedded in one go and then written: a player's question waits for no more of them

Vectors: TypeAlias = NDArray[np.float32]


class TextEmbedder(Protocol):
    """Texts to vectors. `embed` raises ModelUnavailable when it cannot."""

    @property
    def model_id(self) -> str: ...
    def windows(self, text: str) -> list[str]:
        """Split a text into parts that the model can read."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...


class Embedded(NamedTuple):
    """Holds the vectors of a text's windows, and the number of the model that made them."""

    number: int
    windows: Vectors


class Embeddings:
    """Embeds records with the current embedder and keeps their vectors in the database."""

    def __init__(self, database: Database, embedder: TextEmbedder | None, number: int | None) -> None:
        self._database = database
        self.embedder = embedder
        self.number = number  # of its model, in the vector table
        self._one_at_a_time = asyncio.Lock()  # two would give a record its vectors twice

    @classmethod
    async def open(cls, database: Database, embedder: TextEmbedder | None) -> Embeddings:
        number = None
        if embedder is not None:
            name = embedder.model_id
            number = await database.read(lambda link: _known_number(link, name))
            if number is None:
                number = await database.write(lambda writing: _number(writing, name))
        return cls(database, embedder, number)

    async def query(self, text: str) -> Vectors:
        """Return the vector of a query; raise ModelUnavailable without a model."""
        if self.embedder is None:
            raise ModelUnavailable("there is no embedding model; search by words only")
        (meaning,) = _of_length_one(await self.embedder.embed([self.embedder.windows(text)[0]]))
        return np.asarray(meaning, np.float32)

    async def of(self, texts: Sequence[str]) -> list[Embedded | None]:
        """Return the vectors of each text; None without a text or a model: those are embedded later."""
        embedder, number = self.embedder, self.number
        if embedder is None or number is None or not any(texts):
            return [None] * len(texts)
        try:
            windows = await _embed(embedder, texts)
        except ModelUnavailable:
            return [None] * len(texts)
        return [Embedded(number, rows) if text else None for text, rows in zip(texts, windows, strict=True)]

    async def reembed(
        self, embedder: TextEmbedder | None = None, *, claim: Callable[[], Awaitable[bool]] | None = None
    ) -> int:
        """Embed every record that lacks vectors of this model, switch to it, and return how many it embedded.

        With `claim`, which is asked before each batch, the rest is left to whoever has claimed it.

        Until the last one is there, searches use the model and the vectors they used before. What was done
        is kept when this is interrupted or the model fails (ModelUnavailable); call it again to go on.
        """
        async with self._one_at_a_time:
            return await self._reembed(embedder or self.embedder, claim)

    async def _reembed(
        self, embedder: TextEmbedder | None, claim: Callable[[], Awaitable[bool]] | None
    ) -> int:
        if embedder is None:
            return 0
        number = await self._database.write(lambda writing: _number(writing, embedder.model_id))
        done = 0
        while True:
            rows = await self._database.read(
                lambda link: link.execute(_select_pending(number).limit(BATCH)).all()
            )
            if rows and claim is not None and not await claim():
                return done
            if rows:
                parts = await _embed(embedder, [row.text for row in rows])
                await self._database.write(partial(_fill_in, rows=rows, number=number, parts=parts))
                done += len(rows)
            elif await self._database.write(lambda writing: _switch(writing, number)):
                break
        self.embedder, self.number = embedder, number
        await self._database.write(_drop_inactive)
        return done


def count_pending(connection: Connection, number: int | None) -> int:
    """Return how many records wait for a vector."""
    waiting = _select_pending(-1 if number is None else number).subquery()
    return connection.execute(select(func.count()).select_from(waiting)).scalar_one()


def add_vectors(writing: Writing, branch: str, embedded: Iterable[tuple[int, str, Embedded]]) -> None:
    """Writes the vectors of rows of one branch, given as seq, data type and vectors."""
    rows = [
        {
            "seq": seq,
            "line": branch,
            "data_type": data_type,
            "model": number,
            "part": part,
            "data": window.astype("<f4").tobytes(),
        }
        for seq, data_type, (number, windows) in embedded
        for part, window in enumerate(windows)
    ]
    if rows:
        writing.connection.execute(insert(vector), rows)


def _fill_in(
    writing: Writing, *, rows: Sequence[Row[int, str, str, str]], number: int, parts: Sequence[Vectors]
) -> None:
    seqs = [row.seq for row in rows]
    # a row that went away meanwhile gets none, nor does one that another server was quicker with
    left = set(writing.connection.execute(select(record.c.seq).where(record.c.seq.in_(seqs))).scalars())
    done = select(vector.c.seq).where(vector.c.seq.in_(seqs), vector.c.model == number)
    left -= set(writing.connection.execute(done).scalars())
    for row, windows in zip(rows, parts, strict=True):
        if row.seq in left:
            add_vectors(writing, row.line, [(row.seq, row.data_type, Embedded(number, windows))])


def read_vector(data: bytes) -> Vectors:
    return np.frombuffer(data, dtype="<f4")


async def _embed(embedder: TextEmbedder, texts: Sequence[str]) -> list[Vectors]:
    windows = [embedder.windows(text) if text else [] for text in texts]
    flat = [part for parts in windows for part in parts]
    if not flat:
        return [np.empty((0, 0), np.float32) for _ in texts]
    rows = _of_length_one(await embedder.embed(flat))
    ends = np.cumsum([len(parts) for parts in windows])
    return np.split(rows, ends[:-1])


def _of_length_one(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return scaled


def _select_pending(number: int) -> Select[int, str, str, str]:
    has = and_(vector.c.seq == record.c.seq, vector.c.model == number)
    return (
        select(record.c.seq, record.c.line, record.c.data_type, record.c.text)
        .outerjoin(vector, has)
        .where(vector.c.seq.is_(None), record.c.text != "")
        .order_by(record.c.seq)
    )


def _known_number(connection: Connection, name: str) -> int | None:
    return connection.execute(select(embedding_model.c.number).where(embedding_model.c.name == name)).scalar()


def _number(writing: Writing, name: str) -> int:
    known_number = _known_number(writing.connection, name)
    if known_number is not None:
        return known_number
    last = writing.connection.execute(select(func.max(embedding_model.c.number))).scalar()
    number = (last or 0) + 1
    # the first one has nothing to wait for
    writing.connection.execute(insert(embedding_model).values(number=number, name=name, active=last is None))
    return number


def _switch(writing: Writing, number: int) -> bool:
    """Makes this the model in use; False when a record has come that it has not seen."""
    if writing.connection.execute(_select_pending(number).limit(1)).first():
        return False
    writing.connection.execute(
        update(embedding_model)
        .where(embedding_model.c.active != (embedding_model.c.number == number))
        .values(active=embedding_model.c.number == number)
    )
    return True


def _drop_inactive(writing: Writing) -> None:
    old = select(embedding_model.c.number).where(embedding_model.c.active.is_(False))
    writing.connection.execute(delete(vector).where(vector.c.model.in_(old)))


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

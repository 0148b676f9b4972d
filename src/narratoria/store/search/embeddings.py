"""Makes the vectors of records when they are stored, or later where a model was missing or is new."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, and_, delete, func, insert, select, update

from narratoria.errors import ModelUnavailable
from narratoria.store.engines.database import Database, Writing
from narratoria.store.tables import embedding_model, record, vector

BATCH = 32  # records embedded between two commits: what is done stays done

Vectors = NDArray[np.float32]


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

    async def reembed(self, embedder: TextEmbedder | None = None) -> int:
        """Embed every record that lacks vectors of this model, switch to it, and return how many it embedded.

        Until the last one is there, searches use the model and the vectors they used before. What was done
        is kept when this is interrupted or the model fails (ModelUnavailable); call it again to go on.
        """
        async with self._one_at_a_time:
            return await self._reembed(embedder or self.embedder)

    async def _reembed(self, embedder: TextEmbedder | None) -> int:
        if embedder is None:
            return 0
        number = await self._database.write(lambda writing: _number(writing, embedder.model_id))
        done = 0
        while True:
            rows = await self._database.read(
                lambda link: link.execute(_select_pending(number).limit(BATCH)).all()
            )
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
    # a row that went away while its text was being read gets none
    left = set(writing.connection.execute(select(record.c.seq).where(record.c.seq.in_(seqs))).scalars())
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

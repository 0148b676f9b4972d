"""Which records answer a query, the most relevant first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, select

from narratoria.store.database import Database
from narratoria.store.embeddings import Embeddings, Vectors, read_vector
from narratoria.store.filters import Condition
from narratoria.store.lineage import View
from narratoria.store.queries import matching
from narratoria.store.records import DataType
from narratoria.store.tables import record, vector


@dataclass(frozen=True, slots=True)
class Hit:
    """A row of the record table, how probably it answers, and the raw measures behind that."""

    seq: int
    relevance: float
    raw_scores: Mapping[str, float]


async def rank(
    database: Database,
    embeddings: Embeddings,
    view: View,
    query: str,
    *,
    wanted: Mapping[DataType, tuple[Condition, ...]],
    limit: int,
    min_relevance: float | None,
) -> list[Hit]:
    """The best `limit` of the rows that `view` shows and the conditions for their data type allow."""
    meaning = await embeddings.query(query)
    number = embeddings.number
    found = await database.read(lambda link: _similarities(link, view, wanted, number, meaning))
    hits = [
        Hit(seq, max(cosine, 0.0), {"cosine": cosine})
        for seq, cosine in sorted(found.items(), key=lambda pair: -pair[1])
    ]
    return [hit for hit in hits if hit.relevance >= (min_relevance or 0.0)][:limit]


def _similarities(
    connection: Connection,
    view: View,
    wanted: Mapping[DataType, tuple[Condition, ...]],
    number: int | None,
    meaning: Vectors,
) -> dict[int, float]:
    best: dict[int, float] = {}
    for data_type, conditions in wanted.items():
        rows = matching(view, data_type, conditions, record.c.seq).subquery()
        statement = select(vector.c.seq, vector.c.data).join(rows, rows.c.seq == vector.c.seq)
        for seq, data in connection.execute(statement.where(vector.c.model == number)):
            cosine = float(np.dot(read_vector(data), meaning))
            best[seq] = max(best.get(seq, -1.0), cosine)
    return best

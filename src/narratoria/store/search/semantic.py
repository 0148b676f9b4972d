"""Searches what a view shows and the filters allow, by meaning and by words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import msgspec
import numpy as np
from sqlalchemy import Connection, select

from narratoria.errors import ModelUnavailable
from narratoria.store.engines.database import Database
from narratoria.store.filters import Condition
from narratoria.store.lineage import View
from narratoria.store.record_versions import RecordRow, read_rows, select_matching
from narratoria.store.records import DataType
from narratoria.store.search import ranking
from narratoria.store.search.ranking import POOL, THRESHOLD, Candidate
from narratoria.store.search.terms import to_second_person
from narratoria.store.search.vectors import Embeddings, VectorIndex, Vectors, read_vector
from narratoria.store.tables import BranchColumn, record, vector

_AT_ONCE = 500  # parameters of a statement
_MANY = 2000  # vectors that are not in memory yet: from there on a branch is read as a whole
_SCANNED = 20_000  # from there on an engine that can compare them itself does, rather than carry them here
_FEW = 64  # rows of a branch up to which it shares an index with others
_WEIGHED = 50_000  # rows that are kept in memory for weighing: some 25 MB
_ABOUT = ("characterIds", "characterId", "location", "semanticTags", "keywords")


@dataclass(frozen=True, slots=True)
class Hit:
    """Holds a row of the record table, the probability that it answers, and the raw scores behind that."""

    row: RecordRow
    relevance: float
    score: float  # by which the hits are ordered
    raw_scores: Mapping[str, float]


class Indexes:
    """Caches the vectors of each searched branch and the parsed rows; it may be used from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made_for: tuple[int, int] = (-1, 0)
        self._by_branch: dict[str, VectorIndex] = {}
        self._weighed: dict[int, _Weighed] = {}
        self._weighed_for = 0

    def weighed(self, removals: int) -> dict[int, _Weighed]:
        """Return the cache of parsed rows by their numbers; a row never changes."""
        with self._lock:
            if self._weighed_for != removals or len(self._weighed) > _WEIGHED:
                self._weighed_for, self._weighed = removals, {}
            return self._weighed

    def of(self, branch: str, *, model: int, removals: int, dimensions: int) -> VectorIndex:
        """Return the index of a branch; all are dropped when the model changes or rows were removed."""
        with self._lock:
            if self._made_for != (model, removals):
                self._made_for, self._by_branch = (model, removals), {}
            return self._by_branch.setdefault(branch, VectorIndex(dimensions))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """Holds the fields of a row that the ranking reads."""

    text: str
    about: str
    order: float
    pinned: bool


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Holds a query as a vector, and the indexes to compare it with."""

    vector: Vectors
    model: int
    removals: int
    indexes: Indexes


async def rank(
    database: Database,
    embeddings: Embeddings,
    indexes: Indexes,
    look: Callable[[Connection], View],
    query: str,
    *,
    conditions_by_type: Mapping[DataType, tuple[Condition, ...]],
    limit: int,
    min_relevance: float | None,
    min_score: float | None = None,
) -> tuple[View, list[Hit]]:
    """Return the view, and the best `limit` of its rows that the conditions for their data type allow.

    Either what is relevant enough, or, with a least score, what is likely enough. All of it is read in one
    transaction.
    """
    meaning: _Meaning | None = None
    model = embeddings.number
    try:
        asked = await embeddings.query(to_second_person(query))
        if model is not None:
            meaning = _Meaning(asked, model, database.removals, indexes)
    except ModelUnavailable:
        pass  # by words alone, then
    threshold = THRESHOLD if min_relevance is None else min_relevance

    def read(link: Connection) -> tuple[View, list[Hit]]:
        view = look(link)
        return view, _rank(
            database, indexes, link, view, query, meaning, conditions_by_type, limit, threshold, min_score
        )

    return await database.read(read)


def _rank(  # noqa: PLR0917 - one call, from above
    database: Database,
    indexes: Indexes,
    link: Connection,
    view: View,
    query: str,
    meaning: _Meaning | None,
    conditions_by_type: Mapping[DataType, tuple[Condition, ...]],
    limit: int,
    threshold: float,
    min_score: float | None,
) -> list[Hit]:
    allowed = _allowed(link, view, conditions_by_type)
    cosines = _cosines(database, link, view, allowed, meaning) if meaning is not None else {}
    pool = _pool(link, view, allowed, cosines, lambda: database.with_words(link, view.branches, query))
    candidates = _candidates(link, view, pool, cosines, indexes.weighed(database.removals))
    best = ranking.rank(query, candidates, limit=limit, threshold=threshold, least_score=min_score)
    rows = read_rows(link, view.branches, [ranked.id for ranked in best])
    return [Hit(rows[ranked.id], ranked.relevance, ranked.score, _raw(ranked)) for ranked in best]


def _allowed(
    link: Connection, view: View, conditions_by_type: Mapping[DataType, tuple[Condition, ...]]
) -> dict[str, list[int]]:
    """Return the rows that the view and the conditions allow, by branch."""
    branches: dict[str, list[int]] = defaultdict(list)
    for data_type, conditions in conditions_by_type.items():
        rows = link.execute(select_matching(view, data_type, conditions, record.c.line, record.c.seq))
        for branch, seq in rows.all():  # at once: one by one, a search of a whole story takes a fifth longer
            branches[branch].append(seq)
    return branches


def _cosines(
    database: Database, link: Connection, view: View, allowed: Mapping[str, Sequence[int]], meaning: _Meaning
) -> dict[int, float]:
    cosines: dict[int, float] = {}
    for name, (branches, seqs) in _group_branches(view, allowed).items():
        index = meaning.indexes.of(
            name, model=meaning.model, removals=meaning.removals, dimensions=len(meaning.vector)
        )
        missing = index.missing(seqs)
        if database.scan is not None and len(missing) > _SCANNED:
            for branch in branches:
                near_all = database.scan(link, branch, meaning.model, meaning.vector)
                cosines.update((seq, near_all[seq]) for seq in seqs if seq in near_all)
            continue
        if missing:
            index.put_all(_read_vectors(link, branches, meaning.model, missing))
        near = index.cosines(meaning.vector, seqs)
        cosines.update(zip(near.ids.tolist(), near.values.tolist(), strict=True))
    return cosines


def _group_branches(
    view: View, allowed: Mapping[str, Sequence[int]]
) -> dict[str, tuple[list[str], list[int]]]:
    """Return the branches and the rows that share an index, by its name.

    A story that was undone again and again has hundreds of branches with a row or two each.
    """
    shared = f"{view.branches[-2:][0]} and its small branches"
    groups: dict[str, tuple[list[str], list[int]]] = defaultdict(lambda: ([], []))
    for branch, seqs in allowed.items():
        branches, together = groups[branch if len(seqs) > _FEW or not view.is_long else shared]
        branches.append(branch)
        together.extend(seqs)
    return groups


def _read_vectors(
    link: Connection, branches: Sequence[str], model: int, missing: Sequence[int]
) -> dict[int, Vectors]:
    windows: dict[int, list[Vectors]] = defaultdict(list)
    of_model = select(vector.c.seq, vector.c.data).where(vector.c.model == model)
    parts = [
        of_model.where(
            BranchColumn(vector.c.line).in_(branches), vector.c.seq.in_(missing[at : at + _AT_ONCE])
        )
        for at in range(0, len(missing), _AT_ONCE)
    ]
    whole = of_model.where(vector.c.line.in_(branches))
    for statement in [whole] if len(missing) > _MANY else parts:
        for seq, data in link.execute(statement.order_by(vector.c.seq, vector.c.part)).all():
            windows[seq].append(read_vector(data))
    return {seq: np.stack(rows) for seq, rows in windows.items()}


def _pool(
    link: Connection,
    view: View,
    allowed: Mapping[str, Sequence[int]],
    cosines: Mapping[int, float],
    with_words: Callable[[], list[int]],
) -> list[int]:
    """Return the rows to rank: all, or of very many the nearest, those with the words, and the pinned."""
    seqs = sorted(seq for some in allowed.values() for seq in some)
    if len(seqs) <= POOL:
        return seqs
    nearest = sorted(cosines, key=lambda seq: -cosines[seq])[:POOL]
    among = set(seqs)
    worded = [seq for seq in with_words() if seq in among]
    pinned = link.execute(
        select_matching(view, "memory", (Condition("episodic", (True,)),), record.c.seq)
    ).scalars()
    return sorted({*nearest, *worded[:POOL], *(seq for seq in pinned if seq in among)})


def _candidates(
    link: Connection,
    view: View,
    pool: Sequence[int],
    cosines: Mapping[int, float],
    weighed: dict[int, _Weighed],
) -> list[Candidate]:
    missing = [seq for seq in pool if seq not in weighed]
    read = {seq: _weigh(row) for seq, row in read_rows(link, view.branches, missing).items()}
    weighed.update(read)
    candidates = []
    for seq in pool:
        one = weighed.get(seq) or read[seq]
        candidates.append(
            Candidate(
                id=seq,
                text=one.text,
                cosine=cosines.get(seq),
                about=one.about,
                order=one.order,
                pinned=one.pinned,
            )
        )
    return candidates


def _weigh(row: RecordRow) -> _Weighed:
    body: dict[str, Any] = msgspec.json.decode(row.body)
    about: list[str] = []
    for name in _ABOUT:
        value = body.get(name, ())
        about += [value] if isinstance(value, str) else value
    pinned = row.data_type == "memory" and body.get("episodic", False)
    return _Weighed(row.text, " ".join(about), row.origin, pinned)


def _raw(ranked: ranking.Ranked) -> dict[str, float]:
    cosine = {} if ranked.cosine is None else {"cosine": ranked.cosine}
    return {**cosine, "fullText": ranked.full_text}

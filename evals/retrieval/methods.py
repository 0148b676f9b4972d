"""Three ways to answer the queries of a corpus, with the same texts and the same embedder."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from evals.retrieval.corpus import Corpus, Query
from evals.retrieval.fit import fit_model
from evals.retrieval.metrics import Answer, Floats
from narratoria.inference.embedder import Embedder
from narratoria.store.search.ranking import (
    MEANING,
    STATED,
    STATED_FOR,
    WORDS,
    Calibration,
    Candidate,
    CandidateMeasures,
    LogisticModel,
    measure,
    measure_places,
)
from narratoria.store.search.terms import to_second_person
from narratoria.store.search.vectors import VectorIndex

METHODS = ("BM25 alone", "cosine alone", "ours")


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, and what each method goes by: one figure for every record of the corpus."""

    query: Query
    grades: NDArray[np.int64]
    cosine: Floats  # of the query as it was put
    measured: CandidateMeasures
    terms: tuple[frozenset[str], ...]  # of each record
    milliseconds: float  # for the vector and the ranking, as a player waits for it


async def ask_all(corpora: Iterable[Corpus], embedder: Embedder) -> list[Asked]:
    return [asked for corpus in corpora for asked in await _ask(corpus, embedder)]


async def _ask(corpus: Corpus, embedder: Embedder) -> list[Asked]:
    parts = [embedder.windows(record.searched) for record in corpus.records]
    flat = await embedder.embed([window for windows in parts for window in windows])
    ends = np.cumsum([len(windows) for windows in parts])[:-1]
    index = VectorIndex(flat.shape[1])
    index.put_all(dict(enumerate(np.split(flat, ends))))
    return [await _ask_one(query, corpus, index, embedder) for query in corpus.queries]


async def _ask_one(query: Query, corpus: Corpus, index: VectorIndex, embedder: Embedder) -> Asked:
    begun = time.perf_counter()
    (vector,) = await embedder.embed([to_second_person(query.query)])
    told = index.cosines(vector).values.astype(np.float64)
    candidates = tuple(
        Candidate(place, record.searched, float(cosine), record.about, record.turn, record.episodic)
        for place, (record, cosine) in enumerate(zip(corpus.records, told, strict=True))
    )
    measured = measure(query.query, candidates)
    taken = (time.perf_counter() - begun) * 1000
    (as_put,) = await embedder.embed([query.query])
    return Asked(
        query=query,
        grades=np.array([query.relevant.get(record.id, 0) for record in corpus.records]),
        cosine=index.cosines(as_put).values.astype(np.float64),
        measured=measured,
        # no two say the same: what is made up repeats its small talk as nobody does
        terms=tuple(frozenset((record.id,)) for record in corpus.records),
        milliseconds=taken,
    )


def fit_calibration(asked: Sequence[Asked], stated_on: Sequence[Asked], embedder: str) -> Calibration:
    """Return the scores, fitted on every pair of a query and a record, and what is stated of them.

    What is stated is fitted on searches among few records and among many.
    """
    relevant = np.concatenate([one.grades > 0 for one in asked])
    values = np.vstack([one.measured.values for one in asked])
    meaning = fit_model(MEANING, values, relevant)
    words = fit_model(WORDS, _word_values(values), relevant)
    by_meaning = [meaning.probabilities(one.measured.values) for one in stated_on]
    by_words = [words.probabilities(_word_values(one.measured.values)) for one in stated_on]
    return Calibration(
        embedder=embedder,
        fitted=datetime.now(UTC).date().isoformat(),
        queries=len(asked),
        pairs=len(relevant),
        relevant=int(relevant.sum()),
        meaning=meaning,
        words=words,
        stated=fit_stated(by_meaning, stated_on),
        stated_by_words=fit_stated(by_words, stated_on),
    )


def _word_values(values: Floats) -> Floats:
    chosen: Floats = values[:, [MEANING.index(name) for name in WORDS]]
    return chosen


def fit_stated(scores: Sequence[Floats], asked: Sequence[Asked]) -> LogisticModel:
    """Return what makes scores probabilities, fitted on what each search finds first."""
    places, relevant = list[Floats](), list[NDArray[np.bool_]]()
    for own, one in zip(scores, asked, strict=True):
        first = np.argsort(-own, kind="stable")[:STATED_FOR]
        places.append(_places(own, one)[first])
        relevant.append(one.grades[first] > 0)
    return fit_model(STATED, np.vstack(places), np.concatenate(relevant))


def _places(scores: Floats, asked: Asked) -> Floats:
    return measure_places(scores, asked.terms)


def answer(
    method: str,
    asked: Sequence[Asked],
    fitted_on: Sequence[Asked],
    ours: Calibration,
    stated_on: Sequence[Asked] = (),
) -> list[Answer]:
    """A peer's one figure becomes a probability in the way ours does, fitted on the same searches."""
    if method == "ours":
        scores = [ours.meaning.probabilities(one.measured.values) for one in asked]
        stated = ours.stated
    else:
        relevant = np.concatenate([one.grades > 0 for one in fitted_on])
        values = np.concatenate([_figure(method, one) for one in fitted_on])[:, None]
        model = fit_model((method,), values, relevant)
        scores = [model.probabilities(_figure(method, one)[:, None]) for one in asked]
        before = [model.probabilities(_figure(method, one)[:, None]) for one in stated_on or fitted_on]
        stated = fit_stated(before, stated_on or fitted_on)
    return [
        Answer(one.grades, own, stated.probabilities(_places(own, one)))
        for one, own in zip(asked, scores, strict=True)
    ]


def _figure(method: str, asked: Asked) -> Floats:
    return asked.measured.full_text if method == "BM25 alone" else asked.cosine

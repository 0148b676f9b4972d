"""Ranks records by how probably they answer a query, from meaning and words together.

The words' weights come from the candidates themselves: one playthrough's words never weigh in another's
search, and every database engine gives the same answer. Pass all records that the filters leave, or, of very
many, the `POOL` nearest by cosine, those the full-text search found, and the pinned ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from narratoria.store.search.terms import (
    Terms,
    asks_for_latest,
    correct_spelling,
    read_query,
    read_terms,
    read_words,
)

CALIBRATION_FILE = "calibration.json"
THRESHOLD = 0.7
POOL = 400  # candidates
COUNTED = 5000  # texts with a word; whether there are more does not matter for how rare it is
FULL_TEXT_TERMS = 4  # more of them cost time and find what is less to the point
MEANING = ("cosine", "cosineWithoutNames", "behindNearest", "coverage", "namesMissing", "latest")
WORDS = ("coverage", "namesMissing", "latest")
STATED = ("score", "share", "searched")
OWN_WORDS = 0.95  # the least relevance of what is found first and asked for in its own words
SAME_TERMS = 0.9  # of a text and a query: from there on they are the same words
FEWEST = 18  # records: with fewer than in any search it was fitted on, the score bounds what is stated
ALIKE = 0.7  # of the terms of two texts: from there on they say the same, and one is no rival of the other
MOST_COMPARED = 50  # texts with which others are compared
LEAST_RIVAL = 0.05  # of a score: what is less likely is counted without being compared
STATED_FOR = 10  # of a search: the first ones, for which what is stated was fitted

_CORRECTED = 0.8  # what a term counts that had to be mended
_SATURATION, _LENGTH = 1.2, 0.75  # BM25's k1 and b

Matrix: TypeAlias = NDArray[np.float64]


class LogisticModel(msgspec.Struct, frozen=True):
    """Holds weights for features that were scaled to mean 0 and deviation 1."""

    features: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def probabilities(self, values: Matrix) -> Matrix:
        """Return a probability for each row; the columns are the features in the model's order."""
        scaled = (values - np.array(self.means)) / np.array(self.deviations)
        return logistic(scaled @ np.array(self.weights) + self.intercept)


class Calibration(msgspec.Struct, frozen=True):
    """Turns the measures of a record into a score, and its place among the others into a probability.

    Logistic models do both, fitted for one embedder.

    `python -m evals.retrieval fit` writes it anew: the cosines of another embedder mean something else.
    """

    embedder: str  # the model whose cosines these are
    fitted: str  # date
    queries: int
    pairs: int
    relevant: int  # of the pairs
    meaning: LogisticModel  # for records with a vector
    words: LogisticModel  # for those without
    stated: LogisticModel  # of scores by meaning and words
    stated_by_words: LogisticModel  # of scores by words alone


@cache
def load_calibration() -> Calibration:
    """Return the calibration that comes with the program."""
    return msgspec.json.decode(files(__package__).joinpath(CALIBRATION_FILE).read_bytes(), type=Calibration)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Is a record as the ranking sees it."""

    id: int
    text: str
    cosine: float | None  # None: it has no vector, or there is no model
    about: str = ""  # names, places and tags it is filed under
    order: float = 0.0  # later ones have larger ones
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """Holds the probability that a record answers the query, and the raw scores behind that.

    The score orders. It would be that probability among some forty records; among more of them, or beside
    others that are as likely, the relevance is less.
    """

    id: int
    relevance: float
    score: float
    cosine: float | None
    full_text: float  # BM25 among the candidates


@dataclass(frozen=True, slots=True)
class CandidateMeasures:
    """Holds the measures of each candidate: a row of `values` with the columns of MEANING, and its BM25."""

    values: Matrix
    full_text: Matrix


def rank(
    query: str,
    candidates: Sequence[Candidate],
    *,
    limit: int,
    threshold: float = THRESHOLD,
    least_score: float | None = None,
    calibration: Calibration | None = None,
) -> list[Ranked]:
    """Return the likeliest first, none below the threshold; others never displace pinned ones.

    Where there is a least score, it decides what is left out, and the relevance is only stated.
    """
    if not candidates:
        return []
    calibration = calibration or load_calibration()
    measured = measure(query, candidates)
    scores = _score(measured, candidates, calibration)
    by_meaning = any(candidate.cosine is not None for candidate in candidates)
    texts = [read_terms(candidate.text).counts.keys() for candidate in candidates]
    stated = calibration.stated if by_meaning else calibration.stated_by_words
    relevance = stated.probabilities(measure_places(scores, texts))
    if len(candidates) < FEWEST:
        relevance = np.minimum(relevance, scores)
    best = int(np.argmax(scores))
    if is_in_own_words(query, candidates[best].text):
        relevance[best] = max(relevance[best], OWN_WORDS)
    deciding, least = (relevance, threshold) if least_score is None else (scores, least_score)
    chosen = [int(row) for row in np.argsort(-scores, kind="stable") if deciding[row] >= least]
    return [
        Ranked(
            candidates[row].id,
            float(relevance[row]),
            float(scores[row]),
            candidates[row].cosine,
            float(measured.full_text[row]),
        )
        for row in _cut(chosen, candidates, limit)
    ]


def measure_places(scores: Matrix, texts: Sequence[Collection[str]]) -> Matrix:
    """Return what is known of each score among those of its search, with the columns of STATED.

    The share says whether others are as likely: of all that was expected to answer, how much this one is.
    `texts` has the terms of each record.
    """
    sure = np.clip(scores, 1e-9, 1 - 1e-9)
    searched = np.full(len(scores), math.log(len(scores)))
    expected = _count_expected(sure, texts)
    return np.column_stack([np.log(sure / (1 - sure)), np.log(sure / expected), searched])


def _count_expected(scores: Matrix, texts: Sequence[Collection[str]]) -> float:
    """Return how many different answers are expected: records that say the same count as the likeliest."""
    total = float(scores[scores < LEAST_RIVAL].sum())
    compared: list[frozenset[str]] = []
    for row in np.argsort(-scores, kind="stable"):
        if scores[row] < LEAST_RIVAL:
            break
        terms = frozenset(texts[row])
        if any(len(terms & one) >= ALIKE * max(len(terms), len(one)) for one in compared):
            continue
        total += float(scores[row])
        if len(compared) < MOST_COMPARED:
            compared.append(terms)
    return total


def is_in_own_words(query: str, text: str) -> bool:
    """Return whether a query says what a text says: such a record is meant, however many are like it."""
    asked, told = read_terms(query).counts.keys(), read_terms(text).counts.keys()
    return bool(asked) and len(asked & told) >= SAME_TERMS * max(len(asked), len(told))


def rarest_words(query: str, count_of: Callable[[str], int]) -> list[str]:
    """Return the query's words that the fewest texts hold; `count_of` counts the texts that hold a word."""
    counts = {word: count_of(word) for word in read_words(query)}
    words = sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], word))
    return words[:FULL_TEXT_TERMS]


def full_text_query(query: str, count_of: Callable[[str], int]) -> str | None:
    """Return an FTS5 expression for a query's rarest words; `count_of` counts the texts that hold a word.

    None when no text holds any of them. Whatever the query contains, its words are all that gets through.
    """
    return " OR ".join(f'"{word}"' for word in rarest_words(query, count_of)) or None


def measure(query: str, candidates: Sequence[Candidate]) -> CandidateMeasures:
    texts = [read_terms(f"{candidate.text}\n{candidate.about}") for candidate in candidates]
    words = _Words.of(query, texts)
    coverage = np.array([words.coverage(text) for text in texts])
    found_names = np.array([words.share_of_names(text) for text in texts])
    cosines = np.array([math.nan if c.cosine is None else c.cosine for c in candidates])
    # what is far behind the nearest is likely beside the point, however near the query comes to everything
    behind = cosines - max((c.cosine for c in candidates if c.cosine is not None), default=0.0)
    latest = np.zeros(len(candidates))
    if words.names and asks_for_latest(query):
        latest = _latest(found_names, np.array([candidate.order for candidate in candidates]))
    missing = 1.0 - found_names if words.names else np.zeros(len(candidates))
    # a name in both makes texts near that have nothing else in common: without one, a cosine says more
    unnamed = np.zeros(len(candidates)) if words.names else cosines
    # squared: most of a query's words in one record say much, one of them says next to nothing
    values = np.column_stack([cosines, unnamed, behind, coverage**2, missing, latest])
    return CandidateMeasures(values, np.array([words.bm25(text) for text in texts]))


@dataclass(frozen=True, slots=True)
class _Words:
    """Holds the terms of a query, the weight of each among the candidates, and which of them are names."""

    weights: dict[str, float]
    sure: dict[str, float]  # 1, or less where the term had to be mended
    total: float  # of the weights, unknown terms included; at least that of one rare word
    names: frozenset[str]
    length: float  # of a candidate, on average

    @classmethod
    def of(cls, query: str, texts: Sequence[Terms]) -> _Words:
        weights: dict[str, float] = {}
        sure: dict[str, float] = {}
        total = 0.0
        # filled only when a term has to be corrected: reading every text takes its time
        vocabulary: frozenset[str] = frozenset()
        for asked in read_query(query):
            term: str | None = asked
            if not (holding := sum(asked in text.counts for text in texts)):
                vocabulary = vocabulary or frozenset().union(*(text.counts for text in texts))
                term = correct_spelling(asked, vocabulary)
                holding = sum(term in text.counts for text in texts) if term else 0
            total += (weight := _rarity(holding, len(texts)))
            if term:
                weights[term] = weight
                sure[term] = 1.0 if term == asked else _CORRECTED
        names = frozenset(
            term
            for term in weights
            if sum(term in text.capitals for text in texts) > 2 * sum(term in text.smalls for text in texts)
        )
        length = sum(text.words for text in texts) / len(texts)
        # a question of one word that every fourth text holds is not answered by each of them
        return cls(weights, sure, max(total, _rarity(1, len(texts))), names, max(length, 1.0))

    def coverage(self, text: Terms) -> float:
        """Return the share of the query's weight that the text's terms have."""
        covered_weight = sum(
            weight * self.sure[term] for term, weight in self.weights.items() if term in text.counts
        )
        return covered_weight / self.total if self.total else 0.0

    def share_of_names(self, text: Terms) -> float:
        whole = sum(self.weights[name] for name in self.names)
        return sum(self.weights[name] for name in self.names if name in text.counts) / whole if whole else 0.0

    def bm25(self, text: Terms) -> float:
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * text.words / self.length)
        return sum(
            weight * self.sure[term] * count * (_SATURATION + 1) / (count + damping)
            for term, weight in self.weights.items()
            if (count := text.counts.get(term, 0))
        )


def _rarity(holding: int, of: int) -> float:
    return math.log(1 + (of - holding + 0.5) / (holding + 0.5))


def _latest(found_names: Matrix, order: Matrix) -> Matrix:
    """Score the candidates with most of the names asked for by their order, above 0 and up to 1."""
    having = np.flatnonzero((found_names == found_names.max()) & (found_names > 0))
    latest = np.zeros(len(order))
    latest[having[np.argsort(order[having], kind="stable")]] = np.arange(1, len(having) + 1) / max(
        len(having), 1
    )
    return latest


def _score(measured: CandidateMeasures, candidates: Sequence[Candidate], calibration: Calibration) -> Matrix:
    by_words = calibration.words.probabilities(measured.values[:, [MEANING.index(name) for name in WORDS]])
    has_vector = np.array([candidate.cosine is not None for candidate in candidates])
    values = np.where(has_vector[:, None], measured.values, 0.0)
    result: Matrix = np.where(has_vector, calibration.meaning.probabilities(values), by_words)
    return result


def _cut(chosen: list[int], candidates: Sequence[Candidate], limit: int) -> list[int]:
    """Return the first `limit` rows, with pinned ones in place of the least relevant others."""
    room = max(limit, 0)
    pinned = [row for row in chosen if candidates[row].pinned][:room]
    others = [row for row in chosen if not candidates[row].pinned][: room - len(pinned)]
    rows = {*pinned, *others}
    return [row for row in chosen if row in rows]


def logistic(values: Matrix) -> Matrix:
    result: Matrix = 1.0 / (1.0 + np.exp(-np.clip(values, -60.0, 60.0)))
    return result

"""Figures for a search whose right answers are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from narratoria.store.search.ranking import THRESHOLD

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Answer:
    """For one query: every record's grade, how a method orders them, and how probable it finds each."""

    grades: NDArray[np.int64]
    scores: Floats
    relevance: Floats

    @property
    def ordered(self) -> NDArray[np.int64]:
        return self.grades[np.argsort(-self.scores, kind="stable")]


@dataclass(frozen=True, slots=True)
class Figures:
    recall_at_5: float
    recall_at_10: float
    ndcg_at_10: float
    mrr: float
    hit_at_5: float  # queries with an answer among the first five
    precision: float  # of what reaches the threshold
    recall: float  # how much of what is relevant reaches it
    f1: float
    no_answer: float  # queries without an answer for which nothing reaches it
    brier: float
    calibration_error: float  # expected, over ten bins of the relevance
    first_relevance: float  # on average, of what each query finds first
    first_right: float  # how often that is relevant
    first_error: float  # expected calibration error of it


def figures(answers: Sequence[Answer]) -> Figures:
    answered = [answer.ordered for answer in answers if answer.grades.any()]
    unanswered = [answer for answer in answers if not answer.grades.any()]
    relevance = np.concatenate([answer.relevance for answer in answers])
    relevant = np.concatenate([answer.grades > 0 for answer in answers])
    reached = relevance >= THRESHOLD
    firsts = [int(np.argmax(answer.relevance)) for answer in answers]
    first = np.array([answer.relevance[at] for answer, at in zip(answers, firsts, strict=True)])
    right = np.array([answer.grades[at] > 0 for answer, at in zip(answers, firsts, strict=True)])
    precision = _ratio(int((reached & relevant).sum()), int(reached.sum()))
    recall = _ratio(int((reached & relevant).sum()), int(relevant.sum()))
    return Figures(
        recall_at_5=_mean([_recall(grades, 5) for grades in answered]),
        recall_at_10=_mean([_recall(grades, 10) for grades in answered]),
        ndcg_at_10=_mean([_gain(grades[:10]) / _gain(np.sort(grades)[::-1][:10]) for grades in answered]),
        mrr=_mean([1.0 / (1 + int(np.argmax(grades > 0))) for grades in answered]),
        hit_at_5=_mean([float(grades[:5].any()) for grades in answered]),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if precision + recall > 0 else math.nan,
        no_answer=_mean([float((answer.relevance < THRESHOLD).all()) for answer in unanswered]),
        brier=float(np.mean((relevance - relevant) ** 2)),
        calibration_error=_calibration_error(relevance, relevant),
        first_relevance=float(first.mean()),
        first_right=float(right.mean()),
        first_error=_calibration_error(first, right),
    )


def _recall(grades: NDArray[np.int64], first: int) -> float:
    """Of as many as could be among the first, how many are."""
    return float((grades[:first] > 0).sum() / min(first, (grades > 0).sum()))


def _gain(grades: NDArray[np.int64]) -> float:
    return float(sum((2.0**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades)))


def _calibration_error(relevance: Floats, relevant: NDArray[np.bool_]) -> float:
    bins = np.minimum((relevance * 10).astype(int), 9)
    gaps = [
        abs(float(relevance[bins == place].mean() - relevant[bins == place].mean()))
        * float((bins == place).mean())
        for place in range(10)
        if (bins == place).any()
    ]
    return sum(gaps)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan

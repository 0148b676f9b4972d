"""The figures as tables to read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter

import numpy as np

from evals.retrieval.methods import METHODS, Asked
from evals.retrieval.metrics import Answer, Figures, figures
from narratoria.store.search.ranking import THRESHOLD

COMPARED = {
    "recall@5": "recall_at_5",
    "recall@10": "recall_at_10",
    "nDCG@10": "ndcg_at_10",
    "MRR": "mrr",
    f"precision ≥ {THRESHOLD}": "precision",
    f"recall ≥ {THRESHOLD}": "recall",
    "F1": "f1",
    "no answer": "no_answer",
}

Answers = Mapping[str, Sequence[Answer]]


def comparison(answers: Answers) -> str:
    found = {method: figures(answers[method]) for method in METHODS}
    head = ["", *COMPARED]
    rows = [
        [method, *(_shown(getattr(of, name)) for name in COMPARED.values())] for method, of in found.items()
    ]
    return table(head, rows) + "\n\n" + _verdict(found)


def standing(found: Mapping[str, Figures]) -> dict[str, str]:
    """For each figure whether ours is ahead of both peers, level with the better one, or behind it."""
    ours, peers = found["ours"], [of for method, of in found.items() if method != "ours"]
    result = {}
    for title, name in COMPARED.items():
        mine, best = getattr(ours, name), max(map(attrgetter(name), peers), key=_known)
        if not math.isnan(mine):
            close = math.isclose(mine, best, abs_tol=1e-9)
            result[title] = "level" if close else "ahead" if mine > _known(best) else "behind"
    return result


def by_kind(asked: Sequence[Asked], answers: Answers) -> str:
    kinds = sorted({one.query.kind for one in asked if one.query.relevant})
    rows = []
    for kind in kinds:
        places = [place for place, one in enumerate(asked) if one.query.kind == kind]
        gains = [figures([answers[method][place] for place in places]).ndcg_at_10 for method in METHODS]
        rows.append([kind, str(len(places)), *map(_shown, gains)])
    return table(["nDCG@10 by kind of query", "queries", *METHODS], rows)


def criteria(asked: Sequence[Asked], ours: Sequence[Answer]) -> str:
    """What the success criteria for search ask for: memories (SC-024) and lore (SC-042)."""
    waited = np.array([one.milliseconds for one in asked])
    lore = [place for place, one in enumerate(asked) if one.query.kind.startswith("lore")]
    memories = [place for place in range(len(asked)) if place not in lore]
    lines = [
        f"- SC-024: {_hits(ours, memories)} of the memory queries have an answer among the first five; "
        f"embedding and ranking took {np.percentile(waited, 95):.0f} ms at p95 (limit 500).",
        f"- SC-042: {_hits(ours, lore)} of the lore queries do (limit 90 %).",
    ]
    return "\n".join(lines)


def lore_criterion(ours: Sequence[Answer]) -> str:
    """SC-042, for a campaign's lore: the author's queries that bring something to the point."""
    found = figures(ours)
    hits = _hits(ours, range(len(ours)))
    return (
        f"- SC-042, bundled campaigns: {hits} of the author's queries have an answer among the first five "
        f"(limit 90 %); {found.recall_at_5:.1%} of all answers are there."
    )


def calibration(answers: Sequence[Answer]) -> str:
    found = figures(answers)
    return (
        f"Relevance: Brier score {found.brier:.4f}, expected calibration error {found.calibration_error:.4f};"
        f" at {THRESHOLD}: precision {_shown(found.precision)}, recall {_shown(found.recall)}."
        f" What is found first: relevance {found.first_relevance:.2f} on average, right in"
        f" {found.first_right:.0%}, expected calibration error {found.first_error:.2f}."
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    line = "|" + "|".join(" --- " for _ in head) + "|"
    return "\n".join(["| " + " | ".join(head) + " |", line, *("| " + " | ".join(row) + " |" for row in rows)])


def _verdict(found: Mapping[str, Figures]) -> str:
    places = standing(found)
    told = [
        f"{words} the better peer on {', '.join(on)}"
        for place, words in (("ahead", "ahead of"), ("level", "level with"), ("behind", "behind"))
        if (on := [title for title, found_at in places.items() if found_at == place])
    ]
    return f"Ours is {'; '.join(told)}."


def _hits(answers: Sequence[Answer], places: Sequence[int]) -> str:
    return f"{figures([answers[place] for place in places]).hit_at_5:.1%}"


def _known(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _shown(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"

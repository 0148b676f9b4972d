"""Prints how well the matcher tells memories that bear out a condition from those that only speak of it.

Each condition has two memories about the same thing, of which one makes it true. Nothing is fitted on them.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any, get_args

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.text_matcher import Task, TextMatcher, open_matcher
from narratoria.narrator.evidence import shared_words

CASES = Path(__file__).parent / "cases" / "pairs.jsonl"
THRESHOLDS = (0.5, 0.7, 0.9)


def load_cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def score_cases(matcher: TextMatcher, task: Task) -> tuple[list[float], list[float]]:
    """Return how probably each memory is meant: of those that bear a condition out, and of the others."""
    scores: dict[bool, list[float]] = {True: [], False: []}
    for case in load_cases():
        memory = [case["memory"]]
        (score,) = matcher.match(case["phrase"], memory, shared_words(case["phrase"], memory), task)
        scores[case["so"]].append(score)
    return scores[True], scores[False]


def share_in_order(higher: list[float], lower: list[float]) -> float:
    """Return how often a score of the first list is above one of the second: 0.5 is chance."""
    return sum((a > b) + 0.5 * (a == b) for a, b in product(higher, lower)) / (len(higher) * len(lower))


def main() -> int:
    folder = find_embedder()
    if folder is None:
        sys.stderr.write("no embedding model is installed\n")
        return 1
    matcher = open_matcher(folder)
    for task in get_args(Task):
        true, false = score_cases(matcher, task)
        print(f"as a {task}: in order {share_in_order(true, false):.2f} of the time")
        for least in THRESHOLDS:
            right, wrong = (sum(score >= least for score in scores) for scores in (true, false))
            print(f"  from {least}: {right} of {len(true)} that are so, {wrong} of {len(false)} that are not")
    return 0


if __name__ == "__main__":
    sys.exit(main())

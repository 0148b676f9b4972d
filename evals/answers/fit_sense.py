"""Fits the judge of sense: `python -m evals.answers.fit_sense` writes `planner/data/sense.json`.

Sensible lines are the fitting actions; senseless ones are their words shuffled, words drawn at random, and
keys struck at random among words. A fifth of the lines is held out and printed.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import open_encoder
from narratoria.planner.sense import _TOKEN, LEAST_WORDS, SenseModel, _class_of, signs_of

ROWS = Path(__file__).parent / "cases" / "intents-fit.jsonl"
TARGET = Path("src/narratoria/planner/data/sense.json")
LITTLE_WORDS, LEAST_PAIRS, MOST_ASKED_BACK = 500, 2, 0.006
MARGIN = 0.93  # by which unseen players write more strangely than the rows for fitting


def count_pairs(lines: list[str]) -> tuple[list[str], dict[str, dict[str, float]], float]:
    """Return the commonest words, and how probable each is after another."""
    tokens = [_TOKEN.findall(line.casefold().replace("’", "'")) for line in lines]
    counts = Counter(token for row in tokens for token in row if token.isalpha() or "'" in token)
    words = sorted(word for word, _ in counts.most_common(LITTLE_WORDS))
    little = frozenset(words)
    pairs: Counter[tuple[str, str]] = Counter()
    for row in tokens:
        pairs.update(pairwise(["^", *(_class_of(token, little) for token in row), "$"]))
    totals: Counter[str] = Counter()
    for (first, _), count in pairs.items():
        totals[first] += count
    table: dict[str, dict[str, float]] = {}
    for (first, second), count in sorted(pairs.items()):
        if count >= LEAST_PAIRS:
            table.setdefault(first, {})[second] = round(math.log(count / (totals[first] + 20)), 2)
    return words, table, -9.0


def make_senseless(lines: list[str], dice: random.Random) -> list[str]:
    """Return as many lines without sense."""
    pool = [word for line in lines for word in re.findall(r"[\w']+", line)]
    made = []
    for at, line in enumerate(lines):
        words = line.split()
        if at % 3 == 0:
            dice.shuffle(words)
        elif at % 3 == 1:
            words = [dice.choice(pool) for _ in range(dice.randint(5, 9))]
        else:
            keys = [
                "".join(dice.choice("abcdefghijklmnoprstuvwz") for _ in range(dice.randint(3, 8)))
                for _ in range(2)
            ]
            words = [*(dice.choice(pool) for _ in range(dice.randint(3, 6))), *keys]
            dice.shuffle(words)
        made.append(" ".join(words).lower())
    return made


def main() -> None:
    folder = find_embedder()
    assert folder is not None
    known, dice = open_encoder(folder).words, random.Random(7)
    lines = [json.loads(line)["text"] for line in ROWS.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if len(re.findall(r"[^\W\d_]+", line)) >= LEAST_WORDS]
    dice.shuffle(lines)
    size = len(lines) // 5
    held_out, fitted, counted = lines[: size // 2], lines[size // 2 : size], lines[size:]
    words, table, unseen = count_pairs(counted)
    model = SenseModel(frozenset(words), table, unseen, (0.0,) * 8, 0.0)

    def signs(texts: list[str]) -> np.ndarray:
        return np.array([signs_of(text, model, known, ()) for text in texts])

    good, bad = signs(fitted), signs(make_senseless(fitted, dice))
    rows, wanted = np.vstack([good, bad]), np.r_[np.zeros(len(good)), np.ones(len(bad))]
    weights = np.zeros(rows.shape[1])
    for _ in range(60):  # Newton's steps
        guess = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (wanted - guess) - 1e-3 * weights
        weights += np.linalg.solve(
            (rows.T * (guess * (1 - guess))) @ rows + 1e-3 * np.eye(len(weights)), slope
        )
    threshold = float(np.quantile(good @ weights, 1 - MOST_ASKED_BACK)) + MARGIN
    other = make_senseless(held_out, dice)
    print("weights", weights.round(2), "threshold", round(threshold, 2))
    print("sensible asked back", float(np.mean(signs(held_out) @ weights >= threshold)))
    for kind, name in enumerate(("shuffled", "random", "mash")):
        print(name, "asked back", float(np.mean(signs(other[kind::3]) @ weights >= threshold)))
    data = {
        "words": words,
        "pairs": table,
        "unseen": unseen,
        "weights": [round(float(one), 4) for one in weights],
        "threshold": round(threshold, 4),
    }
    TARGET.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(TARGET.stat().st_size, "bytes")


if __name__ == "__main__":
    main()

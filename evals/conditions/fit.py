"""Fits what says whether an event makes a statement true, on what the reading model makes of pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.conditions.situations import Pair, Situation
from narratoria.inference.reading_model import ReadingModel
from narratoria.inference.statement_model import encode_statement

WEIGHTS = Path(
    "src/narratoria/weights"
)  # name the file in inference/statement_model.py and in the README there
WEIGHT_OF_OTHERS = 0.5  # of a memory of the same world that was written for another condition
RESTRAINT = 0.1  # chosen on the fitting worlds, each left out once
_STEPS = 30

Rows = NDArray[np.float64]


def fitting_rows(
    pairs: Sequence[Pair], situations: Sequence[Situation]
) -> dict[tuple[str, str], tuple[bool, float]]:
    """Return for statement and event whether it is so, and how much the row counts."""
    rows = {(pair.phrase, pair.memory): (pair.so, 1.0) for pair in pairs}
    for situation in situations:
        for found in situation.found:
            rows.setdefault((situation.phrase, found.memory), (False, WEIGHT_OF_OTHERS))
    return rows


def fit_statements(
    model: ReadingModel, rows: dict[tuple[str, str], tuple[bool, float]]
) -> tuple[Rows, float]:
    """Return the weights and the bias under which these labels are most probable."""
    values = np.array([encode_statement(model, *pair) for pair in rows], np.float64)
    so = np.array([label for label, _ in rows.values()], np.float64)
    counts = np.array([count for _, count in rows.values()])
    means, scale = values.mean(0), (values.std(0) + 1e-6) * np.sqrt(values.shape[1])
    scaled = (values - means) / scale
    products, size = scaled @ scaled.T, len(rows)
    shares, bias = np.zeros(size), 0.0
    for _ in range(_STEPS):  # Newton's, over rows, which are fewer than the numbers of each
        scores = products @ shares + bias
        probable = 1 / (1 + np.exp(-scores))
        slope, curve = counts * (probable - so), counts * probable * (1 - probable) + 1e-9
        matrix = np.block(
            [
                [products * curve[:, None] + RESTRAINT * np.eye(size), curve[:, None]],
                [(curve @ products)[None], np.array([[curve.sum()]])],
            ]
        )
        solved = np.linalg.solve(matrix, np.append(curve * scores - slope, curve @ scores - slope.sum()))
        shares, bias = solved[:-1], float(solved[-1])
    weights: Rows = scaled.T @ shares / scale
    return weights, bias - float(means @ weights)


def write_weights(weights: Rows, bias: float) -> Path:
    """Keep the weights under the name of their content."""
    file = WEIGHTS / "statements.npz"
    np.savez(file, weights=weights.astype(np.float32), bias=np.float32(bias))
    return file.replace(file.with_stem(hashlib.sha256(file.read_bytes()).hexdigest()[:16]))

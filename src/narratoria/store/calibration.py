"""How probable it is that a record answers a query: a logistic model, fitted on labelled pairs.

`python -m evals.retrieval fit` writes calibration.json anew. It holds for one embedder: the cosines of
another one mean something else.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
import numpy as np
from numpy.typing import NDArray

FILE = "calibration.json"
_STEPS = 40
_CONVERGED = 1e-9

Matrix = NDArray[np.float64]


class Model(msgspec.Struct, frozen=True):
    """Weights for features that were brought to mean 0 and deviation 1."""

    features: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def probabilities(self, values: Matrix) -> Matrix:
        """One for each row; a column for each feature, in the model's order."""
        scaled = (values - np.array(self.means)) / np.array(self.deviations)
        return _logistic(scaled @ np.array(self.weights) + self.intercept)


class Calibration(msgspec.Struct, frozen=True):
    embedder: str  # the model whose cosines these are
    fitted: str  # date
    queries: int
    pairs: int
    relevant: int  # of the pairs
    meaning: Model  # for records with a vector
    words: Model  # for those without


@cache
def shipped() -> Calibration:
    """The calibration that comes with the program."""
    return msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes(), type=Calibration)


def fit(
    features: tuple[str, ...], values: Matrix, relevant: NDArray[np.bool_], *, restraint: float = 1.0
) -> Model:
    """The model under which these labels are most probable, with weights held small by `restraint`."""
    means, deviations = values.mean(axis=0), values.std(axis=0)
    deviations = np.where(deviations > 0, deviations, 1.0)
    scaled = np.column_stack([np.ones(len(values)), (values - means) / deviations])
    held = np.eye(scaled.shape[1]) * restraint
    held[0, 0] = 0.0
    weights = np.zeros(scaled.shape[1])
    for _ in range(_STEPS):  # Newton's
        probable = _logistic(scaled @ weights)
        slope = scaled.T @ (probable - relevant) + held @ weights
        curve = (scaled * (probable * (1 - probable))[:, None]).T @ scaled + held
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < _CONVERGED:
            break
    return Model(
        features=features,
        means=tuple(map(float, means)),
        deviations=tuple(map(float, deviations)),
        weights=tuple(map(float, weights[1:])),
        intercept=float(weights[0]),
    )


def _logistic(values: Matrix) -> Matrix:
    result: Matrix = 1.0 / (1.0 + np.exp(-np.clip(values, -60.0, 60.0)))
    return result

"""Fits the logistic models that turn the measures of a search into a probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from narratoria.store.search.ranking import LogisticModel, Matrix, logistic

_STEPS = 40
_CONVERGED = 1e-9


def fit_model(
    features: tuple[str, ...], values: Matrix, relevant: NDArray[np.bool_], *, restraint: float = 1.0
) -> LogisticModel:
    """Return the model under which these labels are most probable; `restraint` keeps its weights small."""
    means, deviations = values.mean(axis=0), values.std(axis=0)
    deviations = np.where(deviations > 0, deviations, 1.0)
    scaled = np.column_stack([np.ones(len(values)), (values - means) / deviations])
    held = np.eye(scaled.shape[1]) * restraint
    held[0, 0] = 0.0
    weights = np.zeros(scaled.shape[1])
    for _ in range(_STEPS):  # Newton's
        probable = logistic(scaled @ weights)
        slope = scaled.T @ (probable - relevant) + held @ weights
        curve = (scaled * (probable * (1 - probable))[:, None]).T @ scaled + held
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < _CONVERGED:
            break
    return LogisticModel(
        features=features,
        means=tuple(map(float, means)),
        deviations=tuple(map(float, deviations)),
        weights=tuple(map(float, weights[1:])),
        intercept=float(weights[0]),
    )

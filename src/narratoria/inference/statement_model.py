"""Says whether something that happened makes a statement true, by reading the two together."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from narratoria.errors import ModelUnavailable
from narratoria.inference.reading_model import ReadingModel, open_reading_model
from narratoria.inference.shipped_weights import read_shipped_weights

STATEMENT_FILE = "e85249b1733dde57.npz"  # in narratoria/weights
MOST_KEPT = 4000  # pairs whose probabilities are kept
_PLAYER = re.compile(r"\bthe player\b", re.IGNORECASE)


class StatementModel:
    """Weighs what the middle layer of the reading model makes of a statement and an event."""

    def __init__(self, model: ReadingModel, weights: NDArray[np.float64], bias: float) -> None:
        self._model, self._weights, self._bias = model, weights, bias
        self._kept = lru_cache(maxsize=MOST_KEPT)(self._read)

    def probability(self, statement: str, event: str) -> float:
        """Return how probable it is that the statement is so once the event has happened."""
        return self._kept(statement, event)

    def _read(self, statement: str, event: str) -> float:
        score = float(encode_statement(self._model, statement, event) @ self._weights) + self._bias
        return float(1 / (1 + np.exp(-score)))


def encode_statement(model: ReadingModel, statement: str, event: str) -> NDArray[np.float32]:
    """Return what the reading model makes of both, in the person in which events are told."""
    return model.encode_pair(_PLAYER.sub("you", statement), _PLAYER.sub("you", event))


@cache
def open_statement_model(folder: Path) -> StatementModel:
    """Return the model that ships, on the embedder in `folder`; ModelUnavailable when it cannot be loaded."""
    try:
        data = read_shipped_weights(STATEMENT_FILE)
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            weights, bias = stored["weights"].astype(np.float64), float(stored["bias"])
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"what judges statements cannot be loaded: {error}") from None
    return StatementModel(open_reading_model(folder), weights, bias)

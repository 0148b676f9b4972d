"""Measures how near texts are in meaning, with the installed sentence embedder; without it all are equal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from narratoria.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def measure_likeness(text: str, others: Sequence[str]) -> list[float]:
    """Return the cosine of a text with each of the others; all zero where no embedder is installed."""
    vectors = _embed((text, *others))
    if vectors is None:
        return [0.0] * len(others)
    return [float(vectors[0] @ vector) for vector in vectors[1:]]


def _embed(texts: tuple[str, ...]) -> list[NDArray[np.float32]] | None:
    rows = []
    for text in texts:
        row = _embed_one(text)
        if row is None:
            return None
        rows.append(row)
    return rows


@lru_cache(maxsize=1000)
def _embed_one(text: str) -> NDArray[np.float32] | None:
    from narratoria.inference.installed_models import find_embedder

    folder = find_embedder()
    if folder is None:
        return None
    import numpy as np

    from narratoria.inference.numpy_encoder import open_encoder

    try:
        row = open_encoder(folder).encode_batch([(text, "")], {})[0]
    except ModelUnavailable:
        return None
    unit: NDArray[np.float32] = row / max(float(np.linalg.norm(row)), 1e-9)
    return unit

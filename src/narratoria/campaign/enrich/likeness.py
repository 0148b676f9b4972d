"""Measures how near texts are in meaning, with the installed sentence embedder; without it all are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narratoria.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_KEPT = 500  # vectors; those of the kinds and plots are asked for again and again
AT_ONCE = 8  # texts of about the same length: a short one beside a long one takes as long as that
_vectors: dict[str, NDArray[np.float32]] = {}


def measure_likeness(text: str, others: Sequence[str]) -> list[float]:
    """Return the cosine of a text with each of the others; all zero where no embedder is installed."""
    vectors = _embed((text, *others))
    if vectors is None:
        return [0.0] * len(others)
    return [float(vectors[0] @ vector) for vector in vectors[1:]]


def _embed(texts: tuple[str, ...]) -> list[NDArray[np.float32]] | None:
    if len(_vectors) > MOST_KEPT:
        _vectors.clear()
    missing = sorted((text for text in dict.fromkeys(texts) if text not in _vectors), key=len)
    if missing:
        from narratoria.inference.installed_models import find_embedder

        folder = find_embedder()
        if folder is None:
            return None
        import numpy as np

        from narratoria.inference.numpy_encoder import open_encoder

        try:
            encoder = open_encoder(folder)
        except ModelUnavailable:
            return None
        for start in range(0, len(missing), AT_ONCE):
            batch = missing[start : start + AT_ONCE]
            rows = encoder.encode_batch([(text, "") for text in batch], {})
            for text, row in zip(batch, rows, strict=True):
                _vectors[text] = row / max(float(np.linalg.norm(row)), 1e-9)
    return [_vectors[text] for text in texts]

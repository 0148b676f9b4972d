"""Says which of several texts a question or an action means, or that none does.

Two adapted copies of the embedder share the work: one encodes each text by itself, so that what it makes of
a passage is kept, and one reads the likeliest passages together with the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.numpy_encoder import Encoder, Thin, open_encoder, thin_of

Vector: TypeAlias = NDArray[np.float32]
Task: TypeAlias = Literal["question", "offer"]
MATCHER_FILES = ("5500be87caf58931.npz", "e83a2fd22c424b4b.npz")  # in narratoria/weights
READ_TOGETHER = 6  # texts that are read together with the question
BATCH = 8  # texts that are encoded in one go
MOST_KEPT = 4000  # vectors
# how much reading together counts, by worlds that were left out of the training
TOGETHER_WEIGHT: Mapping[Task, float] = {"question": 0.5, "offer": 0.4}
_KEYS: Mapping[Task, str] = {"question": "task.q", "offer": "task.o"}


@dataclass(frozen=True, slots=True)
class Copy:
    """One adapted copy: its thin matrices, and for each task how much likeness and shared words count."""

    thin: Thin
    weights: Mapping[str, NDArray[np.float64]]
    head: Vector


@dataclass(frozen=True, slots=True)
class TextMatcher:
    """Matches texts with the embedder of this machine and the copies that ship."""

    encoder: Encoder
    apart: Copy  # encodes each text by itself
    together: Copy  # reads two texts as one
    _vectors: dict[str, Vector] = field(default_factory=dict)

    def match(self, text: str, candidates: Sequence[str], shared: Sequence[float], task: Task) -> list[float]:
        """Return for each candidate how probably it, rather than none, is meant.

        `shared` is the share of the text's words, by their rarity, that each candidate has.
        """
        if not candidates:
            return []
        key = _KEYS[task]
        scale, word_weight, none = self.apart.weights[key]
        vectors = self._encode([text, *candidates])
        likeness = vectors[1:] @ vectors[0]
        apart = _against_none(scale * likeness + word_weight * np.asarray(shared), none)
        best = np.argsort(-apart)[:READ_TOGETHER]
        scores = self._read_together(text, [candidates[at] for at in best])
        _, word_weight, none = self.together.weights[key]
        together = _against_none(scores + word_weight * np.asarray(shared)[best], none - NONE_OFFSET)
        weight = TOGETHER_WEIGHT[task]
        result = apart * (1 - weight)  # what was not read together is hardly meant
        result[best] += weight * together
        return [float(value) for value in result]

    def _encode(self, texts: Sequence[str]) -> Vector:
        missing = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            rows = self.encoder.encode_batch([(text, "") for text in batch], self.apart.thin)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            self._vectors.update(zip(batch, rows, strict=True))
        vectors = np.stack([self._vectors[text] for text in texts])
        while len(self._vectors) > MOST_KEPT:
            del self._vectors[next(iter(self._vectors))]
        return vectors

    def _read_together(self, text: str, candidates: Sequence[str]) -> NDArray[np.float64]:
        rows = self.encoder.encode_batch([(text, one) for one in candidates], self.together.thin)
        scores: NDArray[np.float64] = (rows @ self.together.head * 2).astype(np.float64)
        return scores


NONE_OFFSET = 6.0  # what the score for "none" begins with in training, and is counted from


def _against_none(scores: NDArray[np.float64], none: float) -> NDArray[np.float64]:
    """Return each candidate's share against none, by the same odds as a choice among them all."""
    result: NDArray[np.float64] = 1 / (1 + np.exp(-(scores - none)))
    return result


@cache
def _load_copies() -> tuple[Copy, Copy]:
    copies = []
    for name in MATCHER_FILES:
        data = files("narratoria").joinpath("weights", name).read_bytes()
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            thin = thin_of(
                [{part: stored[part].astype(np.float32) for part in stored.files if part.startswith("blk.")}]
            )
            weights = {part: stored[part].astype(np.float64) for part in stored.files if "task" in part}
            copies.append(Copy(thin, weights, stored["head"].astype(np.float32)))
    return copies[0], copies[1]


def open_matcher(folder: Path) -> TextMatcher:
    """Return the matcher on the embedder in `folder`; ModelUnavailable when there is none."""
    apart, together = _load_copies()
    return TextMatcher(open_encoder(folder), apart, together)

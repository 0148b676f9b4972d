"""Says which of several texts a question or an action means, or that none does.

An adapted copy of the embedder encodes each text by itself, so that what it makes of a passage is kept; the
reading model then reads the likeliest ones together with the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.numpy_encoder import Encoder, Thin, open_encoder, thin_of
from narratoria.inference.reading_model import ReadingModel, open_reading_model
from narratoria.inference.shipped_vectors import fingerprint_model, load_shipped_vectors
from narratoria.inference.shipped_weights import read_shipped_weights

Vector: TypeAlias = NDArray[np.float32]
Task: TypeAlias = Literal["question", "offer", "reply"]
MATCHER_FILE = "5500be87caf58931.npz"  # in narratoria/weights
READ_TOGETHER = 10  # texts that are read together with the question
BATCH = 8  # texts that are encoded in one go
MOST_KEPT = 4000  # vectors
_KEYS: Mapping[Task, str] = {"question": "task.q", "offer": "task.o", "reply": "task.q"}


@dataclass(frozen=True, slots=True)
class Copy:
    """One adapted copy: its thin matrices, and for each task how much likeness and shared words count."""

    thin: Thin
    weights: Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class TextMatcher:
    """Matches texts with the embedder of this machine and what was trained for it."""

    encoder: Encoder
    apart: Copy  # encodes each text by itself
    model: ReadingModel  # reads two texts as one
    model_id: str = ""  # of what encodes texts apart
    _vectors: dict[str, Vector] = field(default_factory=dict)

    def match(
        self,
        text: str,
        candidates: Sequence[str],
        shared: Sequence[float],
        task: Task,
        *,
        most: int = READ_TOGETHER,
    ) -> list[float]:
        """Return for each candidate how probably it, rather than none, is meant.

        At most `most` are read, the likeliest by themselves. `shared` is the share of the text's words, by
        rarity, that each candidate has.
        """
        if not candidates:
            return []
        best = list(range(len(candidates)))
        if len(candidates) > most:
            scale, word_weight, _ = self.apart.weights[_KEYS[task]]
            vectors = self.encode([text, *candidates])
            likeness = scale * (vectors[1:] @ vectors[0]) + word_weight * np.asarray(shared)
            best = [int(at) for at in np.argsort(-likeness)[:most]]
        result = [0.0] * len(candidates)  # what is not read together is hardly meant
        for at, score in zip(
            best, self.model.score_pairs(text, [candidates[at] for at in best], task), strict=True
        ):
            result[at] = score
        return result

    def encode(self, texts: Sequence[str]) -> Vector:
        """Return a vector of length one for each text, by itself; those of bundled campaigns ship."""
        missing = []
        shipped = load_shipped_vectors("match", self.model_id)
        for text in dict.fromkeys(text for text in texts if text not in self._vectors):
            if shipped is not None and (row := shipped.find(text)) is not None:
                self._vectors[text] = row
            else:
                missing.append(text)
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            rows = self.encoder.encode_batch([(text, "") for text in batch], self.apart.thin)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            self._vectors.update(zip(batch, rows, strict=True))
        vectors = np.stack([self._vectors[text] for text in texts])
        while len(self._vectors) > MOST_KEPT:
            del self._vectors[next(iter(self._vectors))]
        return vectors


@cache
def _load_copy() -> Copy:
    data = read_shipped_weights(MATCHER_FILE)
    with np.load(BytesIO(data), allow_pickle=False) as stored:
        thin = thin_of(
            [{part: stored[part].astype(np.float32) for part in stored.files if part.startswith("blk.")}]
        )
        weights = {part: stored[part].astype(np.float64) for part in stored.files if "task" in part}
        return Copy(thin, weights)


def open_matcher(folder: Path) -> TextMatcher:
    """Return the matcher on the embedder in `folder`; ModelUnavailable when there is none."""
    model_id = f"{MATCHER_FILE}@{fingerprint_model(folder / 'model.gguf')}"
    return TextMatcher(open_encoder(folder), _load_copy(), open_reading_model(folder), model_id)

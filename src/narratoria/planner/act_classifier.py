"""Scores acts with adapted copies of the embedder and a fitted head on each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.numpy_encoder import open_encoder, thin_of
from narratoria.planner.read import IntentReader, Mend

Vectors: TypeAlias = NDArray[np.float32]
DIMENSIONS = 384  # of the embedder
ACT_CLASSIFIER_FILE = "f348a1a73e006807.npz"  # in narratoria/weights, named by its content


@dataclass(frozen=True, slots=True)
class ActClassifier:
    """Fitted parameters: adapted copies of the embedder, and what each makes of a sentence for every act."""

    acts: tuple[str, ...]
    copies: tuple[Mapping[str, NDArray[np.float32]], ...]
    weights: NDArray[np.float32]  # copies × (dimensions + words + 1) × acts
    word_features: int

    def probabilities(self, vectors: Vectors, text: str) -> NDArray[np.float64]:
        """Return how probable each act is; `vectors` are what each copy makes of the text."""
        words = word_vector(text, self.word_features)
        one = np.ones(1, np.float32)
        scores = np.mean(
            [
                np.concatenate([2 * vector, words, one]) @ weights
                for vector, weights in zip(vectors, self.weights, strict=True)
            ],
            axis=0,
        ).astype(np.float64)
        exponentials = np.exp(scores - scores.max())
        result: NDArray[np.float64] = exponentials / exponentials.sum()
        return result


def word_vector(text: str, size: int) -> Vectors:
    """Return the words and word pairs of a text as hashed counts of length one."""
    vector = np.zeros(size, np.float32)
    if not size:
        return vector
    words = [word for word in re.findall(r"[a-z']+|[?!]", text.casefold()) if word not in ("the", "a", "an")]
    core = [word for word in words if word not in ("i", "to", "and", "try")]
    grams = [f"w:{word}" for word in words] + [f"b:{a}_{b}" for a, b in pairwise(words)]
    grams += [f"f:{core[0]}"] * 2 if core else []
    for gram in grams:
        vector[
            int.from_bytes(hashlib.md5(gram.encode(), usedforsecurity=False).digest()[:4], "little") % size
        ] += 1
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


@cache
def load_act_classifier() -> ActClassifier:
    """Return the head that ships, fitted by `python -m evals.answers fit`."""
    data = files("narratoria").joinpath("weights", ACT_CLASSIFIER_FILE).read_bytes()
    with np.load(BytesIO(data), allow_pickle=False) as archive:
        copies: dict[str, dict[str, Any]] = {}
        for name in archive.files:
            number, slash, rest = name.partition("/")
            if slash:
                copies.setdefault(number, {})[rest] = archive[name].astype(np.float32)
        heads = [copy.pop("head") for copy in copies.values()]
        acts = tuple(map(str, archive["acts"]))
        words = heads[0].shape[0] - DIMENSIONS - 1
        return ActClassifier(acts, tuple(copies.values()), np.stack(heads), words)


def open_reader(folder: Path, mend: Mend | None = None) -> IntentReader:
    """Return the reader on the embedder in `folder`; ModelUnavailable when there is none."""
    encoder, head = open_encoder(folder), load_act_classifier()
    matrices = thin_of(head.copies)
    encode = lru_cache(maxsize=4096)(lambda text: encoder.encode_adapted(text, matrices))

    def score(text: str) -> dict[str, float]:
        probabilities = head.probabilities(encode(text), text)
        return dict(zip(head.acts, map(float, probabilities), strict=True))

    return IntentReader(score, mend=mend, words=encoder.words)

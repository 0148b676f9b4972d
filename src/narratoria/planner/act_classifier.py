"""Scores acts and their kinds with adapted copies of the embedder and a fitted head on each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
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
from narratoria.planner.read import IntentReader, Mend, sum_by_act

Vectors: TypeAlias = NDArray[np.float32]
DIMENSIONS = 384  # of the embedder
# in narratoria/weights, named by their content: one that knows acts alone, one that knows their kinds too
ACT_CLASSIFIER_FILES = ("813e3886cdbb656d.npz", "0f8502855256b55f.npz")


@dataclass(frozen=True, slots=True)
class ActClassifier:
    """Fitted parameters: adapted copies of the embedder, and what each makes of a sentence for every label.

    A label is an act, or a kind of one: "threaten/exposure".
    """

    labels: tuple[str, ...]
    copies: tuple[Mapping[str, NDArray[np.float32]], ...]
    weights: NDArray[np.float32]  # copies × (dimensions + words + 1) × labels
    word_features: int

    def probabilities(self, vectors: Vectors, text: str) -> NDArray[np.float64]:
        """Return how probable each label is; `vectors` are what each copy makes of the text."""
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
def load_act_classifiers() -> tuple[ActClassifier, ...]:
    """Return the classifiers that ship, fitted by `python -m evals.answers.fit_acts`."""
    return tuple(map(_load_classifier, ACT_CLASSIFIER_FILES))


def _load_classifier(name: str) -> ActClassifier:
    data = files("narratoria").joinpath("weights", name).read_bytes()
    with np.load(BytesIO(data), allow_pickle=False) as archive:
        copies: dict[str, dict[str, Any]] = {}
        for part in archive.files:
            number, slash, rest = part.partition("/")
            if slash:
                copies.setdefault(number, {})[rest] = archive[part].astype(np.float32)
        heads = [copy.pop("head") for copy in copies.values()]
        labels = tuple(map(str, archive["labels"]))
        words = heads[0].shape[0] - DIMENSIONS - 1
        return ActClassifier(labels, tuple(copies.values()), np.stack(heads), words)


def mix_scores(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of what several classifiers say of acts, shared among an act's kinds by the last."""
    by_act = [sum_by_act(one) for one in scores]
    last_acts = by_act[-1]
    means = {act: sum(one.get(act, 0.0) for one in by_act) / len(by_act) for act in last_acts}
    return {
        label: value * means[act] / last_acts[act] if last_acts[act] else 0.0
        for label, value in scores[-1].items()
        for act in (label.partition("/")[0],)
    }


def open_reader(folder: Path, mend: Mend | None = None) -> IntentReader:
    """Return the reader on the embedder in `folder`; ModelUnavailable when there is none."""
    encoder, classifiers = open_encoder(folder), load_act_classifiers()
    matrices = [thin_of(one.copies) for one in classifiers]

    @lru_cache(maxsize=4096)
    def score(text: str) -> dict[str, float]:
        scores = []
        for classifier, thin in zip(classifiers, matrices, strict=True):
            probabilities = classifier.probabilities(encoder.encode_adapted(text, thin), text)
            scores.append(dict(zip(classifier.labels, map(float, probabilities), strict=True)))
        return mix_scores(scores)

    return IntentReader(score, mend=mend, words=encoder.words)

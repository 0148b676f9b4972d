"""Reads what a player typed, alone or together with a text, by the model that was trained for it.

Alone, it says which act the words are; together, whether a passage answers them, an offer is meant by them,
or somebody would say a text in reply to them. Its layers are whole numbers and run in onnxruntime, in this
process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from narratoria.errors import ModelUnavailable
from narratoria.inference.numpy_encoder import LONGEST_OF_PAIR, Encoder, open_encoder
from narratoria.inference.shipped_weights import read_shipped_weights

PairTask: TypeAlias = Literal["question", "offer", "topic", "unit", "reply"]
READING_MODEL_FILES = (
    "5ba31237122e9cbf.onnx",
    "36ce99e954193804.npz",
)  # in narratoria/weights: layers, and words
PAIR_TASKS: tuple[PairTask, ...] = ("question", "offer", "topic", "unit", "reply")  # as it was trained
MIDDLE_LAYER = "/LayerNormalization_16_output_0"  # what the eighth of twelve layers makes of each piece
LONGEST_TYPED = 64  # word pieces of what was typed that are read
MOST_KEPT = 20_000  # pairs whose scores are kept
MOST_THREADS = 2  # that read a pair each: two that share one wait for each other at every layer


class ReadingModel:
    """Scores texts; pairs are read one by one, so that a score does not depend on what else is asked."""

    def __init__(self, encoder: Encoder, session: Any, stored: dict[str, NDArray[Any]]) -> None:
        self._encoder, self._session = encoder, session
        self._words, self._scales = stored["words"], stored["scales"]
        self.labels: tuple[str, ...] = tuple(map(str, stored["labels"]))
        self._separator = encoder.pieces("")[-1]
        self._pair = lru_cache(maxsize=MOST_KEPT)(self._score_pair)
        self._threads = ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1), "reading pairs")

    @property
    def encoder(self) -> Encoder:
        return self._encoder

    def score_labels(self, text: str) -> dict[str, float]:
        """Return how probable each act, and each kind of one, is for what was typed."""
        scores = self._run("labels", self._encoder.pieces(text)[:LONGEST_TYPED]).astype(np.float64)
        exponentials = np.exp(scores - scores.max())
        return dict(zip(self.labels, map(float, exponentials / exponentials.sum()), strict=True))

    def score_pairs(self, text: str, candidates: Sequence[str], task: PairTask) -> list[float]:
        """Return for each candidate the probability that it, rather than none, is right for the text."""
        at = PAIR_TASKS.index(task)

        def score(candidate: str) -> float:
            return float(1 / (1 + np.exp(-self._pair(text, candidate)[at])))

        return list((self._threads.map if len(candidates) > 1 else map)(score, candidates))

    def score_tasks(self, text: str, candidate: str) -> tuple[float, ...]:
        """Return for each task the logarithm of the odds that the candidate is right for the text."""
        return self._pair(text, candidate)

    def read_pair(self, text: str, candidate: str) -> tuple[tuple[float, ...], NDArray[np.float32]]:
        """Return in one reading what `score_tasks` and `encode_pair` return."""
        pieces = self._pieces_of_pair(text, candidate)
        scores, middle = self._run_outputs(["pairs", MIDDLE_LAYER], pieces)
        return tuple(map(float, scores)), middle.mean(0)

    def encode_pair(self, first: str, second: str) -> NDArray[np.float32]:
        """Return the mean of what the middle layer makes of two texts that are read as one."""
        mean: NDArray[np.float32] = self._run(MIDDLE_LAYER, self._pieces_of_pair(first, second)).mean(0)
        return mean

    def _pieces_of_pair(self, first: str, second: str) -> list[int]:
        pieces = self._encoder.pieces(first)[:LONGEST_TYPED]
        return [*pieces, self._separator, *self._encoder.pieces(second)[:LONGEST_OF_PAIR][1:]]

    def _score_pair(self, text: str, candidate: str) -> tuple[float, ...]:
        return tuple(map(float, self._run("pairs", self._pieces_of_pair(text, candidate))))

    def _run(self, output: str, pieces: Sequence[int]) -> NDArray[np.float32]:
        return self._run_outputs([output], pieces)[0]

    def _run_outputs(self, outputs: list[str], pieces: Sequence[int]) -> list[NDArray[np.float32]]:
        rows = self._words[list(pieces)].astype(np.float32) * self._scales[list(pieces), None]
        mask = np.ones((1, len(pieces)), np.int64)
        results = self._session.run(outputs, {"embeddings": rows[None], "mask": mask})
        return [result[0] for result in results]


@cache
def open_reading_model(folder: Path) -> ReadingModel:
    """Return the model that ships, on the word pieces of the embedder in `folder`, once for all who use it.

    ModelUnavailable when there is no embedder, or when the layers cannot be loaded here.
    """
    encoder = open_encoder(folder)
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        layers, words = map(read_shipped_weights, READING_MODEL_FILES)
        model = layers + _declare_output(MIDDLE_LAYER)
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        with np.load(BytesIO(words), allow_pickle=False) as stored:
            return ReadingModel(encoder, session, {name: stored[name] for name in stored.files})
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise ModelUnavailable(f"the model that reads typed words cannot be loaded: {error}") from None


def _declare_output(name: str) -> bytes:
    """Return what makes a value within a model one of its outputs when it is appended to the file.

    Protocol buffers that follow each other are one message: a model with a graph with one output more.
    """
    message = name.encode()
    for field in (1, 12, 7):  # the name of a value, the outputs of a graph, the graph of a model
        message = bytes([field << 3 | 2, len(message)]) + message
    return message

"""Turns sentences into vectors with all-MiniLM-L6-v2, loaded once."""

from __future__ import annotations

import base64
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.model_process import ModelProcess
from narratoria.inference.wordpiece import WordPieces, without_screams

DIMENSIONS = 384
BATCH = 64
CACHED = 20_000  # vectors, about 30 MB
TIMEOUT = 30.0  # seconds for a batch

Vectors = NDArray[np.float32]


class Embedder:
    """Turns texts into vectors of length one; texts that were embedded before come from a cache."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """`folder` holds model.gguf and vocab.txt, as `models.install_embedder` leaves them."""
        # one thread by default: on two busy cores, two spinning threads took four times as long for a batch
        self._folder = folder
        self._model = ModelProcess(folder / "model.gguf", threads=threads)
        self._pieces = WordPieces(frozenset((folder / "vocab.txt").read_text(encoding="utf-8").split("\n")))
        self._cache: OrderedDict[bytes, Vectors] = OrderedDict()
        self.model_id = f"sentence-transformers/all-MiniLM-L6-v2@{_fingerprint(folder / 'model.gguf')}"

    def windows(self, text: str) -> list[str]:
        """Split a text into parts that the model can read; a short text is one part."""
        return self._pieces.windows(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, of its first window; raise ModelUnavailable on failure."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._cache}
        rows_by_key = {key: self._cache[key] for key in keys if key in self._cache}
        waiting = list(missing.items())
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            rows = await self._embed([self.windows(without_screams(text))[0] or " " for _, text in batch])
            rows_by_key.update((key, row) for (key, _), row in zip(batch, rows, strict=True))
        self._remember(rows_by_key)
        return np.stack([rows_by_key[key] for key in keys]) if keys else np.empty((0, DIMENSIONS), np.float32)

    async def close(self) -> None:
        await self._model.close()

    async def _embed(self, texts: list[str]) -> Vectors:
        answer = await self._model.ask({"texts": texts}, within=TIMEOUT)
        data = np.frombuffer(base64.b64decode(answer["vectors"]), dtype="<f4")
        return data.reshape(answer["shape"])

    def _remember(self, rows_by_key: dict[bytes, Vectors]) -> None:
        for key, row in rows_by_key.items():
            self._cache[key] = row
            self._cache.move_to_end(key)
        while len(self._cache) > CACHED:
            self._cache.popitem(last=False)


def _fingerprint(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]

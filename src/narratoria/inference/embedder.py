"""Turns sentences into vectors with all-MiniLM-L6-v2, a long one in windows of word pieces.

The layers run in numpy, in a thread of this process: nothing has to be started for them.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.numpy_encoder import open_encoder
from narratoria.inference.shipped_vectors import DIMENSIONS, fingerprint_model, load_shipped_vectors
from narratoria.inference.word_pieces import MAX_PIECES, WordPieces, without_screams

BATCH = 64  # texts between two looks at whether anybody still waits
CACHED = 20_000  # vectors, about 30 MB

Vectors = NDArray[np.float32]


class Embedder:
    """Turns texts into vectors of length one; texts that were embedded before come from a cache."""

    def __init__(self, folder: Path) -> None:
        """`folder` holds model.gguf and vocab.txt, as `models.install_embedder` leaves them."""
        self._folder = folder
        self._pieces = WordPieces(frozenset((folder / "vocab.txt").read_text(encoding="utf-8").split("\n")))
        self._cache: OrderedDict[bytes, Vectors] = OrderedDict()
        self.model_id = f"sentence-transformers/all-MiniLM-L6-v2@{fingerprint_model(folder / 'model.gguf')}"

    def windows(self, text: str) -> list[str]:
        """Split a text into parts that the model can read; a short text is one part."""
        return self._pieces.windows(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, of its first window; raise ModelUnavailable on failure."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._cache}
        rows_by_key = {key: self._cache[key] for key in keys if key in self._cache}
        shipped = load_shipped_vectors("search", self.model_id)
        if shipped is not None:
            found = {key: shipped.find(text) for key, text in missing.items()}
            rows_by_key.update((key, row) for key, row in found.items() if row is not None)
        waiting = [(key, text) for key, text in missing.items() if key not in rows_by_key]
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            rows = await self._embed([self.windows(without_screams(text))[0] or " " for _, text in batch])
            rows_by_key.update((key, row) for (key, _), row in zip(batch, rows, strict=True))
        self._remember(rows_by_key)
        return np.stack([rows_by_key[key] for key in keys]) if keys else np.empty((0, DIMENSIONS), np.float32)

    async def close(self) -> None:
        """Let go of the vectors; a later text is embedded all the same."""
        self._cache.clear()

    async def _embed(self, texts: list[str]) -> Vectors:
        return await asyncio.to_thread(self._encode, texts)

    def _encode(self, texts: list[str]) -> Vectors:
        rows = open_encoder(self._folder).encode_texts(texts, MAX_PIECES + 2)
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def _remember(self, rows_by_key: dict[bytes, Vectors]) -> None:
        for key, row in rows_by_key.items():
            self._cache[key] = row
            self._cache.move_to_end(key)
        while len(self._cache) > CACHED:
            self._cache.popitem(last=False)

"""What the store's tests share: an embedder that can be looked through, and an uneventful turn."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from narratoria.errors import ModelUnavailable
from narratoria.store import Store
from narratoria.store.search.vectors import Vectors


class WordCounts:
    """An embedder that can be looked through: a vector counts the words of a text, each in its own place."""

    def __init__(self, model_id: str = "words-1", *, places: int = 64, window: int = 20) -> None:
        self.model_id, self.places, self.window = model_id, places, window
        self.available = True
        self.seen: list[str] = []
        self.fails_after: int | None = None

    def windows(self, text: str) -> list[str]:
        words = text.split()
        step = self.window // 2
        starts = range(0, max(len(words) - step, 1), step)
        return [" ".join(words[start : start + self.window]) for start in starts]

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not self.available or (self.fails_after is not None and len(self.seen) >= self.fails_after):
            raise ModelUnavailable("the words have gone out")
        self.seen += texts
        rows = np.zeros((len(texts), self.places), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                row[zlib.crc32(f"{self.model_id}/{word.strip('.,')}".encode()) % self.places] += 1
        return rows


async def play(store: Store, playthrough_id: str, *, game_time: float = 0.0) -> int:
    """One whole turn in which nothing happens; its number."""
    begun = await store.turns.begin(playthrough_id, {"text": "wait"}, session_id="evening")
    await store.turns.finish(begun, {"text": "Nothing."}, {"seen": begun.number}, game_time=game_time)
    return begun.number

"""Turns sentences into vectors with all-MiniLM-L6-v2, a long one in windows of word pieces."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from narratoria.inference.model_process import ModelProcess
from narratoria.inference.shipped_vectors import DIMENSIONS, fingerprint_model, load_shipped_vectors

MAX_PIECES = 254  # the model reads 256, of which two are its own
OVERLAP = 64  # pieces that two neighbouring windows share
LONGEST_WORD = 100  # letters; a longer one is one unknown piece, as to the tokenizer the model comes with
_IDEOGRAPHS = "\u4e00-\u9fff"  # each stands alone
_WORD = re.compile(rf"[^\W_{_IDEOGRAPHS}]+|[^\s]", re.UNICODE)
# a letter is three at most when it is taken apart, and accents are taken off
_LONG = re.compile(rf"(?:[^\W_{_IDEOGRAPHS}]|[\u0300-\u036f]){{{LONGEST_WORD // 3},}}")
_UNKNOWN = "🜂"  # one piece, of which the model knows nothing


def without_screams(text: str) -> str:
    """Replace very long words by the unknown piece, as the published tokenizer does.

    The runtime would read each letter of them.
    """
    return _LONG.sub(lambda word: _UNKNOWN if len(_plain(word[0])) > LONGEST_WORD else word[0], text)


class WordPieces:
    def __init__(self, vocabulary: frozenset[str]) -> None:
        self._vocabulary = vocabulary
        self._count_word = lru_cache(maxsize=50_000)(self._count)

    def count(self, text: str) -> int:
        return sum(count for _, _, count in self._words(text))

    def windows(self, text: str) -> list[str]:
        """Return the text if the model can read it whole, else overlapping parts that it can read."""
        if 3 * len(text) <= MAX_PIECES:  # a letter is three pieces at most, taken apart
            return [text]
        words = list(self._words(text))
        if sum(count for _, _, count in words) <= MAX_PIECES:
            return [text]
        parts: list[str] = []
        first = 0
        while first < len(words):
            last, size = first, 0
            while last < len(words) and (size + words[last][2] <= MAX_PIECES or last == first):
                size += words[last][2]
                last += 1
            parts.append(text[words[first][0] : words[last - 1][1]])
            if last == len(words):
                break
            shared = 0
            following = last
            while following > first + 1 and shared + words[following - 1][2] <= OVERLAP:
                following -= 1
                shared += words[following][2]
            first = following
        return parts

    def _words(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield the start and end of each word, and the number of its pieces."""
        for match in _WORD.finditer(text):
            yield match.start(), match.end(), self._count_word(match[0])

    def _count(self, word: str) -> int:
        plain = _plain(word)
        return sum(self._pieces(part) for part in re.findall(r"[^\W_]+", plain)) or len(plain)

    def _pieces(self, word: str) -> int:
        if len(word) > LONGEST_WORD:
            return 1
        start = count = 0
        while start < len(word):
            end = len(word)
            while end > start and (f"##{word[start:end]}" if start else word[:end]) not in self._vocabulary:
                end -= 1
            if end == start:
                return 1  # unknown as a whole
            start, count = end, count + 1
        return count


def _plain(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c))


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

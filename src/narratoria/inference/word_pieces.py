"""Counts the word pieces of a text as the embedder reads it, and divides a long text into windows of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

MAX_PIECES = 254  # the model reads 256, of which two are its own
OVERLAP = 64  # pieces that two neighbouring windows share
LONGEST_WORD = 100  # letters; a longer one is one unknown piece, as to the tokenizer the model comes with
FIRST_IDEOGRAPH, LAST_IDEOGRAPH = "\u4e00", "\u9fff"  # each stands alone
_IDEOGRAPHS = f"{FIRST_IDEOGRAPH}-{LAST_IDEOGRAPH}"
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

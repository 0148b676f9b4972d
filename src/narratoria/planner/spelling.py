"""Corrects what players mistype: the embedder reads `clmb` as parts of words, and not as climbing."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib.resources import files

import msgspec

SHORT = 4  # letters of a word below which a guess is as often wrong as right
LONG = 24  # letters beyond which it is no word, and all that is near it would take long to go through
COMMON = 12_000  # of the embedder's words, which stand by how often they are written: those a guess may be
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|(?<![\w.])[24](?=\s|$)")
_HASTE = re.compile(r"(?:^|\s)i(?:\s|'|$)|^[a-z]|(?:^|\s)(?:lol|yo|omg)\b")
_ENDS = ("s", "es", "ed", "d", "ing", "ly", "er", "ers", "y")


class SpellingFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is typed in a hurry with what it means, and words that are rare in books and no mistakes."""

    hurried: dict[str, str]
    rare_words: frozenset[str]


_FILE = msgspec.json.decode(
    files("narratoria.planner").joinpath("data/spelling.json").read_bytes(), type=SpellingFile
)
HURRIED: Mapping[str, str] = _FILE.hurried


class Spelling:
    """Corrects spelling by the embedder's `words`, ranked by frequency, and the players' `usual` ones."""

    def __init__(self, words: Mapping[str, int], usual: Collection[str] = ()) -> None:
        self._words = {word: rank for word, rank in words.items() if word.isalpha() and word.isascii()}
        self._usual = frozenset(usual) | _FILE.rare_words
        self._mend_cached = lru_cache(maxsize=20_000)(self._mend)

    def mend(self, text: str, names: Collection[str] = ()) -> str:
        """Return the text with known words in place of what is nearly one; names stay as they are.

        Who writes in haste mistypes much; who does not may know a word that the embedder has never seen.
        """
        in_haste = bool(_HASTE.search(text)) or any(word in HURRIED for word in text.casefold().split())
        return _WORD.sub(
            lambda match: match[0] if match[0].casefold() in names else self._replace(match[0], in_haste),
            text,
        )

    def _replace(self, word: str, in_haste: bool) -> str:
        lower = word.casefold()
        if in_haste and lower in HURRIED:
            return HURRIED[lower]
        if word[0].isupper() and not (in_haste and word.isupper()):
            return word  # a name, or the first of a sentence
        if not SHORT <= len(lower) <= LONG or "'" in lower or self._is_known(lower):
            return word
        return self._mend_cached(lower, in_haste)

    def _is_known(self, word: str) -> bool:
        stems = (word, *(word.removesuffix(end) for end in _ENDS if word.endswith(end)))
        return any(
            stem in self._words or stem in self._usual for stem in (*stems, *(f"{one}e" for one in stems))
        )

    def _mend(self, word: str, in_haste: bool) -> str:
        slips, missing, others = _one_off(word)
        for near in (slips, missing & self._usual, others & self._usual, missing, others)[
            : 5 if in_haste else 1
        ]:
            candidates = {one for one in near if one[0] == word[0] and self._words.get(one, COMMON) < COMMON}
            if candidates:
                return min(candidates, key=self._words.__getitem__)
        return word


def _one_off(word: str) -> tuple[set[str], set[str], set[str]]:
    """Return the words one slip away, those with a missing letter, and those with a wrong one."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    swaps = {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    doubles = {a + b[1:] for a, b in cuts if a and b and a[-1] == b[0]}
    insertions = {a + letter + b for a, b in cuts for letter in _LETTERS}
    deletions = {a + b[1:] for a, b in cuts if b}
    replacements = {a + letter + b[1:] for a, b in cuts if b for letter in _LETTERS}
    return swaps | doubles, insertions, deletions | replacements

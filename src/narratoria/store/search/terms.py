"""Reads texts as the terms that a full-text search compares: folded, stemmed, spelling corrected."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_STOP_WORDS = """
    a about above after again all also am an and any are as at away be because been before being below
    both but by came can cannot come could did do does doing done down during each even ever every
    everything few for from further get got had has have having he her here hers herself him himself his
    how i if in into is it its itself just know let like made make me more most much my myself no nobody
    nor not nothing now of off on once one only or other our ours out over own said same say says she
    should so some somebody someone something still such tell than that the their theirs them themselves
    then there these they thing things this those through to told too under until up upon us very was we
    went were what whatever when where which while who whom whose why will with without would you your
    yours yourself
"""
_STOP = frozenset(_STOP_WORDS.split())
# how people ask, not what they ask for
_ASKING = re.compile(
    r"\b(what (has |have |had )?happened|last time|the time|this time|most recent(ly)?|latest|lately|news"
    r"|what did|tell me|remind me|do you remember|remember when|dealings|encounters|interactions"
    r"|first time)\b",
    re.IGNORECASE,
)
_LATEST = re.compile(
    r"\b(last(?! night| name)|latest|lately|(most )?recent(ly)?|newest|now|end(ed)?)\b", re.IGNORECASE
)
# stored events tell the player's deeds to the player, who asks about them in the first person
_SECOND_PERSON = (
    (re.compile(r"\b(I am|I'm|I’m)\b"), "you are"),
    (re.compile(r"\bI was\b"), "you were"),
    (re.compile(r"\b(I|[Mm]e|[Ww]e|us)\b"), "you"),
    (re.compile(r"\b([Mm]y|[Oo]ur)\b"), "your"),
    (re.compile(r"\b([Mm]ine|[Oo]urs)\b"), "yours"),
    (re.compile(r"\b(myself|ourselves)\b"), "yourself"),
)
_SUFFIXES = (
    ("ational", "at"), ("fulness", "ful"), ("ousness", "ous"), ("ements", ""), ("ations", "at"),
    ("ement", ""), ("ation", "at"), ("ingly", ""), ("edly", ""), ("ness", ""), ("ies", "i"),
    ("ied", "i"), ("ing", ""), ("ers", ""), ("est", ""), ("ed", ""), ("es", ""), ("er", ""),
    ("ly", ""), ("s", ""), ("e", ""), ("y", "i"),
)  # fmt: skip
_SHORTEST_STEM = 3
_SHORTEST_SLIP = 5  # letters; in shorter words a slip is as likely another word
_LONG_ENOUGH_FOR_TWO = 8


@dataclass(frozen=True, slots=True)
class Terms:
    """Counts the terms of a text, and notes which it writes with a capital and which without."""

    counts: dict[str, int]
    capitals: frozenset[str]
    smalls: frozenset[str]
    words: int


@lru_cache(maxsize=20_000)
def read_terms(text: str) -> Terms:
    """Return the terms of a stored text, cached because rows never change."""
    counts: Counter[str] = Counter()
    capitals: set[str] = set()
    smalls: set[str] = set()
    words = 0
    for match in _WORD.finditer(text):
        words += 1
        folded = fold(match[0])
        if folded in _STOP:
            continue
        term = stem(folded)
        counts[term] += 1
        (capitals if match[0][0].isupper() else smalls).add(term)
    return Terms(dict(counts), frozenset(capitals), frozenset(smalls), words)


def read_query(text: str) -> list[str]:
    """Return the distinct terms of a question, in its order, without mere question words."""
    asked = _words(_ASKING.sub(" ", text))
    # a question of nothing but such words is about them
    terms = [stem(word) for word in asked if word not in _STOP] or [stem(word) for word in _words(text)]
    return list(dict.fromkeys(terms))


def read_words(text: str) -> list[str]:
    """Return the distinct words of a question that are worth looking for, unstemmed but folded."""
    return list(dict.fromkeys(word for word in _words(_ASKING.sub(" ", text)) if word not in _STOP))


def to_second_person(query: str) -> str:
    """Rewrite a question in the person in which events are narrated, for the embedder."""
    for first, second in _SECOND_PERSON:
        query = first.sub(second, query)
    return query


def asks_for_latest(text: str) -> bool:
    return bool(_LATEST.search(text))


def fold(word: str) -> str:
    plain = _POSSESSIVE.sub("", word.lower())
    if plain.isascii():
        return plain
    return "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a word without its ending: rough, but the same for texts and questions."""
    for ending, instead in _SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM and not word.endswith("ss"):
            word = word[: -len(ending)] + instead
            break
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]  # stopped, planned
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


def correct_spelling(term: str, vocabulary: Iterable[str]) -> str | None:
    """Return the term of the vocabulary that this one most likely misspells, or None."""
    if len(term) < _SHORTEST_SLIP - 1:
        return None
    allowed = 2 if len(term) >= _LONG_ENOUGH_FOR_TWO else 1
    best: tuple[int, str] | None = None
    for other in vocabulary:
        if abs(len(other) - len(term)) > allowed or len(other) < _SHORTEST_SLIP - 1 or other[0] != term[0]:
            continue
        slips = _slips(term, other, allowed)
        if slips <= allowed and (best is None or (slips, other) < best):
            best = slips, other
    return best[1] if best else None


def _slips(one: str, other: str, allowed: int) -> int:
    """Count the letters left out, added, changed or swapped between two words, up to one over `allowed`."""
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, against in enumerate(other, 1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before_last[j - 2] + 1)
            row.append(cost)
        if min(row) > allowed:
            return allowed + 1
        before_last, last = last, row
    return last[-1]


def _words(text: str) -> list[str]:
    return [fold(match[0]) for match in _WORD.finditer(text)]

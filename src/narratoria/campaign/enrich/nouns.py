"""Finds the nouns of a text by kind, and writes them as a sentence wants them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Literal, TypeAlias

from narratoria.campaign.asset_metadata import COMMON

Kind: TypeAlias = Literal["person", "place", "token", "fixture", "weather", "vessel"]
KINDS: tuple[Kind, ...] = ("person", "place", "token", "fixture", "weather", "vessel")


def _words() -> dict[str, frozenset[str]]:
    sections: dict[str, list[str]] = {}
    section: list[str] = []
    for line in (
        Path(__file__).with_name("data").joinpath("nouns.txt").read_text(encoding="utf-8").splitlines()
    ):
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            section += line.split()
    return {name: frozenset(words) for name, words in sections.items()}


_WORDS = _words()
LEXICON: dict[str, Kind] = {word: kind for kind in KINDS for word in _WORDS[kind]}
SECRETIVE = _WORDS["secretive"]  # what is sealed makes a better story than what is merely carried
MASS = _WORDS["mass"]
GOING = _WORDS["going"]  # what has to be kept going, and can stop
_DETERMINERS = """
a an the this that his her their its your my our each every another some one two three four five six seven
eight nine ten eleven twelve thirteen twenty thirty forty fifty hundred
"""
DETERMINERS = frozenset(_DETERMINERS.split())
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|[^\s\w]|\n")
_OWNER = re.compile(r"\b(?P<owner>[a-z][a-z-]{1,40})['’]s\s+[a-z]")  # the longest word has an end


@dataclass(frozen=True, slots=True)
class Noun:
    """Formats a noun: `{x:the}`, `{x:The}`, `{x:a}`, `{x:it}`, `{x:is}`, `{x:s}` …"""

    word: str  # with its adjectives: "second envelope"
    plural: bool = False
    proper: bool = False  # a name, which takes no article

    @property
    def head(self) -> str:
        return self.word.rpartition(" ")[2]

    @property
    def id(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.word.casefold()).strip("-") or "thing"

    def __format__(self, spec: str) -> str:
        text = (
            _AGREEMENT[spec.lower()][self.plural]
            if spec.lower() in _AGREEMENT
            else {
                "the": self.word if self.proper else f"the {self.word}",
                "a": self._with_article(),
                "title": _titled(self.word) if self.proper else f"the {_titled(self.word)}",
                "bare": _titled(self.word),
                "": self.word,
            }[spec.lower()]
        )
        return text[0].upper() + text[1:] if spec[:1].isupper() else text

    def _with_article(self) -> str:
        if self.proper or self.plural or self.head in MASS:
            return self.word
        vowel = self.word[:1].casefold() in "aeiou" and self.word[:3] not in ("one", "uni")
        return f"{'an' if vowel else 'a'} {self.word}"


_AGREEMENT = {
    "it": ("it", "them"),
    "they": ("it", "they"),
    "its": ("its", "their"),
    "is": ("is", "are"),
    "was": ("was", "were"),
    "has": ("has", "have"),
    "does": ("does", "do"),
    "s": ("s", ""),
    "es": ("es", ""),
    "this": ("this", "these"),
}


def find_nouns(text: str) -> dict[Kind, tuple[Noun, ...]]:
    """Return the nouns of a text by kind, the most frequent first; only words of the lexicon count."""
    counts: Counter[str] = Counter()
    order: list[tuple[Kind, Noun]] = []
    for noun in (*_with_articles(text), *_bare(text), *_by(text)):
        kind = LEXICON[noun.head.casefold()]
        if noun.head not in {earlier.head for _, earlier in order}:
            order.append((kind, noun))
        counts[noun.head] += 1
    order.sort(key=lambda entry: -counts[entry[1].head])
    nouns: dict[Kind, tuple[Noun, ...]] = {
        kind: tuple(noun for of, noun in order if of == kind) for kind in KINDS
    }
    owners = tuple(Noun(word) for word in _owners(text) if word not in {n.head for n in nouns["person"]})
    nouns["person"] += owners
    return nouns


def _with_articles(text: str) -> Iterator[Noun]:
    tokens = _TOKEN.findall(text)
    for place, token in enumerate(tokens):
        if token.casefold() not in DETERMINERS:
            continue
        words = list(takewhile(_may_be_named, tokens[place + 1 : place + 5]))
        positions = [at for at, word in enumerate(words) if word.casefold() in LEXICON]
        if positions:
            # “the ice smokes”: what follows the last thing that is known to be one is a verb
            yield _noun(words[: positions[-1] + 1][-2:])


def _may_be_named(token: str) -> bool:
    return token[0].isalpha() and token.casefold() not in COMMON and token.casefold() not in DETERMINERS


def _bare(text: str) -> Iterator[Noun]:
    """Yield nouns without an article, such as rain and visitors."""
    for word in re.findall(r"\b[a-z][a-z-]+\b", text):
        if word in LEXICON and (word in MASS or _singular(word) != word):
            yield _noun([word])
        elif (one := _singular(word)) != word and LEXICON.get(one) in ("person", "vessel"):
            yield Noun(one)


def _by(text: str) -> Iterator[Noun]:
    """Yield the vehicles that people come by: by sledge, by coach."""
    for word in re.findall(r"\bby ([a-z]+)\b", text):
        if LEXICON.get(word) == "vessel":
            yield Noun(word)


def _noun(words: list[str]) -> Noun:
    *before, head = words
    adjectives = [word.casefold() for word in before if not word.casefold().endswith(_NO_ADJECTIVE)]
    plain = head.casefold()
    return Noun(" ".join((*adjectives, plain)), plural=_singular(plain) != plain and plain not in MASS)


def _owners(text: str) -> Iterable[str]:
    return dict.fromkeys(
        match["owner"] for match in _OWNER.finditer(text) if LEXICON.get(match["owner"]) == "person"
    )


# “a second envelope” is one that was not the first, which is of no use anywhere else
_NO_ADJECTIVE = ("ly", "second", "third", "fourth", "other", "next", "same", "whole")
_NOT_PLURAL = ("ss", "us", "is")


def _singular(word: str) -> str:
    if word.endswith("s") and not word.endswith(_NOT_PLURAL) and len(word) > 3:
        return word[:-1]
    return word


def _titled(words: str) -> str:
    return " ".join(word[0].upper() + word[1:] for word in words.split())

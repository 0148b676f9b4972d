"""Reads or derives the keywords by which a file is found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from narratoria.campaign.folder import stem_of

MOST = 16
LONGEST = 100  # characters of a keyword

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAME = re.compile(r"(?<![.!?“\"] )(?<!^)\b[A-Z][^\W\d_]+(?: (?:of |the )?[A-Z][^\W\d_]+)*")
_FOLDERS = frozenset(("art", "music", "lore", "characters", "npcs", "world", "plot", "npc", "file"))
# words that are in every text, and say nothing about this one
_EVERYWHERE = """
a about above after again all almost along also always am among an and another any anybody anyone
are as ask asked at away back be because been before behind being below beside best better between
beyond both but by came can cannot come comes could day days did do does doing done down each either
else enough even ever every everybody everyone everything far few find first for found from gave get
give given go goes going gone good got great had half hand hands has have having he her here hers
him himself his how however i if in into is it its itself just keep kept knew know known last least
leave left less let like little long look looks made make makes man many may me mean might mine more
most much must my myself near nearly need neither never new next no nobody none nor not nothing now
of off often old on once one only or other others our out over own part people perhaps put quite
rather said same saw say says see seem seems seen several shall she should since small so some
somebody someone something sometimes soon stand stands still such take taken takes tell than that
the their theirs them then there these they thing things think this those though thought three
through till time to together told too took toward towards two under until up upon us very want was
water way we well went were what when where whether which while who whole whom whose why will with
within without word would year years yes yet you your yours
"""
COMMON = frozenset(_EVERYWHERE.split())


def read_keywords_file(text: str) -> tuple[str, ...]:
    """Return one keyword per line; a line that begins with `#` is a comment."""
    lines = (line.strip() for line in text.lstrip("\ufeff").splitlines())
    return tuple(dict.fromkeys(line[:LONGEST] for line in lines if line and not line.startswith("#")))


def keywords_from_name(file: str) -> tuple[str, ...]:
    """Derive keywords from a path: `art/locations/old_mill.png` gives old, mill and locations."""
    folders = [part for part in file.split("/")[:-1] if part.casefold() not in _FOLDERS]
    words = (
        word.casefold()
        for part in (stem_of(file), *folders)
        for word in _WORD.findall(part.replace("_", " "))
    )
    return tuple(dict.fromkeys(word for word in words if word not in COMMON and word not in _FOLDERS))


def keywords_from_text(text: str) -> tuple[str, ...]:
    """Return the names in a text, then its repeated words, the most frequent first."""
    names = Counter(name for paragraph in text.split("\n") for name in _NAME.findall(paragraph))
    words = Counter(_plain_words(text))
    repeated = (word for word, times in words.most_common(3 * MOST) if times > 1)
    once = (word for word, times in sorted(words.items()) if times == 1 and len(word) > 6)
    return _first((*(name for name, _ in names.most_common(MOST // 2)), *repeated, *once))


def merge_keywords(*groups: Iterable[str]) -> tuple[str, ...]:
    return _first(word for group in groups for word in group)


def _first(words: Iterable[str]) -> tuple[str, ...]:
    keywords: dict[str, str] = {}
    for word in words:
        key = word.casefold().strip()
        if key and key not in keywords:
            keywords[key] = word.strip()[:LONGEST]
        if len(keywords) == MOST:
            break
    return tuple(keywords.values())


def _plain_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        plain = word.casefold().removesuffix("'s").removesuffix("’s")
        if len(plain) > 2 and plain not in COMMON:
            yield plain

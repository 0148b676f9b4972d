"""Finds what an author says there is none of, and what is said about the game instead of the story."""

from __future__ import annotations

import re
from collections.abc import Iterator

from narratoria.campaign.enrich.nouns import DETERMINERS, LEXICON
from narratoria.campaign.enrich.premise_words import WORDS

_NONE_OF = re.compile(
    rf"\b(?P<says>{'|'.join(WORDS.absences)})\s+(?P<word>[a-z]{{3,20}})\b(?!\s+(?:that|which|who)\b)",
    re.IGNORECASE,
)
_OF_PEOPLE = ("nobody has", "no one has")  # what follows may be a deed: "nobody has bought you"
# a wish is a list, or stands by itself: "no magic or murders", "no aliens, no FTL."
_UNWANTED = re.compile(
    r"\b(?:no|not any|without)\s+(?P<words>[a-z-]{3,20}"
    r"(?:(?:,\s+|,?\s+(?:or|and|nor)\s+)(?:no\s+)?[a-z-]{3,20})*)"
    r"(?=\s*(?:[.,;:!?)]|$|\b(?:pls|please|at all|no|just|only)\b))",
    re.IGNORECASE,
)
_ITEM = re.compile(r",\s+|,?\s+(?:or|and|nor)\s+", re.IGNORECASE)
_ABOUT_THE_GAME = re.compile(
    r"\b(?:I(?:['’]d| would| should)? (?:like|want|love|prefer|rather)"
    r"(?: for)?(?: it)?(?: to (?:play|be|have|steer))?|"
    r"(?:we|I)(?:['’]ll)? play(?: as)?|please keep it|let it be)\b",
    re.IGNORECASE,
)


def find_absences(text: str) -> Iterator[str]:
    """Yield what the author says there is none of."""
    for match in _NONE_OF.finditer(text):
        word, says = match["word"].casefold(), match["says"].casefold()
        is_named = word in LEXICON or word.removesuffix("s") in LEXICON
        if word in WORDS.phrase_ends | WORDS.not_absent | DETERMINERS or word.endswith("ing"):
            continue
        if is_named or says not in _OF_PEOPLE:
            yield word
    for match in _UNWANTED.finditer(text):
        words = [item.casefold().removeprefix("no ").strip() for item in _ITEM.split(match["words"])]
        yield from filter(_can_be_unwanted, words)


def list_meant(word: str) -> tuple[str, ...]:
    """Return what is excluded with a word: "murders" stands for a murderer too."""
    return (word, *(other for other in WORDS.unwanted.get(_family(word), ()) if other != word))


def _can_be_unwanted(word: str) -> bool:
    return bool(_family(word)) or LEXICON.get(word.removesuffix("s")) == "person"


def _family(word: str) -> str:
    """Return the word that a group of unwanted words is listed under; empty without one."""
    plain = word.casefold()
    return next(
        (name for name, words in WORDS.unwanted.items() if plain in (name, f"{name}s", *words)),
        "",
    )


def without_wishes(text: str) -> str:
    """Return the text without what it does not want and what it says about the game."""
    kept = _UNWANTED.sub(
        lambda match: "" if any(map(_can_be_unwanted, _ITEM.split(match["words"]))) else match[0], text
    )
    return _ABOUT_THE_GAME.sub("", kept)

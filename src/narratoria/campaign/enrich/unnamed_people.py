"""Finds the people whom a premise speaks of without a name: "my daughter", "the auditor"."""

from __future__ import annotations

import re

from narratoria.campaign.enrich.names_in_text import NamedPerson
from narratoria.campaign.enrich.person_nouns import is_person_noun, pronoun_of_noun
from narratoria.campaign.enrich.premise_words import WORDS

_SPOKEN_OF = re.compile(
    r"\b(?P<whose>my|your|our|the|an?|one)\s+(?P<before>(?:[a-z][a-z-]+\s+){0,2}?)(?P<noun>[a-z][a-z-]+)\b"
    r"(?!['’]s?\b)(?P<after>\s+who\s+(?:[a-z'’]+\s*){1,5})?",
    re.IGNORECASE,
)
_NOT_THE_PLAYER = re.compile(
    r"\b(?:I am|I['’]?m|you are|you['’]re|we are|play(?: as)?|as)\s+$", re.IGNORECASE
)
_ABSENT_BEFORE = re.compile(r"\b(?:from|like|late|dead|of|for)\s+$", re.IGNORECASE)
_ABSENT_AFTER = re.compile(
    r"\s+(?:has |have |had |is |was )?(?:just )?"
    r"(?:died|dead|gone|left|moved|vanished|disappeared|walked out|missing|lost at)\b"
)
_TOLD = {"me": "you", "my": "your", "i": "you", "us": "you"}
_PARENT = re.compile(r"(?<![Mm]y )\b(?P<noun>Mum|Mom|Dad|Gran|Grandma|Grandpa|Nan)\b(?= [a-z])")
_BARE = frozenset(("man", "woman", "people", "crew", "family", "hero", "child", "kid", "stranger"))


def find_unnamed_people(text: str) -> tuple[NamedPerson, ...]:
    """Return the people that a text speaks of by what they are, each once, in its order."""
    people: dict[str, NamedPerson] = {}
    for match in _SPOKEN_OF.finditer(text):
        noun, whose = match["noun"].casefold(), match["whose"].casefold()
        before = match["before"].casefold().split()
        follows_name = text[match.end("noun") :][:2].strip()[:1].isupper()
        is_apposed = text[: match.start()].rstrip().endswith(",") and match["whose"] in ("a", "an")
        if not is_person_noun(noun) or follows_name or is_apposed:
            continue
        if _NOT_THE_PLAYER.search(text[: match.start()]) or set(before) & (WORDS.phrase_ends | {"of"}):
            continue
        is_gone = _ABSENT_AFTER.match(text[match.end("noun") :]) or {"dead", "late"} & set(before)
        if is_gone or _ABSENT_BEFORE.search(text[: match.start()]):
            continue
        after = _retell(match["after"]) if match["after"] and noun not in people else ""
        if noun in _BARE and whose not in ("my", "your", "our") and not after:
            continue
        owner = "your" if whose in ("my", "your", "our") else "the"
        phrase = " ".join((owner, *before, noun)) + after
        people.setdefault(noun, NamedPerson("", noun, pronoun_of_noun(noun), phrase))
    for match in _PARENT.finditer(text):  # "Mum cleans offices"
        noun = match["noun"].casefold()
        people.setdefault(noun, NamedPerson("", noun, pronoun_of_noun(noun), f"your {noun}"))
    return tuple(people.values())


def _retell(clause: str) -> str:
    """Return a clause of the author's as the player is told it, up to where it ends."""
    words = [_TOLD.get(word.casefold(), word) for word in clause.split()]
    ends = [
        at for at, word in enumerate(words) if at > 1 and word in ("and", "but", "when", "has", "had", "is")
    ]
    return " " + " ".join(words[: ends[0]] if ends else words)

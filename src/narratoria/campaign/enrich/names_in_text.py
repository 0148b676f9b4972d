"""Finds the people and places that a text calls by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from narratoria.campaign.asset_metadata import COMMON
from narratoria.campaign.enrich.nouns import LEXICON

_TITLES = {
    "mrs": "she", "miss": "she", "ms": "she", "lady": "she", "queen": "she", "princess": "she", "aunt": "she",
    "dame": "she", "sister": "she", "mother": "she", "madam": "she", "duchess": "she", "empress": "she",
    "grandmother": "she", "granny": "she", "countess": "she", "baroness": "she",
    "mr": "he", "sir": "he", "lord": "he", "king": "he", "prince": "he", "uncle": "he", "father": "he",
    "brother": "he", "duke": "he", "emperor": "he", "grandfather": "he", "count": "he", "baron": "he",
    "captain": "", "doctor": "", "dr": "", "professor": "", "sergeant": "", "colonel": "", "general": "",
    "inspector": "", "commander": "", "lieutenant": "", "major": "", "admiral": "", "chancellor": "",
    "detective": "", "officer": "", "chief": "", "master": "he", "mistress": "she", "old": "", "young": "",
}  # fmt: skip
_NAME = r"[A-Z][a-zà-ÿ'’-]+"
_TITLED = re.compile(rf"\b(?P<title>{'|'.join(_TITLES)})\.? (?P<name>{_NAME}(?: {_NAME})?)", re.IGNORECASE)
_CALLED = re.compile(rf"\b(?P<noun>[a-z]+),? (?:called|named) (?P<name>{_NAME}(?: {_NAME})?)")
_APPOSED = re.compile(
    rf"\b(?:the|an?|my|your|our|his|her) (?:[a-z]+ )?(?P<noun>[a-z]+),? (?P<name>{_NAME}(?: {_NAME})?)"
)
_AFTER = re.compile(
    rf"\b(?P<name>{_NAME}(?: {_NAME})?), (?:the|an?|my|your|our|his|her) (?:[a-z]+ )?(?P<noun>[a-z]+)"
)
_ACTS = re.compile(
    rf"\b(?P<name>{_NAME}(?: {_NAME})?)(?:['’]s)? (?:says|said|wants|has|had|is|was|knows|will|must|never|"
    r"always|left|keeps|told|tells|gave|gives|came|comes|went|thinks|runs|owns|died|hates|loves|and I)\b"
)
_PLACED = re.compile(
    rf"\b(?:in|at|on|to|from|near|aboard|of|called|island of|town of|city of) (?P<name>(?:the )?{_NAME}(?: {_NAME}){{0,2}})"
)
_NO_NAMES = frozenset(
    ["i", "you", "the", "a", "an", "it", "he", "she", "they", "we", "this", "that", "there", "here", "now", "when", "once", "then", "after", "before", "every", "each", "nobody", "everyone", "no", "one", "in", "on", "at", "your", "my", "our", "their", "his", "her", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "christmas", "easter", "god", "earth", "english", "french", "german", "but", "and", "or", "if", "so", "yet", "still", "only", "just", "what", "who", "why", "how", "outside", "inside", "somebody", "someone", "something", "nothing", "all", "some", "most", "today", "tonight", "yesterday", "tomorrow"]
)


_BEFORE_PLACES = [[word] for word in ["the", "in", "on", "at", "to", "from", "of", "near", "aboard"]]


@dataclass(frozen=True, slots=True)
class NamedPerson:
    name: str
    role: str = ""  # the noun the author calls them by: "captain"
    they: str = ""  # she or he, where the text says


def find_named_people(text: str) -> tuple[NamedPerson, ...]:
    """Return the people with names, in the order of the text."""
    people: dict[str, NamedPerson] = {}
    for name, role, they in _candidates(text):
        if _is_name(name) and not any(name in known.split() for known in people):
            earlier = people.get(name, NamedPerson(name))
            people[name] = NamedPerson(
                name, earlier.role or role, earlier.they or they or _pronoun(name, text)
            )
    return tuple(people.values())


def _candidates(text: str) -> Iterator[tuple[str, str, str]]:
    found: list[tuple[int, str, str, str]] = []
    for match in _TITLED.finditer(text):
        title = match["title"].casefold()
        if match["title"][0].islower() and match["name"][0].isupper():  # "your sister Ines"
            role = title if LEXICON.get(title) == "person" else ""
            found.append((match.start(), match["name"], role, _TITLES[title]))
            continue
        if match["name"][0].isupper() and (match["title"][0].isupper() or title not in ("old", "young")):
            role = title if LEXICON.get(title) == "person" else ""
            shown = (
                match["name"]
                if title in ("old", "young")
                else f"{match['title'].capitalize()} {match['name']}"
            )
            found.append((match.start(), shown, role, _TITLES[title]))
    for pattern in (_CALLED, _APPOSED, _AFTER):
        for match in pattern.finditer(text):
            if LEXICON.get(match["noun"]) == "person":
                found.append((match.start(), match["name"], match["noun"], ""))
    taken = {word for _, name, _, _ in found for word in name.split()}
    counts = Counter(match["name"] for match in _ACTS.finditer(text))
    for match in _ACTS.finditer(text):
        name = match["name"]
        alone = len(name.split()) == 2 or not _begins_sentence(text, match.start()) or counts[name] > 1
        before = text[: match.start()].casefold().rsplit(None, 1)[-1:]
        if alone and not set(name.split()) & taken and before not in _BEFORE_PLACES:
            found.append((match.start(), name, "", ""))
    for _, name, role, they in sorted(found):
        yield name, role, they


def _begins_sentence(text: str, at: int) -> bool:
    return at == 0 or bool(re.search(r"[.!?:\n”\"]\s*$", text[:at]))


def _is_name(name: str) -> bool:
    first = name.split(maxsplit=1)[0].casefold()
    return first not in _NO_NAMES and first not in COMMON and LEXICON.get(first) in (None, "person")


def _pronoun(name: str, text: str) -> str:
    """Return the first pronoun after the name, in its sentence and the next."""
    after = text[text.find(name) + len(name) :][:200]
    match = re.search(r"\b(she|her|he|his|him)\b", after)
    return {"she": "she", "her": "she"}.get(match[1], "he") if match else ""


def find_named_places(text: str) -> tuple[str, ...]:
    """Return the proper names that follow a preposition and are nobody's."""
    people = {word for one in find_named_people(text) for word in one.name.split()}
    names = dict.fromkeys(match["name"] for match in _PLACED.finditer(text))
    return tuple(
        name
        for name in names
        if not set(name.split()) & people
        and name.removeprefix("the ").split()[0].casefold() not in _NO_NAMES
        and (len(name.split()) > 1 or name.casefold() not in COMMON)
    )

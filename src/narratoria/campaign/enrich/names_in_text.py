"""Finds the people and places that a text calls by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from narratoria.campaign.asset_metadata import COMMON
from narratoria.campaign.enrich.nouns import LEXICON
from narratoria.campaign.enrich.premise_words import WORDS

_NAME = r"[A-Z][a-zà-ÿ'’-]+(?: [A-Z][a-zà-ÿ'’-]+)?"
_PERSON_NOUNS = [word for word, kind in LEXICON.items() if kind == "person" and word not in WORDS.titles]
_TITLE = f"(?:{'|'.join([*WORDS.titles, *_PERSON_NOUNS])})"
_CALLED_SO = rf"(?:(?i:{_TITLE})\.? )?{_NAME}"
_TITLED = re.compile(rf"\b(?P<title>(?i:{_TITLE}))\.? (?P<name>{_NAME})")
_CALLED = re.compile(rf"\b(?P<noun>[a-z]+),? (?:called|named) (?P<name>{_CALLED_SO})")
_APPOSED = re.compile(
    rf"\b(?i:the|an?|my|your|our|his|her) (?:[a-z]+ )?(?P<noun>[a-z]+),? (?P<name>{_CALLED_SO})"
)
_AFTER = re.compile(
    rf"\b(?P<name>{_CALLED_SO}), (?:the|an?|my|your|our|his|her) (?:[a-z]+ )?(?P<noun>[a-z]+)"
)
_ACTS = re.compile(rf"\b(?P<name>{_NAME})(?:['’]s)? (?:{'|'.join(WORDS.acting_verbs)}|and I)\b")
_KIN = "family|mother|father|sister|brother|son|daughter|wife|husband|widow|grandson|granddaughter|people"
_RELATED = re.compile(rf"\b(?P<name>{_NAME})['’]s (?:{_KIN})\b")
_EPITHET = re.compile(r"(?:\band|,) (?P<name>the [A-Z][a-z]+ [A-Z][a-z]+)\b(?!['’])")
_PLACED = re.compile(
    rf"\b(?:{'|'.join(WORDS.place_prepositions)}) (?P<name>(?:the )?{_NAME}(?: [A-Z][a-z]+)?)"
)


_NO_TITLES = ("old", "young")
_TITLE_WORDS = {form for title in WORDS.titles for form in (title.capitalize(), f"{title.capitalize()}.")}
_BEFORE_PLACES = {"the", *WORDS.place_prepositions}


@dataclass(frozen=True, slots=True)
class NamedPerson:
    name: str
    role: str = ""  # the noun the author calls them by: "captain"
    they: str = ""  # she or he, where the text says
    phrase: str = ""  # how the author speaks of somebody without a name: "your daughter"


def find_named_people(text: str) -> tuple[NamedPerson, ...]:
    """Return the people with names, in the order of the text."""
    people: dict[str, NamedPerson] = {}
    for name, role, they in _candidates(text):
        if not _is_name(name):
            continue
        # "Your boss, Mrs. Crake": the one who is named twice is one
        known = next((key for key in people if set(key.split()) & set(name.split()) - _TITLE_WORDS), name)
        earlier = people.pop(known, NamedPerson(name))
        fullest = max(earlier.name, name, key=len)
        pronoun = earlier.they or they or _pronoun(fullest, text)
        people[fullest] = NamedPerson(fullest, earlier.role or role, pronoun)
    return tuple(people.values())


def _candidates(text: str) -> Iterator[tuple[str, str, str]]:
    found: list[tuple[int, str, str, str]] = []
    for match in _TITLED.finditer(text):
        title, is_name_part = match["title"].casefold(), match["title"][0].isupper()
        if match["name"].split()[0].casefold() not in WORDS.titles:
            shown = match[0] if is_name_part and title not in _NO_TITLES else match["name"]
            role = title if LEXICON.get(title) == "person" else ""
            found.append((match.start(), shown, role, WORDS.titles.get(title, "")))
    found += [
        (match.start(), match["name"], match["noun"], "")
        for pattern in (_CALLED, _APPOSED, _AFTER)
        for match in pattern.finditer(text)
        if LEXICON.get(match["noun"]) == "person"
    ]
    found += [(match.start(), match["name"], "", "") for match in _RELATED.finditer(text)]
    if found:  # in the company of people, whoever has a by-name is one of them
        found += [
            (match.start(), match["name"], "", "")
            for match in _EPITHET.finditer(text)
            if LEXICON.get(match["name"].split()[-1].casefold()) in (None, "person")
        ]
    taken = {word for _, name, _, _ in found for word in name.split()}
    counts = Counter(match["name"] for match in _ACTS.finditer(text))
    for match in _ACTS.finditer(text):
        name = match["name"]
        alone = len(name.split()) == 2 or not _begins_sentence(text, match.start()) or counts[name] > 1
        before = (text[: match.start()].casefold().split() or [""])[-1]
        is_place = before in _BEFORE_PLACES or before[:1].isdigit()  # "in 1920s Shanghai"
        if alone and not set(name.split()) & taken and not is_place:
            found.append((match.start(), name, "", ""))
    for _, name, role, they in sorted(found):
        yield name, role, they


def _begins_sentence(text: str, at: int) -> bool:
    return at == 0 or bool(re.search(r"[.!?:\n”\"]\s*$", text[:at]))


def _is_name(name: str) -> bool:
    """Return whether a phrase names somebody: more than a title, and no word that names nobody."""
    words = [word.rstrip(".").casefold() for word in name.split()]
    own = [word for word in words if word not in WORDS.titles and LEXICON.get(word) != "person"]
    if not own or LEXICON.get(own[0]) is not None:
        return False
    return len(own) > 1 or not {own[0]} & (WORDS.not_names | COMMON)


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
        and name.removeprefix("the ").split()[0].casefold() not in WORDS.not_names
        and (len(name.split()) > 1 or name.casefold() not in COMMON)
    )

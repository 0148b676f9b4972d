"""Finds the people and places that a text calls by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from narratoria.campaign.asset_metadata import COMMON
from narratoria.campaign.enrich.nouns import LEXICON
from narratoria.campaign.enrich.person_nouns import given_names, is_person_noun, pronoun_of_noun
from narratoria.campaign.enrich.premise_words import WORDS

_NAME = r"[A-Z][a-zà-ÿ'’-]+(?: [A-Z][a-zà-ÿ'’-]+)?"
_PERSON_NOUNS = [word for word, kind in LEXICON.items() if kind == "person" and word not in WORDS.titles]
_TITLE = f"(?:{'|'.join([*WORDS.titles, *_PERSON_NOUNS])})"
_CALLED_SO = rf"(?:(?i:{_TITLE})\.? )?{_NAME}"
_TITLED = re.compile(rf"\b(?P<title>(?i:{_TITLE}))\.? (?P<name>{_NAME})")
_CALLED = re.compile(rf"\b(?P<noun>[a-z]+),? (?:called|named) (?P<name>{_CALLED_SO})")
_WHOSE = r"(?:the|an?|my|your|our|his|her|their)"
_APPOSED = re.compile(
    rf"\b(?i:{_WHOSE}) (?:[A-Za-z'’-]+ ){{0,3}}?(?P<noun>[a-z][a-z-]*),? (?P<name>{_CALLED_SO})"
)
_AFTER = re.compile(
    rf"\b(?P<name>{_CALLED_SO}), {_WHOSE} (?:[a-z'’-]+ ){{0,2}}?(?P<noun>[a-z][a-z-]*)"
    r"(?=[,.;:!?)]|$| (?:who|in|of|from|at|on|and)\b)"
)
_SUPERLATIVE = re.compile(rf"\b(?P<name>{_NAME}), the (?:[a-z]{{2,}}est|best|worst|first|last)\b")
_RELATIVE = re.compile(rf"\b(?P<name>{_NAME}), whom? ")
_UNCAPITALISED = re.compile(r"\b(?P<noun>[a-z]+) (?P<name>[a-z]{3,})\b")  # "ur manager gary"
_ANY_NAME = re.compile(rf"\b(?P<name>{_NAME})")
_ENUMERATION = re.compile(
    r"(?:: |, (?=[A-Z]))(?P<items>[^.:;!?]{3,120}? and [^.:;,!?]{2,30}?)(?=[.:;,!?]| says?\b| have\b| are\b)"
)
_WITH_GROUP = re.compile(rf"(?P<name>{_NAME}) and (?:the|my|your|his|her) [a-z]+s\b")
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
    phrase: str = ""  # how the author speaks of them: "your daughter, who does not cry"
    fate: str = ""  # "dead" or "missing": nobody who can be met


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
        noun = earlier.role or role
        pronoun = earlier.they or they or pronoun_of_noun(noun) or _pronoun(fullest, text)
        people[fullest] = NamedPerson(fullest, noun, pronoun)
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
        (match.start("name"), match["name"], match["noun"], "")
        for pattern in (_CALLED, _APPOSED, _AFTER)
        for match in pattern.finditer(text)
        if is_person_noun(match["noun"], beside_name=True)
    ]
    by_use = (_SUPERLATIVE, _RELATIVE, _RELATED)
    found += [
        (match.start(), match["name"], "", "") for pattern in by_use for match in pattern.finditer(text)
    ]
    found += [
        (match.start(), match["name"].capitalize(), match["noun"], "")
        for match in _UNCAPITALISED.finditer(text)
        if is_person_noun(match["noun"]) and match["name"] in given_names()
    ]
    found += [(at, name, "", "") for at, name in (*_find_given_names(text), *_find_enumerated(text))]
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


def _find_given_names(text: str) -> Iterator[tuple[int, str]]:
    """Yield the names that begin with a name people are given, where they are not the name of a place."""
    for match in _ANY_NAME.finditer(text):
        before = (text[: match.start()].split() or [""])[-1].casefold()
        follows_of = before in ("of", "the", "called", "named", "saint", "st", "st.", "port", "lake", "mount")
        known = match["name"].split()[0].casefold() in given_names()
        if known and not follows_of and not text[match.end() :].startswith((" Street", " Road", "'s-")):
            yield match.start(), match["name"]


def _find_enumerated(text: str) -> Iterator[tuple[int, str]]:
    """Yield the names of a list of people: "Irena, Big Col, the Patel sisters and a curate"."""
    for match in _ENUMERATION.finditer(text):
        items = [item.strip() for item in re.split(r", | and ", match["items"])]
        names = [item for item in items if re.fullmatch(_NAME, item)]
        others = [item for item in items if item not in names]
        are_people = all(is_person_noun(item.split()[-1].removesuffix("s")) for item in others if item)
        if names and are_people and any(name.split()[0].casefold() in given_names() for name in names):
            yield from ((text.find(name, match.start()), name) for name in names)
    for match in _WITH_GROUP.finditer(text):
        noun = match[0].split()[-1].removesuffix("s")
        if is_person_noun(noun):
            yield match.start(), match["name"]


def _begins_sentence(text: str, at: int) -> bool:
    return at == 0 or bool(re.search(r"[.!?:\n”\"]\s*$", text[:at]))


def _is_name(name: str) -> bool:
    """Return whether a phrase names somebody: more than a title, and no word that names nobody."""
    words = [word.rstrip(".").casefold() for word in name.removeprefix("the ").split()]
    own = [word for word in words if word not in WORDS.titles and LEXICON.get(word) != "person"]
    if not own or LEXICON.get(own[0]) is not None or own[0] in WORDS.not_names:
        return False
    return len(own) > 1 or own[0] not in COMMON


def _pronoun(name: str, text: str) -> str:
    """Return the pronoun of a given name, else the first one after the name, in its sentence and the next."""
    if known := given_names().get(name.split()[-1 if " " in name and name[0].islower() else 0].casefold()):
        return known
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

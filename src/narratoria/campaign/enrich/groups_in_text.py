"""Finds the groups that a premise speaks of, to make several people of each: "seven sisters", "the twins"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from narratoria.campaign.enrich.person_nouns import is_person_noun, pronoun_of_noun

_NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
        ],
        start=1,
    )
}
_COUNTED = re.compile(
    rf"\b(?P<whose>the |my |your |our |her |his )?(?P<count>{'|'.join(_NUMBERS)}|both|all the) "
    r"(?P<before>(?:[a-z]+ )?)(?P<noun>[a-z-]+s)\b",
    re.IGNORECASE,
)
_SPOKEN_OF = re.compile(
    r"\b(?P<whose>(?i:the|my|your|our)) (?P<before>(?:[A-Z][a-z]+ |[a-z]+ )?)(?P<noun>[a-z-]+s)\b"
    r"(?P<after> on the [a-z]+| in the [a-z]+| from the [a-z]+)?",
)
_COLLECTIVE = {
    "crew": "hand",
    "family": "relative",
    "class": "pupil",
    "choir": "singer",
    "committee": "member",
    "gang": "member",
    "jury": "juror",
    "troupe": "player",
    "congregation": "parishioner",
}
_OF_COLLECTIVE = re.compile(
    rf"\b(?P<whose>(?i:the|my|your|our|a)) (?P<before>[a-z]+ )?(?P<noun>{'|'.join(_COLLECTIVE)})\b"
)
_SPEAKS = re.compile(r"\b(?:we|I) (?:are|am) $", re.IGNORECASE)
_SCHOOL_OF = re.compile(r"\b(girls|boys)['’] ")
MOST_OF_A_GROUP = 3


@dataclass(frozen=True, slots=True)
class Group:
    """Several people whom the text does not tell apart."""

    noun: str  # what one of them is: "sister"
    phrase: str  # "one of the seven sisters"
    count: int  # how many of them are worth meeting
    they: str = ""
    surname: str = ""


def find_groups(text: str) -> tuple[Group, ...]:
    """Return the groups of people in the order of the text, each once."""
    groups: dict[str, tuple[int, Group]] = {}
    for match in _COUNTED.finditer(text):
        noun = _one_of(match["noun"])
        if noun and not _SPEAKS.search(text[: match.start()]):
            number = _NUMBERS.get(match["count"].casefold(), 2)
            whose = _retell((match["whose"] or "the").strip())
            counted = f"{match['count']} " if match["count"].casefold() in _NUMBERS else ""
            phrase = f"one of {whose} {counted}{match['before']}{match['noun']}".casefold()
            group = Group(noun, phrase, min(number, MOST_OF_A_GROUP), pronoun_of_noun(noun))
            groups.setdefault(noun, (match.start(), group))
    for match in _SPOKEN_OF.finditer(text):
        noun = _one_of(match["noun"])
        if noun and not _SPEAKS.search(text[: match.start()]):
            surname = match["before"].strip() if match["before"][:1].isupper() else ""
            whose = _retell(match["whose"])
            phrase = f"one of {whose} {match['before']}{match['noun']}{match['after'] or ''}"
            group = Group(noun, phrase, 2, pronoun_of_noun(noun), surname)
            groups.setdefault(noun, (match.start(), group))
    for match in _OF_COLLECTIVE.finditer(text):
        if not _SPEAKS.search(text[: match.start()]):
            whose = _retell("the" if match["whose"].casefold() == "a" else match["whose"])
            phrase = f"one of {whose} {match['before'] or ''}{match['noun']}"
            group = Group(_COLLECTIVE[match["noun"]], phrase, 2)
            groups.setdefault(match["noun"], (match.start(), group))
    schools = set(_SCHOOL_OF.findall(text))
    they = {"girls": "she", "boys": "he"}[schools.pop()] if len(schools) == 1 else ""
    groups = {key: (at, replace(group, they=group.they or they)) for key, (at, group) in groups.items()}
    return tuple(group for _, group in sorted(groups.values(), key=lambda entry: entry[0]))


def _one_of(plural: str) -> str:
    """Return what one of several people is; empty where they are no people."""
    forms = (plural.removesuffix("s"), plural.removesuffix("es"), re.sub("ies$", "y", plural))
    irregular = {"wives": "wife", "housewives": "housewife"}.get(plural, "")
    return next((form for form in (irregular, *forms) if form != plural and is_person_noun(form)), "")


def _retell(whose: str) -> str:
    return "your" if whose.casefold() in ("my", "our", "your") else whose.casefold()

"""Finds who the player is in a premise: by what it calls them, or by what it says that they do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

from narratoria.campaign.enrich.likeness import measure_likeness
from narratoria.campaign.enrich.nouns import DETERMINERS, LEXICON, Noun
from narratoria.campaign.enrich.premise_words import WORDS
from narratoria.campaign.enrich.retelling import address_player
from narratoria.campaign.lore import sentences

Body: TypeAlias = Literal["person", "animal", "thing", "spirit", "crew"]


class BodyWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: frozenset[str]
    excludes: tuple[str, ...]  # patterns
    constraints: tuple[str, ...]


class ScaleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: frozenset[str]
    travel_hours: float


class Bodies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines `data/bodies.json`."""

    about: str
    bodies: dict[Body, BodyWords]
    tones: dict[str, frozenset[str]]
    scales: dict[str, ScaleWords]


@cache
def bodies() -> Bodies:
    content = files("narratoria.campaign.enrich").joinpath("data/bodies.json").read_bytes()
    return msgspec.json.decode(content, type=Bodies)


@dataclass(frozen=True, slots=True)
class PlayerInText:
    """Who the player is, with a name where the author gives one."""

    noun: Noun
    name: str = ""

    def is_called(self, name: str) -> bool:
        own = {word.casefold() for word in (self.name or self.noun.word).split()}
        words = {word.casefold() for word in name.split()}
        return words <= own or (bool(self.name) and own <= words)


_SPEAKS = re.compile(
    r"\b(?:I am|I['’]?m|you are|you['’]re|(?:you|we|I)(?:['’]ll)? play(?: as)?|"
    r"(?:like|want|love) to play(?: as)?|"
    r"we are|we['’]re|playing as|you have been|I was|"
    r"(?:you|I) (?:work|serve|travel|pose|live) as|(?:hired|employed|engaged|day|night|job|shift) as)\s+"
    r"(?:still |now |only |just |not )?(?:(?:made|appointed|elected|chosen|hired as)\s+)?",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"(?:the whole|the entire|all of the|all the|the|an?|one of the|your|my|our|some|two|three|four|five)\s+",
    re.IGNORECASE,
)
_ONE = re.compile(r"(?:an?|two|three|four|five)\s+", re.IGNORECASE)
_OWN_NAME = re.compile(
    r"(?P<name>[A-ZÀ-Ý][\w'’-]*"
    r"(?: (?:(?:bint|ibn|bin|ben|de|da|del|van|von|al|ap|of) )?[A-ZÀ-Ý][\w'’-]*){0,3})"
)
_BY_NAME = re.compile(r"(?P<name>the [A-ZÀ-Ý][\w'’-]*(?: [A-ZÀ-Ý][\w'’-]*)+)")
_CALLED = re.compile(r"[^.!?;,]{0,40}?,? (?:called|named) (?P<name>[A-ZÀ-Ý][\w'’-]*(?: [A-ZÀ-Ý][\w'’-]*)?)")


# "I'm seven": somebody of that age is a child
_AGE = re.compile(
    r"(?:four|five|six|seven|eight|nine|ten|eleven|twelve|[4-9]|1[0-2])(?: years old)?(?=[.,;!]| and\b)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"the (?P<word>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)(?=[.,;])",
    re.IGNORECASE,
)
_KIN = re.compile(r"\b(?P<noun>sister|brother|daughter|son|cousin|child)(?:s|ren)\b", re.IGNORECASE)
_WIDOWED = re.compile(r"\b[Mm]y (?P<whom>wife|husband) (?:has )?(?:just )?died\b")
_LIMIT = re.compile(
    r"\b(?:you|I|we)(?: can(?:not|['’]t| not| only)| have no| has no)\b|"
    r"\b(?:nobody|no one) (?:else )?can (?:see|hear|touch) (?:me|you|us)\b|\bno mouth\b",
    re.IGNORECASE,
)


def find_limits(text: str) -> tuple[str, ...]:
    """Return the author's clauses that say what the player cannot do, as they are told to the player."""
    found = (
        clause
        for paragraph in text.split("\n")
        for sentence in sentences(paragraph)
        for clause in re.split(r"; |, (?=but\b|and\b)", sentence)
        if _LIMIT.search(clause)
    )
    told = (re.sub(r"^(?:and|but|so) ", "", address_player(clause)) for clause in found)
    return tuple(f"{one[:1].upper()}{one[1:]}" for one in told)


def find_player(text: str) -> PlayerInText | None:
    """Return whom the author calls the player; None where the text does not say."""
    for match in _SPEAKS.finditer(text):
        rest = text[match.end() :]
        if player := _read_count(rest, text) or _read_somebody(rest):
            return player
    for phrase, noun in WORDS.player_deeds.items():
        if re.search(rf"\b(?:you|I|we) {phrase}\b", text, re.IGNORECASE):
            return PlayerInText(Noun(noun))
    if widowed := _WIDOWED.search(text):
        return PlayerInText(Noun("widower" if widowed["whom"].casefold() == "wife" else "widow"))
    for paragraph in text.split("\n"):
        if article := _ONE.match(paragraph.strip()):
            noun_found = _somebody(_phrase(paragraph.strip()[article.end() :]) or "nobody")
            if noun_found.head.casefold() in _SOMEBODY and body_of(noun_found) in ("person", "animal"):
                return PlayerInText(noun_found)
    return None


def _read_count(rest: str, text: str) -> PlayerInText | None:
    """Return who is told by a number alone: "I'm seven", "you are the eighth"."""
    if _AGE.match(rest):
        return PlayerInText(Noun("child"))
    if ordinal := _ORDINAL.match(rest):
        kin = _KIN.search(text)
        return PlayerInText(Noun(f"{ordinal['word']} {kin['noun'] if kin else 'one'}"))
    return None


def _read_somebody(rest: str) -> PlayerInText | None:
    """Return who a text speaks of that follows "you are"."""
    name = ""
    if called := _BY_NAME.match(rest) or _OWN_NAME.match(rest):
        name, after = called["name"], rest[called.end() :]
        if apposed := re.match(r",\s+", after):
            article = _ARTICLE.match(after[apposed.end() :])
            phrase = _phrase(after[apposed.end() + (article.end() if article else 0) :])
            if phrase and (article or phrase.split()[-1] in _SOMEBODY):
                return PlayerInText(_somebody(phrase), name)
    article = _ARTICLE.match(rest)
    phrase = _phrase(rest[article.end() :] if article else rest)
    if not phrase:
        return None
    if article or phrase.split()[-1] in _SOMEBODY:
        called_so = _CALLED.match(rest[rest.find(phrase) + len(phrase) :])
        own = called_so["name"] if called_so else name if len(name.split()) > 1 else ""
        return PlayerInText(_somebody(phrase), own)
    return PlayerInText(Noun(name, proper=True), name) if name else None


def _phrase(text: str) -> str:
    """Return the noun phrase that a text begins with; at most four words, cut after the last known one."""
    words: list[str] = []
    for word in re.findall(r"[^\W\d_][\w'’-]*|[^\s\w]", text)[:5]:
        if word.casefold() in WORDS.phrase_ends | {"of"} | DETERMINERS or not word[0].isalpha():
            break
        words.append(word)
    known = [at for at, word in enumerate(words) if word.casefold() in _SOMEBODY]
    return " ".join(words[: known[-1] + 1] if known else words[:3])


def _somebody(phrase: str) -> Noun:
    *before, head = phrase.split()
    plain = head.casefold()
    proper = head[0].isupper() and not before and plain not in _SOMEBODY
    if plain.endswith("s") and plain not in _known_bodies() and plain[:-1] in _SOMEBODY:
        phrase = phrase[:-1]  # of several, the player is one
    return Noun(phrase if proper else phrase[0].lower() + phrase[1:], proper=proper)


@cache
def _known_bodies() -> dict[str, Body]:
    return {word: name for name, body in bodies().bodies.items() for word in body.words}


class _Somebody:
    def __contains__(self, word: object) -> bool:
        return any(form in _known_bodies() or LEXICON.get(form) == "person" for form in _forms(str(word)))


def _forms(word: str) -> Iterator[str]:
    plain = word.casefold()
    yield from (plain, plain.removesuffix("s"))


_SOMEBODY = _Somebody()
_MATERIALS = frozenset(
    [
        "gingerbread",
        "snow",
        "straw",
        "clay",
        "stone",
        "tin",
        "wooden",
        "paper",
        "wax",
        "marble",
        "bronze",
        "toy",
        "stuffed",
    ]
)


def body_of(player: Noun) -> Body:
    """Return what kind of body the player has: by the noun, or by what it is most like."""
    if player.proper:
        return "person"
    made_of = set(player.word.casefold().split()[:-1])
    if made_of & _MATERIALS:
        return "thing"
    for form in _forms(player.head):
        if form in _known_bodies():
            return _known_bodies()[form]
        if LEXICON.get(form) == "person":
            return "person"
    texts: Sequence[str] = (
        "a person, a man or a woman, someone with a job",
        "an animal",
        "an object, a thing",
    )
    likeness = measure_likeness(f"a {player.word}", texts)
    best = max(range(3), key=lambda at: likeness[at])
    sure = likeness[best] > likeness[0] + 0.1
    kinds: tuple[Body, ...] = ("person", "animal", "thing")
    return kinds[best] if sure else "person"

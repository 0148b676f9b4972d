"""Reads a premise: what kind of world it is of, who the player is, who and what is there, what cannot be.

Kinds of world are told by their words and, where the sentence embedder is installed, by meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

from narratoria.campaign.asset_metadata import COMMON
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.enrich.likeness import measure_likeness
from narratoria.campaign.enrich.names_in_text import NamedPerson, find_named_people, find_named_places
from narratoria.campaign.enrich.nouns import GOING, LEXICON, MASS, SECRETIVE, Noun, find_nouns
from narratoria.campaign.enrich.premise_words import WORDS
from narratoria.campaign.lore import sentences

Body: TypeAlias = Literal["person", "animal", "thing", "spirit", "crew"]
WORD_WEIGHT = 0.2  # of one word that is a sign of a kind, beside a likeness of at most 1
THING_WEIGHT = 0.3
MOST_WORDS = 5  # that count for one kind


class KindOfWorld(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str
    words: frozenset[str]
    excludes: tuple[str, ...]
    home: str
    names: str  # a group of names
    era: Literal["old", "modern", "future"]
    constraints: tuple[str, ...]


class KindsOfWorld(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines `data/kinds.json`."""

    about: str
    kinds: dict[str, KindOfWorld]


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
def kinds_of_world() -> Mapping[str, KindOfWorld]:
    return msgspec.json.decode(_data("kinds.json"), type=KindsOfWorld).kinds


@cache
def bodies() -> Bodies:
    return msgspec.json.decode(_data("bodies.json"), type=Bodies)


def _data(name: str) -> bytes:
    return files("narratoria.campaign.enrich").joinpath(f"data/{name}").read_bytes()


@dataclass(frozen=True, slots=True)
class Premise:
    """Holds what an author's few sentences say."""

    campaign: Campaign
    setting: str
    premise: str
    text: str  # all of it, with title and description
    kinds: tuple[str, ...]  # of world, the likeliest first
    scale: str
    body: Body
    player: Noun  # who the player is
    tone: str
    home: Noun  # where it plays
    people: tuple[NamedPerson, ...]
    person_nouns: tuple[str, ...]  # "captain", "baker": those who are spoken of without a name
    places: tuple[str, ...]  # proper names
    things: tuple[Noun, ...]  # what can be carried
    nouns: tuple[Noun, ...]  # all of them, the most frequent first
    absences: tuple[str, ...]  # what the author says there is none of
    knows_player: bool
    knows_home: bool

    @property
    def kind(self) -> str:
        return self.kinds[0]

    @property
    def words(self) -> frozenset[str]:
        return _words(self.text)

    @property
    def seed_data(self) -> str:
        """Return the text that everything is generated from, for the provenance."""
        text = " ".join(f"{self.campaign.title}. {self.setting} {self.premise}".split())
        return text if len(text) <= 400 else f"{text[:399]}…"

    def sentence_about(self, noun: Noun) -> str:
        """Return the author's first sentence that names the noun; empty without one."""
        pattern = re.compile(rf"\b{re.escape(noun.head)}", re.IGNORECASE)
        for text in (self.setting, self.premise):
            for paragraph in text.split("\n"):
                for sentence in sentences(paragraph):
                    if pattern.search(sentence) and not sentence.startswith("#"):
                        return sentence
        return ""

    def paragraphs(self) -> tuple[str, ...]:
        """Return the paragraphs of the author's setting."""
        lines = (line.strip() for line in self.setting.split("\n"))
        return tuple(line for line in lines if line and not line.startswith(("#", "-")))


def read_premise(campaign: Campaign) -> Premise:
    """Read the author's text."""
    manifest = campaign.manifest
    premise = "\n\n".join(campaign.premise)
    parts = (manifest.title, campaign.setting, premise, manifest.description)
    text = "\n\n".join(dict.fromkeys(part.strip() for part in parts if part.strip()))
    labels = " ".join((manifest.genre, *manifest.tags))
    player = _find_player(text)
    body = body_of(player) if player else "person"
    nouns = find_nouns(text)
    places = find_named_places(text)
    home = _find_home(campaign, text, player) or next((Noun(name, proper=True) for name in places), None)
    kinds = rank_kinds(f"{text}\n{labels}", body, [noun.head for noun in (home, player) if noun])
    known = {noun.head for kind in nouns.values() for noun in kind}
    everything = tuple(noun for kind in nouns.values() for noun in kind)
    everything += tuple(Noun(word) for word in _find_subjects(text) if word not in known)
    here = {noun.head for noun in find_nouns(premise)["token"]}
    carried = [noun for noun in nouns["token"] if not noun.plural and noun.head not in MASS | GOING]
    # what is sealed makes a better story than what is merely carried, and the premise than the setting
    carried.sort(key=lambda noun: (noun.head not in here, noun.head not in SECRETIVE))
    me = player or Noun("newcomer")
    return Premise(
        campaign=campaign,
        setting=campaign.setting or manifest.description,
        premise=premise,
        text=text,
        kinds=kinds,
        scale=_best_by_words(text, {name: s.words for name, s in bodies().scales.items()}, "town"),
        body=body,
        player=me,
        tone=_best_by_words(f"{text} {manifest.tone}", bodies().tones, ""),
        home=home or Noun(kinds_of_world()[kinds[0]].home),
        people=tuple(one for one in find_named_people(text) if one.name.casefold() != me.word.casefold()),
        person_nouns=tuple(noun.head for noun in nouns["person"] if noun.head != me.head),
        places=places,
        things=tuple(noun for noun in carried if noun.head != me.head),
        nouns=tuple(noun for noun in everything if noun.head != me.head),
        absences=tuple(_find_absences(text)),
        knows_player=player is not None,
        knows_home=home is not None,
    )


# kinds


def rank_kinds(text: str, body: Body, heads: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the kinds of world, the likeliest first; where it plays, and who the player is, count twice."""
    words = _words(text)
    kinds = kinds_of_world()
    likeness = measure_likeness(text, [kind.text for kind in kinds.values()])
    twice = {head.casefold() for head in heads}
    scores = {
        name: near + WORD_WEIGHT * (min(MOST_WORDS, len(words & kind.words)) + len(twice & kind.words))
        for (name, kind), near in zip(kinds.items(), likeness, strict=True)
    }
    scores["counter"] += THING_WEIGHT if body == "thing" else -1  # nobody but a thing lives on a shelf
    return tuple(sorted(scores, key=lambda name: -scores[name]))


def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text.casefold())
    parts = (part for word in found for part in word.split("-"))
    return frozenset((*found, *parts))


def _best_by_words(text: str, signs: Mapping[str, frozenset[str]], otherwise: str) -> str:
    words = _words(text)
    counts = {name: len(words & group) for name, group in signs.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else otherwise


# who the player is

_SPEAKS = re.compile(
    r"\b(?:I am|I['’]m|you are|you['’]re|you play(?: as)?|we are|we['’]re|playing as|you have been|I was)\s+"
    r"(?:still |now |only |just |not )?",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:the|an?|one of the|your|my|our|some|two|three|four|five)\s+", re.IGNORECASE)


_ONE = re.compile(r"(?:an?|two|three|four|five)\s+", re.IGNORECASE)


def _find_player(text: str) -> Noun | None:
    for match in _SPEAKS.finditer(text):
        rest = text[match.end() :]
        article = _ARTICLE.match(rest)
        phrase = _phrase(rest[article.end() :] if article else rest)
        if phrase and (article or phrase.split()[-1] in _SOMEBODY):
            return _somebody(phrase)
    for paragraph in text.split("\n"):
        if article := _ONE.match(paragraph.strip()):
            noun = _somebody(_phrase(paragraph.strip()[article.end() :]) or "nobody")
            if noun.head.casefold() in _SOMEBODY and body_of(noun) in ("person", "animal"):
                return noun
    return None


def _phrase(text: str) -> str:
    """Return the noun phrase that a text begins with; at most four words, cut after the last known one."""
    words: list[str] = []
    for word in re.findall(r"[^\W\d_][\w'’-]*|[^\s\w]", text)[:5]:
        if word.casefold() in WORDS.phrase_ends or not word[0].isalpha():
            break
        if word.casefold() == "of":
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
        plain = str(word).casefold()
        one = plain.removesuffix("s")
        return any(form in _known_bodies() or LEXICON.get(form) == "person" for form in (plain, one))


_SOMEBODY = _Somebody()


def body_of(player: Noun) -> Body:
    """Return what kind of body the player has: by the noun, or by what it is most like."""
    head = player.head.casefold()
    for form in (head, head.removesuffix("s")):
        if form in _known_bodies():
            return _known_bodies()[form]
        if LEXICON.get(form) == "person":
            return "person"
    if player.proper:
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


# where it plays

_AT = re.compile(
    r"\b(?:in|at|on|aboard|inside|to|of|from|near)\s+(?:the|an?|my|your|our|this)\s+", re.IGNORECASE
)


def _find_home(campaign: Campaign, text: str, player: Noun | None) -> Noun | None:
    """Return the place the author names first: in a heading, after a preposition, or at all."""
    own = player.head if player else ""
    heading = re.match(r"#\s+(?:The )?(?P<name>[^\n]{3,40})", campaign.setting)
    if heading and (named := find_nouns(f"the {heading['name'].casefold()}")["place"]):
        return named[0]
    if bare := re.search(r"\bat (?P<place>court|school|university|college)\b", text, re.IGNORECASE):
        return Noun(bare["place"].casefold())
    begins = (match.end() for match in re.finditer(r"^(?:an?|the)\s+", text, re.IGNORECASE | re.MULTILINE))
    for at in (*begins, *(match.end() for match in _AT.finditer(text))):
        phrase = _place_phrase(text[at:])
        if phrase and phrase.split()[-1] != own:
            return Noun(phrase)
    nouns = find_nouns(text)
    return next((noun for kind in ("place", "vessel") for noun in nouns[kind] if noun.head != own), None)


def _place_phrase(text: str) -> str:
    """Return the place that a text begins with, with what stands before it: "city tower block"."""
    words: list[str] = []
    for word in re.findall(r"[^\W\d_][\w'’-]*|[^\s\w]", text)[:4]:
        if not word[0].isalpha() or word.casefold() in WORDS.phrase_ends or word.casefold() == "of":
            break
        words.append(word.casefold())
    known = [at for at, word in enumerate(words) if LEXICON.get(word) in ("place", "vessel")]
    return " ".join(words[: known[-1] + 1]) if known else ""


_SUBJECT = re.compile(r"\b[Tt]he (?P<word>[a-z]{3,20})(?= (?:had|will|never|always|[a-z]+ed|[a-z]+s)\b)")


def _find_subjects(text: str) -> Iterator[str]:
    """Yield what the author says something of, known to the lexicon or not: "the whale moved"."""
    words = dict.fromkeys(match["word"] for match in _SUBJECT.finditer(text))
    yield from (word for word in words if word not in WORDS.phrase_ends and word not in COMMON)


# what cannot be

_NONE_OF = re.compile(rf"\b(?:{'|'.join(WORDS.absences)})\s+(?P<word>[a-z]{{3,20}})", re.IGNORECASE)


def _find_absences(text: str) -> Iterator[str]:
    for match in _NONE_OF.finditer(text):
        word = match["word"].casefold()
        if word not in WORDS.phrase_ends | WORDS.not_absent:
            yield word

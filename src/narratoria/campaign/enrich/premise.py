"""Reads a premise: what kind of world it is of, who the player is, who and what is there, what cannot be.

Kinds of world are told by their words and, where the sentence embedder is installed, by meaning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from narratoria.campaign.asset_metadata import COMMON
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.enrich.absences import find_absences, list_meant, without_wishes
from narratoria.campaign.enrich.deadline import find_deadline, find_event
from narratoria.campaign.enrich.groups_in_text import Group, find_groups
from narratoria.campaign.enrich.likeness import measure_likeness
from narratoria.campaign.enrich.names_in_text import NamedPerson, find_named_people, find_named_places
from narratoria.campaign.enrich.nouns import (
    DETERMINERS,
    GOING,
    LEXICON,
    MASS,
    SECRETIVE,
    Noun,
    find_nouns,
)
from narratoria.campaign.enrich.person_phrases import describe_people
from narratoria.campaign.enrich.player_in_text import (
    Body,
    PlayerInText,
    bodies,
    body_of,
    find_limits,
    find_player,
)
from narratoria.campaign.enrich.premise_words import WORDS
from narratoria.campaign.enrich.trouble import Trouble, find_trouble
from narratoria.campaign.enrich.unnamed_people import find_unnamed_people
from narratoria.campaign.lore import sentences

WORD_WEIGHT = 0.2  # of one word that is a sign of a kind, beside a likeness of at most 1
THING_WEIGHT = 0.3
ABSENT_WEIGHT = 0.5  # of a sign of a kind that the author does not want
ONCE_WEIGHT = 0.6  # of "once upon a time"
MOST_OWN_PLACES = 3  # of the author's, besides where it begins
MOST_WORDS = 5  # that count for one kind


class KindOfWorld(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str
    words: frozenset[str]
    excludes: tuple[str, ...]
    home: str
    player: str  # who the player is where the premise does not say
    presets: tuple[str, ...]  # how the player may go about it, one for each preset of `common.json`
    names: str  # a group of names
    era: Literal["old", "modern", "future"]
    constraints: tuple[str, ...]
    grounds: dict[str, frozenset[str]] = {}  # what it may stand on, with signs; the first where none is seen


class Era(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: frozenset[str]  # that are signs of it
    excludes: tuple[str, ...]


class KindsOfWorld(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines `data/kinds.json`."""

    about: str
    kinds: dict[str, KindOfWorld]
    eras: dict[str, Era]


@cache
def kinds_of_world() -> Mapping[str, KindOfWorld]:
    return _kinds_document().kinds


@cache
def eras() -> Mapping[str, Era]:
    return _kinds_document().eras


@cache
def _kinds_document() -> KindsOfWorld:
    return msgspec.json.decode(_data("kinds.json"), type=KindsOfWorld)


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
    player_name: str  # empty where the author gives none
    tone: str
    home: Noun  # where it plays
    ground: str  # what kind of place that is, among those of the kind of world
    era: str  # empty where the words tell none
    people: tuple[NamedPerson, ...]
    unnamed: tuple[NamedPerson, ...]  # those whom the author speaks of by what they are
    person_nouns: tuple[str, ...]  # "captain", "baker": those who are spoken of without a name
    places: tuple[str, ...]  # proper names
    place_nouns: tuple[Noun, ...]
    things: tuple[Noun, ...]  # what can be carried
    nouns: tuple[Noun, ...]  # all of them, the most frequent first
    absences: tuple[str, ...]  # what the author says there is none of
    groups: tuple[Group, ...]  # of people whom the author does not tell apart
    trouble: Trouble  # what it is about
    event: Noun | None  # what is about to happen: "fundraiser"
    limits: tuple[str, ...]  # the author's sentences that say what the player cannot do
    deadline: str  # the author's sentence that says when
    knows_player: bool
    knows_home: bool

    @property
    def kind(self) -> str:
        return self.kinds[0]

    @property
    def words(self) -> frozenset[str]:
        return _words(self.text)

    def read_as(self, kind: str) -> Premise:
        """Return the premise as one of another kind of world."""
        if kind == self.kind:
            return self
        world, known = kinds_of_world()[kind], self.knows_home
        return replace(
            self,
            kinds=(kind, *(other for other in self.kinds if other != kind)),
            player=self.player if self.knows_player else Noun(world.player),
            home=self.home if known else Noun(world.home),
            ground=_find_ground(self.text, self.home if known else Noun(world.home), world),
        )

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

    def find_other_places(self) -> tuple[Noun, ...]:
        """Return the places that the author speaks of, besides the one where it begins."""
        own = {self.home.head, self.player.head, *self.absences}
        places = (noun for noun in self.place_nouns if noun.head not in own and not noun.plural)
        far = re.compile(r"\b(?:miles|leagues|kilometres|weeks|months|years|out) from (?:the|an?) ([a-z]+)")
        too_far = set(far.findall(self.premise))  # "three hundred miles from a town"
        told = [noun for noun in places if noun.head not in too_far and self.sentence_about(noun)]
        return tuple({noun.head: noun for noun in told}.values())[:MOST_OWN_PLACES]

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
    absences = tuple(dict.fromkeys(find_absences(text)))
    story = without_wishes(text)
    known_player = find_player(text)
    player = known_player.noun if known_player else None
    body = body_of(player) if player else "person"
    nouns = find_nouns(story)
    places = find_named_places(story)
    home = _find_home(campaign, story, player, absences)
    home = home or next((Noun(name, proper=True) for name in places), None)
    who = player if body != "spirit" else None  # a ghost may be anywhere
    unwanted = {meant for word in absences for meant in list_meant(word)}
    heads = [noun.head for noun in (home, who) if noun]
    kinds = rank_kinds(f"{story}\n{labels}", body, heads, unwanted)
    kind = kinds_of_world()[kinds[0]]
    known = {noun.head for kind in nouns.values() for noun in kind}
    everything = tuple(noun for kind in nouns.values() for noun in kind)
    everything += tuple(Noun(word) for word in _find_subjects(text) if word not in known)
    here = {noun.head for noun in find_nouns(premise)["token"]}
    carried = [noun for noun in nouns["token"] if not noun.plural and noun.head not in MASS | GOING]
    # what is sealed makes a better story than what is merely carried, and the premise than the setting
    carried.sort(key=lambda noun: (noun.head not in here, noun.head not in SECRETIVE))
    me = known_player or PlayerInText(Noun(kind.player))
    here_is = home or Noun(kind.home)
    unnamed = tuple(one for one in find_unnamed_people(story) if one.role != me.noun.head)
    named = tuple(one for one in find_named_people(story) if not me.is_called(one.name))
    everybody = describe_people((*named, *unnamed), story)
    things = tuple(noun for noun in carried if noun.head not in {me.noun.head, *absences})
    return Premise(
        campaign=campaign,
        setting=campaign.setting or manifest.description,
        premise=premise,
        text=text,
        kinds=kinds,
        scale=_best_by_words(text, {name: s.words for name, s in bodies().scales.items()}, "town"),
        body=body,
        player=me.noun,
        player_name=me.name,
        tone=_best_by_words(f"{text} {manifest.tone}", bodies().tones, ""),
        home=here_is,
        ground=_find_ground(text, here_is, kind),
        era=_best_by_words(text, {name: era.words for name, era in eras().items()}, ""),
        people=everybody[: len(named)],
        unnamed=everybody[len(named) :],
        person_nouns=tuple(noun.head for noun in nouns["person"] if noun.head != me.noun.head),
        places=places,
        place_nouns=nouns["place"],
        things=things,
        nouns=tuple(noun for noun in everything if noun.head != me.noun.head),
        absences=absences,
        groups=find_groups(story),
        trouble=find_trouble(
            premise,
            things,
            everybody,
            player=me.noun if body == "thing" else None,
            not_it={me.noun.head, here_is.head},
        ),
        event=find_event(story),
        limits=find_limits(premise),
        deadline=find_deadline(text),
        knows_player=player is not None,
        knows_home=home is not None,
    )


# kinds


def rank_kinds(
    text: str, body: Body, heads: Sequence[str] = (), absences: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the kinds of world, the likeliest first; where it plays, and who the player is, count twice.

    A kind that has what the author says there is none of comes after the others.
    """
    words = _words(text)
    kinds = kinds_of_world()
    likeness = measure_likeness(text, [kind.text for kind in kinds.values()])
    twice = {head.casefold() for head in heads}
    scores = {
        name: near + WORD_WEIGHT * (min(MOST_WORDS, len(words & kind.words)) + len(twice & kind.words))
        for (name, kind), near in zip(kinds.items(), likeness, strict=True)
    }
    for name, kind in kinds.items():
        scores[name] -= ABSENT_WEIGHT * len(kind.words.intersection(absences))
    if _ONCE.search(text):
        scores["tale"] += ONCE_WEIGHT
    scores["counter"] += THING_WEIGHT if body == "thing" else -1  # nobody but a thing lives on a shelf
    return tuple(sorted(scores, key=lambda name: -scores[name]))


_ONCE = re.compile(r"\bonce (?:upon a time|there (?:was|were|lived))\b", re.IGNORECASE)


def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text.casefold())
    parts = (part for word in found for part in word.split("-"))
    return frozenset((*found, *parts))


def _best_by_words(text: str, signs: Mapping[str, frozenset[str]], otherwise: str) -> str:
    words = _words(text)
    counts = {name: len(words & group) for name, group in signs.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else otherwise


# where it plays

_AT = re.compile(r"\b(?:in|at|on|aboard|inside|to|of|under)\s+(?:the|an?|my|your|our|this)\s+", re.IGNORECASE)
_NEAR = re.compile(r"\b(?:from|near)\s+(?:the|an?|my|your|our|this)\s+", re.IGNORECASE)
_KEEPS = re.compile(
    r"\b(?:I|you|we)(?:['’]m| am|['’]re| are)? (?:run|running|keep|keeping|own|manage|clear|clearing)\s+"
    r"(?:the|an?|my|your|our|her|his)\s+",
    re.IGNORECASE,
)


def _find_home(campaign: Campaign, text: str, player: Noun | None, absences: Collection[str]) -> Noun | None:
    """Return the place the author names first: in a heading, after a preposition, or at all."""
    own = player.head if player else ""
    heading = re.match(r"#\s+(?:The )?(?P<name>[^\n]{3,40})", campaign.setting)
    if heading and (named := find_nouns(f"the {heading['name'].casefold()}")["place"]):
        return named[0]
    if bare := re.search(r"\bat (?P<place>court|school|university|college)\b", text, re.IGNORECASE):
        return Noun(bare["place"].casefold())
    begins = (match.end() for match in re.finditer(r"^(?:an?|the)\s+", text, re.IGNORECASE | re.MULTILINE))
    kept = [match.end() for match in _KEEPS.finditer(text)]
    near = (match.end() for pattern in (_AT, _NEAR) for match in pattern.finditer(text))
    for at in (*kept, *begins, *near):
        phrase = _place_phrase(text[at:])
        if phrase and phrase.split()[-1] != own:
            return Noun(phrase)
    nouns = find_nouns(text)
    not_here = {own, *absences, *(word.removesuffix("s") for word in absences)}
    named_at_all = (noun for kind in ("place", "vessel") for noun in nouns[kind])
    return next(
        (
            noun
            for noun in named_at_all
            if noun.head not in not_here
            and not re.search(rf"\bno {re.escape(noun.head)}", text, re.IGNORECASE)
        ),
        None,
    )


def _place_phrase(text: str) -> str:
    """Return the place that a text begins with, with what stands before it: "city tower block"."""
    words: list[str] = []
    for word in re.findall(r"[^\W\d_][\w'’-]*|[^\s\w]", text.partition("\n")[0])[:4]:
        is_end = word.casefold() in WORDS.phrase_ends | {"of"} | DETERMINERS and word.casefold() != "lost"
        if not word[0].isalpha() or is_end:
            break
        words.append(word.casefold())
    known = [at for at, word in enumerate(words) if LEXICON.get(word) in ("place", "vessel")]
    return " ".join(words[: known[-1] + 1]) if known else ""


def _find_ground(text: str, home: Noun, kind: KindOfWorld) -> str:
    """Return what the story stands on: told by where it plays, else by the other words."""
    grounds = list(kind.grounds.items())
    by_home = (name for name, signs in grounds if home.head.casefold() in signs)
    first = grounds[0][0] if grounds else ""
    return next(by_home, None) or _best_by_words(text, kind.grounds or {"": frozenset()}, first)


_SUBJECT = re.compile(r"\b[Tt]he (?P<word>[a-z]{3,20})(?= (?:had|will|never|always|[a-z]+ed|[a-z]+s)\b)")


_NO_SUBJECTS = frozenset(("first", "second", "third", "big", "small", "old", "young", "other", "last"))


def _find_subjects(text: str) -> Iterator[str]:
    """Yield what the author says something of, known to the lexicon or not: "the whale moved"."""
    words = dict.fromkeys(match["word"] for match in _SUBJECT.finditer(text))
    yield from (word for word in words if word not in WORDS.phrase_ends | COMMON | _NO_SUBJECTS)

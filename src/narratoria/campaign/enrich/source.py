"""Reads what an author has written: a few sentences, and the things, people and places in them."""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from narratoria.campaign.asset_metadata import COMMON
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.lore import sentences

Kind: TypeAlias = Literal["person", "place", "token", "fixture", "weather", "vessel"]
KINDS: tuple[Kind, ...] = ("person", "place", "token", "fixture", "weather", "vessel")


def _words() -> dict[str, frozenset[str]]:
    sections: dict[str, list[str]] = {}
    section: list[str] = []
    for line in (
        Path(__file__).with_name("data").joinpath("nouns.txt").read_text(encoding="utf-8").splitlines()
    ):
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            section += line.split()
    return {name: frozenset(words) for name, words in sections.items()}


_WORDS = _words()
LEXICON: dict[str, Kind] = {word: kind for kind in KINDS for word in _WORDS[kind]}
SECRETIVE = _WORDS["secretive"]  # what is sealed makes a better story than what is merely carried
MASS = _WORDS["mass"]
GOING = _WORDS["going"]  # what has to be kept going, and can stop
_DETERMINERS = """
a an the this that his her their its your my our each every another some one two three four five six seven
eight nine ten eleven twelve thirteen twenty thirty forty fifty hundred
"""
DETERMINERS = frozenset(_DETERMINERS.split())
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|[^\s\w]|\n")
_OWNER = re.compile(r"\b(?P<owner>[a-z][a-z-]{1,40})['’]s\s+[a-z]")  # the longest word has an end


@dataclass(frozen=True, slots=True)
class Noun:
    """Formats a noun: `{x:the}`, `{x:The}`, `{x:a}`, `{x:it}`, `{x:is}`, `{x:s}` …"""

    word: str  # with its adjectives: "second envelope"
    plural: bool = False
    proper: bool = False  # a name, which takes no article

    @property
    def head(self) -> str:
        return self.word.rpartition(" ")[2]

    @property
    def id(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.word.casefold()).strip("-") or "thing"

    def __format__(self, spec: str) -> str:
        text = (
            _AGREEMENT[spec.lower()][self.plural]
            if spec.lower() in _AGREEMENT
            else {
                "the": self.word if self.proper else f"the {self.word}",
                "a": self._with_article(),
                "title": _titled(self.word) if self.proper else f"the {_titled(self.word)}",
                "bare": _titled(self.word),
                "": self.word,
            }[spec.lower()]
        )
        return text[0].upper() + text[1:] if spec[:1].isupper() else text

    def _with_article(self) -> str:
        if self.proper or self.plural or self.head in MASS:
            return self.word
        vowel = self.word[:1].casefold() in "aeiou" and self.word[:3] not in ("one", "uni")
        return f"{'an' if vowel else 'a'} {self.word}"


_AGREEMENT = {
    "it": ("it", "them"),
    "they": ("it", "they"),
    "its": ("its", "their"),
    "is": ("is", "are"),
    "was": ("was", "were"),
    "has": ("has", "have"),
    "does": ("does", "do"),
    "s": ("s", ""),
    "es": ("es", ""),
    "this": ("this", "these"),
}


def find_nouns(text: str) -> dict[Kind, tuple[Noun, ...]]:
    """Return the nouns of a text by kind, the most frequent first; only words of the lexicon count."""
    counts: Counter[str] = Counter()
    order: list[tuple[Kind, Noun]] = []
    for noun in (*_with_articles(text), *_bare(text), *_by(text)):
        kind = LEXICON[noun.head.casefold()]
        if noun.head not in {earlier.head for _, earlier in order}:
            order.append((kind, noun))
        counts[noun.head] += 1
    order.sort(key=lambda entry: -counts[entry[1].head])
    nouns: dict[Kind, tuple[Noun, ...]] = {
        kind: tuple(noun for of, noun in order if of == kind) for kind in KINDS
    }
    owners = tuple(Noun(word) for word in _owners(text) if word not in {n.head for n in nouns["person"]})
    nouns["person"] += owners
    return nouns


def _with_articles(text: str) -> Iterator[Noun]:
    tokens = _TOKEN.findall(text)
    for place, token in enumerate(tokens):
        if token.casefold() not in DETERMINERS:
            continue
        words = list(takewhile(_may_be_named, tokens[place + 1 : place + 5]))
        positions = [at for at, word in enumerate(words) if word.casefold() in LEXICON]
        if positions:
            # “the ice smokes”: what follows the last thing that is known to be one is a verb
            yield _noun(words[: positions[-1] + 1][-2:])


def _may_be_named(token: str) -> bool:
    return token[0].isalpha() and token.casefold() not in COMMON and token.casefold() not in DETERMINERS


def _bare(text: str) -> Iterator[Noun]:
    """Yield nouns without an article, such as rain and visitors."""
    for word in re.findall(r"\b[a-z][a-z-]+\b", text):
        if word in LEXICON and (word in MASS or _singular(word) != word):
            yield _noun([word])
        elif (one := _singular(word)) != word and LEXICON.get(one) in ("person", "vessel"):
            yield Noun(one)


def _by(text: str) -> Iterator[Noun]:
    """Yield the vehicles that people come by: by sledge, by coach."""
    for word in re.findall(r"\bby ([a-z]+)\b", text):
        if LEXICON.get(word) == "vessel":
            yield Noun(word)


def _noun(words: list[str]) -> Noun:
    *before, head = words
    adjectives = [word.casefold() for word in before if not word.casefold().endswith(_NO_ADJECTIVE)]
    plain = head.casefold()
    return Noun(" ".join((*adjectives, plain)), plural=_singular(plain) != plain and plain not in MASS)


def _owners(text: str) -> Iterable[str]:
    return dict.fromkeys(
        match["owner"] for match in _OWNER.finditer(text) if LEXICON.get(match["owner"]) == "person"
    )


# “a second envelope” is one that was not the first, which is of no use anywhere else
_NO_ADJECTIVE = ("ly", "second", "third", "fourth", "other", "next", "same", "whole")
_NOT_PLURAL = ("ss", "us", "is")


def _singular(word: str) -> str:
    if word.endswith("s") and not word.endswith(_NOT_PLURAL) and len(word) > 3:
        return word[:-1]
    return word


def _titled(words: str) -> str:
    return " ".join(word[0].upper() + word[1:] for word in words.split())


Pick: TypeAlias = Callable[[str, Sequence[str]], str]  # which question, and the answers there are


class SourceWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines `data/source_words.json`; the order of names and nouns decides what a seed chooses."""

    open_places: frozenset[str]  # out of doors
    void_words: frozenset[str]  # a text with one of these plays in space
    water_words: frozenset[str]
    first_names: dict[str, tuple[str, ...]]  # by pronoun
    surnames: tuple[str, ...]
    fallback_nouns: dict[Kind, tuple[str, ...]]  # where the author names none of the kind


WORDS = msgspec.json.decode(
    Path(__file__).with_name("data").joinpath("source_words.json").read_bytes(), type=SourceWords
)

_ITALIC = re.compile(r"(?<![*\w])[*_](?P<said>[^*_\n]{8,80})[*_](?![*\w])")
_TIME = re.compile(
    r"\b(?:about |only |just )?(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|a few) "
    r"(?:hours?|days?|nights?|minutes|weeks?)\b"
)


@dataclass(frozen=True, slots=True)
class GeneratedPerson:
    id: str
    name: str
    they: str  # she, he
    them: str
    their: str

    @property
    def first(self) -> str:
        return self.name.partition(" ")[0]

    @property
    def subject(self) -> str:
        """Return the pronoun for the beginning of a sentence."""
        return self.they.capitalize()


@dataclass(frozen=True, slots=True)
class Source:
    """Holds the author's text, and the nouns and people that a story is generated from."""

    campaign: Campaign
    setting: str
    premise: str
    start: Noun
    token: Noun  # what the story turns on
    belongings: tuple[Noun, ...]
    fixture: Noun  # what has to be kept going
    furniture: Noun  # something else that stands there
    weather: Noun  # what is outside
    vessel: Noun  # what people come in
    vessels: tuple[Noun, ...]
    absent: Noun  # somebody who is spoken of and is not there
    trades: tuple[Noun, ...]  # others who are spoken of
    rule: str  # something the author has set in italics, as one does with rules
    time: str  # how long there is, if the author says so
    outside: str  # where one is when one is not indoors
    keeper: GeneratedPerson
    waiting: GeneratedPerson
    carrier: GeneratedPerson
    kin: GeneratedPerson

    @property
    def seed_data(self) -> str:
        """Return the text that everything is generated from, for the provenance."""
        text = " ".join(f"{self.campaign.title}. {self.setting} {self.premise}".split())
        return text if len(text) <= 400 else f"{text[:399]}…"

    def sentence_about(self, noun: Noun) -> str:
        """Return the author's first sentence that names the noun; empty without one."""
        for text in (self.setting, self.premise):
            for paragraph in text.split("\n"):
                for sentence in sentences(paragraph):
                    if re.search(rf"\b{re.escape(noun.head)}", sentence, re.IGNORECASE):
                        return sentence
        return ""

    def paragraphs(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.setting.split("\n"))
        return tuple(line for line in lines if line and not line.startswith(("#", "-")))


def read_source(campaign: Campaign, pick: Pick, seed: int = 0) -> Source:
    """Read the author's text; what it leaves open is chosen by `pick`."""
    manifest = campaign.manifest
    setting, premise = campaign.setting, "\n\n".join(campaign.premise)
    text = f"{setting}\n\n{premise}\n\n{manifest.description}"
    nouns = find_nouns(text)
    here = find_nouns(premise)

    def one(kind: Kind, among: Sequence[Noun]) -> Noun:
        if among:
            return among[0]
        return Noun(pick(kind, WORDS.fallback_nouns[kind]))

    going = [noun for kind in ("fixture", "token", "place") for noun in nouns[kind] if noun.head in GOING]
    going.sort(key=lambda noun: (noun.plural, noun.head not in premise))
    fixture = one("fixture", going)
    belongings = [noun for noun in here["token"] or nouns["token"] if noun.head != fixture.head]
    tokens = sorted(belongings, key=lambda noun: noun.head not in SECRETIVE)
    dice = random.Random(_digest(f"{manifest.title}/{seed}"))
    cast = _cast(dice)
    words = frozenset(re.findall(r"[a-z]+", text.casefold()))
    absent = one("person", here["person"] or nouns["person"])
    return Source(
        campaign=campaign,
        setting=setting or manifest.description,
        premise=premise,
        start=_start(campaign, nouns["place"], pick),
        token=one("token", tokens),
        belongings=tuple(noun for noun in here["token"] if noun.head != fixture.head),
        fixture=fixture,
        furniture=next((noun for noun in nouns["fixture"] if noun.plural), Noun("chairs", plural=True)),
        weather=one("weather", nouns["weather"]),
        vessel=one("vessel", nouns["vessel"]),
        vessels=nouns["vessel"],
        absent=absent,
        trades=tuple(noun for noun in nouns["person"] if noun.head != absent.head),
        rule=next((match["said"].strip(" .") for match in _ITALIC.finditer(setting)), ""),
        time=next((match[0] for match in _TIME.finditer(text)), ""),
        outside="void" if words & WORDS.void_words else "water" if words & WORDS.water_words else "land",
        keeper=cast[0],
        waiting=cast[1],
        carrier=cast[2],
        kin=cast[3],
    )


def _start(campaign: Campaign, nouns: Sequence[Noun], pick: Pick) -> Noun:
    """Return the place the author names first, in a heading or in the text."""
    heading = re.match(r"#\s+(?:The )?(?P<name>[^\n]{3,40})", campaign.setting)
    if heading and (named := find_nouns(f"the {heading['name'].casefold()}")["place"]):
        return named[0]
    if nouns:
        return nouns[0]
    return Noun(pick("place", WORDS.fallback_nouns["place"]))


def _cast(dice: random.Random) -> tuple[GeneratedPerson, ...]:
    kinds = ["she", "he", "she", "he"]
    dice.shuffle(kinds)
    surnames = dice.sample(WORDS.surnames, len(kinds))
    names = {they: dice.sample(group, 2) for they, group in WORDS.first_names.items()}
    people = []
    for they, surname in zip(kinds, surnames, strict=True):
        name = f"{names[they].pop()} {surname}"
        them, their = ("her", "her") if they == "she" else ("him", "his")
        people.append(GeneratedPerson(name.casefold().replace(" ", "-"), name, they, them, their))
    return tuple(people)


def seeded_pick(title: str, seed: int) -> Pick:
    """Return a pick that gives the same answers for the same campaign and seed, in any order."""

    def pick(question: str, answers: Sequence[str]) -> str:
        return random.Random(_digest(f"{title}/{seed}/{question}")).choice(list(answers))

    return pick


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

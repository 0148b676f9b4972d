"""Casts a plot: the people the premise names first, then names for the others by kind of world."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import msgspec

from narratoria.campaign.enrich.kits import Kit, NamedSeed, PersonSeed, PlotSeed
from narratoria.campaign.enrich.likeness import measure_likeness
from narratoria.campaign.enrich.names_in_text import NamedPerson
from narratoria.campaign.enrich.nouns import LEXICON
from narratoria.campaign.enrich.premise import Premise, kinds_of_world
from narratoria.campaign.enrich.premise_words import WORDS

Pick: TypeAlias = Callable[[str, Sequence[str]], str]  # which question, and the answers there are
ROLE_WEIGHT, TONE_WEIGHT, CHANCE_WEIGHT = 0.3, 0.15, 0.05  # beside a likeness of at most 1
NOUN_WEIGHT, MOST_NOUNS = 0.15, 2  # of the premise's nouns that a plot is about
GROUND_WEIGHT = 10.0  # a plot for a ship is the last that is told of a lighthouse
PLOT = "plot"  # the question which story is told
MOST_NAMED = 2  # people of the premise for whom no plot has a part


class NameGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    she: tuple[str, ...]
    he: tuple[str, ...]
    surnames: tuple[str, ...]
    signs: frozenset[str] = frozenset()  # words of a premise whose people have such names


class NameLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines `data/names.json`."""

    about: str
    groups: dict[str, NameGroup]


@cache
def name_groups() -> Mapping[str, NameGroup]:
    content = files("narratoria.campaign.enrich").joinpath("data/names.json").read_bytes()
    return msgspec.json.decode(content, type=NameLists).groups


_BY_NAMES = frozenset(("big", "little", "old", "young", "tall", "fat", "the", "mad", "blind"))


@dataclass(frozen=True, slots=True)
class CastMember:
    """Somebody of the story, with a name and a pronoun."""

    key: str  # the letter that texts call them by
    name: str
    they: str
    seed: PersonSeed
    role: str = ""  # as the premise has it
    phrase: str = ""  # what the premise says of them: "your daughter", "the auditor"

    @property
    def id(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.name.casefold()).strip("-") or f"person-{self.key}"

    @property
    def first(self) -> str:
        """Return what others call them: the first name, or title and name."""
        words = self.name.split()
        if words[0].casefold() in _BY_NAMES:
            return self.name
        titled = (
            words[0].casefold().rstrip(".") in WORDS.titles or LEXICON.get(words[0].casefold()) == "person"
        )
        return f"{words[0]} {words[-1]}" if titled and len(words) > 1 else words[0]


@dataclass(frozen=True, slots=True)
class Cast:
    plot: PlotSeed
    members: tuple[CastMember, ...]
    named: tuple[tuple[CastMember, NamedSeed], ...]  # of the premise, without a part in the plot
    lost: str = ""  # a name for the one of several who is gone

    @property
    def people(self) -> tuple[CastMember, ...]:
        return (*self.members, *(member for member, _ in self.named))

    def has_everybody(self, premise: Premise) -> bool:
        """Return whether everybody whom the premise names, and who is there, has a part."""
        names = {member.name for member in self.people}
        return all(one.name in names for one in premise.people if not one.fate)


def rank_plots(premise: Premise, kit: Kit, seed: int) -> list[PlotSeed]:
    """Return the plots, the fittest first."""
    likeness = measure_likeness(premise.text, [plot.about for plot in kit.plots])
    scores = {}
    for plot, near in zip(kit.plots, likeness, strict=True):
        roles = {word for person in plot.people.values() for word in person.fits}
        asked = {*premise.person_nouns, *(one.role for one in premise.people)}
        chance = random.Random(digest(f"{premise.text}/{seed}/{plot.id}")).random()
        about = set(re.findall(r"[a-z]+", f"{plot.about} {plot.thing}".casefold()))
        shared = about & {noun.head.casefold() for noun in premise.nouns}
        score = near + ROLE_WEIGHT * min(2, len(roles & asked)) + TONE_WEIGHT * (plot.tone == premise.tone)
        score += NOUN_WEIGHT * min(MOST_NOUNS, len(shared))
        score -= GROUND_WEIGHT * (not suits_ground(plot.grounds, premise))
        # another seed is a wish for another story: then chance counts for more than likeness
        scores[plot.id] = score + chance * (CHANCE_WEIGHT if seed == 0 else 4)
    return sorted(kit.plots, key=lambda plot: -scores[plot.id])


def suits_ground(grounds: Collection[str], premise: Premise) -> bool:
    """Return whether a plot or a place can be where the premise plays."""
    return not grounds or premise.ground in grounds


def cast_plot(premise: Premise, kit: Kit, plot: PlotSeed, seed: int) -> Cast:
    """Give every part of the plot to somebody."""
    dice = random.Random(digest(f"{premise.campaign.title}/{premise.text}/{seed}/names"))
    parts: dict[str, NamedPerson] = {}
    over: list[NamedPerson] = []
    for one in (one for one in premise.people if not one.fate):
        if key := _part_for(one, plot, parts):
            parts[key] = one
        else:
            over.append(one)
    unnamed = [
        one
        for one in premise.unnamed
        if not one.fate and one.role not in {named.role for named in premise.people}
    ]
    for one in unnamed:
        if key := _part_for(one, plot, parts):
            parts[key] = one
        else:
            over.append(one)
    group = choose_names(premise)
    taken = {word.casefold() for word in premise.words}
    firsts = {they: shuffled(dice, getattr(group, they), taken) for they in ("she", "he")}
    surnames = shuffled(dice, group.surnames, taken)
    pronouns = ["she", "he"] * len(plot.people)
    if dice.random() < 0.5:
        pronouns.reverse()
    members = []
    for key, person in plot.people.items():
        drawn = person.they if person.they != "any" else pronouns.pop()
        if known := parts.get(key):
            they = known.they or drawn
            name = known.name or f"{firsts[they].pop()} {surnames.pop()}"
            members.append(CastMember(key, name, they, person, known.role, known.phrase))
        else:
            members.append(CastMember(key, f"{firsts[drawn].pop()} {surnames.pop()}", drawn, person))
    named = []
    for letter, one, extra in zip("xy", over[:MOST_NAMED], kit.named, strict=False):
        they = one.they or dice.choice(("she", "he"))
        name = one.name or f"{firsts[they].pop()} {surnames.pop()}"
        named.append((CastMember(letter, name, they, extra.person, one.role, one.phrase), extra))
    return Cast(plot, tuple(members), tuple(named))


def choose_names(premise: Premise) -> NameGroup:
    """Return the names of the country that the premise speaks of, else those of its kind of world."""
    groups = name_groups()
    signs = {name: len(group.signs & premise.words) for name, group in groups.items()}
    best = max(signs, key=lambda name: signs[name])
    return groups[best if signs[best] else kinds_of_world()[premise.kind].names]


def _part_for(one: NamedPerson, plot: PlotSeed, parts: Mapping[str, NamedPerson]) -> str:
    """Return the part that somebody of the premise can have; empty where their role fits none."""
    free = [key for key in plot.people if key not in parts]
    suits = [key for key in free if plot.people[key].they in ("any", one.they) or not one.they]
    return next((key for key in suits if one.role and one.role in plot.people[key].fits), "")


def shuffled(dice: random.Random, names: Sequence[str], taken: Collection[str]) -> list[str]:
    free = [name for name in names if name.casefold() not in taken]
    dice.shuffle(free)
    return free


def seeded_pick(title: str, seed: int) -> Pick:
    """Return a pick that gives the same answers for the same campaign and seed, in any order.

    Plots come with the fittest first, and that one is taken.
    """

    def pick(question: str, answers: Sequence[str]) -> str:
        if question == PLOT:
            return answers[0]
        return random.Random(digest(f"{title}/{seed}/{question}")).choice(list(answers))

    return pick


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

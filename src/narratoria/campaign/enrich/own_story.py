"""Casts a story of the premise's own trouble: its people first, then those of its groups, then bystanders."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from narratoria.campaign.enrich.casting import (
    CHANCE_WEIGHT,
    TONE_WEIGHT,
    Cast,
    CastMember,
    choose_names,
    digest,
    name_groups,
    shuffled,
)
from narratoria.campaign.enrich.kits import Kit, PlotSeed, load_own_kits
from narratoria.campaign.enrich.likeness import measure_likeness
from narratoria.campaign.enrich.names_in_text import NamedPerson
from narratoria.campaign.enrich.premise import Premise

NEAR = 0.5  # likeness of a kit's story from which it is near enough to be told of a premise
LEAST_WORDS = 25  # of a premise that has a trouble of its own
NOBODY = "nobody"  # of a premise: the part is for somebody of the player's own kind
SIGN_WEIGHT, MOST_SIGNS = 0.3, 3
_PARENTS = frozenset(
    [
        "mother",
        "father",
        "mum",
        "mom",
        "mam",
        "dad",
        "grandmother",
        "grandfather",
        "grandma",
        "grandpa",
        "nan",
        "granny",
    ]
)
_NAMELESS = re.compile(
    r"\b(?:will not|won['’]t|does not|has not) (?:give|say|told?) (?:his|her|a|their) name\b"
)
_BY_GIVEN_NAME = frozenset(
    ["sister", "brother", "twin", "cousin", "child", "kid", "girl", "boy", "pupil", "grader"]
)
_UNPEOPLED = frozenset(("people", "crew", "humans", "persons"))


def has_own_trouble(premise: Premise) -> bool:
    """Return whether a premise says enough for a story of its own."""
    # who has written a setting has said what kind of world it is, and a kit of that kind is told in it
    is_bare = not premise.campaign.setting
    return is_bare and len(premise.premise.split()) >= LEAST_WORDS and bool(premise.trouble.sentence)


def rank_own_kits(premise: Premise, seed: int) -> list[Kit]:
    """Return the kits whose trouble is that of the premise, the fittest first."""
    kits = [kit for kit in load_own_kits() if _has_what_it_needs(premise, kit.plots[0])]
    likeness = measure_likeness(premise.text, [kit.plots[0].about for kit in kits])
    scores = {}
    for kit, near in zip(kits, likeness, strict=True):
        plot = kit.plots[0]
        signs = count_signs(premise, plot)
        chance = random.Random(digest(f"{premise.text}/{seed}/{kit.kind}")).random()
        score = near + SIGN_WEIGHT * min(MOST_SIGNS, signs) + TONE_WEIGHT * (plot.tone == premise.tone)
        scores[kit.kind] = score + chance * (CHANCE_WEIGHT if seed == 0 else 4)
    return sorted(kits, key=lambda kit: -scores[kit.kind])


def count_signs(premise: Premise, plot: PlotSeed) -> int:
    """Return how many words of the premise speak of the trouble that a plot is about."""
    patterns = (rf"\b(?:{sign})\b" for sign in plot.signs)
    return sum(bool(re.search(pattern, premise.text, re.IGNORECASE)) for pattern in patterns)


def speaks_of_trouble(premise: Premise, plot: PlotSeed) -> bool:
    """Return whether a premise speaks of the plot's trouble, or the plot is about any."""
    return not plot.signs or count_signs(premise, plot) > 0


def _has_what_it_needs(premise: Premise, plot: PlotSeed) -> bool:
    trouble = premise.trouble
    has = {
        "lost": trouble.lost,
        "dead": trouble.dead,
        "when": trouble.when,
        "event": premise.event,
        "matter": trouble.matter,
        "sign": count_signs(premise, plot),
    }
    return all(has[need] for need in plot.needs)


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    they: str
    role: str = ""
    phrase: str = ""


def cast_own_plot(premise: Premise, kit: Kit, seed: int) -> Cast:
    """Give the parts of a story to the people of the premise, and what is left to bystanders."""
    plot = kit.plots[0]
    dice = random.Random(digest(f"{premise.campaign.title}/{premise.text}/{seed}/names"))
    is_unpeopled = bool(_UNPEOPLED.intersection(premise.absences))
    group = name_groups()["minds"] if is_unpeopled else choose_names(premise)
    if group is name_groups()["things"]:  # what stands on a shelf among people is not named after it
        group = name_groups()["modern"]
    taken = {word.casefold() for word in premise.words}
    firsts = {they: shuffled(dice, getattr(group, they), taken) for they in ("she", "he")}
    surnames = [] if is_unpeopled else shuffled(dice, group.surnames, taken)
    turns = ["she", "he"] * 8
    if dice.random() < 0.5:
        turns.reverse()

    def name_somebody(they: str, surname: str = "") -> str:
        of_family = next((one for one in name_groups().values() if surname in one.surnames), None)
        if of_family:
            return f"{shuffled(dice, getattr(of_family, they), taken)[0]} {surname}"
        return f"{firsts[they].pop()} {surname or (surnames.pop() if surnames else '')}".strip()

    reserved = [key for key, one in plot.people.items() if NOBODY in one.fits]
    most = len(plot.people) - len(reserved)
    parts = []
    for one in _people_who_can_be_met(premise):
        they = one.they or turns.pop()
        parts.append(_Part(one.name or _unnamed(one) or name_somebody(they), they, one.role, one.phrase))
    for crowd in premise.groups:
        for _ in range(crowd.count):
            if len(parts) < most:
                they = crowd.they or turns.pop()
                # of sisters and of children the given name is enough
                name = name_somebody(they, crowd.surname)
                name = name if crowd.surname or crowd.noun not in _BY_GIVEN_NAME else name.split()[0]
                parts.append(_Part(name, they, crowd.noun, crowd.phrase))
    while len(parts) < most:
        they = turns.pop()
        parts.append(_Part(name_somebody(they), they))
    parts = parts[:most]
    own = name_groups()["things"] if premise.body == "thing" else group
    for they in turns[: len(reserved)]:
        parts.append(_Part(shuffled(dice, getattr(own, they), taken)[0], they, NOBODY))
    if is_unpeopled:
        parts = [replace(part, they="it") for part in parts]
    chosen = _assign_parts(plot, parts)
    members = tuple(
        CastMember(key, part.name, part.they, plot.people[key], part.role.removeprefix(NOBODY), part.phrase)
        for key, part in chosen.items()
    )
    return Cast(plot, members, (), lost=firsts[dice.choice(("she", "he"))].pop())


def _assign_parts(plot: PlotSeed, parts: Sequence[_Part]) -> Mapping[str, _Part]:
    """Return who has which part: those first whose role goes with one, then the others in their order."""
    chosen: dict[str, _Part] = {}
    waiting = list(parts)
    for part in tuple(waiting):
        words = {part.role, *part.phrase.split()}
        free = (key for key in plot.people if key not in chosen)
        key = next((key for key in free if words.intersection(plot.people[key].fits)), "")
        if key:
            chosen[key] = part
            waiting.remove(part)
    free = (key for key in plot.people if key not in chosen)
    chosen |= dict(zip(free, waiting, strict=True))
    return {key: chosen[key] for key in plot.people}


def _people_who_can_be_met(premise: Premise) -> Iterator[NamedPerson]:
    roles = {one.role for one in premise.people}
    yield from (one for one in premise.people if not one.fate)
    yield from (one for one in premise.unnamed if not one.fate and one.role not in roles)


def _unnamed(one: NamedPerson) -> str:
    """Return how somebody is called who has no name in the story either: "Mother", "The Monk"."""
    if one.role in _PARENTS and one.phrase.startswith("your"):
        return one.role.capitalize()
    return f"The {one.role.capitalize()}" if _NAMELESS.search(one.phrase) else ""

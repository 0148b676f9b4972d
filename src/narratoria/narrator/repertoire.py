"""Loads the repertoire, short happenings written by hand for an act and an outcome, and picks the fittest."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.narrator.effect_types import Effect, parse_effect

Outcome: TypeAlias = Literal["none", "success", "partial", "failure"]
Feeling: TypeAlias = Literal["any", "warm", "neutral", "cold", "afraid", "grieving", "angry"]
RESTED = 300  # turns before a unit may be used again while another fits
SLOT = re.compile(r"\{([A-Za-z_ ]+)\}")
MANNERS = frozenset(
    {"dry", "shy", "proud", "kind", "sly", "devout", "tired", "childish", "official", "sharp", "strong"}
    | {"gruff", "merry", "learned", "any"}
)
WORLDS = frozenset(
    {"any", "indoors", "outdoors", "sea", "space", "court", "village", "city", "wilderness", "school"}
    | {"work", "magic", "horror", "night", "crowd"}
)


class Who(msgspec.Struct, frozen=True):
    """The person a unit is for: one of these manners, in this feeling towards the player."""

    manner: tuple[str, ...] = ("any",)
    feeling: Feeling = "any"


@dataclass(frozen=True, slots=True)
class Unit:
    """One happening that answers an act: what is told, what changes, and what is true afterwards."""

    id: str
    acts: tuple[str, ...]
    outcome: Outcome
    text: str
    fact: str
    who: Who | None = None  # None: it happens without anybody taking part
    absent: bool = False  # the person meant is not here
    world: tuple[str, ...] = ("any",)
    thing: str = ""  # "known", "carried", "unknown": what the object must be; empty where there need be none
    evidence: str = ""  # "given": the text has a place for a quotation; "none", "withheld"
    needs_lead: bool = False  # somebody else who may know must be known
    effects: tuple[Effect, ...] = ()
    source: str = ""  # file and line

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(SLOT.findall(f"{self.text} {self.fact}"))


@dataclass(frozen=True, slots=True)
class UnitSituation:
    """What a unit must fit: who is met, what is used, where, and what was looked up."""

    act: str
    outcome: Outcome = "none"
    has_person: bool = False
    absent: bool = False
    manners: frozenset[str] = frozenset()
    feeling: str = "neutral"
    world: frozenset[str] = frozenset()
    thing: str = ""  # "", "known", "carried", "unknown"
    evidence: str = ""  # "", "given", "none", "withheld"
    has_lead: bool = False
    slots: Mapping[str, str] = field(default_factory=dict)


@cache
def load_repertoire() -> tuple[Unit, ...]:
    """Return every unit that ships, in the order of its files."""
    folder = files("narratoria.narrator").joinpath("repertoire_data")
    found = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".jsonl")), key=lambda one: one.name
    )
    return tuple(
        unit for entry in found for unit in read_units(entry.read_text(encoding="utf-8"), entry.name)
    )


def load_campaign_units(folder: Path) -> tuple[Unit, ...]:
    """Return the units of a campaign's own `repertoire/` folder; what cannot be read is left out."""
    units: list[Unit] = []
    for path in sorted(folder.glob("repertoire/*.jsonl")):
        try:
            units += read_units(path.read_text(encoding="utf-8"), path.name, strict=False)
        except (OSError, UnicodeDecodeError):
            continue
    return tuple(units)


def read_units(text: str, name: str, *, strict: bool = True) -> list[Unit]:
    """Return the units of a JSON-lines text; ValueError with file and line for one that is wrong."""
    units = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            units.append(parse_unit(json.loads(line), f"{name}:{number}"))
        except (ValueError, KeyError, TypeError, msgspec.ValidationError) as error:
            if strict:
                raise ValueError(f"{name}:{number}: {error}") from None
    return units


def parse_unit(document: Mapping[str, Any], source: str) -> Unit:
    """Return a unit as the data files write it; ValueError says what is wrong."""
    text, fact = str(document["text"]), str(document["fact"])
    act = document["act"]
    who = document.get("who")
    world = document.get("world", "any")
    return Unit(
        id=str(document.get("id") or hashlib.sha256(text.encode()).hexdigest()[:10]),
        acts=(act,) if isinstance(act, str) else tuple(act),
        outcome=document.get("outcome", "none"),
        text=text,
        fact=fact,
        who=msgspec.convert(who, Who) if isinstance(who, dict) else None,
        absent=who == "absent",
        world=(world,) if isinstance(world, str) else tuple(world),
        thing=str(document.get("thing") or ""),
        evidence=str(document.get("evidence") or ""),
        needs_lead=document.get("lead") == "required",
        effects=tuple(parse_effect(effect) for effect in document.get("effects") or ()),
        source=source,
    )


def pick_unit(
    units: Iterable[Unit], situation: UnitSituation, used: Mapping[str, int], turn: int, seed: object
) -> Unit | None:
    """Return the unit that fits best among those not used lately; None where nothing fits.

    Fit counts more than freshness only where nothing fresh fits at all; ties are drawn by the seed.
    """
    fitting = [(score, unit) for unit in units if (score := _fit(unit, situation)) is not None]
    if not fitting:
        return None
    fresh = [one for one in fitting if turn - used.get(one[1].id, -RESTED - 1) > RESTED]
    if not fresh:
        longest = min(used.get(unit.id, 0) for _, unit in fitting)
        fresh = [one for one in fitting if used.get(one[1].id, 0) == longest]
    best = max(score for score, _ in fresh)
    near = sorted((unit for score, unit in fresh if score >= best - 0.5), key=lambda unit: unit.id)
    return random.Random(f"{seed}/{situation.act}/{turn}").choice(near)


def _fit(unit: Unit, wanted: UnitSituation) -> float | None:
    """Return how well a unit fits, or None where it does not."""
    if not _applies(unit, wanted):
        return None
    score = 0.5 * unit.needs_lead
    if unit.who is not None:
        score += 1.0 + ("any" not in unit.who.manner) + 0.75 * (unit.who.feeling != "any")
    elif wanted.has_person and not unit.absent:
        score -= 1.5  # somebody is spoken to and would say something
    return score + 0.75 * (unit.thing not in ("", "any")) + 0.5 * ("any" not in unit.world)


def _applies(unit: Unit, wanted: UnitSituation) -> bool:
    """Return whether everything a unit asks for is so."""
    return (
        wanted.act in unit.acts
        and unit.outcome == wanted.outcome
        and unit.absent == wanted.absent
        and unit.evidence == wanted.evidence
        and (wanted.has_lead or not unit.needs_lead)
        and (unit.who is None or _suits(unit.who, wanted))
        and (unit.thing in ("", "any", wanted.thing) or (unit.thing == "known" and wanted.thing == "carried"))
        and ("any" in unit.world or bool(wanted.world.intersection(unit.world)))
        and all(_slot_name(slot) in _known_slots(wanted) for slot in unit.slots)
    )


def _suits(who: Who, wanted: UnitSituation) -> bool:
    return (
        wanted.has_person
        and ("any" in who.manner or bool(wanted.manners.intersection(who.manner)))
        and who.feeling in ("any", wanted.feeling)
    )


def _slot_name(slot: str) -> str:
    return slot.casefold() if slot.casefold() in ("they", "their", "the thing", "a thing") else slot


def _known_slots(wanted: UnitSituation) -> frozenset[str]:
    return frozenset(name for name, value in wanted.slots.items() if value)


def fill_slots(text: str, slots: Mapping[str, str]) -> str:
    """Return a unit's text with its slots filled, sentences beginning with a capital."""
    filled = SLOT.sub(lambda match: slots.get(match[1], slots.get(match[1].casefold(), match[0])), text)
    filled = re.sub(r"(^|[.!?]\s+|[.]”\s+)([a-z])", lambda match: match[1] + match[2].upper(), filled)
    return re.sub(r"\s{2,}", " ", filled)


def person_slots(name: str, short: str, pronoun: str) -> dict[str, str]:
    """Return the slots that stand for somebody: name, pronouns, and the verb endings that go with them."""
    they, them, their, themself = {
        "he": ("he", "him", "his", "himself"),
        "she": ("she", "her", "her", "herself"),
        "it": ("it", "it", "its", "itself"),
    }.get(pronoun, ("they", "them", "their", "themselves"))
    plural = they == "they"
    return {
        "name": name,
        "short": short,
        "they": they,
        "They": they.capitalize(),
        "them": them,
        "their": their,
        "Their": their.capitalize(),
        "themself": themself,
        "s": "" if plural else "s",
        "es": "" if plural else "es",
        "are": "are" if plural else "is",
        "have": "have" if plural else "has",
        "do": "do" if plural else "does",
        "were": "were" if plural else "was",
    }


def thing_slots(name: str, *, carried: bool = False) -> dict[str, str]:
    """Return the slots that stand for an object: bare, and with an article."""
    bare = strip_article(name)
    if not bare:
        return {}
    proper = bare[:1].isupper()
    article = "an" if bare[:1].casefold() in "aeiou" else "a"
    plural = bare.endswith("s") and not bare.endswith(("ss", "us"))
    return {
        "thing": bare,
        "the thing": bare if proper else f"your {bare}" if carried else f"the {bare}",
        "a thing": bare if proper or plural else f"{article} {bare}",
    }


def used_after(used: Mapping[str, int], units: Sequence[str], turn: int) -> dict[str, int]:
    """Return which units were used and when, after one more turn."""
    return {**used, **dict.fromkeys(units, turn)}


def strip_article(name: str) -> str:
    """Return the name of an object without its article or possessive."""
    return re.sub(r"^(?:the|a|an|some|my|your|his|her|their)\s+", "", name.strip(), flags=re.IGNORECASE)

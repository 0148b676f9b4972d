"""Loads the repertoire, short happenings written by hand for an act and an outcome, and picks the fittest."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.contracts.content_limits import Content
from narratoria.narrator.abilities import ABILITIES, Ability, find_needs
from narratoria.narrator.effect_types import Effect, parse_effect

Outcome: TypeAlias = Literal["none", "success", "partial", "failure"]
Feeling: TypeAlias = Literal["any", "warm", "neutral", "cold", "afraid", "grieving", "angry"]
ANY_DEED = "do"  # stands for every act that is done with the body
RESTED = 300  # turns before a unit may be used again while another fits
ENDINGS = frozenset(("s", "es", "ts", "tes"))  # of verbs, empty after a plural
DEED_WEIGHT, DEADLY_WEIGHT = 2.0, 3.0  # of a unit that tells the deed itself; of a death that is meant
LEAD_WEIGHT = 6.0  # of one that says who may know what somebody does not
KIND_WEIGHT = 4.0  # of a unit that is for this kind of the act
SUITED_WEIGHT = 3.0  # of how well a unit suits the player's words, beside the one that suits best
WAYS_WEIGHT = 6.0  # of one that says where one can go
MATTER_WEIGHT = 0.5  # of one that says what was spoken of
PERSON_WEIGHT = 10.0  # of one that an author wrote for this very person
CAMPAIGN_WEIGHT = 8.0  # of one that an author wrote for this campaign, whoever is there
BYSTANDER_WEIGHT = 2.0  # of one in which whoever stands by has a part
DENIAL_WEIGHT = 5.0  # of one that says that a thing is not there, where it is not
UNABLE_WEIGHT = 2.0  # of one for somebody who cannot do something
CLAIM_WEIGHT = 4.0  # by which a unit that claims more than is known stands behind one that does not
GRADE_WEIGHT = 0.7  # of one more of ten typed lines that a unit answers
UNGRADED = 6  # of ten: where no reader has said so
LIGHT_WEIGHT = 1.5  # by which a light unit stands behind one for any story
SLOT = re.compile(r"\{([A-Za-z_ ]+)\}")
_OTHERS = re.compile(  # somebody whom a unit without a person speaks of all the same
    r"“|\b(?:the owner|the others|somebody|someone) \w+s\b|\b(?:a|another) voice\b|\ball eyes\b|"
    r"\bheads? turns?\b",
    re.IGNORECASE,
)
_IT_AS_SUBJECT = re.compile(
    r"\{it\}(?= (?:\{(?:is|was|has)\}|[a-z]+\{(?:ts|tes)\}|"
    r"(?:could|can|would|will|may|might|must|should|had)\b))"
)
MANNERS = frozenset(
    {"dry", "shy", "proud", "kind", "sly", "devout", "tired", "childish", "official", "sharp", "strong"}
    | {"gruff", "merry", "learned", "any"}
)
WORLDS = frozenset(
    {"any", "indoors", "outdoors", "sea", "space", "court", "village", "city", "wilderness", "school"}
    | {"work", "magic", "horror", "night", "crowd"}
)


class Who(msgspec.Struct, frozen=True):
    """The person a unit is for: one by name, or one of these manners, in this feeling towards the player."""

    person: str = ""  # the id of somebody in the campaign; empty: anybody
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
    kind: str = ""  # of the act, such as "threaten/exposure"; empty: for every kind of it
    who: Who | None = None  # None: it happens without anybody taking part
    absent: bool = False  # the person meant is not here
    alone: bool = False  # nobody is here at all
    world: tuple[str, ...] = ("any",)
    thing: str = ""  # "known", "carried", "unknown": what the object must be; empty where there need be none
    evidence: str = ""  # "given", "again": the text has a place for a quotation; "none", "withheld", "own"
    needs_lead: bool = False  # somebody else who may know must be known
    effects: tuple[Effect, ...] = ()
    tone: str = ""  # "light": only for stories that are not grave
    cannot: frozenset[Ability] = frozenset()  # it is for somebody who cannot do these
    claims: bool = False  # it says more of a person or a place than is known
    of_campaign: bool = False  # the campaign's author wrote it; it does not ship for every story
    grade: int = UNGRADED  # of ten typed lines of its act and kind, those that it answers
    when: frozenset[str] = frozenset()  # flags of the story that must all be set
    unless: frozenset[str] = frozenset()  # flags of which none may be set
    source: str = ""  # file and line
    content: Content = field(default_factory=dict)  # what it holds that a player may not want

    @property
    def person(self) -> str:
        """Return the id of the one person it is for; empty where it is for anybody or nobody."""
        return self.who.person if self.who else ""

    def is_open(self, flags: AbstractSet[str]) -> bool:
        """Return whether it can be told in a story where these flags are set."""
        return self.when <= flags and not (self.unless & flags)

    @property
    def is_deadly(self) -> bool:
        return any(effect.kind == "dies" for effect in self.effects)

    @property
    def tells_deed(self) -> bool:
        """Return whether it begins with what the player does, in the player's own words."""
        return "{deed}" in self.text or "{try}" in self.text

    @property
    def needs(self) -> frozenset[Ability]:
        """Return what the person in it must be able to do."""
        return find_needs(self.text) if self.who is not None else frozenset()

    @property
    def tells_of_others(self) -> bool:
        """Return whether somebody besides the player says or does something in it."""
        return self.who is not None or (not self.alone and _OTHERS.search(self.text) is not None)

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(SLOT.findall(f"{self.text} {self.fact}"))


@dataclass(frozen=True, slots=True)
class UnitSituation:
    """The situation a unit must fit: the person, the thing, the place, and the evidence there is."""

    act: str
    kind: str = ""  # of the act
    suited: Mapping[str, float] = field(default_factory=dict)  # units by how well each suits the words
    outcome: Outcome = "none"
    has_person: bool = False
    absent: bool = False
    person: str = ""  # the id of who takes part
    manners: frozenset[str] = frozenset()
    cannot: frozenset[Ability] = frozenset()  # what the person is unable to do
    feeling: str = "neutral"
    world: frozenset[str] = frozenset()
    thing: str = ""  # "", "known", "carried", "unknown"
    evidence: str = ""  # "", "given", "again", "none", "withheld", "own"
    has_lead: bool = False
    is_deadly: bool = False  # the player means somebody to die
    is_light: bool = False  # the story is a light one
    is_alone: bool = False  # nobody is here
    is_addressed: bool = True  # the act is done to the person, who does not merely stand by
    slots: Mapping[str, str] = field(default_factory=dict)


@cache
def load_repertoire() -> tuple[Unit, ...]:
    """Return every unit that ships, in the order of its files."""
    folder = files("narratoria.narrator").joinpath("repertoire_data")
    entries = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".jsonl")), key=lambda one: one.name
    )
    return tuple(
        unit for entry in entries for unit in read_units(entry.read_text(encoding="utf-8"), entry.name)
    )


def load_campaign_units(folder: Path) -> tuple[Unit, ...]:
    """Return the units of a campaign's own `repertoire/` folder; what cannot be read is left out."""
    units: list[Unit] = []
    for path in sorted(folder.glob("repertoire/*.jsonl")):
        try:
            read = read_units(path.read_text(encoding="utf-8"), path.name, strict=False)
            units += (replace(unit, of_campaign=True) for unit in read)
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
        kind=str(document.get("kind") or ""),
        who=msgspec.convert(who, Who) if isinstance(who, dict) else None,
        absent=who == "absent",
        alone=who == "nobody",
        world=(world,) if isinstance(world, str) else tuple(world),
        thing=str(document.get("thing") or ""),
        evidence=str(document.get("evidence") or ""),
        needs_lead=document.get("lead") == "required",
        tone=str(document.get("tone") or ""),
        claims=document.get("claims") is True,
        grade=int(document.get("grade", UNGRADED)),
        when=frozenset(document.get("when", ())),
        unless=frozenset(document.get("unless", ())),
        cannot=frozenset(name for name in ABILITIES if name in document.get("cannot", ())),
        effects=tuple(parse_effect(effect) for effect in document.get("effects") or ()),
        source=source,
    )


def pick_unit(
    units: Iterable[Unit], situation: UnitSituation, last_turns: Mapping[str, int], turn: int, seed: object
) -> Unit | None:
    """Return the unit that fits best among those not used lately; None where nothing fits.

    Fit counts more than freshness only where nothing fresh fits at all; ties are drawn by the seed.
    """
    candidates = [(score, unit) for unit in units if (score := measure_fit(unit, situation)) is not None]
    if not candidates:
        return None
    fresh = [one for one in candidates if turn - last_turns.get(one[1].id, -RESTED - 1) > RESTED]
    if not fresh:
        oldest_turn = min(last_turns.get(unit.id, 0) for _, unit in candidates)
        fresh = [one for one in candidates if last_turns.get(one[1].id, 0) == oldest_turn]
    best = max(score for score, _ in fresh)
    near = sorted((unit for score, unit in fresh if score >= best - 0.5), key=lambda unit: unit.id)
    return random.Random(f"{seed}/{situation.act}/{turn}").choice(near)


def measure_fit(unit: Unit, situation: UnitSituation) -> float | None:
    """Return how well a unit fits, or None where it does not."""
    if not _applies(unit, situation):
        return None
    score = (
        LEAD_WEIGHT * unit.needs_lead
        # who does not know a thing says so, whatever kind of thing it is
        + KIND_WEIGHT * bool(unit.kind and unit.kind == situation.kind and situation.evidence != "none")
        + SUITED_WEIGHT * situation.suited.get(unit.id, 0.0)
        + MATTER_WEIGHT * ("{matter}" in unit.text)
        + WAYS_WEIGHT * ("{ways}" in unit.text)
        - LIGHT_WEIGHT * (unit.tone == "light")
        - CLAIM_WEIGHT * unit.claims
        + GRADE_WEIGHT * (unit.grade - UNGRADED)
        + DEED_WEIGHT * unit.tells_deed
        + DEADLY_WEIGHT * unit.is_deadly
    )
    score += UNABLE_WEIGHT * len(unit.cannot) + CAMPAIGN_WEIGHT * (unit.of_campaign and not unit.person)
    if unit.who is not None:
        score += BYSTANDER_WEIGHT * (not situation.is_addressed)
        # what somebody says speaks for itself: the same few frames of a manner would stand round all of it
        is_framed = situation.evidence in ("given", "again")
        score += 1.0 + ("any" not in unit.who.manner and not is_framed) + 0.75 * (unit.who.feeling != "any")
        score += PERSON_WEIGHT * bool(unit.person)
    elif situation.has_person and situation.is_addressed and not unit.absent:
        score -= 1.5  # somebody is spoken to and would say something
    is_denial = situation.thing == "unknown" and unit.thing == "unknown"
    score += DENIAL_WEIGHT * is_denial
    return score + 0.75 * (unit.thing not in ("", "any")) + 0.5 * ("any" not in unit.world)


def _applies(unit: Unit, situation: UnitSituation) -> bool:
    """Return whether everything a unit asks for is so."""
    return (
        situation.act in unit.acts
        and unit.kind in ("", situation.kind)
        and unit.outcome == situation.outcome
        and unit.absent == situation.absent
        and (situation.is_alone or not unit.alone)
        and not (situation.is_alone and not unit.absent and unit.tells_of_others)
        and _suits_evidence(unit, situation)
        and (situation.has_lead or not unit.needs_lead)
        and (situation.is_deadly or not unit.is_deadly)
        and (situation.is_light or unit.tone != "light")
        and (unit.who is None or _suits(unit.who, situation))
        and unit.cannot <= situation.cannot
        and not (situation.cannot and situation.cannot & unit.needs)
        and _suits_thing(unit, situation)
        and ("any" in unit.world or bool(situation.world.intersection(unit.world)))
        and all(_slot_name(slot) in _known_slots(situation) for slot in unit.slots)
    )


def _suits(who: Who, situation: UnitSituation) -> bool:
    return (
        situation.has_person
        and who.person in ("", situation.person)
        and ("any" in who.manner or bool(situation.manners.intersection(who.manner)))
        and who.feeling in ("any", situation.feeling)
    )


def _suits_evidence(unit: Unit, situation: UnitSituation) -> bool:
    """Return whether a unit is for what is known; what an author lets one person withhold is theirs.

    That is a kind of question; to any other, nobody is silent who has nothing to hide.
    """
    is_withheld = situation.evidence == "own" and unit.evidence == "withheld"
    is_for_one = is_withheld and bool(unit.person) and bool(unit.kind)
    return is_for_one or unit.evidence == situation.evidence


def _suits_thing(unit: Unit, situation: UnitSituation) -> bool:
    """Return whether a unit is for such an object; nothing is done with what is not there."""
    if situation.thing == "unknown":
        return unit.thing == "unknown" or (unit.thing in ("", "any") and not unit.tells_deed)
    return unit.thing in ("", "any", situation.thing) or (
        unit.thing == "known" and situation.thing == "carried"
    )


def _slot_name(slot: str) -> str:
    return slot.casefold() if slot.casefold() in ("they", "their", "the thing", "a thing") else slot


def _known_slots(situation: UnitSituation) -> frozenset[str]:
    """Return the slots that can be filled; an ending may be filled with nothing."""
    return frozenset(name for name, value in situation.slots.items() if value or name in ENDINGS)


def fill_slots(text: str, slots: Mapping[str, str]) -> str:
    """Return a unit's text with its slots filled, sentences beginning with a capital."""
    subject = "they" if slots.get("it") == "them" else slots.get("it", "it")
    text = _IT_AS_SUBJECT.sub(subject, text)
    result = SLOT.sub(lambda match: slots.get(match[1], slots.get(match[1].casefold(), match[0])), text)
    result = re.sub(
        r"((?:^|[.!?]\s+|[.]”\s+)“?|[?!]”\s+“)([a-z])", lambda match: match[1] + match[2].upper(), result
    )
    return re.sub(r"\s{2,}", " ", result)


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
        "ies": "y" if plural else "ies",
        "are": "are" if plural else "is",
        "have": "have" if plural else "has",
        "do": "do" if plural else "does",
        "were": "were" if plural else "was",
    }


def thing_slots(name: str, *, is_carried: bool = False) -> dict[str, str]:
    """Return the slots that stand for an object: bare, with an article, and verbs that agree with it."""
    bare = strip_article(name)
    if not bare:
        return {}
    proper = bare[:1].isupper()
    article = "an" if bare[:1].casefold() in "aeiou" else "a"
    head = bare.split(" of ")[0]
    plural = head.endswith("s") and not head.endswith(("ss", "us", "is", "lens", "news"))
    return {
        "thing": bare,
        "the thing": bare if proper else f"your {bare}" if is_carried else f"the {bare}",
        "a thing": bare if proper or plural else f"{article} {bare}",
        "it": "them" if plural else "it",
        "is": "are" if plural else "is",
        "was": "were" if plural else "was",
        "has": "have" if plural else "has",
        "ts": "" if plural else "s",
        "tes": "" if plural else "es",
        "ties": "y" if plural else "ies",
    }


def strip_article(name: str) -> str:
    """Return the name of an object without its article or possessive."""
    return re.sub(r"^(?:the|a|an|some|my|your|his|her|their)\s+", "", name.strip(), flags=re.IGNORECASE)

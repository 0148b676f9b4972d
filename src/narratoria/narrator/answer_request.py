"""Defines what is to be answered: an act, the place and the people it is done before, and the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from narratoria.narrator.abilities import Ability
from narratoria.narrator.effect_types import Effect
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.repertoire import Outcome, Unit


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who is here, as far as an answer needs to know them."""

    id: str
    name: str
    short: str
    pronoun: str = "they"
    manners: frozenset[str] = frozenset()
    feeling: str = "neutral"
    cannot: frozenset[Ability] = frozenset()  # what they are unable to do


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """The place an answer is given at, the people who hear it, and the units at hand."""

    place: str  # as in a sentence
    units: Sequence[Unit]
    people: Mapping[str, Listener] = field(default_factory=dict)
    last_seen: Mapping[str, str] = field(
        default_factory=dict
    )  # of people elsewhere: the place, in a sentence
    names: Mapping[str, str] = field(default_factory=dict)  # of everybody the story knows
    world: frozenset[str] = frozenset()
    items: tuple[str, ...] = ()  # what the player carries
    used: Mapping[str, int] = field(default_factory=dict)  # units, and the turn of each
    turn: int = 1
    seed: str = ""
    journal: tuple[str, ...] = ()  # what happened, the latest last
    offers: tuple[str, ...] = ()  # what could be done next, each as "go to the mill"
    premise: tuple[str, ...] = ()  # what the player was told at the beginning
    ways: tuple[str, ...] = ()  # the places next door, each in a sentence
    onward: str = ""  # the one of them that leads to something, if any does
    is_light: bool = False  # the story is a light one
    outside: str = ""  # the place next door, in a sentence: where one is who is driven out


class AnswerRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One act to be answered: what it is done to, how it ended, and the evidence that bears on it."""

    act: str
    kind: str = ""  # of the act
    suited: dict[str, float] = {}  # units by how well each suits the words
    matter: str = ""  # what is spoken of, as whoever hears it would say it back
    person: str = ""  # an id
    person_text: str = ""  # as the player named somebody the story does not know
    thing: str = ""
    is_thing_known: bool = False
    is_thing_likely: bool = False  # nobody would wonder that it is at hand
    topic: str = ""
    words: str = ""  # as the player typed it
    bystander: str = ""  # the id of somebody who sees it, where it is done to nobody
    outcome: Outcome = "none"
    evidence: tuple[Evidence, ...] = ()  # best first
    own: Evidence | None = None  # what the person would say to it
    is_trusted: bool = False  # secrets are told too
    is_deadly: bool = False  # it is an attack that means somebody to die


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The text of an answer, the sentence that is true afterwards, its effects and its source."""

    text: str
    fact: str
    source: str  # "unit:ID" or "evidence:ID"
    effects: tuple[Effect, ...] = ()
    evidence: tuple[str, ...] = ()  # ids
    units: tuple[str, ...] = ()
    is_attempt: bool = False  # it was tried, and failed
    is_evasion: bool = False  # whoever was asked does not know it, or does not say it
    fit: float = 0.0  # of the unit, to the situation
    parts: tuple[Answer, ...] = ()  # the answers it was joined from
    limit_note: str = ""  # which content limit turned it aside, in a line

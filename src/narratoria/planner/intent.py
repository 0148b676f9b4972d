"""Defines what a player means: an intent, the acts it can name, and what it can point at."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

from narratoria.contracts.content_limits import ContentKind, ContentLevel

Needs: TypeAlias = Literal["person", "thing", "place", "none"]
Risk: TypeAlias = Literal["never", "opposed", "always"]
Pronoun: TypeAlias = Literal["he", "she", "it", "they"]


class Act(msgspec.Struct, frozen=True):
    """One kind of thing a player can do, as `data/acts.toml` lists it."""

    about: str
    needs: Needs
    risk: Risk
    minutes: int
    examples: tuple[str, ...]
    content: dict[ContentKind, ContentLevel] = {}  # what it holds that a player may not want


class Mention(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the player's words point at; `id` is empty where the story knows nothing of the kind."""

    text: str  # as the player said it
    id: str = ""
    name: str = ""  # as the story calls it

    @property
    def is_known(self) -> bool:
        return bool(self.id)


class Intent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One act of the player's words, with what it is done to."""

    act: str
    text: str  # the words it was read from
    person: Mention | None = None
    thing: Mention | None = None
    place: Mention | None = None
    topic: str = ""  # what is asked, told or thought about
    kind: str = ""  # of the act, such as "threaten/exposure"; empty where it is of no kind in particular
    matter: str = ""  # what is spoken of, as whoever hears it would say it back: "my brother"
    confidence: float = 1.0


class Question(msgspec.Struct, frozen=True):
    """A question that the reader asks back when the words can be read in several ways or in none."""

    text: str
    readings: tuple[str, ...] = ()  # sentences that the player can pick instead


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """Somebody the story knows, and every way a player may speak of them."""

    id: str
    name: str
    short: str
    pronoun: Pronoun = "they"
    present: bool = True
    alive: bool = True
    descriptions: tuple[str, ...] = ()  # "mudlark", "the woman at the oar", "a boy made of elbows"


@dataclass(frozen=True, slots=True)
class KnownThing:
    """An object the story knows: carried, held by somebody, or part of the place."""

    id: str
    name: str
    holder: str = ""  # "player", a person's id, or empty for the place


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """A place the story knows, and how many steps away it is (None where no way leads there)."""

    id: str
    name: str
    steps: int | None = None
    kinds: frozenset[str] = frozenset()  # what its description calls it: inn, mill, tower
    words: frozenset[str] = frozenset()  # of its description and of the way there


@dataclass(frozen=True, slots=True)
class Offer:
    """Something the author wrote that the player's words may mean: a beat, or another way to word one."""

    id: str
    texts: tuple[str, ...]
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """A description that stands in the player's words, and whom it means."""

    text: str
    person: str


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """Everything the reader may point at: who and what is here, what is elsewhere, and what is offered."""

    people: tuple[KnownPerson, ...] = ()
    things: tuple[KnownThing, ...] = ()
    places: tuple[KnownPlace, ...] = ()
    offers: tuple[Offer, ...] = ()
    last_person: str = ""  # whom the player dealt with last
    last_thing: str = ""
    place_name: str = ""
    aliases: tuple[Alias, ...] = ()


@cache
def load_place_kinds() -> frozenset[str]:
    """Return the words for kinds of place, such as inn or mill."""
    text = files("narratoria.planner").joinpath("data/place-kinds.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text)["kinds"])


@cache
def load_acts() -> Mapping[str, Act]:
    """Return every act by its name, in the order of the data file."""
    text = files("narratoria.planner").joinpath("data/acts.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Act])


@cache
def load_act_kinds() -> Mapping[str, str]:
    """Return every kind of an act, such as "threaten/exposure", with what the player does."""
    text = files("narratoria.planner").joinpath("data/act-kinds.json").read_text(encoding="utf-8")
    return msgspec.json.decode(text, type=dict[str, str])

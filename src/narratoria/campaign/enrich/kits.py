"""Loads the kits: people, places, plots and endings written by hand for each kind of world."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

Pronoun: TypeAlias = Literal["she", "he", "any"]
Tone: TypeAlias = Literal["comic", "grave", "eerie", "warm"]
Need: TypeAlias = Literal["lost", "dead", "when", "event", "matter", "sign"]
OWN = "own"  # stands for another place that the premise speaks of, or for the start without one
START = "start"  # stands for the place that the story begins at, whatever it is called


class TopicSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ask: str
    answer: str
    fact: str  # the clause after "… told you that"


class PersonSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Describes somebody who waits for a name."""

    they: Pronoun
    at: str
    role: str
    look: str
    traits: tuple[str, ...]
    habits: tuple[str, ...]
    want: str
    secret: str
    says: tuple[str, ...]
    greeting: str
    topics: tuple[TopicSeed, ...]
    fits: tuple[str, ...] = ()  # nouns of a premise that may be this person
    ties: dict[str, str] = {}


class PlaceSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    way: str  # what follows "You go" on the way there
    arrival: str
    details: tuple[str, ...]
    moments: tuple[str, ...]
    grounds: tuple[str, ...] = ()  # of its kind of world, those it can be on; any where none is named


class OutcomeSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str
    fact: str


class BeatSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Describes a beat: one with an `offer` is chosen, one without comes by itself."""

    id: str
    at: str
    text: str
    fact: str = ""
    offer: str = ""
    people: tuple[str, ...] = ()
    after: tuple[str, ...] = ()  # any of these beats
    scene: int = 0  # the first scene it may come in
    moves: dict[str, str] = {}
    outcomes: dict[Literal["failure", "partial success", "success"], OutcomeSeed] = {}
    ending: str = ""


class EndingSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    paragraphs: tuple[str, ...]


class EpilogueSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    beat: str
    text: str


class PlotSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    about: str  # compared with the premise by meaning
    tone: Tone
    thing: str  # what it turns on, where the premise names nothing to carry
    people: dict[str, PersonSeed]  # by the letter that texts call them by
    beats: tuple[BeatSeed, ...]
    endings: dict[str, EndingSeed]
    epilogue: tuple[EpilogueSeed, ...] = ()
    event: str = ""  # what it leads up to, where the premise names nothing that is about to happen
    grounds: tuple[str, ...] = ()  # of its kind of world, those it can play on; any where none is named
    signs: tuple[str, ...] = ()  # patterns of a premise that such a story can be told of
    needs: tuple[Need, ...] = ()  # what a premise has to have for it


class NamedSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Gives manner, a want and a beat to somebody whom the premise names and no plot has a part for."""

    person: PersonSeed
    beat: BeatSeed


class Kit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines `data/kits/<kind>.json`."""

    kind: str
    setting: str
    back: str  # what follows "You go" on the way to where the story began
    details: tuple[str, ...]  # of the place that the story begins at
    moments: tuple[str, ...]
    hearsay: tuple[str, ...]  # frames for what the author has written about a noun
    places: tuple[PlaceSeed, ...]  # the first of them is the start where the premise names no place
    plots: tuple[PlotSeed, ...]
    named: tuple[NamedSeed, ...]

    @property
    def is_own(self) -> bool:
        """Return whether this is a kit for a kind of trouble, to be told in the premise's own nouns."""
        return any(plot.id == OWN for plot in self.plots)


@cache
def load_kit(kind: str) -> Kit:
    """Return the kit for a kind of world."""
    content = files("narratoria.campaign.enrich").joinpath(f"data/kits/{kind}.json").read_bytes()
    return msgspec.json.decode(content, type=Kit)


@cache
def load_own_kits() -> tuple[Kit, ...]:
    """Return the kits for kinds of trouble, which are told in the premise's own nouns."""
    folder = files("narratoria.campaign.enrich").joinpath("data/own")
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".json"))
    return tuple(msgspec.json.decode(folder.joinpath(name).read_bytes(), type=Kit) for name in names)

"""What a campaign is, once it has been read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

Priority: TypeAlias = Literal["critical", "high", "medium", "low", "optional"]
PRIORITIES: tuple[Priority, ...] = ("critical", "high", "medium", "low", "optional")


@dataclass(frozen=True, slots=True)
class Way:
    """A way out of a place; `route` is what follows "You go"."""

    to: str
    route: str


@dataclass(frozen=True, slots=True)
class Place:
    id: str
    name: str
    arrival: str
    details: tuple[str, ...] = ()  # what a second look brings, and a third
    moments: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()

    @property
    def in_a_sentence(self) -> str:
        return (
            self.name.removeprefix("The ").join(("the ", "")) if self.name.startswith("The ") else self.name
        )


class Personality(msgspec.Struct, frozen=True):
    traits: tuple[str, ...] = ()
    flaws: tuple[str, ...] = ()
    virtues: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()  # whole sentences: what one sees this person do


class SpeechPatterns(msgspec.Struct, frozen=True):
    style: str = ""
    examples: tuple[str, ...] = ()


class ProfileMetadata(msgspec.Struct, frozen=True):
    importance: str = ""
    first_appearance: str = ""  # a place


class Profile(msgspec.Struct, frozen=True):
    """`characters/npcs/<name>/profile.json`."""

    name: str
    role: str
    personality: Personality
    appearance: str = ""
    motivations: tuple[str, ...] = ()
    speech_patterns: SpeechPatterns = SpeechPatterns()
    relationships: dict[str, str] = {}
    metadata: ProfileMetadata = ProfileMetadata()


class SceneWindow(msgspec.Struct, frozen=True):
    min: int = 0
    max: int | None = None


class Conditions(msgspec.Struct, frozen=True):
    """All of them must hold. A beat with a `player_choice` is offered; one without comes by itself."""

    scene_count: SceneWindow = SceneWindow()
    requires_beat: str = ""
    requires_any_beat: tuple[str, ...] = ()
    player_choice: str = ""
    player_state: str = ""
    world_state: str = ""
    custom: str = ""  # of all expressions, only `!("something" in flags)` for now


class BeatOutcome(msgspec.Struct, frozen=True):
    """What follows when a roll ends this way."""

    name: str
    description: str
    consequences: tuple[str, ...] = ()


class Beat(msgspec.Struct, frozen=True):
    """An entry of `plot/beats.json`: something that can happen, once."""

    id: str
    title: str
    description: str
    conditions: Conditions = Conditions()
    priority: Priority = "medium"
    location: str = ""
    outcomes: tuple[BeatOutcome, ...] = ()
    consequences: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    mood: str = ""

    @property
    def is_risky(self) -> bool:
        return bool(self.outcomes)

    def outcome(self, name: str) -> BeatOutcome | None:
        return next((outcome for outcome in self.outcomes if outcome.name == name), None)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A story as its author left it; nothing in it changes while it is played."""

    folder: Path
    title: str
    version: str
    description: str = ""
    premise: tuple[str, ...] = ()  # the first scene, by paragraphs
    start: str = ""  # the place it begins at
    places: Mapping[str, Place] = field(default_factory=dict)
    people: Mapping[str, Profile] = field(default_factory=dict)
    beats: tuple[Beat, ...] = ()

    @property
    def name(self) -> str:
        return self.folder.name

    def beat(self, beat_id: str) -> Beat | None:
        return next((beat for beat in self.beats if beat.id == beat_id), None)

    def people_at(self, place: str) -> Mapping[str, Profile]:
        return {
            name: profile
            for name, profile in self.people.items()
            if profile.metadata.first_appearance == place
        }

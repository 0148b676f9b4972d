"""Defines a campaign as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.campaign.ink.story import InkStory, InkTurn
from narratoria.campaign.placement import Placement

Priority: TypeAlias = Literal["critical", "high", "medium", "low", "optional"]
Tone: TypeAlias = Literal["warm", "neutral", "cold"]
SceneType: TypeAlias = Literal["travel", "dialogue", "danger", "resolution"]
PRIORITIES: tuple[Priority, ...] = ("critical", "high", "medium", "low", "optional")


@dataclass(frozen=True, slots=True)
class PlayedStory:
    """Holds what an ink story leads to from where it stands: a turn for each of its choices."""

    beginning: InkTurn
    turns: Mapping[str, InkTurn] = field(default_factory=dict)  # by the ids of the beats that stand for them
    offers: Mapping[str, str] = field(default_factory=dict)  # likewise
    ending: str = "the-end"


@dataclass(frozen=True, slots=True)
class Way:
    """Leads out of a place; `route` is what follows "You go"."""

    to: str
    route: str


class CloserLook(msgspec.Struct, frozen=True):
    """A thing that can be looked at, by any of its names, and what one sees of it."""

    names: tuple[str, ...]
    text: str


class PlaceDeed(msgspec.Struct, frozen=True):
    """Something that can be done at a place, by the words that players have for it, and what comes of it."""

    wordings: tuple[str, ...]  # each the verb, or the name of the act, and what it is done to
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    id: str
    name: str
    arrival: str
    details: tuple[str, ...] = ()  # what a second look brings, and a third
    things: tuple[CloserLook, ...] = ()
    senses: Mapping[str, str] = field(default_factory=dict)  # what comes of an act such as "smell" here
    deeds: tuple[PlaceDeed, ...] = ()
    moments: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    art: str = ""  # a picture, relative to the campaign's folder
    music: str = ""

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
    greetings: dict[Tone, str] = {}  # how they meet the player, by what they think of them


class Goal(msgspec.Struct, frozen=True):
    goal: str
    priority: Priority = "medium"
    status: str = "active"


class ProfileMetadata(msgspec.Struct, frozen=True):
    importance: str = ""
    first_appearance: str = ""  # a place
    faction: str = ""
    tags: tuple[str, ...] = ()


class Window(msgspec.Struct, frozen=True):
    min: int = 0
    max: int | None = None


class Opinion(Window, frozen=True):
    """Limits what somebody thinks of the player to a range."""

    min: int = -100


class NpcState(msgspec.Struct, frozen=True):
    """Sets conditions about a person; all that are given must hold."""

    perception: Opinion | None = None  # of the player, -100 … +100
    met: bool | None = None
    present: bool | None = None
    alive: bool | None = None
    state: str = ""  # a flag, or something remembered about them


class Conditions(msgspec.Struct, frozen=True):
    """Lists what must hold for a beat; one with a `player_choice` is offered, others come by themselves."""

    scene_count: Window = Window()
    requires_beat: str = ""
    requires_any_beat: tuple[str, ...] = ()
    player_choice: str = ""
    player_choices: tuple[str, ...] = ()  # any of them: other words for the same choice
    player_state: str | tuple[str, ...] = ""
    npc_state: dict[str, NpcState] = {}  # by the name of the person's folder
    world_state: str | tuple[str, ...] = ""
    custom: str = ""  # a CEL expression


class Effects(msgspec.Struct, frozen=True):
    """Describes the changes a beat makes to the state."""

    state: dict[str, Any] = {}  # a patch of the session's state
    add: dict[str, int | float] = {}  # to numbers of the state, by their keys
    perception: dict[str, int] = {}  # by person
    reputation: dict[str, int] = {}  # by faction
    gain: tuple[str, ...] = ()
    lose: tuple[str, ...] = ()
    dies: tuple[str, ...] = ()  # people
    moves: dict[str, str] = {}  # people to places; to "" when they leave the story
    move_to: str = ""  # the place the player is at afterwards


class Topic(msgspec.Struct, frozen=True):
    """Describes something a person can be asked about, once, and the answer as it is told."""

    id: str
    ask: str  # what follows "Ask Pike": "whose house he draws"
    answer: str
    fact: str = ""  # the one sentence that is true afterwards
    also: tuple[str, ...] = ()  # other words for the question
    again: str = ""  # the answer to whoever asks a second time
    kind: str = ""  # of question that it answers in whatever words, such as "ask/family"
    offered: bool = True  # among the choices; otherwise it waits to be asked in the player's own words
    conditions: Conditions = Conditions()
    effects: Effects = Effects()
    consequences: tuple[str, ...] = ()


class ProfileChange(msgspec.Struct, frozen=True):
    """Describes what is different about a person once a flag is set; what it leaves out stays."""

    flag: str
    role: str | None = None
    appearance: str | None = None
    background: str | None = None
    personality: Personality | None = None
    motivations: tuple[str, ...] | None = None
    goals: tuple[Goal, ...] | None = None
    speech_patterns: SpeechPatterns | None = None
    relationships: dict[str, str] | None = None
    inventory: tuple[str, ...] | None = None


class Profile(msgspec.Struct, frozen=True):
    """Holds `characters/npcs/<name>/profile.json`, with what `secrets.md` beside it says."""

    name: str
    role: str
    personality: Personality
    age: str = ""
    appearance: str = ""
    background: str = ""
    motivations: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()
    speech_patterns: SpeechPatterns = SpeechPatterns()
    relationships: dict[str, str] = {}
    secrets: str = ""
    stats: dict[str, int] = {}
    inventory: tuple[str, ...] = ()
    topics: tuple[Topic, ...] = ()
    things: tuple[CloserLook, ...] = ()  # what one sees of this person on a closer look
    changes: tuple[ProfileChange, ...] = ()
    cannot: tuple[Literal["speak", "see", "hands"], ...] = ()  # where nothing is listed, the rest says it
    portrait: str = ""  # relative to the campaign's folder
    metadata: ProfileMetadata = ProfileMetadata()
    generated: bool = False

    def apply_changes(self, flags: AbstractSet[str]) -> Profile:
        """Return this person as these flags have changed them, the later changes over the earlier."""
        profile = self
        for change in self.changes:
            if change.flag in flags:
                parts = {name: getattr(change, name) for name in change.__struct_fields__ if name != "flag"}
                given = {name: part for name, part in parts.items() if part is not None}
                profile = msgspec.structs.replace(profile, **given)
        return profile


class BeatOutcome(msgspec.Struct, frozen=True):
    """Describes the result of a beat when a roll ends this way, or when chance picks it."""

    name: str
    description: str
    probability: float | None = None  # chance decides where these are given, a roll elsewhere
    consequences: tuple[str, ...] = ()
    effects: Effects = Effects()
    next_beat: str = ""
    remarks: dict[str, str] = {}  # what people say first when they are next spoken to, by person


class Line(msgspec.Struct, frozen=True):
    speaker: str  # the name of a person's folder
    text: str


class Timeout(msgspec.Struct, frozen=True):
    """Sets how many scenes an open beat waits, and the beat that replaces it."""

    scenes: int
    fallback_beat: str = ""


class Beat(msgspec.Struct, frozen=True):
    """Describes an entry of `plot/beats.json`: something that can happen, once."""

    id: str
    title: str
    description: str
    conditions: Conditions = Conditions()
    priority: Priority = "medium"
    location: str = ""
    npcs: tuple[str, ...] = ()
    dialogue: tuple[Line, ...] = ()
    outcomes: tuple[BeatOutcome, ...] = ()
    consequences: tuple[str, ...] = ()
    effects: Effects = Effects()
    remarks: dict[str, str] = {}  # what people say first when they are next spoken to, by person
    skippable: bool = True
    repeats: bool = False  # whether it can happen again
    timeout: Timeout | None = None
    ending: str = ""  # the story ends here, as `plot/endings/<ending>.md` tells
    stat: str = ""  # the attribute that counts when it is rolled
    scene_type: SceneType | None = None
    encounter: int = 0  # how much it weighs among what may be met on the way; 0 for what is no encounter
    tags: tuple[str, ...] = ()
    mood: str = ""
    music: str = ""
    background: str = ""  # a picture
    generated: bool = False

    @property
    def is_risky(self) -> bool:
        return bool(self.outcomes) and all(outcome.probability is None for outcome in self.outcomes)

    def outcome(self, name: str) -> BeatOutcome | None:
        return next((outcome for outcome in self.outcomes if outcome.name == name), None)


class Aftermath(msgspec.Struct, frozen=True):
    """Holds a sentence of an epilogue, told when its condition holds."""

    when: str  # a flag, a beat's id, several of them joined by " && ", or nothing
    text: str

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what must all be so; one that begins with "not " must not."""
        return tuple(part.strip() for part in self.when.split(" && ") if part.strip())

    @property
    def triggers(self) -> tuple[str, ...]:
        """Return the flags and beats that it depends on, whether they must be so or not."""
        return tuple(condition.removeprefix("not ").strip() for condition in self.conditions)


class Ending(msgspec.Struct, frozen=True):
    """Holds `plot/endings/<id>.md`: a title, paragraphs, and under "Epilogue" a list of `when: sentence`."""

    id: str
    title: str
    paragraphs: tuple[str, ...]
    epilogue: tuple[Aftermath, ...] = ()


class Trait(msgspec.Struct, frozen=True):
    """Describes a race, a class or a background to choose."""

    name: str
    description: str = ""
    traits: tuple[str, ...] = ()
    abilities: tuple[str, ...] = ()
    stats: dict[str, int] = {}  # added to the starting ones
    items: tuple[str, ...] = ()


class Attribute(msgspec.Struct, frozen=True):
    """Asks the player something at the beginning, such as a name."""

    name: str
    prompt: str = ""
    kind: Literal["text", "choice", "number"] = "text"
    options: tuple[str, ...] = ()
    default: str = ""


class Preset(msgspec.Struct, frozen=True):
    """Describes a character that is ready to be played."""

    name: str
    description: str = ""
    race: str = ""
    character_class: str = msgspec.field(name="class", default="")
    background: str = ""
    traits: tuple[str, ...] = ()
    stats: dict[str, int] = {}
    items: tuple[str, ...] = ()
    portrait: str = ""


class Creation(msgspec.Struct, frozen=True):
    mode: Literal["freeform", "guided", "preset"] = "freeform"
    guidance: str = ""


class Template(msgspec.Struct, frozen=True):
    """Holds `characters/player/template.json`: the characters a player may create."""

    character_creation: Creation = Creation()
    allowed_races: tuple[Trait, ...] = ()
    allowed_classes: tuple[Trait, ...] = ()
    allowed_backgrounds: tuple[Trait, ...] = ()
    presets: tuple[Preset, ...] = ()
    required_attributes: tuple[Attribute, ...] = ()
    optional_attributes: tuple[Attribute, ...] = ()
    starting_stats: dict[str, int] = {}  # the campaign's attributes, whatever it calls them
    stat_points: int = 0  # to be spread over them
    stat_range: Window = Window(min=0, max=10)
    starting_items: tuple[str, ...] = ()
    starting_location: str = ""
    constraints: dict[str, Any] = {}
    prompts: dict[str, str] = {}
    generated: bool = False


class Band(msgspec.Struct, frozen=True):
    """Names the outcome of totals from `min` on; the highest band that is reached counts."""

    name: str
    min: int


class Modifiers(msgspec.Struct, frozen=True):
    trait: int = 1
    sentiment: int = 1
    callback: int = 1
    stat: Literal["none", "bonus", "half"] = "none"  # whether a beat's stat is added, whole or halved
    most: int = 3  # of all modifiers together, either way


class Encounters(msgspec.Struct, frozen=True):
    """Says how often something is met on the way, where a campaign has beats that are encounters."""

    chance: float = 0.25  # of a walk on which nothing else comes by itself
    pause: int = 2  # scenes after one encounter in which there is no other


class Rules(msgspec.Struct, frozen=True):
    """Holds the `yaml rules` block of `world/rules.md`, or the default; `prose` is for the narrator."""

    dice: str = "2d6"
    bands: tuple[Band, ...] = (Band("failure", -99), Band("partial success", 7), Band("success", 10))
    modifiers: Modifiers = Modifiers()
    time: dict[SceneType, float] = {}  # in-game hours a scene of this type takes
    encounters: Encounters = Encounters()
    prose: str = ""


class Manifest(msgspec.Struct, frozen=True):
    """Holds `manifest.json`."""

    title: str
    version: str
    author: str = ""
    description: str = ""
    genre: str = ""
    tone: str = ""
    content_rating: str = ""
    rules_hint: str = ""
    hydration_guidance: str = ""
    content_warnings: tuple[str, ...] = ()
    estimated_playtime_hours: float = 0
    tags: tuple[str, ...] = ()
    license: str = ""
    homepage: str = ""
    palette: tuple[str, ...] = ()  # colours for pictures that are drawn for it
    cover: str = ""
    recommended_skills: tuple[str, ...] = ()
    own_words: bool = True  # whether players may say what they do, besides choosing


class Faction(msgspec.Struct, frozen=True):
    """Holds the heading and first paragraph of `lore/factions/<id>.md`."""

    id: str
    name: str
    description: str = ""


class Provenance(msgspec.Struct, frozen=True):
    """Describes the origin of generated content."""

    source_model: str
    generated_at: str
    seed_data: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class LorePassage:
    """Holds a paragraph of `lore/` and the heading above it."""

    file: str
    index: int  # among the paragraphs of its file
    title: str
    text: str

    @property
    def identifier(self) -> str:
        return f"{self.file}#{self.index}"


@dataclass(frozen=True, slots=True)
class Campaign:
    """Holds a story as its author wrote it; it does not change while it is played."""

    folder: Path
    manifest: Manifest
    setting: str = ""
    constraints: tuple[str, ...] = ()  # what must never happen, one sentence each
    premise: tuple[str, ...] = ()  # the first scene, by paragraphs
    start: str = ""  # the place it begins at
    places: Mapping[str, Place] = field(default_factory=dict)
    people: Mapping[str, Profile] = field(default_factory=dict)
    beats: tuple[Beat, ...] = ()
    endings: Mapping[str, Ending] = field(default_factory=dict)
    factions: Mapping[str, Faction] = field(default_factory=dict)
    lore: tuple[LorePassage, ...] = ()  # what is not a place
    template: Template = field(default_factory=Template)
    rules: Rules = field(default_factory=Rules)
    generated: Mapping[str, Provenance] = field(default_factory=dict)  # by file; for a beat, `file#/pointer`
    placements: Mapping[str, Placement] = field(default_factory=dict)  # by person
    ink: InkStory | None = None  # `plot/story.ink`, which is played as it is written
    played: PlayedStory | None = None  # what it leads to from where a story stands

    @property
    def title(self) -> str:
        return self.manifest.title

    @property
    def name(self) -> str:
        return self.folder.name

    def apply_changes(self, flags: AbstractSet[str]) -> Campaign:
        """Return the campaign with its people as these flags have changed them."""
        if not any(change.flag in flags for profile in self.people.values() for change in profile.changes):
            return self
        return replace(self, people={who: one.apply_changes(flags) for who, one in self.people.items()})

    def beat(self, beat_id: str) -> Beat | None:
        return next((beat for beat in self.beats if beat.id == beat_id), None)

    def home_of(self, person: str) -> str:
        """Return where somebody is when the story begins; empty for nowhere."""
        placement = self.placements.get(person)
        return placement.place if placement else self.people[person].metadata.first_appearance

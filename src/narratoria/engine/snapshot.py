"""Defines the snapshot of a story between two turns."""

from __future__ import annotations

from typing import Any

import msgspec

from narratoria.contracts.content_limits import NO_LIMITS, ContentLimits
from narratoria.engine.memory.compress import History
from narratoria.engine.scene import Scene
from narratoria.skills.health import SessionHealth
from narratoria.state import SessionState


class PlayerAct(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the player did besides the plot that whoever knows of it may speak of."""

    scene: int
    kind: str
    clause: str  # as it stands after "you"
    people: tuple[str, ...] = ()  # who know of it


class SkillFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something a skill has said that is so since then."""

    scene: int
    source: str  # skill/script
    text: str
    about: str = ""  # the thing or matter; what is found about it later replaces this
    place: str = ""


class NarratorNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the player asks of whoever tells the story."""

    id: str
    text: str
    standing: bool = True  # until it is removed; else for the next turn alone


class StruckMemory(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory that the player has struck out, as it was."""

    id: str
    text: str
    scene: int
    body: dict[str, Any] = {}


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Says where the story stands, as the engine counts it; skills see it and cannot change it."""

    scene: int = 0
    # the scene after which this life began, where the story has begun again
    began_after: int = msgspec.field(default=0, name="begun")
    place: str = ""
    visits: dict[str, int] = {}
    # beats, and how each one's roll ended
    beat_outcomes: dict[str, str] = msgspec.field(default={}, name="told")
    met_people: tuple[str, ...] = msgspec.field(default=(), name="met")
    # how much of what a person has to say
    saying_counts: dict[str, int] = msgspec.field(default={}, name="heard")
    # how much of what a place has to show
    detail_counts: dict[str, int] = msgspec.field(default={}, name="seen")
    # beats, and the scene of each
    beat_scenes: dict[str, int] = msgspec.field(default={}, name="told_in")
    # beats that the player set off, and who else was there
    witnesses: dict[str, tuple[str, ...]] = {}
    waiting: dict[str, int] = {}  # beats that could be told, and since which scene
    # beats that an outcome or a timeout calls for, whatever their conditions
    called_beats: tuple[str, ...] = msgspec.field(default=(), name="called")
    # beats that cannot happen any more, and why
    skipped_beats: dict[str, str] = msgspec.field(default={}, name="skipped")
    # people who are not where they first appeared; "" for gone
    moved_people: dict[str, str] = msgspec.field(default={}, name="moved")
    dead: tuple[str, ...] = ()
    # the scene since which no ending can be reached any more; 0 while one can
    closed_since: int = msgspec.field(default=0, name="closed")
    # the ending that was told
    ending: str = msgspec.field(default="", name="ended")
    game_time: float = 0.0  # minutes since the story began
    company: tuple[str, ...] = ()  # people who come along with the player
    units: dict[str, int] = {}  # units of the repertoire, and the scene that last told them
    evidence: tuple[str, ...] = ()  # ids of what was answered with, the latest last
    player_acts: tuple[PlayerAct, ...] = ()  # besides the plot, the latest last
    findings: tuple[SkillFinding, ...] = ()  # of skills, the latest last
    spoken: dict[str, int] = {}  # people, and the scene in which the player last spoke with each
    last_person: str = ""  # whom the player dealt with last, by id
    last_thing: str = ""
    # sentences by their sums, and the scene that last told them
    used_sentences: dict[str, int] = msgspec.field(default={}, name="used")
    history: History = History()
    ink: dict[str, Any] = {}  # the state of the ink story that is played; empty without one
    notes: tuple[NarratorNote, ...] = ()  # of the player to the narrator
    pinned: tuple[str, ...] = ()  # memories, by id, that every turn recalls
    struck: tuple[StruckMemory, ...] = ()  # memories that no turn recalls
    bookmarks: tuple[int, ...] = ()  # scenes that the player wants to find again

    @property
    def age(self) -> int:
        """Return the number of scenes since the story began, or began again."""
        return self.scene - self.began_after


class Beginning(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a story stands before its first turn, where it does not begin at the beginning."""

    progress: Progress
    state: dict[str, Any] = {}


class StorySnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Holds a story between two turns; a turn makes the next snapshot out of it."""

    id: str
    campaign: str
    seed: int
    progress: Progress = Progress()
    state: SessionState = msgspec.field(default_factory=SessionState)
    scenes: tuple[Scene, ...] = ()
    health: SessionHealth = SessionHealth()  # not saved: a new start gives every skill a new chance
    limits: ContentLimits = NO_LIMITS  # of the turn that is played; the log has them with its input
    revisions: tuple[Any, ...] = ()  # what the player has changed since the last scene, besides playing

    @property
    def scene(self) -> Scene | None:
        return self.scenes[-1] if self.scenes else None

    @property
    def flags(self) -> frozenset[str]:
        """Return what has come to be so in the story."""
        return flags_of(self.state)

    @property
    def readable_state(self) -> SessionState:
        """Return the state for a reader: its flags as a list of those that are set."""
        values = self.state.to_dict()
        return SessionState({**values, "flags": sorted(self.flags)} if "flags" in values else values)


def flags_of(state: SessionState) -> frozenset[str]:
    """Return the flags that are set in a state; none where a skill has put something else there."""
    flags = state.get("flags")
    return frozenset(name for name, on in flags.items() if on) if isinstance(flags, dict) else frozenset()

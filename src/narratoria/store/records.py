"""Defines the records of the store, a frozen type for each kind, and how many of them stories keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

DataType: TypeAlias = Literal["memory", "lore", "reputation", "perception", "portrait", "session", "asset"]
Significance: TypeAlias = Literal["low", "medium", "high", "critical"]
Outcome: TypeAlias = Literal["triumph", "failure"]

SIGNIFICANCE: tuple[Significance, ...] = ("low", "medium", "high", "critical")  # rising


class MemoryEvent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Records something that happened in a story; its vectors are stored beside it (`Scope.vectors`)."""

    id: str
    summary: str
    timestamp: str
    session_id: str = ""
    playthrough_id: str = ""
    character_ids: tuple[str, ...] = ()
    action_type: str = ""
    semantic_tags: tuple[str, ...] = ()
    location: str = ""
    significance: Significance = "medium"
    witnesses: tuple[str, ...] = ()  # who knows of it
    episodic: bool = False  # pinned: no retention takes it
    outcome: Outcome | None = None
    source: str = ""  # "model:NAME" where a model added it
    turn: int = 0
    game_time: float = 0.0  # minutes since the story began


class LoreChunk(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds a part of a campaign's lore, shared by all its playthroughs."""

    id: str
    file_path: str
    chunk_index: int
    paragraph_id: int
    content: str
    token_count: int
    heading: str = ""
    chunk_method: str = "paragraph"


class FactionReputation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds the player's standing with a group, decayed to the moment of asking."""

    faction_id: str
    playthrough_id: str
    current_score: float
    last_updated: str
    decay_rate: float


class NpcPerception(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds one person's opinion of the player, decayed to the moment of asking."""

    npc_id: str
    playthrough_id: str
    perception_score: float
    last_interaction: str
    event_history: str  # the latest reasons, newest first
    decay_rate: float
    sentiment: float  # the same opinion from -1 to +1


class CharacterPortrait(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    character_id: str
    image_path: str
    description_hash: str
    generated_at: str
    playthrough_id: str = ""
    description: str = ""


class PlaythroughSession(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes one session of a story."""

    session_id: str
    playthrough_id: str
    start_time: str
    end_time: str | None = None
    current_location: str = ""


class AssetProvenance(msgspec.Struct, frozen=True, kw_only=True):
    source_model: str
    generated_at: str
    seed_data: str
    version: str = ""


class Relationships(msgspec.Struct, frozen=True, kw_only=True):
    references: tuple[str, ...] = ()
    referenced_by: tuple[str, ...] = ()
    entity_links: tuple[str, ...] = ()


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """Describes a file of a campaign, or one made for a story, and its origin."""

    id: str
    path: str
    type: Literal["image", "audio", "prose", "structured"]
    created_at: str
    generated: bool = False
    keywords: tuple[str, ...] = ()
    checksum: str = ""
    data: str | None = None
    provenance: AssetProvenance | None = None
    relationships: Relationships = Relationships()
    format: str = ""
    width: int | None = None
    height: int | None = None
    alt_text: str = ""
    duration_seconds: float | None = None
    bitrate: int | None = None
    loop: bool = False
    word_count: int | None = None
    language: str = ""
    chunks: tuple[dict[str, Any], ...] = ()
    chunk_method: str = ""
    schema_type: str = ""
    schema_version: str = ""
    entity_id: str = ""


Record: TypeAlias = (
    MemoryEvent
    | LoreChunk
    | FactionReputation
    | NpcPerception
    | CharacterPortrait
    | PlaythroughSession
    | Asset
)


class StoredRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds a record with what the store knows about it."""

    identifier: str
    data_type: DataType
    record: Record
    turn: int
    skill: str  # who stored it; empty for the runtime itself
    session_id: str
    stored_at: str
    updated_at: str


class SearchHit(StoredRecord, frozen=True, kw_only=True, rename="camel"):
    """Is a record that matches a query, with its probability and the raw scores behind that."""

    relevance: float  # how probably it answers, among all that was searched
    score: float  # by which hits are ordered: it compares the record with the query, and with no other record
    raw_scores: dict[str, float]


class StandingChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes one change of an opinion: its reason, its time, and the score before and after."""

    identifier: str
    subject: str
    change: float
    reason: str
    turn: int
    game_time: float
    at: str
    score_before: float  # decayed to this moment
    score_after: float
    session_id: str = ""
    skill: str = ""


class NewRecord(NamedTuple):
    """Describes a record to store; the identifier is generated when none is given."""

    data_type: str
    record: Mapping[str, Any]
    identifier: str | None = None


class RetentionPolicy(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Limits the memories of each playthrough; None sets no limit."""

    max_age_days: float | None = None
    max_records: int | None = None
    max_bytes: int | None = None
    deleted_after_days: float | None = 30.0  # how long a deleted memory can still be seen by going back

    @property
    def is_limited(self) -> bool:
        """Return whether the policy removes anything that nobody deleted."""
        return (self.max_age_days, self.max_records, self.max_bytes) != (None, None, None)

"""Defines the services behind the host channel: the store, the embedder, the model and the gate.

Every call is made on behalf of a Caller, whom the runtime names when it opens the channel. A skill never
says which playthrough it means: it can reach one only. An engine refuses with HostRefusal; anything else it
raises is a bug of ours, of which the skill learns only that there was one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from narratoria.skills.host.quick_answers import QuickAnswers

Scalar: TypeAlias = str | int | float | bool | None
# a value the field has or holds, several of which one will do, or a range with `from`, `to` or both
Filters: TypeAlias = Mapping[str, Scalar | Sequence[Scalar] | Mapping[str, str | float]]


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf something is asked."""

    skill: str
    playthrough: str = ""  # empty outside a story, where there is nothing to store
    session: str = ""


class HostRecord(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Holds a record and what the host knows about it."""

    identifier: str
    data_type: str
    record: dict[str, Any]
    skill: str
    session_id: str
    stored_at: str
    updated_at: str


class HostMatch(HostRecord, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    relevance: float
    similarity: float | None = None  # the raw measure behind it


class OpinionChange(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One line of an opinion's ledger: what moved it, when, and from where to where."""

    identifier: str
    subject: str
    change: float
    reason: str
    turn: int
    game_time: float
    at: str
    score_before: float
    score_after: float
    session_id: str = ""
    skill: str = ""


class RecordToStore(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Holds a record to be stored together with others."""

    data_type: str
    record: dict[str, Any]
    identifier: str | None = None


class EmbeddedTexts(msgspec.Struct, frozen=True):
    model: str
    dimensions: int
    vectors: Sequence[Sequence[float]]


class Generation(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Holds a request for a generated text."""

    prompt: str
    system: str = ""
    max_tokens: int = 512
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    schema: dict[str, Any] | None = None
    stream: bool = False


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Holds the next part of a generated text; the last says why it ended."""

    text: str
    finish: Literal["stop", "length"] | None = None


class StoreService(Protocol):
    """Records of one playthrough, found again by what they are about or by the values of their fields.

    A filter is about a field of the record, or about `identifier`, `skill`, `sessionId`, `storedAt` or
    `updatedAt`.
    """

    async def semantic_search(
        self,
        caller: Caller,
        query: str,
        *,
        data_type: str | None,
        limit: int,
        filters: Filters,
        min_relevance: float | None,
    ) -> Sequence[HostMatch]:
        """Return the matching records, the most relevant first."""
        ...

    async def exact_match(
        self,
        caller: Caller,
        *,
        data_type: str | None,
        filters: Filters,
        limit: int,
        offset: int,
        newest_first: bool,
    ) -> Sequence[HostRecord]:
        """In the order in which they were stored."""
        ...

    async def store(
        self, caller: Caller, data_type: str, record: dict[str, Any], identifier: str | None
    ) -> HostRecord:
        """Kept when this returns; ALREADY_EXISTS for an identifier in use."""
        ...

    async def store_all(self, caller: Caller, items: Sequence[RecordToStore]) -> Sequence[HostRecord]:
        """All of them are kept when this returns, or none."""
        ...

    async def history(self, caller: Caller, data_type: str, subject: str) -> Sequence[OpinionChange]:
        """Every change of this opinion, the oldest first; none where nobody has one."""
        ...

    async def update(
        self, caller: Caller, data_type: str, identifier: str, changes: dict[str, Any]
    ) -> HostRecord:
        """Return the record after the merge; refuse with NOT_FOUND when there is none."""
        ...

    async def delete(self, caller: Caller, data_type: str, identifier: str) -> bool:
        """Return whether there was such a record."""
        ...


class EmbeddingService(Protocol):
    async def embed(self, caller: Caller, texts: Sequence[str]) -> EmbeddedTexts: ...


class HostModelStatus(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Reports the name, the tier and the state of a model."""

    name: str = ""
    tier: str = ""  # scores, fills, embellishes or narrates: what it can be trusted with
    state: Literal["ready", "loading", "failed", "none"] = "none"
    reason: str = ""  # why it is not ready


class NarrationProblem(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Something in a text that cannot be so."""

    paragraph: int  # counted from 0
    message: str


class Model(Protocol):
    def about(self) -> HostModelStatus: ...

    def generate(self, caller: Caller, generation: Generation) -> AsyncGenerator[TextPiece, None]:
        """Yield the text as it is made; closing the generator stops it."""
        ...

    async def count(self, caller: Caller, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has for the model."""
        ...


class Gate(Protocol):
    async def check(
        self, caller: Caller, paragraphs: Sequence[str], facts: Mapping[str, Any]
    ) -> Sequence[NarrationProblem]:
        """Return what in these paragraphs contradicts the facts of the scene, or what the story knows."""
        ...


@dataclass(frozen=True, slots=True)
class Host:
    """Holds the engines that there are; a skill that asks for a missing one is told so."""

    store: StoreService | None = None
    embedder: EmbeddingService | None = None
    model: Model | None = None
    gate: Gate | None = None
    quick_answers: QuickAnswers | None = None

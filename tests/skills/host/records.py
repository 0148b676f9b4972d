"""A store for the tests of the channel, which takes any record; what a story has is tested in tests/store."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from typing import Any

import msgspec

from narratoria.errors import HostRefusal
from narratoria.skills.host.services import (
    Caller,
    Filters,
    HostMatch,
    HostRecord,
    OpinionChange,
    RecordToStore,
)
from narratoria.state import deep_merge


class Records:
    """In memory, by playthrough; a text is found by its words, of equals the newest first."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[tuple[str, str], HostRecord]] = {}

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
        words = _words(query)
        found = [
            HostMatch(**msgspec.structs.asdict(entry), relevance=share)
            for entry in self._matching(caller, data_type, filters)
            if (share := len(words & _words(str(entry.record))) / len(words))
            and share >= (min_relevance or 0)
        ]
        return sorted(found, key=lambda one: one.relevance)[::-1][:limit]

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
        found = self._matching(caller, data_type, filters)
        return found[:: -1 if newest_first else 1][offset : offset + limit]

    async def store(
        self, caller: Caller, data_type: str, record: dict[str, Any], identifier: str | None
    ) -> HostRecord:
        (entry,) = await self.store_all(
            caller, [RecordToStore(data_type=data_type, record=record, identifier=identifier)]
        )
        return entry

    async def store_all(self, caller: Caller, items: Sequence[RecordToStore]) -> Sequence[HostRecord]:
        kept = self._of(caller)
        entries = [
            HostRecord(
                identifier=item.identifier or uuid.uuid4().hex,
                data_type=item.data_type,
                record=item.record,
                skill=caller.skill,
                session_id=caller.session,
                stored_at="2026-01-01T00:00:00Z",
                updated_at="2026-01-01T00:00:00Z",
            )
            for item in items
        ]
        if taken := [one for one in entries if (one.data_type, one.identifier) in kept]:
            raise HostRefusal("ALREADY_EXISTS", f"there is a {taken[0].identifier} already", "update it")
        kept |= {(one.data_type, one.identifier): one for one in entries}
        return entries

    async def history(self, caller: Caller, data_type: str, subject: str) -> Sequence[OpinionChange]:
        return [
            OpinionChange(
                identifier=entry.identifier,
                subject=subject,
                change=entry.record["change"],
                reason=entry.record["reason"],
                turn=0,
                game_time=0.0,
                at=entry.stored_at,
                score_before=0.0,
                score_after=entry.record["change"],
            )
            for entry in self._matching(caller, data_type, {"factionId": subject})
        ]

    async def update(
        self, caller: Caller, data_type: str, identifier: str, changes: dict[str, Any]
    ) -> HostRecord:
        kept, key = self._of(caller), (data_type, identifier)
        if key not in kept:
            raise HostRefusal("NOT_FOUND", f"there is no {identifier}", "store it first")
        kept[key] = msgspec.structs.replace(kept[key], record=deep_merge(kept[key].record, changes))
        return kept[key]

    async def delete(self, caller: Caller, data_type: str, identifier: str) -> bool:
        return self._of(caller).pop((data_type, identifier), None) is not None

    def _of(self, caller: Caller) -> dict[tuple[str, str], HostRecord]:
        return self._kept.setdefault(caller.playthrough, {})

    def _matching(self, caller: Caller, data_type: str | None, filters: Filters) -> list[HostRecord]:
        return [
            entry
            for entry in self._of(caller).values()
            if data_type in (None, entry.data_type)
            and all(_is_so(_value(entry, name), wanted) for name, wanted in filters.items())
        ]


def _value(entry: HostRecord, name: str) -> Any:
    known = {"identifier": entry.identifier, "skill": entry.skill, "sessionId": entry.session_id}
    return known.get(name, entry.record.get(name))


def _is_so(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return bool(wanted.get("from", value) <= value <= wanted.get("to", value))
    return value in wanted if isinstance(wanted, list) else bool(value == wanted)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))

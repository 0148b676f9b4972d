"""What a story remembers, taken along when it goes elsewhere: events, and opinions with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:  # its import takes longer than a scene may wait for it
    from narratoria.store import NewRecord, StoredRecord
    from narratoria.store.scope import Scope

RecordType: TypeAlias = Literal["memory", "reputation", "perception"]
SUBJECTS: dict[Literal["reputation", "perception"], str] = {"reputation": "factionId", "perception": "npcId"}
OF_THE_STORE = ("id", "playthroughId", "sessionId", "turn")  # which another store sets anew
MOST = 100_000  # records in a save


class ExportedRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    turn: int
    data_type: RecordType
    record: dict[str, Any]  # as it was handed to the store
    identifier: str | None = None
    skill: str = ""  # who stored it; empty for the runtime itself


async def collect_records(scope: Scope) -> tuple[ExportedRecord, ...]:
    """In the order in which it happened."""
    records = [_memory(entry) for entry in await scope.exact_match("memory")]
    for ledger, subject in SUBJECTS.items():
        for entry in await scope.exact_match(ledger):
            records += await _changes(scope, ledger, subject, entry)
    return tuple(sorted(records, key=lambda one: one.turn))


def group_by_skill(records: Sequence[ExportedRecord]) -> list[tuple[str, list[NewRecord]]]:
    """What each skill stored, in the order in which it was stored."""
    from narratoria.store import NewRecord

    return [
        (skill, [NewRecord(one.data_type, one.record, one.identifier) for one in of_skill])
        for skill, of_skill in groupby(records, lambda one: one.skill)
    ]


def _memory(entry: StoredRecord) -> ExportedRecord:
    body = {
        name: value
        for name, value in msgspec.to_builtins(entry.record).items()
        if name not in OF_THE_STORE and value not in (None, "")
    }
    return ExportedRecord(
        turn=entry.turn, data_type="memory", record=body, identifier=entry.identifier, skill=entry.skill
    )


async def _changes(
    scope: Scope, ledger: Literal["reputation", "perception"], subject: str, entry: StoredRecord
) -> list[ExportedRecord]:
    who = msgspec.to_builtins(entry.record)
    records: list[ExportedRecord] = []
    for change in await scope.history(ledger, who[subject]):
        body = {
            subject: change.subject,
            "change": change.change,
            "reason": change.reason,
            "gameTime": change.game_time,
            **({} if records else {"decayRate": who["decayRate"]}),
        }
        one = ExportedRecord(
            turn=change.turn,
            data_type=ledger,
            record=body,
            identifier=change.identifier,
            skill=change.skill,
        )
        records.append(one)
    return records

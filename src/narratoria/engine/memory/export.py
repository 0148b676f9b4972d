"""What a story remembers, taken along when it goes elsewhere: events, and opinions with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:  # its import takes longer than a scene may wait for it
    from narratoria.store import NewRecord, StoredRecord
    from narratoria.store.scope import Scope

Remembering: TypeAlias = Literal["memory", "reputation", "perception"]
SUBJECTS: dict[Literal["reputation", "perception"], str] = {"reputation": "factionId", "perception": "npcId"}
OF_THE_STORE = ("id", "playthroughId", "sessionId", "turn")  # which another store sets anew
MOST = 100_000  # records in a save


class Remembered(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    turn: int
    data_type: Remembering
    record: dict[str, Any]  # as it was handed to the store
    identifier: str | None = None
    skill: str = ""  # who stored it; empty for the runtime itself


async def collect(scope: Scope) -> tuple[Remembered, ...]:
    """In the order in which it happened."""
    found = [_memory(entry) for entry in await scope.exact_match("memory")]
    for ledger, subject in SUBJECTS.items():
        for entry in await scope.exact_match(ledger):
            found += await _changes(scope, ledger, subject, entry)
    return tuple(sorted(found, key=lambda one: one.turn))


def by_skill(remembered: Sequence[Remembered]) -> list[tuple[str, list[NewRecord]]]:
    """What each skill stored, in the order in which it was stored."""
    from narratoria.store import NewRecord

    return [
        (skill, [NewRecord(one.data_type, one.record, one.identifier) for one in records])
        for skill, records in groupby(remembered, lambda one: one.skill)
    ]


def _memory(entry: StoredRecord) -> Remembered:
    body = {
        name: value
        for name, value in msgspec.to_builtins(entry.record).items()
        if name not in OF_THE_STORE and value not in (None, "")
    }
    return Remembered(
        turn=entry.turn, data_type="memory", record=body, identifier=entry.identifier, skill=entry.skill
    )


async def _changes(
    scope: Scope, ledger: Literal["reputation", "perception"], subject: str, entry: StoredRecord
) -> list[Remembered]:
    who = msgspec.to_builtins(entry.record)
    found: list[Remembered] = []
    for change in await scope.history(ledger, who[subject]):
        body = {
            subject: change.subject,
            "change": change.change,
            "reason": change.reason,
            "gameTime": change.game_time,
            **({} if found else {"decayRate": who["decayRate"]}),
        }
        one = Remembered(
            turn=change.turn,
            data_type=ledger,
            record=body,
            identifier=change.identifier,
            skill=change.skill,
        )
        found.append(one)
    return found

"""Keeps opinions as ledgers: signed changes with their reasons, replayed with decay for each query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, insert, select

from narratoria.errors import RecordExists

# skills that keep opinions themselves must come to the same scores, and can import nothing but the SDK
from narratoria.sdk.decay import DEFAULT_RATE, STRONG, UNIT, decay
from narratoria.store.engines.database import Writing
from narratoria.store.filters import Condition
from narratoria.store.lineage import View
from narratoria.store.record_versions import RecordRow, Stamp, new_identifier
from narratoria.store.records import (
    DataType,
    FactionReputation,
    NpcPerception,
    Record,
    StandingChange,
    StoredRecord,
)
from narratoria.store.tables import change

LOWEST, HIGHEST = -100.0, 100.0
REASONS_SHOWN = 5
SUBJECT = {"reputation": "factionId", "perception": "npcId"}
SCORE = {"reputation": "currentScore", "perception": "perceptionScore"}


@dataclass(slots=True)
class Standing:
    """Holds one opinion while its ledger is replayed."""

    subject: str
    score: float = 0.0
    rate: float = DEFAULT_RATE
    low: float = LOWEST
    high: float = HIGHEST
    game_time: float | None = None  # up to which the score has faded
    changes: list[StandingChange] = field(default_factory=list)
    first: RecordRow | None = None
    last: RecordRow | None = None

    def at(self, game_time: float) -> float:
        """Return the score at this moment of the story."""
        if self.game_time is None:
            return self.score
        return decay(self.score, game_time - self.game_time, self.rate)

    def apply(self, row: RecordRow) -> None:
        before = self.at(row.game_time)
        self.rate = self.rate if row.rate is None else row.rate
        self.low = self.low if row.low is None else row.low
        self.high = self.high if row.high is None else row.high
        self.score = min(max(before + row.delta, self.low), self.high)
        self.game_time = row.game_time if self.game_time is None else max(self.game_time, row.game_time)
        self.first, self.last = self.first or row, row
        self.changes.append(
            StandingChange(
                identifier=row.id,
                subject=row.subject,
                change=row.delta,
                reason=row.reason,
                turn=row.turn,
                game_time=row.game_time,
                at=row.at,
                score_before=before,
                score_after=self.score,
                session_id=row.session_id,
                skill=row.skill,
            )
        )


def standings(
    connection: Connection, view: View, data_type: DataType, subjects: Sequence[str] | None = None
) -> dict[str, Standing]:
    """Return every opinion that is held, by its holder."""
    statement = select(change).where(change.c.data_type == data_type, view.covers(change))
    if subjects is not None:
        statement = statement.where(change.c.subject.in_(subjects))
    rows = connection.execute(statement.order_by(change.c.subject, change.c.seq))
    by_subject = {
        subject: _replay(subject, group) for subject, group in groupby(rows, lambda row: row.subject)
    }
    return {subject: standing for subject, standing in by_subject.items() if standing.last is not None}


def _replay(subject: str, rows: Iterable[RecordRow]) -> Standing:
    standing = Standing(subject)
    for row in rows:
        if row.forgotten:
            standing = Standing(subject)
        else:
            standing.apply(row)
    return standing


def match(
    connection: Connection,
    view: View,
    data_type: DataType,
    conditions: Sequence[Condition],
    game_time: float,
) -> list[StoredRecord]:
    """Return the opinions that the conditions allow, in the order in which they were first formed."""
    subjects = next((c.values for c in conditions if c.field == SUBJECT[data_type]), None)
    by_subject = standings(connection, view, data_type, subjects)
    entries = [
        (_first_seq(standing), to_stored_record(standing, data_type, view, game_time))
        for standing in by_subject.values()
    ]
    entries.sort(key=lambda pair: pair[0])
    return [entry for _, entry in entries if _is_allowed(entry.record, conditions)]


def to_stored_record(standing: Standing, data_type: DataType, view: View, game_time: float) -> StoredRecord:
    first, last = standing.first, standing.last
    assert first is not None
    assert last is not None
    return StoredRecord(
        identifier=standing.subject,
        data_type=data_type,
        record=_record(standing, data_type, view, game_time),
        turn=last.turn,
        skill=last.skill,
        session_id=last.session_id,
        stored_at=first.at,
        updated_at=last.at,
    )


def add_change(
    writing: Writing,
    view: View,
    data_type: DataType,
    given: Mapping[str, Any],
    stamp: Stamp,
    *,
    identifier: str | None = None,
) -> str:
    """Writes down what a valid record says, and returns whom it is about."""
    subject: str = given[SUBJECT[data_type]]
    if identifier is not None:
        _refuse_twice(writing.connection, view, data_type, identifier)
    moment = given.get("gameTime", stamp.game_time)
    score = given.get(SCORE[data_type])
    delta = given.get("change", 0.0)
    if score is not None:
        held = standings(writing.connection, view, data_type, [subject]).get(subject, Standing(subject))
        delta = score - held.at(moment)
    scale = given.get("scale", {})
    _add(
        writing,
        view,
        stamp,
        data_type=data_type,
        subject=subject,
        id=identifier or new_identifier(),
        delta=delta,
        reason=given.get("reason", ""),
        game_time=moment,
        rate=given.get("decayRate"),
        low=scale.get("min"),
        high=scale.get("max"),
        forgotten=False,
    )
    return subject


def forget(writing: Writing, view: View, data_type: DataType, subject: str, stamp: Stamp) -> bool:
    """End an opinion, and return whether there was one."""
    if not standings(writing.connection, view, data_type, [subject]):
        return False
    _add(
        writing,
        view,
        stamp,
        data_type=data_type,
        subject=subject,
        id=new_identifier(),
        delta=0.0,
        reason="",
        game_time=stamp.game_time,
        forgotten=True,
    )
    return True


def _add(writing: Writing, view: View, stamp: Stamp, **values: Any) -> None:
    (seq,) = writing.draw()
    writing.connection.execute(
        insert(change).values(
            seq=seq,
            line=view.branch,
            turn=stamp.turn,
            session_id=stamp.session_id,
            skill=stamp.skill,
            at=stamp.at,
            **values,
        )
    )


def _refuse_twice(connection: Connection, view: View, data_type: DataType, identifier: str) -> None:
    statement = select(change.c.seq).where(
        change.c.data_type == data_type, change.c.id == identifier, view.covers(change)
    )
    if connection.execute(statement).first():
        raise RecordExists(f"the {data_type} change {identifier!r} was already stored; it counts once")


def _first_seq(standing: Standing) -> int:
    return int(standing.first.seq) if standing.first is not None else 0


def _record(standing: Standing, data_type: DataType, view: View, game_time: float) -> Record:
    score = standing.at(game_time)
    last = standing.last
    at = last.at if last is not None else ""
    if data_type == "reputation":
        return FactionReputation(
            faction_id=standing.subject,
            playthrough_id=view.playthrough,
            current_score=score,
            last_updated=at,
            decay_rate=standing.rate,
        )
    reasons = [entry.reason for entry in reversed(standing.changes) if entry.reason]
    return NpcPerception(
        npc_id=standing.subject,
        playthrough_id=view.playthrough,
        perception_score=score,
        last_interaction=at,
        event_history="; ".join(reasons[:REASONS_SHOWN]),
        decay_rate=standing.rate,
        sentiment=score / 100,
    )


def _is_allowed(record: Record, conditions: Sequence[Condition]) -> bool:
    fields = {_snake(condition.field): condition for condition in conditions}
    return all(condition.allows(getattr(record, name)) for name, condition in fields.items())


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


__all__ = ["DEFAULT_RATE", "STRONG", "UNIT", "decay"]

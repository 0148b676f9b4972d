"""Reads and writes the versions of records that a view shows."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    delete,
    exists,
    func,
    insert,
    literal_column,
    select,
)
from sqlalchemy.sql import Select

from narratoria.store.engines.database import Writing
from narratoria.store.filters import Condition, clause
from narratoria.store.lineage import View
from narratoria.store.records import (
    Asset,
    CharacterPortrait,
    DataType,
    LoreChunk,
    MemoryEvent,
    PlaythroughSession,
    Record,
    StoredRecord,
)
from narratoria.store.tables import BranchColumn, label, record, vector
from narratoria.store.validation import extract_facets

RecordRow: TypeAlias = Row[*tuple[Any, ...]]

_AT_ONCE = 500  # parameters of a statement, at most
_STAYING = (
    "origin",
    "first_turn",
    "session_id",
    "skill",
    "stored_at",
    "timestamp",
    "game_time",
)  # over updates
_later = record.alias("later")


def is_current(view: View) -> ColumnElement[bool]:
    """Return the condition that a row is the version of its record that a view shows."""
    superseded = exists(literal_column("1")).where(
        _later.c.data_type == record.c.data_type,
        _later.c.id == record.c.id,
        literal_column("later.version > 0"),  # spelled out: a parameter would hide the index made for it
        _later.c.seq > record.c.seq,
        view.covers(_later),
    )
    return and_(view.covers(record), ~superseded, record.c.gone.is_(False))


def select_matching(
    view: View, data_type: DataType, conditions: Sequence[Condition], *columns: ColumnElement[Any]
) -> Select[*tuple[Any, ...]]:
    """Select the rows of a data type that are visible and allowed: all columns, or those named."""
    return select(*(columns or record.c)).where(
        record.c.data_type == data_type,
        *(clause(condition, data_type, view) for condition in conditions),
        is_current(view),
    )


def find_current(
    connection: Connection, view: View, data_type: DataType, identifier: str
) -> RecordRow | None:
    statement = select(record).where(
        record.c.data_type == data_type, record.c.id == identifier, is_current(view)
    )
    return connection.execute(statement).first()


def read_rows(connection: Connection, branches: Sequence[str], seqs: Sequence[int]) -> dict[int, RecordRow]:
    """Return the rows of these branches with these numbers."""
    rows_by_seq: dict[int, RecordRow] = {}
    for start in range(0, len(seqs), _AT_ONCE):
        some = list(seqs[start : start + _AT_ONCE])
        rows = select(record).where(BranchColumn(record.c.line).in_(branches), record.c.seq.in_(some))
        rows_by_seq |= {row.seq: row for row in connection.execute(rows).all()}
    return rows_by_seq


@dataclass(frozen=True, slots=True)
class Version:
    """Describes a row to write: a new record, or a new version of one."""

    data_type: DataType
    identifier: str
    body: Mapping[str, Any] | None  # None: deleted
    before: RecordRow | None = None
    named: bool = True  # whether somebody chose the identifier: only then can it have been used before


@dataclass(frozen=True, slots=True)
class Stamp:
    """Says on whose behalf, and when, something is written."""

    session_id: str
    skill: str
    turn: int
    game_time: float
    at: str


def add_versions(writing: Writing, view: View, versions: Sequence[Version], stamp: Stamp) -> range:
    """Writes the rows and returns their numbers."""
    if not versions:
        return range(0)
    seqs = writing.draw(len(versions))
    numbered = list(zip(seqs, versions, strict=True))
    rows = [_row(writing.connection, view, version, stamp, seq) for seq, version in numbered]
    writing.connection.execute(insert(record), rows)
    labels = [
        {"line": view.branch, "data_type": version.data_type, "name": name, "value": value, "seq": seq}
        for seq, version in numbered
        if version.body is not None
        for name, value in sorted(extract_facets(version.data_type, version.body).labels)
    ]
    if labels:
        writing.connection.execute(insert(label), labels)
    return seqs


def _row(connection: Connection, view: View, version: Version, stamp: Stamp, seq: int) -> dict[str, Any]:
    values = {
        "seq": seq,
        "line": view.branch,
        "turn": stamp.turn,
        "data_type": version.data_type,
        "id": version.identifier,
        "version": 0,
        "gone": version.body is None,
        "origin": seq,
        "first_turn": stamp.turn,
        "session_id": stamp.session_id,
        "skill": stamp.skill,
        "stored_at": stamp.at,
        "updated_at": stamp.at,
        "timestamp": stamp.at,
        "game_time": stamp.game_time,
        "text": "",
        "body": msgspec.json.encode(version.body or {}).decode(),
    }
    if version.before is not None:
        values |= {name: getattr(version.before, name) for name in _STAYING}
        values["version"] = version.before.version + 1
    elif version.named and (earlier := _last_version(connection, view, version)) is not None:
        values["version"] = earlier + 1  # a new record, under the name of one that was deleted
    if version.body is not None:
        facets = extract_facets(version.data_type, version.body)
        values["text"] = facets.text
        values["timestamp"] = facets.timestamp or values["timestamp"]
        values["game_time"] = values["game_time"] if facets.game_time is None else facets.game_time
    return values


def remove_rows(connection: Connection, branch: str, seqs: Sequence[int]) -> None:
    """Remove rows of a branch from the record table for good, with their labels and vectors."""
    for start in range(0, len(seqs), _AT_ONCE):
        some = list(seqs[start : start + _AT_ONCE])
        for table in (vector, label, record):
            connection.execute(
                delete(table).where(BranchColumn(table.c.line) == branch, table.c.seq.in_(some))
            )


def new_identifier() -> str:
    return secrets.token_hex(8)


def _last_version(connection: Connection, view: View, version: Version) -> int | None:
    statement = select(func.max(record.c.version)).where(
        record.c.data_type == version.data_type, record.c.id == version.identifier, view.covers(record)
    )
    return connection.execute(statement).scalar()


def to_stored_record(row: RecordRow, view: View) -> StoredRecord:
    body = msgspec.json.decode(row.body)
    return StoredRecord(
        identifier=row.id,
        data_type=row.data_type,
        record=_READ[row.data_type](row, body, view),
        turn=row.first_turn,
        skill=row.skill,
        session_id=row.session_id,
        stored_at=row.stored_at,
        updated_at=row.updated_at,
    )


def _memory(row: RecordRow, body: dict[str, Any], view: View) -> Record:
    stamped = {
        "id": row.id,
        "timestamp": row.timestamp,
        "sessionId": row.session_id,
        "playthroughId": view.playthrough,
        "turn": row.first_turn,
        "gameTime": row.game_time,
    }
    return msgspec.convert({**body, **stamped}, MemoryEvent)


def _lore(row: RecordRow, body: dict[str, Any], _view: View) -> Record:
    return msgspec.convert({**body, "id": row.id}, LoreChunk)


def _portrait(row: RecordRow, body: dict[str, Any], view: View) -> Record:
    stamped = {"id": row.id, "generatedAt": row.timestamp, "playthroughId": view.playthrough}
    return msgspec.convert({**body, **stamped}, CharacterPortrait)


def _session(row: RecordRow, body: dict[str, Any], view: View) -> Record:
    stamped = {"sessionId": row.id, "startTime": row.timestamp, "playthroughId": view.playthrough}
    return msgspec.convert({**body, **stamped}, PlaythroughSession)


def _asset(row: RecordRow, body: dict[str, Any], _view: View) -> Record:
    return msgspec.convert({**body, "id": row.id, "created_at": row.timestamp}, Asset)


_READ: dict[str, Callable[[RecordRow, dict[str, Any], View], Record]] = {
    "memory": _memory,
    "lore": _lore,
    "portrait": _portrait,
    "session": _session,
    "asset": _asset,
}

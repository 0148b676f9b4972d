"""Reads filters: the values that a record's fields may have, refused with every problem named.

A filter's value is a value the field has or holds, several of which one will do, or a range with `from`, `to`
or both. A null asks for records without the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Float, and_, false, or_, select, type_coerce

from narratoria.contracts.messages import closest_match
from narratoria.errors import ContractViolation, Problem
from narratoria.store.lineage import View
from narratoria.store.records import SIGNIFICANCE, DataType
from narratoria.store.tables import label, record
from narratoria.store.validation import LABELS, LEDGERS, label_value, moment

Scalar: TypeAlias = str | int | float | bool | None
Filters: TypeAlias = Mapping[str, Scalar | Sequence[Scalar] | Mapping[str, str | float]]

_COLUMNS = {
    "identifier": "id",
    "sessionId": "session_id",
    "skill": "skill",
    "turn": "first_turn",
    "storedAt": "stored_at",
    "updatedAt": "updated_at",
}
_OWN_COLUMNS: dict[DataType, dict[str, str]] = {
    "memory": {"timestamp": "timestamp", "gameTime": "game_time"},
    "portrait": {"generatedAt": "timestamp"},
    "session": {"startTime": "timestamp"},
    "asset": {"created_at": "timestamp"},
}
_LEDGER_FIELDS: dict[DataType, tuple[str, ...]] = {
    "reputation": ("factionId", "currentScore", "lastUpdated", "decayRate"),
    "perception": ("npcId", "perceptionScore", "lastInteraction", "decayRate", "sentiment"),
}
_ALIASES: dict[DataType, dict[str, str]] = {
    "memory": {
        "character": "characterIds",
        "characterId": "characterIds",
        "tags": "semanticTags",
        "knownBy": "witnesses",
    },
    "reputation": {"faction": "factionId", "identifier": "factionId", "timestamp": "lastUpdated"},
    "perception": {"npc": "npcId", "identifier": "npcId", "timestamp": "lastInteraction"},
    "lore": {},
    "portrait": {"character": "characterId", "timestamp": "generatedAt"},
    "session": {"location": "currentLocation", "timestamp": "startTime"},
    "asset": {"filePath": "path", "tags": "keywords", "timestamp": "created_at"},
}
_MOMENTS = {
    "timestamp",
    "storedAt",
    "updatedAt",
    "generatedAt",
    "startTime",
    "created_at",
    "lastUpdated",
    "lastInteraction",
}
_NUMBERS = {"turn", "gameTime", "currentScore", "perceptionScore", "decayRate", "sentiment"}


@dataclass(frozen=True, slots=True)
class Condition:
    """Restricts a field to some values, or to a range with its ends included."""

    field: str
    values: tuple[Any, ...] | None = None
    low: Any = None
    high: Any = None

    def allows(self, value: Any) -> bool:
        if self.values is not None:
            return value in self.values
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def fields_of(data_type: DataType) -> list[str]:
    """Return the names that a filter for this data type may use."""
    own = (
        _LEDGER_FIELDS[data_type]
        if data_type in LEDGERS
        else (*_COLUMNS, *_OWN_COLUMNS.get(data_type, ()), *LABELS[data_type])
    )
    return [*own, *_ALIASES[data_type]]


def read_filters(
    data_type: DataType, filters: Mapping[str, Any], playthrough: str = ""
) -> tuple[Condition, ...]:
    """Convert filters to conditions; raise ContractViolation with every problem."""
    problems: list[Problem] = []
    conditions: list[Condition] = []
    for name, value in filters.items():
        pointer = f"/filters/{name}"
        if name == "playthroughId":
            if not playthrough or value != playthrough:
                problems.append(Problem("only one playthrough can be seen from here; leave it out", pointer))
            continue
        if name not in fields_of(data_type):
            near = closest_match(name, fields_of(data_type))
            advice = f"did you mean {near!r}?" if near else f"there are {', '.join(fields_of(data_type))}"
            problems.append(Problem(f"{data_type} records have no such field; {advice}", pointer))
            continue
        field = _ALIASES[data_type].get(name, name)
        try:
            conditions.append(_condition(field, value))
        except ValueError as error:
            problems.append(Problem(str(error), pointer))
    if problems:
        raise ContractViolation(problems)
    return tuple(conditions)


def clause(condition: Condition, data_type: DataType, view: View) -> ColumnElement[bool]:
    """Return the condition as SQL on rows of the record table."""
    name = {**_COLUMNS, **_OWN_COLUMNS.get(data_type, {})}.get(condition.field)
    if name is None:
        return _has_label(condition, data_type, view)
    column: ColumnElement[Any] = record.c[name]
    values = [value for value in condition.values or () if value is not None]
    if condition.field in _NUMBERS:
        column = type_coerce(column, Float)  # a turn can be compared with 2.5
    else:
        values = [label_value(value) for value in values]
    if condition.values is not None:
        return column.in_(values)
    bounds = []
    if condition.low is not None:
        bounds.append(column >= condition.low)
    if condition.high is not None:
        bounds.append(column <= condition.high)
    return and_(*bounds)


def _has_label(condition: Condition, data_type: DataType, view: View) -> ColumnElement[bool]:
    values = condition.values or ()
    named = select(label.c.seq).where(label.c.data_type == data_type, label.c.name == condition.field)
    if view.is_long:  # found by the row: by number and branch, SQLite tries every pair of the two
        named = named.where(label.c.line == record.c.line, label.c.seq == record.c.seq)
    else:
        named = named.where(label.c.line.in_(view.branches))
    texts = [label_value(value) for value in values if value is not None]
    tests: list[ColumnElement[bool]] = []
    if texts:
        having = named.where(label.c.value.in_(texts))
        tests.append(having.exists() if view.is_long else record.c.seq.in_(having))
    if None in values:
        tests.append(~named.exists() if view.is_long else record.c.seq.not_in(named))
    return or_(false(), *tests)


def _condition(field: str, value: Any) -> Condition:
    if isinstance(value, Mapping):
        return _range(field, value)
    values = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not values:
        raise ValueError("an empty list asks for nothing; name a value or leave the filter out")
    for item in values:
        if not isinstance(item, str | int | float | bool | None):
            raise ValueError(f"{item!r} is not a value; give a string, a number, true, false or null")
    if field in _MOMENTS:
        if len(values) == 1 and isinstance(values[0], str) and len(values[0]) == len("2026-01-31"):
            return _range(field, {"from": values[0], "to": values[0]})
        return Condition(field, tuple(_bound(field, item, end=False) for item in values))
    if field in _NUMBERS:
        return Condition(field, tuple(_bound(field, item, end=False) for item in values))
    return Condition(field, values)


def _range(field: str, value: Mapping[str, Any]) -> Condition:
    odd = [name for name in value if name not in ("from", "to")]
    if odd or not value:
        raise ValueError("a range has `from`, `to` or both" + (f", not {odd[0]!r}" if odd else ""))
    low, high = value.get("from"), value.get("to")
    if field == "significance":
        first = SIGNIFICANCE.index(_level(low)) if low is not None else 0
        last = SIGNIFICANCE.index(_level(high)) if high is not None else len(SIGNIFICANCE) - 1
        return Condition(field, SIGNIFICANCE[first : last + 1])
    if field not in _MOMENTS | _NUMBERS:
        raise ValueError("has no order to take a range of; name its values")
    return Condition(
        field,
        None,
        None if low is None else _bound(field, low, end=False),
        None if high is None else _bound(field, high, end=True),
    )


def _bound(field: str, value: Any, *, end: bool) -> Any:
    if field in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{value!r} is not a number")
        return value
    try:
        text = str(value)
        if len(text) == len("2026-01-31"):
            text += "T23:59:59.999999" if end else "T00:00:00"
        return moment(text)
    except ValueError:
        raise ValueError(f"{value!r} is not a date and time such as 2026-01-31T18:30:00Z") from None


def _level(value: Any) -> Any:
    if value not in SIGNIFICANCE:
        raise ValueError(f"{value!r} is not a significance ({', '.join(SIGNIFICANCE)})")
    return value

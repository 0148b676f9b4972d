"""Defines what a playthrough sees: its own rows, and those of its ancestors up to where it left them.

This is the only place that knows; every query about a story goes through a View.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    cast,
    exists,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from narratoria.errors import NoSuchRecord
from narratoria.store.tables import playthrough

NO_LIMIT = 2**62
MOST_JOINED = 8  # segments that are joined by OR


@dataclass(frozen=True, slots=True)
class Segment:
    """Selects a part of a branch: its rows up to a turn that were written up to a number."""

    branch: str
    turn: int = NO_LIMIT
    seq: int = NO_LIMIT


@dataclass(frozen=True)
class View:
    branch: str  # where new rows go
    segments: tuple[Segment, ...]  # what can be seen, nearest first
    campaign: str
    fork_turn: int = 0

    @property
    def playthrough(self) -> str:
        """Return the playthrough; empty for a campaign's own view."""
        return "" if self.branch == campaign_branch(self.campaign) else self.branch

    @property
    def branches(self) -> tuple[str, ...]:
        return tuple(segment.branch for segment in self.segments)

    @property
    def is_long(self) -> bool:
        """Return whether there are so many branches that conditions on them are put otherwise."""
        return len(self.segments) > MOST_JOINED

    def covers(self, rows: FromClause) -> ColumnElement[bool]:
        """Return the condition that a row of a table with branch, turn and seq is visible."""
        if not self.is_long:
            return or_(*self.parts(rows))
        within: Select[Any] = select(literal_column("1")).where(
            self._listed.c.line == rows.c.line,
            rows.c.turn <= self._listed.c.turn,
            rows.c.seq <= self._listed.c.seq,
        )
        return and_(rows.c.line.in_(select(self._listed.c.line)), exists(within))

    @cached_property
    def _listed(self) -> CTE:
        """The segments as a table of one parameter: the statement is the same however many they are."""
        listed = [(segment.branch, segment.turn, segment.seq) for segment in self.segments]
        items = _JsonItems(literal(msgspec.json.encode(listed).decode(), Text)).table_valued("value")
        line = cast(_JsonItem(items.c.value, literal_column("0")), Text)
        turn, seq = (cast(_JsonItem(items.c.value, literal_column(at)), BigInteger) for at in ("1", "2"))
        return select(line.label("line"), turn.label("turn"), seq.label("seq")).cte("seen")

    def parts(self, rows: FromClause) -> Iterator[ColumnElement[bool]]:
        """Yield the condition for each branch, nearest first.

        The latest row is in the first branch that has any, and an index finds it there without the others.
        """
        return (_is_in(segment, rows) for segment in self.segments)


def campaign_branch(campaign: str) -> str:
    return f"campaign:{campaign}"  # no playthrough's id has a colon


def view_of_campaign(campaign: str) -> View:
    branch = campaign_branch(campaign)
    return View(branch, (Segment(branch),), campaign)


def view_of(connection: Connection, playthrough_id: str, *, turn: int | None = None) -> View:
    """Return the view of a playthrough and its campaign, now or after an earlier turn."""
    chain = _chain(connection, playthrough_id)
    if not chain or chain[0].deleted_at is not None:
        message = f"there is no playthrough {playthrough_id!r}; it may have been deleted"
        raise NoSuchRecord(message)
    own = chain[0]
    last_turn, last_seq = NO_LIMIT if turn is None else turn, NO_LIMIT
    segments = []
    for row in chain:
        segments.append(Segment(row.id, last_turn, last_seq))
        last_turn, last_seq = min(last_turn, row.fork_turn), min(last_seq, row.fork_seq)
    segments.append(Segment(campaign_branch(own.campaign)))
    return View(own.id, tuple(segments), own.campaign, own.fork_turn)


def _chain(connection: Connection, playthrough_id: str) -> list[Row[*tuple[Any, ...]]]:
    return list(connection.execute(_CHAIN, {"playthrough": playthrough_id}))


def _ancestry() -> Select[*tuple[Any, ...]]:
    columns = (
        playthrough.c.id,
        playthrough.c.campaign,
        playthrough.c.parent_id,
        playthrough.c.fork_turn,
        playthrough.c.fork_seq,
        playthrough.c.deleted_at,
    )
    start = select(*columns, literal(0).label("depth")).where(playthrough.c.id == bindparam("playthrough"))
    chain = start.cte("chain", recursive=True)
    parents = select(*columns, chain.c.depth + 1).join(chain, playthrough.c.id == chain.c.parent_id)
    chain = chain.union_all(parents)
    return select(chain).order_by(chain.c.depth)


_CHAIN = _ancestry()  # asked before every other question: putting it together took longer than the answer


class _JsonItems(FunctionElement[Any]):
    """Lists the items of a JSON array as rows with one column, `value`."""

    inherit_cache = True


class _JsonItem(FunctionElement[Any]):
    """Takes one item out of a JSON array, by its number."""

    inherit_cache = True


@compiles(_JsonItems)
def _list_items(element: _JsonItems, compiler: SQLCompiler, **options: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **options)})"


@compiles(_JsonItems, "postgresql")
def _list_items_there(element: _JsonItems, compiler: SQLCompiler, **options: Any) -> str:
    return f"jsonb_array_elements(CAST({compiler.process(element.clauses, **options)} AS jsonb))"


@compiles(_JsonItem)
def _take_item(element: _JsonItem, compiler: SQLCompiler, **options: Any) -> str:
    array, at = element.clauses
    return f"json_extract({compiler.process(array, **options)}, '$[{compiler.process(at, **options)}]')"


@compiles(_JsonItem, "postgresql")
def _take_item_there(element: _JsonItem, compiler: SQLCompiler, **options: Any) -> str:
    array, at = element.clauses
    return f"({compiler.process(array, **options)} ->> {compiler.process(at, **options)})"


def _is_in(segment: Segment, rows: FromClause) -> ColumnElement[bool]:
    tests = [rows.c.line == segment.branch]
    if segment.turn < NO_LIMIT:
        tests.append(rows.c.turn <= segment.turn)
    if segment.seq < NO_LIMIT:
        tests.append(rows.c.seq <= segment.seq)
    return and_(*tests)

"""Defines what a playthrough sees: its own rows, and those of its ancestors up to where it left them.

This is the only place that knows; every query about a story goes through a View.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    and_,
    bindparam,
    literal,
    or_,
    select,
)
from sqlalchemy.sql.elements import Grouping

from narratoria.errors import NoSuchRecord
from narratoria.store.tables import playthrough

NO_LIMIT = 2**62
_IN_A_ROW = 100


@dataclass(frozen=True, slots=True)
class Segment:
    """Selects a part of a branch: its rows up to a turn that were written up to a number."""

    branch: str
    turn: int = NO_LIMIT
    seq: int = NO_LIMIT


@dataclass(frozen=True, slots=True)
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

    def covers(self, rows: FromClause) -> ColumnElement[bool]:
        """Return the condition that a row of a table with branch, turn and seq is visible."""
        return _any(self.parts(rows))

    def parts(self, rows: FromClause) -> tuple[ColumnElement[bool], ...]:
        """Return the condition for each branch, nearest first.

        The latest row is in the first branch that has any, and an index finds it there without the others.
        """
        return tuple(_is_in(segment, rows) for segment in self.segments)


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


def _any(tests: Sequence[ColumnElement[bool]]) -> ColumnElement[bool]:
    """Join conditions in halves: SQLite refuses expressions nested a thousand deep, as a chain of ORs is."""
    if len(tests) <= _IN_A_ROW:
        return or_(*tests)
    middle = len(tests) // 2
    return or_(_InBrackets(_any(tests[:middle])), _InBrackets(_any(tests[middle:])))


class _InBrackets(Grouping[bool]):
    """Keeps its brackets where SQLAlchemy would flatten an OR of ORs."""

    inherit_cache = True
    operator = None


def _is_in(segment: Segment, rows: FromClause) -> ColumnElement[bool]:
    tests = [rows.c.line == segment.branch]
    if segment.turn < NO_LIMIT:
        tests.append(rows.c.turn <= segment.turn)
    if segment.seq < NO_LIMIT:
        tests.append(rows.c.seq <= segment.seq)
    return and_(*tests)

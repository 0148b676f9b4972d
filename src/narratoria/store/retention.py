"""Removes memories by age, number or size, never the pinned ones, and never without a report.

A memory goes for good, with all its versions, when no playthrough that sees it would keep it. What was
deleted or changed stays for branches that go back before it, as long as the policy says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from sqlalchemy import Connection, func, select

from narratoria.store.engines.database import Writing
from narratoria.store.filters import read_filters
from narratoria.store.lineage import View, view_of
from narratoria.store.record_versions import RecordRow, remove_rows, select_matching
from narratoria.store.records import RetentionPolicy
from narratoria.store.tables import BranchColumn, playthrough, record, vector
from narratoria.store.validation import moment

Reason: TypeAlias = Literal["age", "count", "size", "deleted"]
KIND: Literal["memory"] = "memory"  # the only kind of record that grows with play


@dataclass(frozen=True, slots=True)
class Removal:
    identifier: str
    text: str  # empty for one that was deleted before
    timestamp: str
    reason: Reason
    rows: tuple[int, ...]  # all its versions
    bytes: int


@dataclass(frozen=True, slots=True)
class RetentionReport:
    policy: RetentionPolicy
    removals: tuple[Removal, ...]
    kept_count: int

    @property
    def bytes(self) -> int:
        return sum(removal.bytes for removal in self.removals)


@dataclass(frozen=True, slots=True)
class _Seen:
    identifier: str
    timestamp: str
    bytes: int
    pinned: bool


def plan_removals(
    connection: Connection, policy: RetentionPolicy, *, at: datetime | None = None
) -> RetentionReport:
    """Return what this policy would remove, and why."""
    today = at or datetime.now(UTC)
    removals: list[Removal] = []
    kept_count = 0
    for branches in _trees(connection):
        if not policy.is_limited and (whole := _untouched(connection, branches)) is not None:
            kept_count += whole
            continue
        kept_ids, reasons = _judge(connection, branches, policy, today)
        kept_count += len(kept_ids)
        horizon = _before(today, policy.deleted_after_days)
        removals += _removals(_versions(connection, branches, but=kept_ids), reasons, horizon)
    removals.sort(key=lambda removal: (removal.timestamp, removal.identifier))
    return RetentionReport(policy, tuple(removals), kept_count)


def remove_planned(writing: Writing, report: RetentionReport) -> tuple[Removal, ...]:
    """Removes what was reported, unless something has happened since that keeps it."""
    named = {removal.rows for removal in report.removals}
    gone = tuple(r for r in plan_removals(writing.connection, report.policy).removals if r.rows in named)
    for branch, seqs in _by_branch(writing.connection, gone).items():
        remove_rows(writing.connection, branch, seqs)
    return gone


def _by_branch(connection: Connection, gone: Sequence[Removal]) -> dict[str, list[int]]:
    seqs = {seq for removal in gone for seq in removal.rows}
    branches: dict[str, list[int]] = defaultdict(list)
    for branch, seq in connection.execute(
        select(record.c.line, record.c.seq).where(record.c.data_type == KIND)
    ):
        if seq in seqs:
            branches[branch].append(seq)
    return branches


def _trees(connection: Connection) -> Iterator[tuple[str, ...]]:
    """Return the branches of stories that share a past, deleted ones among them."""
    parents = {row.id: row.parent_id for row in connection.execute(select(playthrough))}
    trees: dict[str, list[str]] = defaultdict(list)
    for branch in parents:
        root = branch
        while (above := parents.get(root)) is not None:
            root = above
        trees[root].append(branch)
    return iter(tuple(branches) for branches in trees.values())


def _untouched(connection: Connection, branches: tuple[str, ...]) -> int | None:
    """Return the number of memories if none of them, and no story, was ever deleted; otherwise None.

    Somebody then sees each of them. To look at what everybody sees takes long after many undos.
    """
    here = record.c.line.in_(branches), record.c.data_type == KIND
    deleted = select(playthrough.c.id).where(
        playthrough.c.id.in_(branches), playthrough.c.deleted_at.is_not(None)
    )
    gone = select(record.c.seq).where(*here, record.c.gone.is_(True))
    if any(connection.execute(statement.limit(1)).first() for statement in (deleted, gone)):
        return None
    return connection.execute(select(func.count(record.c.id.distinct())).where(*here)).scalar_one()


def _judge(
    connection: Connection, branches: tuple[str, ...], policy: RetentionPolicy, today: datetime
) -> tuple[set[str], dict[str, Reason]]:
    """Return the memories that some playthrough keeps, and why the others need not be kept."""
    live = select(playthrough.c.id).where(playthrough.c.id.in_(branches), playthrough.c.deleted_at.is_(None))
    kept_ids: set[str] = set()
    reasons: dict[str, Reason] = {}
    for branch in connection.execute(live).scalars().all():
        for memory, reason in _excess(connection, view_of(connection, branch), policy, today):
            if reason is None:
                kept_ids.add(memory.identifier)
            else:
                reasons[memory.identifier] = reason
    return kept_ids, reasons


def _excess(
    connection: Connection, view: View, policy: RetentionPolicy, today: datetime
) -> Iterator[tuple[_Seen, Reason | None]]:
    """Yield every memory of a playthrough, the newest first, with the reason to remove it, if any."""
    oldest = _before(today, policy.max_age_days)
    count = size = 0
    for memory in _seen(connection, view):
        if memory.pinned:
            yield memory, None
        elif oldest is not None and memory.timestamp < oldest:
            yield memory, "age"
        elif policy.max_records is not None and count >= policy.max_records:
            yield memory, "count"
        elif policy.max_bytes is not None and size + memory.bytes > policy.max_bytes:
            yield memory, "size"
        else:
            count, size = count + 1, size + memory.bytes
            yield memory, None


def _seen(connection: Connection, view: View) -> list[_Seen]:
    episodic = read_filters(KIND, {"episodic": True})
    pinned = set(connection.execute(select_matching(view, KIND, episodic, record.c.id)).scalars())
    vectors = (
        select(func.coalesce(func.sum(func.length(vector.c.data)), 0))
        .where(BranchColumn(vector.c.line) == record.c.line, vector.c.seq == record.c.seq)
        .scalar_subquery()
    )
    size = func.length(record.c.body) + func.length(record.c.text) + vectors
    columns = (record.c.id, record.c.timestamp, size.label("bytes"))
    rows = select_matching(view, KIND, (), *columns).order_by(record.c.timestamp.desc(), record.c.seq.desc())
    return [
        _Seen(row.id, row.timestamp, row.bytes, pinned=row.id in pinned) for row in connection.execute(rows)
    ]


def _versions(
    connection: Connection, branches: tuple[str, ...], *, but: set[str]
) -> dict[str, list[RecordRow]]:
    """Return all rows of each memory, the oldest first."""
    size = func.length(record.c.body) + func.length(record.c.text)
    columns = (record.c.id, record.c.seq, record.c.timestamp, record.c.updated_at, record.c.text)
    rows = connection.execute(
        select(*columns, size.label("bytes"))
        .where(record.c.line.in_(branches), record.c.data_type == KIND)
        .order_by(record.c.seq)
    )
    versions: dict[str, list[RecordRow]] = defaultdict(list)
    for row in rows:
        if row.id not in but:
            versions[row.id].append(row)
    return versions


def _removals(
    versions: Mapping[str, Sequence[RecordRow]],
    reasons: Mapping[str, Reason],
    horizon: str | None,
) -> Iterator[Removal]:
    for identifier, rows in versions.items():
        reason = reasons.get(identifier)
        if reason is None:  # nobody sees it any more
            if horizon is None or rows[-1].updated_at >= horizon:
                continue
            reason = "deleted"
        yield Removal(
            identifier=identifier,
            text=rows[-1].text,
            timestamp=rows[-1].timestamp,
            reason=reason,
            rows=tuple(row.seq for row in rows),
            bytes=sum(row.bytes for row in rows),
        )


def _before(today: datetime, days: float | None) -> str | None:
    return None if days is None else moment((today - timedelta(days=days)).isoformat())

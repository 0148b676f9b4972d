"""Defines the store's methods, bound to one playthrough: no other one can be named from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from narratoria.errors import ContractViolation, NoSuchRecord, Problem, RecordExists
from narratoria.store import ledger
from narratoria.store.engines.database import Database, Writing
from narratoria.store.filters import Condition, Filters
from narratoria.store.lineage import View
from narratoria.store.query_log import QueryLog
from narratoria.store.query_scope import QueryScope
from narratoria.store.record_versions import (
    Stamp,
    Version,
    add_versions,
    find_current,
    new_identifier,
    read_rows,
    remove_rows,
    select_matching,
    to_stored_record,
)
from narratoria.store.records import DataType, NewRecord, SearchHit, StandingChange, StoredRecord
from narratoria.store.search.semantic import Hit, Indexes, rank
from narratoria.store.search.vectors import Embedded, Embeddings, Vectors, add_vectors, read_vector
from narratoria.store.tables import BranchColumn, record, vector
from narratoria.store.validation import (
    DATA_TYPES,
    LEDGERS,
    SEARCHABLE,
    extract_facets,
    merge_record,
    parse_data_type,
    validate_record,
)


@dataclass(frozen=True, slots=True)
class Core:
    """Holds what all scopes of a store share."""

    database: Database
    embeddings: Embeddings
    query_log: QueryLog
    indexes: Indexes = field(default_factory=Indexes)


@dataclass(frozen=True, slots=True)
class _ValidRecord:
    data_type: DataType
    identifier: str | None
    body: dict[str, Any]
    embedded: Embedded | None


class Scope:
    """Reads and writes the records of one playthrough, now or as of a turn, or of a campaign without one."""

    def __init__(self, core: Core, query_scope: QueryScope) -> None:
        self._core, self._query_scope = core, query_scope

    async def semantic_search(
        self,
        query: str,
        data_type: str | None = None,
        limit: int = 10,
        filters: Filters | None = None,
        *,
        min_relevance: float | None = None,
        min_score: float | None = None,
    ) -> tuple[SearchHit, ...]:
        """Return records about the query, the likeliest first; of every searchable type unless named.

        Whoever weighs the hits further asks for a least score, which does not depend on what else there is.
        """
        with self._core.query_log.measure(
            "semanticSearch", data_type or "", self._query_scope.log_fields(filters)
        ) as measured:
            conditions_by_type = self._query_scope.conditions_by_type(data_type, filters or {}, SEARCHABLE)
            view, hits = await rank(
                self._core.database,
                self._core.embeddings,
                self._core.indexes,
                self._query_scope.view,
                query,
                conditions_by_type=conditions_by_type,
                limit=limit,
                min_relevance=min_relevance,
                min_score=min_score,
            )
            results = tuple(_search_hit(to_stored_record(hit.row, view), hit) for hit in hits)
            measured.results = len(results)
            return results

    async def exact_match(
        self,
        data_type: str | None = None,
        filters: Filters | None = None,
        *,
        limit: int | None = None,
        offset: int = 0,
        newest_first: bool = False,
    ) -> tuple[StoredRecord, ...]:
        """Return the records with these field values, in the order in which they were first stored."""
        with self._core.query_log.measure(
            "exactMatch", data_type or "", self._query_scope.log_fields(filters)
        ) as measured:
            conditions_by_type = self._query_scope.conditions_by_type(data_type, filters or {}, DATA_TYPES)
            entries = await self._core.database.read(
                lambda link: self._match(link, conditions_by_type, limit, offset, newest_first)
            )
            measured.results = len(entries)
            return entries

    async def store(
        self, data_type: str, record: Mapping[str, Any], identifier: str | None = None
    ) -> StoredRecord:
        """Store a record durably; raise RecordExists for an identifier in use."""
        (entry,) = await self.store_all([NewRecord(data_type, record, identifier)])
        return entry

    async def store_all(
        self,
        items: Iterable[
            NewRecord | tuple[str, Mapping[str, Any]] | tuple[str, Mapping[str, Any], str | None]
        ],
    ) -> tuple[StoredRecord, ...]:
        """Store all records durably, or none."""
        new_records = [NewRecord(*item) for item in items]
        types = ",".join(sorted({item.data_type for item in new_records}))
        with self._core.query_log.measure("store", types, self._query_scope.log_fields(None)) as measured:
            entries = await self._core.database.write(await self.adding(new_records))
            measured.results = len(entries)
            return entries

    async def adding(self, items: Sequence[NewRecord]) -> Callable[[Writing], tuple[StoredRecord, ...]]:
        """Return a function that stores the records within a transaction that writes other things too."""
        valid = await self._validate(items)
        return lambda writing: self._add(writing, valid)

    async def exchange(self, gone: Iterable[tuple[str, str]], items: Iterable[NewRecord]) -> None:
        """Delete some records (data type, identifier) and store others, all of it or nothing.

        Vectors come later (`Store.reembed_pending`): a whole campaign does not wait for them.
        """
        old, new = list(gone), list(items)
        with self._core.query_log.measure("exchange", "", self._query_scope.log_fields(None)) as measured:
            kinds = [self._query_scope.writable(parse_data_type(item.data_type)) for item in new]
            valid = [
                _ValidRecord(kind, item.identifier, validate_record(kind, item.record), None)
                for kind, item in zip(kinds, new, strict=True)
            ]

            def work(writing: Writing) -> None:
                for data_type, identifier in old:
                    self._delete(writing, self._query_scope.writable(parse_data_type(data_type)), identifier)
                self._add(writing, valid)

            await self._core.database.write(work)
            measured.results = len(new)

    async def update(
        self, data_type: str, identifier: str, changes: Mapping[str, Any], *, since: int | None = None
    ) -> StoredRecord:
        """Merge changes into a record and return it: a null removes a field, objects merge.

        They hold from the present turn on, or from the turn `since` as far as that is on this branch.
        """
        with self._core.query_log.measure(
            "update", data_type, self._query_scope.log_fields(None)
        ) as measured:
            kind = self._query_scope.writable(parse_data_type(data_type))
            if kind in LEDGERS:
                entry = await self._core.database.write(
                    lambda writing: self._change_standing(writing, kind, identifier, changes)
                )
            else:
                entry = await self._update(kind, identifier, changes, since)
            measured.results = 1
            return entry

    async def delete(self, data_type: str, identifier: str, *, since: int | None = None) -> bool:
        """Delete a record and return whether there was one; branches made before keep it.

        It is gone from the present turn on, or from the turn `since` as far as that is on this branch.
        """
        with self._core.query_log.measure(
            "delete", data_type, self._query_scope.log_fields(None)
        ) as measured:
            kind = self._query_scope.writable(parse_data_type(data_type))
            gone = await self._core.database.write(
                lambda writing: self._delete(writing, kind, identifier, since)
            )
            measured.results = int(gone)
            return gone

    async def get(self, data_type: str, identifier: str) -> StoredRecord:
        """Return the record with this identifier; raise NoSuchRecord without one."""
        records = await self.exact_match(data_type, {"identifier": identifier})
        if not records:
            raise _missing(data_type, identifier)
        return records[0]

    async def history(self, data_type: str, subject: str) -> tuple[StandingChange, ...]:
        """Return every change of a faction's or a person's opinion, the oldest first."""
        kind = parse_data_type(data_type)
        if kind not in LEDGERS:
            message = f"{kind} records have no history of opinions; {' and '.join(LEDGERS)} have"
            raise ContractViolation([Problem(message, "/dataType")])
        with self._core.query_log.measure("history", kind, self._query_scope.log_fields(None)) as measured:
            held = await self._core.database.read(
                lambda link: ledger.standings(link, self._query_scope.view(link), kind, [subject])
            )
            changes = tuple(held[subject].changes) if subject in held else ()
            measured.results = len(changes)
            return changes

    async def vectors(self, data_type: str, identifier: str) -> tuple[Vectors, ...]:
        """Return a record's embedding, one vector for each window of its text; empty while it is pending."""

        def work(link: Connection) -> tuple[Vectors, ...]:
            row = find_current(link, self._query_scope.view(link), parse_data_type(data_type), identifier)
            if row is None:
                raise _missing(data_type, identifier)
            statement = (
                select(vector.c.data)
                .where(
                    BranchColumn(vector.c.line) == row.line,
                    vector.c.seq == row.seq,
                    vector.c.model == self._core.embeddings.number,
                )
                .order_by(vector.c.part)
            )
            return tuple(read_vector(data) for data in link.execute(statement).scalars())

        return await self._core.database.read(work)

    def _match(
        self,
        link: Connection,
        conditions_by_type: Mapping[DataType, tuple[Condition, ...]],
        limit: int | None,
        offset: int,
        newest_first: bool,
    ) -> tuple[StoredRecord, ...]:
        view = self._query_scope.view(link)
        end = None if limit is None else offset + limit
        entries: list[StoredRecord] = []
        for kind, conditions in conditions_by_type.items():
            if kind in LEDGERS:
                opinions = ledger.match(link, view, kind, conditions, self._query_scope.moment(link, view))
                entries += reversed(opinions) if newest_first else opinions
                continue
            order = record.c.origin.desc() if newest_first else record.c.origin
            statement = select_matching(view, kind, conditions).order_by(order).limit(end)
            entries += [to_stored_record(row, view) for row in link.execute(statement)]
        if len(conditions_by_type) > 1:
            entries.sort(key=lambda entry: entry.stored_at, reverse=newest_first)
        return tuple(entries[offset:end])

    async def _validate(self, items: Sequence[NewRecord]) -> list[_ValidRecord]:
        bodies = []
        for item in items:
            kind = self._query_scope.writable(parse_data_type(item.data_type))
            bodies.append((kind, item.identifier, validate_record(kind, item.record)))
        texts = [extract_facets(kind, body).text if kind in SEARCHABLE else "" for kind, _, body in bodies]
        embedded = await self._core.embeddings.of(texts)
        return [_ValidRecord(*parts, vectors) for parts, vectors in zip(bodies, embedded, strict=True)]

    def _add(self, writing: Writing, valid: Sequence[_ValidRecord]) -> tuple[StoredRecord, ...]:
        view, stamp = self._query_scope.place(writing.connection)
        link = writing.connection
        records = [item for item in valid if item.data_type not in LEDGERS]
        versions = [self._new(link, view, item) for item in records]
        _refuse_twins(versions)
        seqs = add_versions(writing, view, versions, stamp)
        vectors = [(seq, i.data_type, i.embedded) for seq, i in zip(seqs, records, strict=True) if i.embedded]
        add_vectors(writing, view.branch, vectors)
        rows_by_seq = read_rows(link, [view.branch], seqs)
        added = iter([to_stored_record(rows_by_seq[seq], view) for seq in seqs])
        return tuple(
            self._add_change(writing, view, stamp, item) if item.data_type in LEDGERS else next(added)
            for item in valid
        )

    def _new(self, link: Connection, view: View, item: _ValidRecord) -> Version:
        if item.identifier is None:
            return Version(item.data_type, new_identifier(), item.body, named=False)
        if find_current(link, view, item.data_type, item.identifier) is not None:
            raise _taken(item.data_type, item.identifier)
        return Version(item.data_type, item.identifier, item.body)

    def _add_change(self, writing: Writing, view: View, stamp: Stamp, item: _ValidRecord) -> StoredRecord:
        subject = ledger.add_change(
            writing, view, item.data_type, item.body, stamp, identifier=item.identifier
        )
        return self._standing(writing.connection, view, item.data_type, subject)

    async def _update(
        self, kind: DataType, identifier: str, changes: Mapping[str, Any], since: int | None
    ) -> StoredRecord:
        def look(link: Connection) -> dict[str, Any]:
            row = find_current(link, self._query_scope.view(link), kind, identifier)
            if row is None:
                raise _missing(kind, identifier)
            body: dict[str, Any] = msgspec.json.decode(row.body)
            return body

        before = await self._core.database.read(look)
        body = merge_record(kind, before, changes)
        text = extract_facets(kind, body).text
        (embedded,) = await self._core.embeddings.of([text])

        def work(writing: Writing) -> StoredRecord:
            view, stamp = self._query_scope.place(writing.connection)
            stamp = _since(stamp, view, since)
            row = find_current(writing.connection, view, kind, identifier)
            if row is None:
                raise _missing(kind, identifier)
            # somebody may have been quicker: the changes are merged into what is there now
            latest = merge_record(kind, msgspec.json.decode(row.body), changes)
            (seq,) = add_versions(writing, view, [Version(kind, identifier, latest, row)], stamp)
            if embedded is not None and extract_facets(kind, latest).text == text:
                add_vectors(writing, view.branch, [(seq, kind, embedded)])
            entry = to_stored_record(read_rows(writing.connection, [view.branch], [seq])[seq], view)
            if row.line == view.branch and not view.playthrough:
                remove_rows(writing.connection, row.line, [row.seq])  # nobody branches from a campaign
            return entry

        entry = await self._core.database.write(work)
        self._core.database.removals += not self._query_scope.playthrough
        return entry

    def _change_standing(
        self, writing: Writing, kind: DataType, subject: str, changes: Mapping[str, Any]
    ) -> StoredRecord:
        body = validate_record(kind, {**changes, ledger.SUBJECT[kind]: subject})
        view, stamp = self._query_scope.place(writing.connection)
        if not ledger.standings(writing.connection, view, kind, [subject]):
            raise _missing(kind, subject)
        ledger.add_change(writing, view, kind, body, stamp)
        return self._standing(writing.connection, view, kind, subject)

    def _delete(self, writing: Writing, kind: DataType, identifier: str, since: int | None = None) -> bool:
        view, stamp = self._query_scope.place(writing.connection)
        stamp = _since(stamp, view, since)
        if kind in LEDGERS:
            return ledger.forget(writing, view, kind, identifier, stamp)
        row = find_current(writing.connection, view, kind, identifier)
        if row is None:
            return False
        if view.playthrough:
            add_versions(writing, view, [Version(kind, identifier, None, row)], stamp)
        else:
            remove_rows(writing.connection, row.line, [row.seq])
            self._core.database.removals += 1
        return True

    def _standing(self, link: Connection, view: View, kind: DataType, subject: str) -> StoredRecord:
        held = ledger.standings(link, view, kind, [subject])[subject]
        return ledger.to_stored_record(held, kind, view, self._query_scope.moment(link, view))


def _since(stamp: Stamp, view: View, turn: int | None) -> Stamp:
    return stamp if turn is None else replace(stamp, turn=min(stamp.turn, max(turn, view.fork_turn)))


def _search_hit(entry: StoredRecord, hit: Hit) -> SearchHit:
    fields = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return SearchHit(**fields, relevance=hit.relevance, score=hit.score, raw_scores=dict(hit.raw_scores))


def _refuse_twins(versions: Sequence[Version]) -> None:
    seen = set()
    for version in versions:
        name = version.data_type, version.identifier
        if name in seen:
            raise _taken(*name)
        seen.add(name)


def _taken(data_type: str, identifier: str) -> RecordExists:
    return RecordExists(
        f"there is already a {data_type} record {identifier!r}; update it, or choose another name"
    )


def _missing(data_type: str, identifier: str) -> NoSuchRecord:
    return NoSuchRecord(f"there is no {data_type} record {identifier!r} in this playthrough")

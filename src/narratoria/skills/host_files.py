"""A store over plain files: one per playthrough, to which every change is appended as a line of JSON.

A line says what happened to one record: `stored`, `updated` (with the changes) or `deleted`. What a file says
is what its lines say one after the other. A line is written under a lock that other processes respect, and is
on the disk before the change is confirmed; half a line that a crash left at the end was never confirmed, and
is removed by the next writer.

The search compares words: the relevance of a record is the share of the query's different words that occur in
the texts of the record, whatever their case and order. It knows no synonyms and no grammar. Equally relevant
records come newest first.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import logging
import os
import re
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from narratoria.errors import HostRefusal
from narratoria.places import make_private
from narratoria.skills.host import Caller, Change, Entry, Filters, Found, Item
from narratoria.state import deep_merge

T = TypeVar("T")
_KNOWN = {
    "identifier": "identifier",
    "skill": "skill",
    "sessionId": "session_id",
    "storedAt": "stored_at",
    "updatedAt": "updated_at",
}

_log = logging.getLogger(__name__)


class FileStore:
    """The store of the host, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._books: dict[str, _Book] = {}

    async def semantic_search(
        self,
        caller: Caller,
        query: str,
        *,
        data_type: str | None,
        limit: int,
        filters: Filters,
        min_relevance: float | None,
    ) -> Sequence[Found]:
        wanted = _words(query)

        def search(book: _Book) -> list[Found]:
            ranked: list[tuple[float, int, Entry]] = []
            for age, kept in enumerate(book.read()):
                share = len(wanted & kept.words) / len(wanted) if wanted else 0.0
                if share > 0 and share >= (min_relevance or 0) and _matches(kept.entry, data_type, filters):
                    ranked.append((share, age, kept.entry))
            best = heapq.nlargest(limit, ranked, key=lambda item: item[:2])
            return [Found(**msgspec.structs.asdict(entry), relevance=share) for share, _, entry in best]

        return await self._do(caller, search)

    async def exact_match(
        self,
        caller: Caller,
        *,
        data_type: str | None,
        filters: Filters,
        limit: int,
        offset: int,
        newest_first: bool,
    ) -> Sequence[Entry]:
        def find(book: _Book) -> list[Entry]:
            kept = book.read()
            entries = (one.entry for one in (reversed(kept) if newest_first else kept))
            found = (entry for entry in entries if _matches(entry, data_type, filters))
            return list(islice(found, offset, offset + limit))

        return await self._do(caller, find)

    async def store(
        self, caller: Caller, data_type: str, record: dict[str, Any], identifier: str | None
    ) -> Entry:
        (entry,) = await self.store_all(
            caller, [Item(data_type=data_type, record=record, identifier=identifier)]
        )
        return entry

    async def store_all(self, caller: Caller, items: Sequence[Item]) -> Sequence[Entry]:
        now = _now()
        entries = [
            Entry(
                identifier=item.identifier or uuid.uuid4().hex,
                data_type=item.data_type,
                record=item.record,
                skill=caller.skill,
                session_id=caller.session,
                stored_at=now,
                updated_at=now,
            )
            for item in items
        ]
        return await self._do(caller, lambda book: book.store(entries))

    async def history(self, caller: Caller, data_type: str, subject: str) -> Sequence[Change]:
        """The records that name the subject; nothing fades here, and the score is their sum."""

        def look(book: _Book) -> list[Change]:
            kept = [one.entry for one in book.read() if one.entry.data_type == data_type]
            return _changes([entry for entry in kept if subject in _named_by(entry)], subject)

        return await self._do(caller, look)

    async def update(self, caller: Caller, data_type: str, identifier: str, changes: dict[str, Any]) -> Entry:
        return await self._do(caller, lambda book: book.update(data_type, identifier, changes))

    async def delete(self, caller: Caller, data_type: str, identifier: str) -> bool:
        return await self._do(caller, lambda book: book.delete(data_type, identifier))

    async def _do(self, caller: Caller, work: Callable[[_Book], T]) -> T:
        book = self._books.get(caller.playthrough)
        if book is None:
            path = self._folder / _file_name(caller.playthrough)
            book = self._books.setdefault(caller.playthrough, _Book(path))
        return await asyncio.to_thread(work, book)


def _file_name(playthrough: str) -> str:
    """Readable, and different for different playthroughs on file systems that know no case as well."""
    readable = re.sub(r"[^a-z0-9]+", "-", playthrough.casefold()).strip("-")[:40]
    return f"{readable or 'playthrough'}-{hashlib.sha256(playthrough.encode()).hexdigest()[:16]}.jsonl"


class _Line(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What happened to a record."""

    what: Literal["stored", "updated", "deleted", "together"]
    at: str
    data_type: str = ""
    identifier: str = ""
    record: dict[str, Any] = {}
    skill: str = ""
    session_id: str = ""
    lines: tuple[_Line, ...] = ()  # that happened together


@dataclass(frozen=True, slots=True)
class _Kept:
    entry: Entry
    words: frozenset[str]


class _Book:
    """The file of one playthrough, and what was read of it so far."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._file: tuple[int, int] = (0, 0)
        self._end = 0  # up to here the file was read

    def read(self) -> list[_Kept]:
        with self._opened():
            return list(self._kept.values())

    def store(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        with self._opened() as fd:
            taken = set(self._kept)
            for entry in entries:
                if (entry.data_type, entry.identifier) in taken:
                    raise HostRefusal(
                        "ALREADY_EXISTS",
                        f"there is a {entry.data_type} called {entry.identifier!r} already",
                        "update it, or leave the identifier out",
                    )
                taken.add((entry.data_type, entry.identifier))
            self._append(fd, *map(_stored, entries))
            return entries

    def update(self, data_type: str, identifier: str, changes: dict[str, Any]) -> Entry:
        with self._opened() as fd:
            if (data_type, identifier) not in self._kept:
                raise HostRefusal(
                    "NOT_FOUND", f"there is no {data_type} called {identifier!r}", "store it first"
                )
            self._append(fd, _Line("updated", _now(), data_type, identifier, changes))
            return self._kept[data_type, identifier].entry

    def delete(self, data_type: str, identifier: str) -> bool:
        with self._opened() as fd:
            if (data_type, identifier) not in self._kept:
                return False
            self._append(fd, _Line("deleted", _now(), data_type, identifier))
            return True

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The file, locked for everybody else and read to its end."""
        with self._lock:
            make_private(self._path.parent)
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
            try:
                _lock(fd)
                self._catch_up(fd)
                yield fd
            finally:
                os.close(fd)  # unlocks

    def _catch_up(self, fd: int) -> None:
        status = os.fstat(fd)
        if (status.st_dev, status.st_ino) != self._file or status.st_size < self._end:
            self._kept, self._end = {}, 0  # another file by this name: somebody restored or removed it
            self._file = (status.st_dev, status.st_ino)
        if status.st_size == self._end:
            return
        with open(fd, "rb", closefd=False) as file:
            file.seek(self._end)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        for number, line in enumerate(whole.split(b"\n")[:-1], 1):
            try:
                self._apply(msgspec.json.decode(line, type=_Line))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, ValueError) as error:
                _log.warning("%s: line %d after byte %d is skipped: %s", self._path, number, self._end, error)
        self._end += len(whole)

    def _append(self, fd: int, *lines: _Line) -> None:
        # what belongs together is one line: a crash leaves all of it or nothing
        line = lines[0] if len(lines) == 1 else _Line("together", _now(), lines=lines)
        text = msgspec.json.encode(line) + b"\n"
        os.ftruncate(fd, self._end)  # what a crash left half-written
        try:
            rest = text
            while rest:
                rest = rest[os.write(fd, rest) :]
            os.fsync(fd)
            if not self._end:
                _sync_folder(self._path.parent)  # that there is such a file must be on the disk as well
        except OSError:
            os.ftruncate(fd, self._end)
            raise
        self._apply(line)
        self._end += len(text)

    def _apply(self, line: _Line) -> None:
        if line.what == "together":
            for part in line.lines:
                self._apply(part)
            return
        key = (line.data_type, line.identifier)
        if line.what == "deleted":
            self._kept.pop(key, None)
            return
        if line.what == "stored":
            entry = Entry(
                identifier=line.identifier,
                data_type=line.data_type,
                record=line.record,
                skill=line.skill,
                session_id=line.session_id,
                stored_at=line.at,
                updated_at=line.at,
            )
        else:
            before = self._kept[key].entry
            record = deep_merge(before.record, line.record)
            entry = msgspec.structs.replace(before, record=record, updated_at=line.at)
        self._kept[key] = _Kept(entry, _words(*_texts(entry.record)))


def _stored(entry: Entry) -> _Line:
    return _Line(
        "stored",
        entry.stored_at,
        entry.data_type,
        entry.identifier,
        entry.record,
        entry.skill,
        entry.session_id,
    )


def _named_by(entry: Entry) -> tuple[Any, ...]:
    return entry.record.get("factionId"), entry.record.get("npcId")


def _changes(entries: Iterable[Entry], subject: str) -> list[Change]:
    changes: list[Change] = []
    score = 0.0
    for entry in entries:
        points = entry.record.get("change")
        points = float(points) if isinstance(points, int | float) else 0.0
        changes.append(
            Change(
                identifier=entry.identifier,
                subject=subject,
                change=points,
                reason=str(entry.record.get("reason") or ""),
                turn=0,
                game_time=0.0,
                at=entry.stored_at,
                score_before=score,
                score_after=score + points,
                session_id=entry.session_id,
                skill=entry.skill,
            )
        )
        score += points
    return changes


def _matches(entry: Entry, data_type: str | None, filters: Filters) -> bool:
    if data_type is not None and entry.data_type != data_type:
        return False
    for name, wanted in filters.items():
        value = getattr(entry, _KNOWN[name]) if name in _KNOWN else entry.record.get(name)
        values = value if isinstance(value, list) else [value]
        if isinstance(wanted, Mapping):
            if not any(_in_range(one, wanted) for one in values):
                return False
        elif not any(_same(one, option) for option in _options(wanted) for one in values):
            return False
    return True


def _options(wanted: Any) -> Sequence[Any]:
    return wanted if isinstance(wanted, list | tuple) else [wanted]


def _same(value: Any, wanted: Any) -> bool:
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)  # True is not 1


def _in_range(value: Any, wanted: Mapping[Any, Any]) -> bool:
    """Both ends belong to it; texts are compared as such, which suits dates of one form."""
    low, high = wanted.get("from"), wanted.get("to")
    return (
        all(
            isinstance(value, str) == isinstance(end, str) and isinstance(value, str | int | float)
            for end in (low, high)
            if end is not None
        )
        and (low is None or value >= low)
        and (high is None or value <= high)
    )


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in re.findall(r"\w+", text.casefold()))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        os.lseek(fd, 1 << 40, os.SEEK_SET)  # far behind the text: a locked byte cannot be read by others
        msvcrt.locking(fd, msvcrt.LK_LOCK, 1)

    def _sync_folder(folder: Path) -> None:
        pass  # the file system sees to it

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX)

    def _sync_folder(folder: Path) -> None:
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

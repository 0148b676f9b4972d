"""Opens the database in a SQLite file for one runtime, and refuses one that cannot be trusted."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool, StaticPool

from narratoria import __version__
from narratoria.errors import StoreUnavailable
from narratoria.paths import make_private
from narratoria.store.engines.database import ALONE, READERS, Database
from narratoria.store.engines.file_lock import Lock
from narratoria.store.engines.sqlite_backup import (
    APPLICATION_ID,
    back_up_before,
    keep_private,
    latest_backup,
    open_reading,
)
from narratoria.store.migrations import FOLDER, known_revisions, upgrade
from narratoria.store.search.ranking import COUNTED, full_text_query

LOOKED_THROUGH = 32 * 1024 * 1024  # bytes; a larger file is not read as a whole before it is used


def open_sqlite(file: Path, *, migrations: Path = FOLDER) -> Database:
    """Open the database in this file, created or migrated as needed; raise StoreUnavailable otherwise."""
    file = file.absolute()
    with contextlib.ExitStack() as undo:
        try:
            make_private(file.parent)
            lock = Lock(file.with_name(f"{file.name}.lock"), file)
            undo.callback(lock.release)
            keep_private(file)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreUnavailable(
                f"{file} cannot be used: {reason}; make its folder writable, or set NARRATORIA_HOME"
            ) from error
        revisions = known_revisions(migrations)
        revision = _inspect(file, revisions)
        writer = _engine(file, "BEGIN IMMEDIATE", readers=0)
        undo.callback(writer.dispose)
        _prepare(writer, file, revision, revisions[-1], migrations)
        readers = _engine(file, "BEGIN", readers=READERS)
        undo.pop_all()
    return Database(
        writer=writer,
        readers=readers,
        explain=_explain(file),
        release=lock.release,
        compact=_compact,
        erase=_erase,
        with_words=_with_words,
        file=file,
    )


def _inspect(file: Path, revisions: list[str]) -> str | None:
    """Return the migration an existing file has reached; refuse one that is not ours, damaged or too new."""
    if not file.exists() or not file.stat().st_size:
        return None
    try:
        with contextlib.closing(open_reading(file)) as connection:
            identity = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            if not tables:
                return None
            if identity != APPLICATION_ID or "alembic_version" not in tables:
                raise StoreUnavailable(
                    f"{file} is a database, but not one of Narratoria's; it was left as it is. "
                    "Set NARRATORIA_HOME to another folder"
                )
            if file.stat().st_size <= LOOKED_THROUGH:
                damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if damage != "ok":
                    raise _damaged(file, damage)
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise _describe_failure(file, error) from error
    revision = row[0] if row else None
    if revision is not None and revision not in revisions:
        raise StoreUnavailable(
            f"{file} was written by a newer version of Narratoria (its tables are version {revision}; "
            f"Narratoria {__version__} knows them up to {revisions[-1]}); it was left as it is. "
            "Update Narratoria, or set NARRATORIA_HOME to another folder"
        )
    return revision


def _prepare(
    engine: Engine,
    file: Path,
    revision: str | None,
    newest: str,
    migrations: Path,
) -> None:
    backup = back_up_before(file, revision) if revision is not None and revision != newest else None
    try:
        with (
            engine.begin() as connection
        ):  # even with nothing to do: a file that cannot be written is told now
            if revision != newest:
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
                upgrade(connection, migrations)
    except DBAPIError as error:
        reason = _explain(file)(error)
        if reason is None and backup is None:
            raise
        backup_note = f"; a copy from before is {backup}" if backup else ""
        raise StoreUnavailable(f"{reason or f'{file}: {error.orig}'}{backup_note}") from error


def _engine(file: Path, begin: str, *, readers: int) -> Engine:
    pool: dict[str, Any] = (
        {"poolclass": QueuePool, "pool_size": readers, "max_overflow": 0}
        if readers
        else {"poolclass": StaticPool}
    )
    engine = create_engine(
        "sqlite://", creator=lambda: _connect(file, reading=bool(readers)), hide_parameters=True, **pool
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if not connection.get_execution_options().get(ALONE):
            connection.exec_driver_sql(begin)

    return engine


def _connect(file: Path, *, reading: bool) -> sqlite3.Connection:
    # no transactions of the module's own: it would begin them late, and as readers
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=10)
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",  # what was acknowledged survives a power cut
        "foreign_keys = ON",
        "cache_size = -8000",
        "temp_store = MEMORY",
        "secure_delete = ON",  # what is deleted is overwritten, not only let go
        *(("query_only = ON",) if reading else ()),
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _with_words(connection: Connection, _lines: Sequence[str], query: str) -> list[int]:
    """Return matching rows of all branches; the caller knows which of them it may see."""

    def count_of(word: str) -> int:
        return int(connection.execute(_COUNT, {"word": f'"{word}"', "most": COUNTED}).scalar_one())

    expression = full_text_query(query, count_of)
    if expression is None:
        return []
    return list(connection.execute(_HOLDING, {"words": expression}).scalars())


_COUNT = text("SELECT count(*) FROM (SELECT 1 FROM record_text WHERE record_text MATCH :word LIMIT :most)")
_HOLDING = text("SELECT rowid FROM record_text WHERE record_text MATCH :words ORDER BY rank")


def _erase(connection: Connection) -> None:
    """Merge the full-text index and truncate the log, which both still hold what was deleted."""
    connection.exec_driver_sql("INSERT INTO record_text(record_text) VALUES ('optimize')")
    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _compact(connection: Connection) -> None:
    connection.exec_driver_sql("INSERT INTO record_text(record_text) VALUES ('optimize')")
    connection.exec_driver_sql("VACUUM")
    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _explain(file: Path) -> Callable[[DBAPIError], StoreUnavailable | None]:
    def explain(error: DBAPIError) -> StoreUnavailable | None:
        original = error.orig
        if not isinstance(original, sqlite3.Error) or _code(original) not in _REASONS:
            return None
        return _describe_failure(file, original)

    return explain


_REASONS = {
    sqlite3.SQLITE_PERM: "it may not be opened; check its permissions",
    sqlite3.SQLITE_BUSY: "another program keeps it locked; close that one and try again",
    sqlite3.SQLITE_LOCKED: "another program keeps it locked; close that one and try again",
    sqlite3.SQLITE_READONLY: "it or its folder is read-only; make both writable, or set NARRATORIA_HOME",
    sqlite3.SQLITE_IOERR: "the disk does not read or write; make room and check the disk",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_FULL: "the disk is full; make room and try again",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that its folder exists and is writable",
    sqlite3.SQLITE_PROTOCOL: "another program keeps it locked; close that one and try again",
    sqlite3.SQLITE_NOTADB: "damaged",
}


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # the kind, without its finer points


def _describe_failure(file: Path, error: sqlite3.Error) -> StoreUnavailable:
    reason = _REASONS.get(_code(error), str(error))
    if reason == "damaged":
        return _damaged(file, str(error))
    return StoreUnavailable(f"{file}: {reason} ({error}); everything stored before is still there")


def _damaged(file: Path, how: str) -> StoreUnavailable:
    backup = latest_backup(file)
    advice = f"the latest backup is {backup}" if backup else "there is no backup beside it"
    return StoreUnavailable(
        f"{file} is damaged ({how}); it was left as it is. Keep a copy of it, then restore one "
        f"(narratoria store restore): {advice}"
    )

"""Opens the database in a SQLite file for one runtime, and backs it up, checks and restores it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool, StaticPool

from narratoria import __version__
from narratoria.errors import StoreDamaged, StoreUnavailable
from narratoria.paths import make_private
from narratoria.store.engines.database import ALONE, READERS, Database
from narratoria.store.engines.file_lock import Lock
from narratoria.store.engines.sqlite_damage import find_row_damage, find_schema_damage, is_damage
from narratoria.store.engines.sqlite_tables import create_tables
from narratoria.store.migrations import FOLDER, known_revisions, upgrade
from narratoria.store.search.ranking import COUNTED, full_text_query

BACKUPS_FOLDER = "backups"
KEPT = 5  # of those that are made before a migration
_PAGES = 2000  # copied at a time, so that a writer need not wait for the whole
APPLICATION_ID = 0x4E617272  # "Narr", in the header of the file


def copy_database(source: Path, target: Path) -> Path:
    """Copy the database under the new name, completely or not at all."""
    beginning = target.with_name(f".{target.name}.part")
    try:
        make_private(target.parent)
        keep_private(beginning)
        with contextlib.closing(open_reading(source)) as original:
            with contextlib.closing(sqlite3.connect(beginning)) as copy:
                original.backup(copy, pages=_PAGES)
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
            _sync(beginning)
        beginning.replace(target)
    except (OSError, sqlite3.Error) as error:
        beginning.unlink(missing_ok=True)
        message = f"{source} could not be copied to {target}: {error}; the original is unchanged"
        raise StoreUnavailable(message) from error
    return target


def keep_private(file: Path) -> None:
    """Make the database and the files SQLite puts beside it readable by their owner only."""
    os.close(os.open(file, os.O_RDONLY | os.O_CREAT, 0o600))
    mode = file.stat().st_mode
    if mode & 0o077:
        with contextlib.suppress(PermissionError):  # it belongs to somebody else, who decides
            file.chmod(mode & 0o700)  # one that its owner made read-only stays so


def back_up_before(file: Path, revision: str) -> Path:
    """Copy the database before a migration into the folder beside it, where the last few copies are kept."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    folder, prefix = file.parent / BACKUPS_FOLDER, f"{file.stem}-before-"
    copy = copy_database(file, folder / f"{prefix}migration-of-{revision}-{now}.db")
    for old in sorted(folder.glob(f"{prefix}*.db"), key=lambda path: path.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
    return copy


def latest_backup(file: Path) -> Path | None:
    copies = (file.parent / BACKUPS_FOLDER).glob(f"{file.stem}-*.db")
    return max(copies, key=lambda path: path.stat().st_mtime, default=None)


def find_damage(file: Path) -> list[str]:
    """Return every problem that a thorough check of the file reports."""
    try:
        with contextlib.closing(open_reading(file)) as connection:
            problems = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            schema = find_schema_damage(connection, row[0]) if row else ["its version is missing"]
            problems = [*(() if problems == ["ok"] else problems), *schema]
            return problems or find_row_damage(connection)
    except (sqlite3.Error, UnicodeError, MemoryError) as error:
        return [str(error)]


def open_reading(file: Path) -> sqlite3.Connection:
    """Open a connection that changes nothing."""
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, timeout=10)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_BESIDE = ("-wal", "-shm")  # what SQLite keeps beside a file while it is open


def put_in_place(file: Path, backup: Path) -> Path | None:
    """Make a copy of the backup the database in `file`, and return what was there under its new name.

    StoreUnavailable for a backup that is damaged, too new or none of ours, and while the database is in use.
    """
    check_backup(backup)
    with contextlib.ExitStack() as undo:
        try:
            make_private(file.parent)
            undo.callback(Lock(file.with_name(f"{file.name}.lock"), file).release)
            fresh = copy_database(backup, file.with_name(f".{file.name}.restoring"))
            undo.callback(fresh.unlink, missing_ok=True)
            aside = _put_aside(file) if file.exists() else None
            fresh.replace(file)
        except OSError as error:
            message = f"{backup} could not be restored to {file}: {error.strerror or error}"
            raise StoreUnavailable(f"{message}; what was there before is unchanged") from error
    return aside


def check_backup(backup: Path) -> None:
    """Raise StoreUnavailable for a file that cannot be the database of this version."""
    if not backup.is_file():
        raise StoreUnavailable(f"{backup} is not a file; nothing was changed")
    if damage := find_damage(backup):
        raise StoreUnavailable(f"{backup} is damaged ({damage[0]}); nothing was changed. Use another backup")
    with contextlib.closing(open_reading(backup)) as connection:
        identity = connection.execute("PRAGMA application_id").fetchone()[0]
        try:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.Error:
            row = None
    if identity != APPLICATION_ID or row is None:
        raise StoreUnavailable(f"{backup} is not a backup of Narratoria's; nothing was changed")
    revisions = known_revisions()
    if row[0] not in revisions:
        raise StoreUnavailable(
            f"{backup} was written by a newer version of Narratoria (its tables are version {row[0]}; "
            f"Narratoria {__version__} knows them up to {revisions[-1]}); nothing was changed. "
            "Update Narratoria"
        )


def _put_aside(file: Path) -> Path:
    """Link the database and the files that belong to it under a second name."""
    _fold_in(file)
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    aside = file.with_name(f"{file.stem}-replaced-{now}{file.suffix}")
    try:
        aside.hardlink_to(file)
    except OSError:  # a file system without such names
        shutil.copy2(file, aside)
    for ending in _BESIDE:
        beside = file.with_name(file.name + ending)
        # before the new file comes: SQLite would take them for that one's
        with contextlib.suppress(FileNotFoundError):
            beside.replace(aside.with_name(aside.name + ending))
    return aside


def _fold_in(file: Path) -> None:
    # a damaged file keeps its log beside it, and both are put aside as they are
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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
        describe_damage=lambda reason: _damaged(file, reason),
        find_damage=lambda: find_damage(file),
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
            if identity == APPLICATION_ID and "alembic_version" not in tables:
                raise _damaged(file, "'alembic_version' is missing")
            if identity != APPLICATION_ID:
                raise StoreUnavailable(
                    f"{file} is a database, but not one of Narratoria's; it was left as it is. "
                    "Set NARRATORIA_HOME to another folder"
                )
            if file.stat().st_size <= LOOKED_THROUGH:
                damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if damage != "ok":
                    raise _damaged(file, damage)
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            if row and (schema := find_schema_damage(connection, row[0])):
                raise _damaged(file, "; ".join(schema[:3]))
    except sqlite3.Error as error:
        raise _describe_failure(file, error) from error
    except (UnicodeError, MemoryError) as error:
        raise _damaged(file, str(error)) from error
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
                if revision is None and migrations == FOLDER:
                    create_tables(connection)  # nobody waits for what a migration has to import
                else:
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
    try:
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
    except BaseException:
        connection.close()  # else whoever keeps the error keeps the file open
        raise
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
        if not isinstance(original, sqlite3.Error):
            return None
        if _code(original) not in _REASONS and not is_damage(original):
            return None
        return _describe_failure(file, original)

    return explain


_REASONS = {
    sqlite3.SQLITE_PERM: "it may not be opened; check its permissions",
    sqlite3.SQLITE_BUSY: "another program keeps it locked; close that one and try again",
    sqlite3.SQLITE_LOCKED: "another program keeps it locked; close that one and try again",
    sqlite3.SQLITE_READONLY: "it or its folder is read-only; make both writable, or set NARRATORIA_HOME",
    sqlite3.SQLITE_IOERR: "the disk does not read or write; make room and check the disk",
    sqlite3.SQLITE_FULL: "the disk is full; make room and try again",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that its folder exists and is writable",
    sqlite3.SQLITE_PROTOCOL: "another program keeps it locked; close that one and try again",
}


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # the kind, without its finer points


def _describe_failure(file: Path, error: sqlite3.Error) -> StoreUnavailable:
    if is_damage(error):
        return _damaged(file, str(error))
    reason = _REASONS.get(_code(error), str(error))
    return StoreUnavailable(f"{file}: {reason} ({error}); everything stored before is still there")


def _damaged(file: Path, how: str) -> StoreDamaged:
    backup = latest_backup(file)
    advice = f"the latest backup is {backup}" if backup else "there is no backup beside it"
    return StoreDamaged(
        f"{file} is damaged ({how}); it was left as it is. `narratoria store restore` puts the latest whole "
        f"backup in its place and keeps this file: {advice}"
    )

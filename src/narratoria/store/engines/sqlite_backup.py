"""Copies a SQLite database while it is in use, checks copies, and restores them."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from narratoria import __version__
from narratoria.errors import StoreUnavailable
from narratoria.paths import make_private
from narratoria.store.engines.file_lock import Lock
from narratoria.store.migrations import known_revisions

FOLDER = "backups"
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
    folder, prefix = file.parent / FOLDER, f"{file.stem}-before-"
    copy = copy_database(file, folder / f"{prefix}migration-of-{revision}-{now}.db")
    for old in sorted(folder.glob(f"{prefix}*.db"), key=lambda path: path.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
    return copy


def latest_backup(file: Path) -> Path | None:
    copies = (file.parent / FOLDER).glob(f"{file.stem}-*.db")
    return max(copies, key=lambda path: path.stat().st_mtime, default=None)


def find_damage(file: Path) -> list[str]:
    """Return every problem that a thorough check of the file reports."""
    try:
        with contextlib.closing(open_reading(file)) as connection:
            problems = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
            return [] if problems == ["ok"] else problems
    except sqlite3.Error as error:
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


def restore(file: Path, backup: Path) -> Path | None:
    """Makes a copy of the backup the database in `file`; what was there, under its new name.

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

"""Puts a backup in the place of the database: nothing that was there is lost, nothing broken comes in."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from narratoria import __version__
from narratoria.errors import StoreUnavailable
from narratoria.paths import make_private
from narratoria.store import migrate
from narratoria.store.backup import copy_database, find_damage, open_reading
from narratoria.store.lock import Lock
from narratoria.store.sqlite import APPLICATION_ID

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
    """StoreUnavailable for a file that cannot be the database of this version."""
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
    known = migrate.known_revisions()
    if row[0] not in known:
        raise StoreUnavailable(
            f"{backup} was written by a newer version of Narratoria (its tables are version {row[0]}; "
            f"Narratoria {__version__} knows them up to {known[-1]}); nothing was changed. Update Narratoria"
        )


def _put_aside(file: Path) -> Path:
    """A second name for what is there, with all that belongs to it."""
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

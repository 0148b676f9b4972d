"""Copies of the database that are whole, taken while it is in use."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from narratoria.errors import StoreUnavailable
from narratoria.paths import make_private

FOLDER = "backups"
KEPT = 5  # of those that are made before a migration
_PAGES = 2000  # copied at a time, so that a writer need not wait for the whole


def copy_database(source: Path, target: Path) -> Path:
    """A copy under the new name, there completely or not at all."""
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
    """Whatever the system's habits, a database is for its owner's eyes; what SQLite puts beside it too."""
    os.close(os.open(file, os.O_RDONLY | os.O_CREAT, 0o600))
    mode = file.stat().st_mode
    if mode & 0o077:
        with contextlib.suppress(PermissionError):  # it belongs to somebody else, who decides
            file.chmod(mode & 0o700)  # one that its owner made read-only stays so


def back_up_before(file: Path, revision: str) -> Path:
    """A copy from before a migration, in the folder beside the database; of these, the last few are kept."""
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
    """Everything that a thorough look at the file finds wrong; nothing for one that is whole."""
    try:
        with contextlib.closing(open_reading(file)) as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
            return [] if found == ["ok"] else found
    except sqlite3.Error as error:
        return [str(error)]


def open_reading(file: Path) -> sqlite3.Connection:
    """A connection that changes nothing."""
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, timeout=10)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

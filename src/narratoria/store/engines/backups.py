"""Backs a database up by itself while it is used: verified, once a day, kept by number and age."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from narratoria.errors import StoreUnavailable
from narratoria.store.engines.sqlite import (
    BACKUPS_FOLDER,
    check_backup,
    copy_database,
    find_damage,
    put_in_place,
)

EVERY_S = 24 * 3600.0
MOST_KEPT = 7
OLDEST_S = 60 * 24 * 3600.0  # older ones go, but for the last
_KIND = "auto"


def back_up_if_due(file: Path, *, every_s: float = EVERY_S) -> Path | None:
    """Copy the database beside itself unless that was done lately, and let old copies go; return the copy.

    StoreUnavailable where the database is damaged or the copy cannot be made; older copies stay then."""
    now = datetime.now(UTC)
    copies = list_automatic_backups(file)
    if copies and now.timestamp() - copies[0].stat().st_mtime < every_s:
        return None
    if damage := find_damage(file):
        raise StoreUnavailable(f"{file} is damaged ({damage[0]}) and was not backed up; older backups stay")
    name = f"{file.stem}-{_KIND}-{now.strftime('%Y%m%dT%H%M%S%f')}.db"
    copy = copy_database(file, file.parent / BACKUPS_FOLDER / name)
    if damage := find_damage(copy):
        copy.unlink(missing_ok=True)
        raise StoreUnavailable(f"the backup {copy} was damaged ({damage[0]}) and is removed; older ones stay")
    for old in list_automatic_backups(file)[1:]:
        if old in copies[MOST_KEPT - 1 :] or now.timestamp() - old.stat().st_mtime > OLDEST_S:
            old.unlink(missing_ok=True)
    return copy


def list_automatic_backups(file: Path) -> list[Path]:
    """Return the copies that were made by themselves, the newest first."""
    return _newest_first(file, f"{file.stem}-{_KIND}-*.db")


def latest_whole_backup(file: Path) -> Path | None:
    """Return the newest backup beside the database that can be restored."""
    for copy in _newest_first(file, f"{file.stem}-*.db"):
        try:
            check_backup(copy)
        except StoreUnavailable:
            continue
        return copy
    return None


@dataclass(frozen=True, slots=True)
class Restored:
    """Says which backup is now the database in `file`, and where that which was there before is kept."""

    file: Path
    backup: Path
    kept_aside: Path | None


def restore_backup(file: Path, backup: Path | None = None) -> Restored:
    """Put a backup in the place of the database, the newest whole one where none is named.

    StoreUnavailable, with nothing changed, where there is none or it cannot be used."""
    backup = backup or latest_whole_backup(file)
    if backup is None:
        raise StoreUnavailable(f"there is no whole backup beside {file}; name the file of one")
    return Restored(file, backup, put_in_place(file, backup))


def _newest_first(file: Path, pattern: str) -> list[Path]:
    copies = (file.parent / BACKUPS_FOLDER).glob(pattern)
    return sorted(copies, key=lambda path: (path.stat().st_mtime, path.name), reverse=True)

"""Answers whether the file with the stories is damaged, and puts a backup in its place."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from narratoria import app
from narratoria.errors import StoreUnavailable
from narratoria.web.app_state import AppState
from narratoria.web.operation import Operations

store = Operations("Store", "The file with the stories, and its backups.", role="owner")


class Backup(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    made_at: str
    bytes: int


class StoreDamage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is damaged, and the latest whole backup, which can be put in its place."""

    message: str
    backup: Backup | None


class RestoredStore(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    backup: Backup
    kept_aside: str  # where the file is kept that was there before; empty where there was none


@store.post("/store/restore")
async def restore_store(app_state: AppState) -> RestoredStore:
    """Put the latest whole backup in the place of the stories' file, which is kept under another name.

    Every open story is closed. 409 `busy` while a turn is told.
    """
    from narratoria.store.engines.backups import restore_backup

    file = app.store_file()
    restored = await app_state.replace_store(lambda: restore_backup(file))
    return RestoredStore(
        backup=_describe(restored.backup),
        kept_aside=str(restored.kept_aside or ""),
    )


async def find_damage(app_state: AppState) -> StoreDamage | None:
    """Return what was found damaged in the file with the stories, or None."""
    damage = app_state.library.memory_provider.damage
    if damage is None or not app_state.account.may("owner"):
        return None
    return StoreDamage(message=str(damage), backup=await asyncio.to_thread(_latest_backup))


def _latest_backup() -> Backup | None:
    from narratoria.store.engines.backups import latest_whole_backup

    try:
        backup = latest_whole_backup(app.store_file())
        return _describe(backup) if backup else None
    except (StoreUnavailable, OSError):
        return None


def _describe(backup: Path) -> Backup:
    about = backup.stat()
    made_at = datetime.fromtimestamp(about.st_mtime, UTC).isoformat(timespec="seconds")
    return Backup(name=backup.name, made_at=made_at.replace("+00:00", "Z"), bytes=about.st_size)

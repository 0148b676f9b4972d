"""Backups that are made by themselves: once in a while, whole, and not too many of them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from narratoria.errors import StoreUnavailable
from narratoria.store.engines.backups import (
    MOST_KEPT,
    OLDEST_S,
    back_up_if_due,
    latest_whole_backup,
    list_automatic_backups,
)
from narratoria.store.engines.sqlite import find_damage, open_sqlite


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "narratoria.db"
    open_sqlite(file)._shut()
    return file


def test_a_backup_is_made_when_it_is_due_and_is_whole(file: Path) -> None:
    copy = back_up_if_due(file)
    assert copy is not None
    assert find_damage(copy) == []
    assert back_up_if_due(file) is None, "one was made just now"
    assert latest_whole_backup(file) == copy


def test_so_many_are_kept_and_old_ones_go_but_for_the_last(file: Path) -> None:
    for _ in range(MOST_KEPT + 3):
        back_up_if_due(file, every_s=0)
    copies = list_automatic_backups(file)
    assert len(copies) == MOST_KEPT
    long_ago = time.time() - OLDEST_S - 60
    for copy in copies:
        os.utime(copy, (long_ago, long_ago))
    latest = back_up_if_due(file)
    assert list_automatic_backups(file) == [latest]


def test_a_damaged_database_is_not_backed_up_and_no_backup_goes(file: Path) -> None:
    copy = back_up_if_due(file)
    file.write_bytes(file.read_bytes().replace(b"playthrough", b"playthroagh"))
    with pytest.raises(StoreUnavailable, match="was not backed up"):
        back_up_if_due(file, every_s=0)
    assert list_automatic_backups(file) == [copy]


def test_the_latest_backup_that_is_whole_is_found(file: Path) -> None:
    first = back_up_if_due(file, every_s=0)
    second = back_up_if_due(file, every_s=0)
    assert second is not None
    second.write_bytes(b"no database")
    assert latest_whole_backup(file) == first

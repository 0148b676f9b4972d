"""Copies of a database in use: whole or not at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from narratoria.errors import StoreUnavailable
from narratoria.store import Scope, Store
from narratoria.store.engines.sqlite import copy_database, find_damage


async def test_a_copy_taken_while_others_write_is_whole(
    store: Store, scope: Scope, file: Path, tmp_path: Path
) -> None:
    writing = asyncio.gather(*(scope.store("memory", {"summary": f"Event {n}."}) for n in range(200)))
    copy = await asyncio.to_thread(copy_database, file, tmp_path / "copies" / "copy.db")
    await writing
    assert find_damage(copy) == []
    assert not list(copy.parent.glob("*-wal"))
    opened = await Store.open(copy, None)
    (story,) = await store.playthroughs.all()
    entries = await opened.at(story.id).exact_match("memory")
    assert [entry.record.summary for entry in entries] == [f"Event {n}." for n in range(len(entries))]
    await opened.close()


async def test_a_copy_that_cannot_be_made_leaves_nothing_behind(file: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(StoreUnavailable, match="the original is unchanged"):
        copy_database(file, tmp_path / "taken")
    assert list(tmp_path.glob(".*")) == []

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from telling import WordCounts

from narratoria.store import Playthrough, Scope, Store
from narratoria.store.sqlite import open_sqlite


@pytest.fixture
def words() -> WordCounts:
    return WordCounts()


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that has been through its migrations: a copy of it saves every test doing so."""
    file = tmp_path_factory.mktemp("empty") / "narratoria.db"
    database = open_sqlite(file)
    asyncio.run(database.close())
    return file


@pytest.fixture
def file(tmp_path: Path, empty: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return Path(shutil.copy(empty, home))


@pytest.fixture
async def store(file: Path, words: WordCounts) -> AsyncIterator[Store]:
    opened = await Store.open(file, words)
    yield opened
    await opened.close()


@pytest.fixture
async def story(store: Store) -> Playthrough:
    return await store.playthroughs.create("mill", title="The Mill")


@pytest.fixture
def scope(store: Store, story: Playthrough) -> Scope:
    return store.at(story.id, "evening")

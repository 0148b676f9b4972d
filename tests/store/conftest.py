from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.store.server import Server
from tests.store.telling import WordCounts

from narratoria.store import Playthrough, Scope, Store
from narratoria.store.engines.sqlite import open_sqlite

Places = Callable[[], contextlib.AbstractContextManager[str | Path]]


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
    """For what only a database in a file has."""
    home = tmp_path / "home"
    home.mkdir()
    return Path(shutil.copy(empty, home))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server.started() as started:
        yield started


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def places(request: pytest.FixtureRequest, empty: Path) -> Places:
    """Makes a place where a store can be opened, on each engine in turn."""
    return places_of(request, empty)


def places_of(request: pytest.FixtureRequest, empty: Path) -> Places:
    """Return what makes places on the engine that the request names."""
    if request.param == "postgresql":
        made: Places = request.getfixturevalue("server").database
        return made

    @contextlib.contextmanager
    def file() -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="narratoria-store-") as home:
            yield Path(shutil.copy(empty, home))

    return file


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def shared_place(request: pytest.FixtureRequest, empty: Path) -> Iterator[str | Path]:
    with places_of(request, empty)() as place:
        yield place


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared_store(shared_place: str | Path) -> AsyncIterator[Store]:
    """A store on each engine in turn, for the tests of a module that leave it as they found it."""
    opened = await Store.open(shared_place, WordCounts())
    yield opened
    await opened.close()


@pytest.fixture
def place(places: Places) -> Iterator[str | Path]:
    with places() as place:
        yield place


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
async def store(place: str | Path, words: WordCounts, logs: Path) -> AsyncIterator[Store]:
    opened = await Store.open(place, words, logs=logs)
    yield opened
    await opened.close()


@pytest.fixture
async def story(store: Store) -> Playthrough:
    return await store.playthroughs.create("mill", title="The Mill")


@pytest.fixture
def scope(store: Store, story: Playthrough) -> Scope:
    return store.at(story.id, "evening")

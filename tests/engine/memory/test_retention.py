"""What the user lets stories forget goes while nobody plays; a file or a store at fault stops no story."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from narratoria import app, paths
from narratoria.engine.memory.provider import MemoryProvider, Upkeep
from narratoria.engine.memory.retention import FILE_NAME, change_policy, forget_when_idle, read_policy
from narratoria.errors import ContractViolation, StoreUnavailable
from narratoria.store import RetentionPolicy, Store

DEADLINE = 30.0
soon = partial(forget_when_idle, idle=0.02, every=0.02)


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """A home with one story of five memories."""
    home = tmp_path / "home"
    store = await Store.open(home / "narratoria.db", None)
    await store.playthroughs.create("mill", identifier="mill-1")
    days = [("memory", {"summary": f"Day {day}."}, str(day)) for day in range(5)]
    await store.at("mill-1").store_all(days)
    await store.close()
    return home


@asynccontextmanager
async def kept(home: Path, upkeep: Upkeep | None = None) -> AsyncIterator[MemoryProvider]:
    memory_provider = MemoryProvider(
        lambda found: Store.open(home / "narratoria.db", found),
        lambda: asyncio.sleep(0),
        upkeep=upkeep or partial(soon, home),
    )
    try:
        yield memory_provider
    finally:
        await memory_provider.close()


async def count(store: Store) -> int:
    return (await store.inventory()).records.get("memory", 0)


async def comes_true(question: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not await question():
            await asyncio.sleep(0.01)


def write(home: Path, document: Any) -> None:
    (home / FILE_NAME).write_text(document if isinstance(document, str) else json.dumps(document))


def test_without_a_decision_everything_is_kept(tmp_path: Path) -> None:
    assert read_policy(tmp_path) == read_policy(tmp_path / "no home") == RetentionPolicy()
    assert RetentionPolicy() == RetentionPolicy(
        max_age_days=None, max_records=None, max_bytes=None, deleted_after_days=30
    )


@pytest.mark.parametrize(
    ("document", "field", "told"),
    [
        ({"maxAgeDays": 0}, "/maxAgeDays", "at least 1"),
        ({"maxAgeDays": 1e9}, "/maxAgeDays", "at most 36500"),
        ({"maxRecords": 2.5}, "/maxRecords", "whole number"),
        ({"maxRecords": "many"}, "/maxRecords", "whole number"),
        ({"maxBytes": True}, "/maxBytes", "whole number"),
        ({"deletedAfterDays": -1}, "/deletedAfterDays", "at least 0"),
        ({"maxRecord": 5}, "/maxRecord", "did you mean 'maxRecords'"),
        ([], "", "object"),
        ("{", "", "ends too early"),
    ],
    ids=str,
)
def test_a_value_that_is_none_is_told_with_its_file_its_field_and_what_next(
    tmp_path: Path, document: Any, field: str, told: str
) -> None:
    write(tmp_path, document)
    with pytest.raises(ContractViolation) as caught:
        read_policy(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.file, problem.pointer, problem.line) == (str(tmp_path / FILE_NAME), field, 1)
    assert told in problem.message
    assert "until then nothing is forgotten" in problem.message


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    write(tmp_path, {"maxAgeDays": -1, "maxBytes": "x"})
    with pytest.raises(ContractViolation) as caught:
        read_policy(tmp_path)
    assert {problem.pointer for problem in caught.value.problems} == {"/maxAgeDays", "/maxBytes"}


def test_a_limit_that_is_saved_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    home = tmp_path / "new"
    change_policy(home, {"maxRecords": 5})
    change_policy(home, {"maxAgeDays": 32, "deletedAfterDays": None})
    wanted = RetentionPolicy(max_records=5, max_age_days=32, deleted_after_days=None)
    assert read_policy(home) == wanted
    with pytest.raises(ContractViolation, match=r"/maxBytes.*nothing was saved"):
        change_policy(home, {"maxBytes": -5})
    assert read_policy(home) == wanted
    assert change_policy(home, {"maxRecords": None}).max_records is None


async def test_what_goes_goes_while_nobody_asks_and_the_story_is_there_all_the_time(home: Path) -> None:
    change_policy(home, {"maxRecords": 2})
    async with kept(home) as memory_provider:
        store = await memory_provider.store()

        async def two_left() -> bool:
            return await count(store) == 2

        await comes_true(two_left)
        left = await store.at("mill-1").exact_match("memory")
        assert [entry.identifier for entry in left] == ["3", "4"]


async def test_a_decision_of_a_running_program_s_user_holds_without_a_restart(home: Path) -> None:
    async with kept(home) as memory_provider:
        store = await memory_provider.store()
        await store.until_idle(0.1)
        assert await count(store) == 5
        change_policy(home, {"maxRecords": 1})

        async def one_left() -> bool:
            return await count(store) == 1

        await comes_true(one_left)


async def test_while_the_file_is_broken_nothing_goes_and_that_is_logged_once(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(home, {"maxRecords": 0})
    async with kept(home) as memory_provider:
        store = await memory_provider.store()

        async def complained() -> bool:
            return "/maxRecords" in caplog.text

        await comes_true(complained)
        await asyncio.sleep(0.2)  # some rounds more
        assert await count(store) == 5
        assert caplog.text.count("/maxRecords") == 1
        write(home, {"maxRecords": 3})

        async def three_left() -> bool:
            return await count(store) == 3

        await comes_true(three_left)


async def test_a_store_that_fails_meanwhile_is_logged_and_tried_again(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    change_policy(home, {"maxRecords": 4})
    async with kept(home, lambda store: broken(home, store)) as memory_provider:
        store = await memory_provider.store()

        async def four_left() -> bool:
            return await count(store) == 4

        await comes_true(four_left)
    assert "the cable was pulled" in caplog.text
    assert memory_provider.notes() == ()


async def broken(home: Path, store: Store) -> None:
    """Looks after a store of which the first removal fails."""
    database: Any = store.database
    write = database.write

    async def refused(_: object) -> None:
        database.write = write
        raise StoreUnavailable("the cable was pulled")

    database.write = refused
    await soon(home, store)


async def test_an_upkeep_that_breaks_is_logged_and_the_store_stays_open(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def breaks(_: Store) -> None:
        raise ZeroDivisionError

    async with kept(home, breaks) as memory_provider:
        store = await memory_provider.store()

        async def logged() -> bool:
            return "ZeroDivisionError" in caplog.text

        await comes_true(logged)
        assert await count(store) == 5


@pytest.mark.parametrize("idle", [0.0, 1000.0], ids=["at work", "waiting"])
async def test_closing_leaves_nothing_running(home: Path, idle: float) -> None:
    change_policy(home, {"maxRecords": 2})
    before = asyncio.all_tasks()
    async with kept(home, partial(forget_when_idle, home, idle=idle, every=0.0)) as memory_provider:
        await memory_provider.store()
        assert len(asyncio.all_tasks() - before) == 1
    assert asyncio.all_tasks() == before
    async with kept(home, partial(forget_when_idle, home)) as memory_provider:  # the file is free
        assert await count(await memory_provider.store()) in (2, 5)


async def test_whoever_opens_a_home_for_play_does_as_its_file_says(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(home))
    monkeypatch.setattr(paths, "INSTALLED_MODELS", tmp_path / "no models")
    monkeypatch.setattr(app, "forget_when_idle", soon)
    caplog.set_level(logging.INFO, logger="narratoria.engine.memory.retention")
    change_policy(home, {"maxRecords": 3})
    async with app.open_library() as library:
        store = await library.memory_provider.store()

        async def told() -> bool:
            return "2 memories were forgotten" in caplog.text

        await comes_true(told)
        assert await count(store) == 3

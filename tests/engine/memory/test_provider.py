"""The store and the embedder of a process: opened once, tried again, and not waited for too long."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.errors import StoreUnavailable
from narratoria.store import Store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "narratoria.db"


async def test_a_store_that_could_not_be_opened_is_tried_again(file: Path) -> None:
    holder = await Store.open(file, None)
    memory_provider = MemoryProvider(
        lambda found: Store.open(file, found), lambda: asyncio.sleep(0), retry_after=0.0
    )
    with pytest.raises(StoreUnavailable, match="in use"):
        await memory_provider.store()
    await holder.close()
    assert await memory_provider.store()
    await memory_provider.close()


async def test_nobody_waits_long_for_a_store_that_does_not_open_once_that_is_known() -> None:
    opening = asyncio.Event()

    async def never(_: object) -> Store:
        await opening.wait()
        raise StoreUnavailable("it never opened")

    memory_provider = MemoryProvider(never, lambda: asyncio.sleep(0), timeout=3600.0)
    with pytest.raises(StoreUnavailable, match="still being tried"):
        await memory_provider.store(0.01)
    with pytest.raises(StoreUnavailable, match="kept in memory"):
        await StoryMemory("story", memory_provider).scope()
    opening.set()
    await memory_provider.close()

"""A database for many at once: each gets what it asked for, and nothing once it is closed."""

from __future__ import annotations

import asyncio

import pytest

from narratoria.errors import StoreUnavailable
from narratoria.store import Scope, Store


async def test_a_closed_store_says_so(store: Store, scope: Scope) -> None:
    await store.close()
    with pytest.raises(StoreUnavailable, match="the store is closed"):
        await scope.exact_match("memory")
    await store.close()  # once more does no harm


async def test_many_readers_and_writers_at_once_get_what_they_asked_for(store: Store, scope: Scope) -> None:
    async def write(number: int) -> None:
        await scope.store("memory", {"summary": f"Event {number}.", "location": str(number % 5)})

    async def read(number: int) -> int:
        return len(await scope.exact_match("memory", {"location": str(number % 5)}))

    await asyncio.gather(*(write(number) for number in range(50)))
    counts = await asyncio.gather(*(read(n) for n in range(100)), *(write(n) for n in range(50)))
    assert all(10 <= count <= 20 for count in counts[:100])
    assert len(await scope.exact_match("memory")) == 100

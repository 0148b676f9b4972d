"""Work that goes on to its end, though whoever waits for it is stopped, or nobody waits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def run_to_completion(work: Coroutine[Any, Any, T]) -> T:
    """Whoever wants it stopped meanwhile is not heard."""
    doing = asyncio.create_task(work)
    await wait_until_done(doing)
    return doing.result()


async def shield(work: Coroutine[Any, Any, T]) -> T:
    """Whoever wants it stopped meanwhile is heard once it is done."""
    doing = asyncio.create_task(work)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await wait_until_done(doing)
        raise


async def wait_until_done(doing: asyncio.Task[Any]) -> None:
    while not doing.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([doing])


def log_failure(tell: Callable[..., None], message: str) -> Callable[[asyncio.Task[Any]], None]:
    """For a task that nobody waits for: `tell`, of a logger, hears what it failed over."""

    def ended(task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            tell(message, exc_info=error)

    return ended

"""Runs work that must not be cut short when its caller is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def run_to_completion(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, ignoring cancellation."""
    task = asyncio.create_task(work)
    await wait_until_done(task)
    return task.result()


async def shield(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, and raise CancelledError afterwards if the caller was cancelled."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await wait_until_done(task)
        raise


async def wait_until_done(task: asyncio.Task[Any]) -> None:
    """Wait for a task, ignoring cancellation."""
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([task])


def log_failure(log: Callable[..., None], message: str) -> Callable[[asyncio.Task[Any]], None]:
    """Return a callback that logs the exception of a task nobody waits for."""

    def on_done(task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log(message, exc_info=error)

    return on_done

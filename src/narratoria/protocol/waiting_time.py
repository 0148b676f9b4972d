"""Measures how long a tool was kept waiting for a processor or a disk: its time limit counts work alone."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from narratoria.protocol.process_limits import list_process_tree

T = TypeVar("T")
MOST_WAITING = 5.0  # times its limit, the most that a tool may be kept waiting before its time is up
_UNMEASURED_S = 0.2  # what is done within it, as nearly everything is, is not measured
_IO_PRESSURE = Path("/proc/pressure/io")
_HAS_PROC = Path("/proc/self").is_dir()  # Linux, where the kernel counts it for each process


class WaitingTime:
    """Measures the waiting of a tool's process tree since it was started."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._started = time.monotonic()
        self._disk_stalls_before = _disk_stalls()

    def seconds(self) -> float:
        """Return for how long the tree waited: never longer than it has been running."""
        elapsed = time.monotonic() - self._started
        if _HAS_PROC:
            return min(elapsed, self._queued() + max(0.0, _disk_stalls() - self._disk_stalls_before))
        return elapsed * _share_of_waiting()

    def is_held_up(self, limit_s: float) -> bool:
        """Return whether the tree wants a processor or a disk now, and has had less than its limit of one.

        The kernel adds a wait up when it is over: a process that still waits shows only in its state."""
        members = [Path(f"/proc/{member}") for member in list_process_tree(self._pid)] if _HAS_PROC else []
        return any(map(_wants_to_run, members)) and sum(map(_worked_seconds, members)) < limit_s

    def _queued(self) -> float:
        folders = (Path(f"/proc/{member}") for member in list_process_tree(self._pid))
        return sum(map(_queued_seconds, folders))


class OwnWaitingTime(WaitingTime):
    """Measures the waiting of this process's own threads since it was made."""

    def __init__(self) -> None:
        super().__init__(os.getpid())
        self._queued_before = 0.0
        self._queued_before = self._queued() if _HAS_PROC else 0.0

    def _queued(self) -> float:
        threads = Path("/proc/self/task").iterdir()
        return max(0.0, sum(map(_queued_seconds, threads)) - self._queued_before)


async def wait_until_done(task: asyncio.Future[Any], timeout_s: float) -> bool:
    """Wait for a task of this process; return whether it was done before the process had `timeout_s` for it.

    While the process is kept from a processor or a disk, the time does not count."""
    started = time.monotonic()
    if (await asyncio.wait({task}, timeout=min(timeout_s / 2, _UNMEASURED_S)))[0]:
        return True
    waiting = OwnWaitingTime()
    left = timeout_s - (time.monotonic() - started)
    while left > 0:
        if (await asyncio.wait({task}, timeout=left))[0]:
            return True
        longest = timeout_s + min(waiting.seconds(), MOST_WAITING * timeout_s)
        left = longest - (time.monotonic() - started)
    return task.done()


async def wait_for_work(work: Awaitable[T], timeout_s: float) -> T:
    """Return what the work of this process comes to; TimeoutError when it has worked on it for so long."""
    async with begin_work(work) as task:
        if await wait_until_done(task, timeout_s):
            return task.result()
        raise TimeoutError(f"not within {timeout_s:g} s of work")


@asynccontextmanager
async def begin_work(work: Awaitable[T]) -> AsyncIterator[asyncio.Future[T]]:
    """Begin work and yield its task, which is over when the context ends: by itself, or cancelled."""
    task = asyncio.ensure_future(work)
    try:
        yield task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


def _queued_seconds(folder: Path) -> float:
    """Return how long a process or a thread was ready to run and had no processor."""
    return _schedule_times(folder)[1]


def _worked_seconds(folder: Path) -> float:
    """Return how long a process or a thread had a processor."""
    return _schedule_times(folder)[0]


def _schedule_times(folder: Path) -> tuple[float, float]:
    try:
        fields = (folder / "schedstat").read_bytes().split()
        return int(fields[0]) / 1e9, int(fields[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0, 0.0  # gone, or a kernel that does not count it


def _wants_to_run(folder: Path) -> bool:
    """Return whether a process runs, is ready to run, or waits for a disk."""
    try:
        stat = (folder / "stat").read_bytes()
    except OSError:
        return False
    return stat[stat.rfind(b")") + 2 :][:1] in (b"R", b"D")


def _disk_stalls() -> float:
    """Return for how many seconds since the system started something waited for a disk."""
    try:
        line = _IO_PRESSURE.read_text().splitlines()[0]
        return int(line.rpartition("total=")[2]) / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0  # a kernel that does not count it


def _share_of_waiting() -> float:
    """Return what share of their time processes wait for a processor, as far as the load average shows it."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return 0.0
    return max(0.0, 1 - (os.cpu_count() or 1) / load) if load > 0 else 0.0

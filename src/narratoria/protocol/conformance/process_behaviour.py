"""Observes a tool as a process: what it leaves behind, whether it reads, and whether it ends when told.

These runs are started here and not by the runner, which would tidy up before anybody could look.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.orphan_watchdog import INVOCATION, MARK, RUNTIME_ID, find_marked, kill_marked
from narratoria.protocol.orphans import end_orphans, orphans

POSIX = os.name == "posix"
_SETTLING = 0.5  # seconds in which a child that is about to end may do so
_WARMING_UP = 1.0  # seconds in which an interpreter starts and gets to its work


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """Describes the exit of a process, and what it left behind."""

    exit_code: int | None  # None: it was still there when its time was up
    unread: int = 0  # bytes of its request
    left: tuple[str, ...] = ()  # the command lines of what it started and left running


async def observe_exit(command: Command, request: bytes, limits: Limits) -> ProcessExit:
    """Run the tool to its end, then look around."""
    with tempfile.TemporaryFile() as stdin:
        stdin.write(request)
        stdin.seek(0)
        async with _started(command, stdin.fileno()) as (process, mark):
            code = await _exit(process, limits.timeout)
            # the tool read through the same open file, and moved our position with its own
            unread = len(request) - os.lseek(stdin.fileno(), 0, os.SEEK_CUR)
            left = await _left(process.pid, mark) if code is not None else ()
            return ProcessExit(code, unread, left)


async def observe_sigterm(command: Command, limits: Limits) -> ProcessExit | None:
    """Send SIGTERM while it waits for its request; None when it did not wait for one."""
    reading, writing = os.pipe()
    try:
        async with _started(command, reading) as (process, mark):
            if await _exit(process, _WARMING_UP) is not None:
                return None
            os.killpg(process.pid, signal.SIGTERM)
            code = await _exit(process, limits.kill_grace)
            return ProcessExit(code, left=await _left(process.pid, mark) if code is not None else ())
    finally:
        os.close(reading)
        os.close(writing)


@asynccontextmanager
async def _started(command: Command, stdin: int) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """Provide a process in a group of its own, of which nothing is left afterwards."""
    name = uuid.uuid4().hex
    mark = f"{INVOCATION}={name}"
    process = await asyncio.create_subprocess_exec(
        *command.argv,
        stdin=stdin,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=command.cwd,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **command.env, MARK: RUNTIME_ID, INVOCATION: name},
        start_new_session=True,
    )
    try:
        yield process, mark
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        kill_marked(mark)
        await process.wait()
        end_orphans()


async def _exit(process: asyncio.subprocess.Process, seconds: float) -> int | None:
    try:
        return await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        return None


async def _left(group: int, mark: str) -> tuple[str, ...]:
    """Return what still runs after a moment; a child that is just ending is none of it."""
    deadline = asyncio.get_running_loop().time() + _SETTLING
    while left := _survivors(group, mark):
        if asyncio.get_running_loop().time() > deadline:
            return left
        await asyncio.sleep(0.02)
    return ()


def _survivors(group: int, mark: str) -> tuple[str, ...]:
    if Path("/proc/self/environ").exists():
        left = dict.fromkeys(
            (*find_marked(mark), *orphans(own_pids=(group,)))
        )  # orphans: where somebody adopts them
        return tuple(name for pid in left if (name := _command_line(pid)))
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return ()
    return ("a process of its group",)


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""  # it has just ended

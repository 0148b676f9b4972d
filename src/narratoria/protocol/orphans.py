"""Ends the orphans of tools, for a program that does nothing but run tools: they become its own children.

A tool may empty the environment of what it starts, put it into a session of its own and close every pipe;
then no mark tells whose it is. Linux gives orphans to the nearest ancestor that asks for them. A command may
ask; a library must not, since the children of whoever uses it are none of its business.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from narratoria.protocol.orphan_watchdog import is_watchdog

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100


_adopting = False


@contextlib.contextmanager
def reap_orphans() -> Iterator[None]:
    """End, at the end of the block, whatever was started in it and orphaned."""
    _adopt()
    try:
        yield
    finally:
        end_orphans()


def _adopt() -> None:
    global _adopting  # noqa: PLW0603  a property of the process, which the kernel keeps as well
    if sys.platform == "linux":
        _adopting = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def orphans(own_pids: Collection[int] = ()) -> list[int]:
    """Living children that this process did not start, if it asked for any; `own_pids` are those it did."""
    if not _adopting:
        return []
    return [pid for pid in _children() if pid not in own_pids and _is_alive(pid) and not is_watchdog(pid)]


def end_orphans(own_pids: Collection[int] = ()) -> None:
    """Kill and reap them, and those they leave in turn."""
    for _ in range(_ROUNDS):
        pids = orphans(own_pids)
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        time.sleep(0.001)


def _children() -> list[int]:
    pids: list[int] = []
    for task in Path("/proc/self/task").glob("*"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            pids.extend(map(int, (task / "children").read_text().split()))
    return pids


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False

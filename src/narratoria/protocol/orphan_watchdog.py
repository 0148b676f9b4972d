"""Runs a small process that notices the death of the runtime and ends the tools it left behind.

Run as a script it reads `+PID` and `-PID` lines from its standard input: process groups that began and ended.
When the input ends, the runtime is gone, however it went, and whatever is left is killed: the groups, and on
Linux every process that carries the runtime's mark in its environment, wherever it moved itself.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid

MARK = "NARRATORIA_RUNTIME"
INVOCATION = "NARRATORIA_INVOCATION"
RUNTIME_ID = uuid.uuid4().hex  # one for each runtime

_ROUNDS = 200  # a tree that forks while it is being killed is met again


def find_marked(mark: str, since: int = 0) -> list[int]:
    """Return the live processes whose environment holds this mark, begun after the process with this id."""
    needle = mark.encode()
    pids = []
    for pid in _candidates(since):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                if needle in environ.read():
                    pids.append(pid)
        except OSError:
            continue  # gone, or not ours to read
    return pids


def kill_marked(mark: str, since: int = 0) -> int:
    """Kill until a look around finds nobody; how many were found."""
    met: set[int] = set()
    for round_ in range(_ROUNDS):
        pids = find_marked(mark, since)
        if not pids:
            break
        met.update(pids)
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0 if round_ == 0 else 0.001)
    return len(met)


def kill_writers(*pipes: int) -> None:
    """Kill whoever can write to one of these pipes, whatever became of its environment and session."""
    names = {f"pipe:[{os.fstat(fd).st_ino}]" for fd in pipes}
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid() and _writes_to(name, names):
            with contextlib.suppress(OSError):
                os.kill(int(name), signal.SIGKILL)


def _writes_to(pid: str, names: set[str]) -> bool:
    with contextlib.suppress(OSError):  # gone, or not ours to read
        for fd in os.listdir(f"/proc/{pid}/fd"):
            if os.readlink(f"/proc/{pid}/fd/{fd}") in names:
                with open(f"/proc/{pid}/fdinfo/{fd}", "rb") as info:
                    flags = int(info.read().split(b"flags:")[1].split()[0], 8)
                # a process that is just being forked from ours has the reading end for a moment
                if flags & os.O_ACCMODE != os.O_RDONLY:
                    return True
    return False


def _candidates(since: int) -> range | list[int]:
    """Process ids worth a look: only those given out after `since`, where the kernel tells us the newest."""
    try:
        with open("/proc/loadavg", "rb") as loadavg:
            newest = int(loadavg.read().split()[-1])
        if 0 < since <= newest < since + 2000:
            return range(since, newest + 1)
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []  # no /proc: the process groups are all there is


def is_watchdog(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as command_line:
            return __file__.encode() in command_line.read()
    except OSError:
        return False


class OrphanWatchdog:
    """Holds the runtime's end of the pipe; the process is started with the first tool."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def add_group(self, group: int) -> None:
        self._send(f"+{group}\n")

    def remove_group(self, group: int) -> None:
        self._send(f"-{group}\n")

    def _send(self, line: str) -> None:
        for _ in range(2):  # a watchdog that was killed is replaced, once
            if self._process is None or self._process.poll() is not None:
                self._process = self._start()
            assert self._process.stdin is not None
            try:
                os.write(self._process.stdin.fileno(), line.encode())
            except BrokenPipeError:
                continue
            return

    def _start(self) -> subprocess.Popen[bytes]:
        atexit.register(self._leave)
        return subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, f"{MARK}={RUNTIME_ID}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C at the terminal is not for it
            cwd="/",
        )

    def _leave(self) -> None:
        if self._process is not None:
            self._process.communicate()


def _watch(mark: str) -> None:
    if sys.platform == "linux":  # being told of a tool must not take the processor from the runtime
        with contextlib.suppress(OSError):  # a container may forbid it
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        (groups.add if line[0] == "+" else groups.discard)(group)
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    kill_marked(mark)


if __name__ == "__main__":
    _watch(sys.argv[1])

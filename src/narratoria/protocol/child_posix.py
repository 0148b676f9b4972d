"""Runs a child process on Linux and macOS: non-blocking pipes on the event loop, and a process group."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import threading
import uuid
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

from narratoria.protocol.command import Command
from narratoria.protocol.orphan_watchdog import (
    INVOCATION,
    MARK,
    RUNTIME_ID,
    OrphanWatchdog,
    kill_marked,
    kill_writers,
)

_CHUNK = 64 * 1024
_PIPE_SIZE = 1024 * 1024  # fewer, larger reads from a chatty tool
_F_SETPIPE_SZ = 1031  # fcntl.F_SETPIPE_SZ, which Python 3.11 has on Linux alone
_NOTE_EXITSTATUS = 0x04000000  # of kqueue on macOS; Python has no name for it

_BOX_ENDS_S = 1.0  # in which a box ends whose tool has exited; then its processes are looked for
_SIGNALLED = 128  # and the signal's number: how a shell's exit code tells that a program was ended by one
_DEADLY = frozenset(signal.valid_signals()) - {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}

_watchdog = OrphanWatchdog()


class _Lifecycle(Enum):
    """Which signals a child may still be sent.

    | state       | entered when          | SIGTERM                                | SIGKILL     |
    | ----------- | --------------------- | -------------------------------------- | ----------- |
    | RUNNING     | it was started        | is sent                                | is sent     |
    | TERMINATING | SIGTERM was sent      | would strike it while it is tidying up | is sent     |
    | REAPED      | its pipes were closed | its number may be another group's      | the same    |
    """

    RUNNING = auto()
    TERMINATING = auto()
    REAPED = auto()


class PosixChild:
    """Runs a started process. It must be spawned, used and ended on one event loop."""

    def __init__(self, command: Command) -> None:
        """Start it; OSError or ValueError when that cannot be done. It waits for `begin`."""
        self._loop = asyncio.get_running_loop()
        self._mark = f"{INVOCATION}={uuid.uuid4().hex}"
        name, value = self._mark.split("=")
        self._process = subprocess.Popen(
            command.argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.cwd,
            env={**command.environment(), MARK: RUNTIME_ID, name: value},
            start_new_session=True,
            pass_fds=command.pass_fds,
        )
        self.pid = self._process.pid
        try:
            self._take_up(command)
        except OSError:  # no descriptor is left for us: it must not run on unseen
            self._process.kill()
            self._process.communicate()
            raise

    def _take_up(self, command: Command) -> None:
        _watchdog.add_group(self.pid)
        self._status: int | None = None
        self._shell_codes = command.shell_codes
        self._is_contained = command.tree_limits is not None and command.tree_limits.is_contained
        self._box: int | None = None  # a pidfd of the first process in a process table of its own
        self.exited = asyncio.Event()
        self.over = asyncio.Event()  # it has exited, or was hung up on
        self._wake: asyncio.Future[None] | None = None
        self._hung_up = False
        self._lifecycle = _Lifecycle.RUNNING
        self._on_stderr: Callable[[bytes], None] | None = (
            None  # what it says before `begin` stays in its pipe
        )
        self._stdin, self._stdout, self._stderr = (
            pipe.fileno()
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
            if pipe
        )
        for fd in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(fd, False)
        if sys.platform == "linux":
            with contextlib.suppress(OSError):  # the user's allowance of pipe memory may be spent
                fcntl.fcntl(self._stdout, _F_SETPIPE_SZ, _PIPE_SIZE)
        self._unread = -1  # bytes that stood in stdout when the process exited
        self._request = memoryview(b"")
        self._watch_exit()

    def begin(self, request: bytes, on_stderr: Callable[[bytes], None]) -> None:
        """Hand it its one request, and listen to what it says."""
        self._note_box()  # it is up where the process was started ahead
        self._on_stderr = on_stderr
        self._loop.add_reader(self._stderr, self._read_stderr)
        self._request = memoryview(request)
        self._write_stdin()

    def has_ended(self) -> bool:
        """Return whether it has exited, though the event loop may not have noticed yet."""
        if sys.platform == "linux" and not self.exited.is_set():
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        return self.exited.is_set()

    @property
    def exit_code(self) -> int | None:
        """Return how it ended, negative for a signal; None as long as that was not noticed."""
        return self._status

    # standard input: written as the tool takes it, so that a tool that never reads cannot block us

    def _write_stdin(self) -> None:
        try:
            while self._request:
                self._request = self._request[os.write(self._stdin, self._request) :]
        except BlockingIOError:
            self._loop.add_writer(self._stdin, self._write_stdin)
            return
        except BrokenPipeError:
            pass  # it need not read
        self._close_stdin()

    def _close_stdin(self) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.closed:
            self._loop.remove_writer(self._stdin)
            self._process.stdin.close()

    # standard output: read when asked, so that a slow consumer slows the tool and not our memory

    async def read(self) -> bytes:
        """Return the next bytes; none when the tool has closed its output, has exited or was hung up on."""
        # a tool that never stops talking must not keep everybody else waiting: timers, exits, other tools
        await asyncio.sleep(0)
        while not self._hung_up:
            try:
                chunk = os.read(self._stdout, _CHUNK)
            except BlockingIOError:
                if self.exited.is_set():
                    return b""
                await self._readable()
                continue
            self._note_box()  # it is up: somebody in it speaks
            if self._unread >= 0:  # a grandchild may go on writing; what the tool itself wrote is this much
                chunk = chunk[: self._unread]
                self._unread -= len(chunk)
            return chunk
        return b""

    def hang_up(self) -> None:
        """Let the reader go, now and from now on."""
        self._hung_up = True
        self.over.set()
        self._wake_reader()

    async def _readable(self) -> None:
        self._wake = self._loop.create_future()
        self._loop.add_reader(self._stdout, self._wake_reader)
        try:
            await self._wake
        finally:
            self._wake = None
            self._loop.remove_reader(self._stdout)

    def _wake_reader(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    # standard error: always drained

    def _read_stderr(self) -> None:
        if self._on_stderr is None:
            return
        try:
            chunk = os.read(self._stderr, _CHUNK)
        except BlockingIOError:
            return
        if chunk:
            self._on_stderr(chunk)
        else:
            self._loop.remove_reader(self._stderr)

    # exit

    def _watch_exit(self) -> None:
        if sys.platform == "linux":
            pidfd = os.pidfd_open(self.pid)
            self._loop.add_reader(pidfd, self._note_pidfd, pidfd)
        else:
            threading.Thread(target=self._wait_in_thread, daemon=True).start()

    def _note_pidfd(self, pidfd: int) -> None:
        self._loop.remove_reader(pidfd)
        os.close(pidfd)
        self._note_exit(_await_status(self.pid))

    def _wait_in_thread(self) -> None:
        status = _await_status(self.pid)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._note_exit, status)

    def _note_exit(self, status: int) -> None:
        self._status = status
        if self._shell_codes and self._status - _SIGNALLED in _DEADLY:
            self._status = _SIGNALLED - self._status
        self._unread = _bytes_waiting(self._stdout)
        for _ in range(1 + _bytes_waiting(self._stderr) // _CHUNK):
            self._read_stderr()
        self.exited.set()
        self.over.set()
        self._wake_reader()

    def terminate(self) -> None:
        if self._lifecycle is not _Lifecycle.RUNNING:
            return
        self._lifecycle = _Lifecycle.TERMINATING
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGCONT)  # a stopped process hears nothing else

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if self._lifecycle is _Lifecycle.REAPED:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def end(self, grace: float) -> int:
        """End the whole tree, politely for as long as `grace`; the exit code, negative for a signal."""
        if self._lifecycle is _Lifecycle.REAPED and self._status is not None:
            return self._status
        ended_well = self.exited.is_set() and self._lifecycle is _Lifecycle.RUNNING and self._status == 0
        if not self.exited.is_set():
            self.terminate()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.exited.wait(), grace)
        self.kill()
        await self.exited.wait()
        if not (ended_well and await self._has_box_ended()):
            kill_marked(self._mark, since=self.pid)
        if sys.platform == "linux" and (_is_held(self._stdout) or _is_held(self._stderr)):
            kill_writers(self._stdout, self._stderr)  # somebody without our mark still holds a pipe
        self._close()
        assert self._status is not None
        return self._status

    def _note_box(self) -> None:
        """Remember the first process in the box: when it has ended, the kernel has ended all the others."""
        if sys.platform == "linux" and self._is_contained and self._box is None:
            with contextlib.suppress(OSError, ValueError):  # no such list, none yet, or gone
                (first,) = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_bytes().split()
                self._box = os.pidfd_open(int(first))

    async def _has_box_ended(self) -> bool:
        """Return whether nobody is left in the box of a tool that has exited; it may take a moment."""
        if self._box is None:
            return False
        ended = asyncio.Event()
        self._loop.add_reader(self._box, ended.set)
        try:
            await asyncio.wait_for(ended.wait(), _BOX_ENDS_S)
        except TimeoutError:
            return False
        finally:
            self._loop.remove_reader(self._box)
        return True

    def _close(self) -> None:
        self._lifecycle = _Lifecycle.REAPED
        if self._box is not None:
            os.close(self._box)
        self._close_stdin()
        self._loop.remove_reader(self._stderr)
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        self._process.wait()  # reaped last
        _watchdog.remove_group(self.pid)


# How the child ended, negative for a signal, as soon as it has. The zombie is kept: as long as it stands,
# nobody else gets its process group.
if sys.platform == "darwin":  # has no waitid before Python 3.13

    def _await_status(pid: int) -> int:
        flags = select.KQ_NOTE_EXIT | _NOTE_EXITSTATUS
        event = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD | select.KQ_EV_ONESHOT, flags)
        with contextlib.closing(select.kqueue()) as events:
            try:
                (ended,) = events.control([event], 1, None)
            except ProcessLookupError:  # it was faster than we are, and a zombie cannot be watched
                return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return os.waitstatus_to_exitcode(ended.data)

else:

    def _await_status(pid: int) -> int:
        seen = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert seen is not None
        return seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status


def _is_held(fd: int) -> bool:
    """Return whether anybody is left who could write to this pipe."""
    poll = select.poll()
    poll.register(fd, 0)
    return not any(state & select.POLLHUP for _, state in poll.poll(0))


def _bytes_waiting(fd: int) -> int:
    buffer = bytearray(4)
    fcntl.ioctl(fd, termios.FIONREAD, buffer)
    return int.from_bytes(buffer, sys.byteorder)

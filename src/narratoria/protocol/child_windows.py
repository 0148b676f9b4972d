"""Runs a child process on Windows: threads on its pipes, and a job object that ends the whole tree.

Windows gives what the POSIX child gives except a polite end: there is no SIGTERM for a process without a
window, so `terminate` asks by CTRL_BREAK and `end` ends the job. A job that is set to kill on close also
ends with the runtime, however that dies, so no watchdog is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from ctypes import wintypes

from narratoria.protocol.command import Command
from narratoria.protocol.process_limits import ProcessTreeLimits

assert sys.platform == "win32"  # lets the type checker read the rest on Windows alone

_CHUNK = 64 * 1024
_QUEUE = 16  # chunks in flight before a slow consumer slows the tool
_CLOSING = 2.0  # seconds in which the pipes of a tree that was ended come to their ends
_ENDED_BY_US = 1  # the exit code of what the job ends

_CREATE_SUSPENDED = 0x4
_EXTENDED_LIMITS = 9
_KILL_ON_JOB_CLOSE, _LIMIT_ACTIVE_PROCESSES, _LIMIT_JOB_MEMORY = 0x2000, 0x8, 0x200


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("active_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority_class", ctypes.c_uint32),
        ("scheduling_class", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel32.CreateJobObjectW.restype = wintypes.HANDLE
_kernel32.CreateJobObjectW.argtypes = [ctypes.c_void_p, wintypes.LPCWSTR]
_kernel32.SetInformationJobObject.argtypes = [wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD]
_kernel32.AssignProcessToJobObject.argtypes = [wintypes.HANDLE, wintypes.HANDLE]
_kernel32.TerminateJobObject.argtypes = [wintypes.HANDLE, wintypes.UINT]
_kernel32.CloseHandle.argtypes = [wintypes.HANDLE]
_ntdll = ctypes.WinDLL("ntdll")
_ntdll.NtResumeProcess.restype = ctypes.c_long
_ntdll.NtResumeProcess.argtypes = [wintypes.HANDLE]


class WindowsChild:
    """Runs a started process, with the same interface as the POSIX child.

    Everything but the threads at the end runs on the event loop. Each of those ends with the tree: it
    waits for a pipe that then closes, or for the process itself.
    """

    def __init__(self, command: Command) -> None:
        """Start it; OSError or ValueError when that cannot be done. It waits for `begin`."""
        self._loop = asyncio.get_running_loop()
        self._process = subprocess.Popen(
            command.argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.cwd,
            env=command.environment(),
            # suspended until it is in its job: what it starts before that would not be
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP | _CREATE_SUSPENDED,
        )
        self.pid = self._process.pid
        try:
            self._job: int | None = _run_in_job(self._process, command.tree_limits)
        except OSError:
            with self._process:  # closes its pipes, and waits
                self._process.kill()
            raise
        self.exited = asyncio.Event()
        self.over = asyncio.Event()  # it has exited, or was hung up on
        self._closed = asyncio.Event()
        self._open_pipes = 3
        self._has_begun = False
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(_QUEUE)
        self._hung_up = self._was_terminated = False
        threading.Thread(target=self._wait, daemon=True).start()

    def begin(self, request: bytes, on_stderr: Callable[[bytes], None]) -> None:
        """Hand it its one request, and listen to what it says."""
        self._has_begun = True
        for target in (
            lambda: self._write(request),
            self._read_stdout,
            lambda: self._read_stderr(on_stderr),
        ):
            threading.Thread(target=target, daemon=True).start()

    def has_ended(self) -> bool:
        """Return whether it has exited, though the event loop may not have noticed yet."""
        return self._process.poll() is not None

    @property
    def exit_code(self) -> int | None:
        """Return how it ended; None as long as that was not noticed."""
        return self._process.returncode if self.exited.is_set() else None

    async def read(self) -> bytes:
        """Return the next bytes; none when the tool has closed its output, has exited or was hung up on."""
        if self._hung_up:
            return b""
        chunk = await self._chunks.get()
        if chunk:
            self._room.release()
        else:
            self._chunks.put_nowait(b"")  # an end stays an end
        return chunk

    def hang_up(self) -> None:
        """Let the reader go, now and from now on; what still comes is drained and dropped."""
        self._hung_up = True
        self.over.set()
        self._chunks.put_nowait(b"")
        self._room.release()

    def terminate(self) -> None:
        if not self._was_terminated:
            self._was_terminated = True
            with contextlib.suppress(OSError):  # without a console, or gone
                self._process.send_signal(signal.CTRL_BREAK_EVENT)

    def kill(self) -> None:
        if self._job is not None:
            _kernel32.TerminateJobObject(self._job, _ENDED_BY_US)
            _kernel32.CloseHandle(self._job)
            self._job = None

    async def end(self, grace: float) -> int:
        """End the whole tree, politely for as long as `grace`; the exit code."""
        if not self.exited.is_set():
            self.terminate()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.exited.wait(), grace)
        self.kill()
        await self.exited.wait()
        self.hang_up()
        if not self._has_begun:
            self._close_pipes()
        with contextlib.suppress(TimeoutError):  # what the tool said last on stderr is on its way
            await asyncio.wait_for(self._closed.wait(), _CLOSING)
        return self._process.wait()

    def _close_pipes(self) -> None:
        """Close the pipes of a process that never began: no thread does."""
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._closed.set()

    def _note_exit(self) -> None:
        self.exited.set()
        self.over.set()
        self.kill()  # what it left behind, which would keep its pipes open

    def _note_closed(self) -> None:
        self._open_pipes -= 1
        if not self._open_pipes:
            self._closed.set()

    # threads: each closes its own pipe, so that none is closed under another's hands

    def _write(self, request: bytes) -> None:
        assert self._process.stdin is not None
        rest = memoryview(request)
        with contextlib.suppress(OSError), self._process.stdin as pipe:  # it need not read
            while rest:
                rest = rest[pipe.write(rest) or 0 :]
        self._tell(self._note_closed)

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError), self._process.stdout as pipe:
            while chunk := pipe.read(_CHUNK):
                self._room.acquire()
                if self._hung_up:
                    self._room.release()  # nobody makes room any more, so this one is passed on
                else:
                    self._tell(self._chunks.put_nowait, chunk)
        self._tell(self._chunks.put_nowait, b"")
        self._tell(self._note_closed)

    def _read_stderr(self, on_stderr: Callable[[bytes], None]) -> None:
        assert self._process.stderr is not None
        with contextlib.suppress(OSError), self._process.stderr as pipe:
            while chunk := pipe.read(_CHUNK):
                self._tell(on_stderr, chunk)
        self._tell(self._note_closed)

    def _wait(self) -> None:
        self._process.wait()
        self._tell(self._note_exit)

    def _tell(self, callback: Callable[..., None], *values: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(callback, *values)


def _run_in_job(process: subprocess.Popen[bytes], tree_limits: ProcessTreeLimits | None) -> int:
    """Run the process in a job that keeps it within its limits and ends with us."""
    limits = _ExtendedLimits()
    limits.basic.flags = _KILL_ON_JOB_CLOSE
    if tree_limits is not None:
        limits.basic.flags |= _LIMIT_ACTIVE_PROCESSES | _LIMIT_JOB_MEMORY
        limits.basic.active_processes = tree_limits.processes
        limits.job_memory = tree_limits.memory
    handle = int(process._handle)  # type: ignore[attr-defined]
    job = _kernel32.CreateJobObjectW(None, None)
    if not (
        job
        and _kernel32.SetInformationJobObject(
            job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        and _kernel32.AssignProcessToJobObject(job, handle)
    ):
        error = ctypes.WinError(ctypes.get_last_error())
        _kernel32.CloseHandle(job)
        raise error
    if _ntdll.NtResumeProcess(handle) < 0:
        _kernel32.CloseHandle(job)
        raise OSError("the process could not be set going")
    return int(job)

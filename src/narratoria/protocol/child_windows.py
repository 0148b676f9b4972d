"""A child process on Windows: threads on its pipes, and a job object that ends the whole tree.

Windows gives what the POSIX child gives except a polite end: there is no SIGTERM for a process without a
window, so `terminate` asks by CTRL_BREAK and `end` closes the job. A job that is set to kill on close also
ends with the runtime, however that dies, so no guardian is needed.
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

from narratoria.protocol.ceilings import Ceilings
from narratoria.protocol.command import Command

assert sys.platform == "win32"  # lets the type checker read the rest on Windows alone

_CHUNK = 64 * 1024
_QUEUE = 16  # chunks in flight before a slow consumer slows the tool
_KILL_ON_JOB_CLOSE = 0x2000
_EXTENDED_LIMITS = 9
_EXTENDED_LIMITS_SIZE = 144 if ctypes.sizeof(ctypes.c_void_p) == 8 else 112
_LIMIT_ACTIVE_PROCESSES, _LIMIT_JOB_MEMORY = 0x8, 0x200
# where the fields are in the structure, on machines of 64 bits
_LIMIT_FLAGS_OFFSET, _ACTIVE_PROCESSES_OFFSET, _JOB_MEMORY_OFFSET = 16, 40, 120

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel32.CreateJobObjectW.restype = wintypes.HANDLE
_kernel32.CreateJobObjectW.argtypes = [ctypes.c_void_p, wintypes.LPCWSTR]
_kernel32.SetInformationJobObject.argtypes = [wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD]
_kernel32.AssignProcessToJobObject.argtypes = [wintypes.HANDLE, wintypes.HANDLE]
_kernel32.CloseHandle.argtypes = [wintypes.HANDLE]


class WindowsChild:
    """A started process, with the same face as the POSIX child."""

    def __init__(self, command: Command, request: bytes, on_stderr: Callable[[bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = subprocess.Popen(
            command.argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.cwd,
            env=command.environment(),
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
        )
        self.pid = self._process.pid
        self._job: int | None = _job_of(self._process, command.ceilings)
        self.exited = asyncio.Event()
        self.over = asyncio.Event()
        self._on_stderr = on_stderr
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(_QUEUE)
        self._hung_up = False
        for target in (lambda: self._write(request), self._read_stdout, self._read_stderr, self._wait):
            threading.Thread(target=target, daemon=True).start()

    async def read(self) -> bytes:
        """The next bytes; none when the tool has closed its output or was hung up on."""
        if self._hung_up:
            return b""
        chunk = await self._chunks.get()
        self._room.release()
        return chunk

    def hang_up(self) -> None:
        self._hung_up = True
        self.over.set()
        self._chunks.put_nowait(b"")

    def terminate(self) -> None:
        with contextlib.suppress(OSError):
            self._process.send_signal(signal.CTRL_BREAK_EVENT)

    def kill(self) -> None:
        if self._job is not None:
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
        self._room.release()
        return self._process.wait()

    # threads

    def _write(self, request: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(request)
            self._process.stdin.close()

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        while chunk := self._process.stdout.read(_CHUNK):
            self._room.acquire()
            self._tell(self._chunks.put_nowait, chunk)
        self._tell(self._chunks.put_nowait, b"")

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        while chunk := self._process.stderr.read(_CHUNK):
            self._tell(self._on_stderr, chunk)

    def _wait(self) -> None:
        self._process.wait()
        self._tell(self._note_exit, b"")

    def _note_exit(self, _: bytes) -> None:
        self.exited.set()
        self.over.set()

    def _tell(self, callback: Callable[[bytes], None], chunk: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(callback, chunk)


def _job_of(process: subprocess.Popen[bytes], ceilings: Ceilings | None) -> int:
    """A job that holds the process, keeps it within its ceilings and ends with us."""
    job = _kernel32.CreateJobObjectW(None, None)
    limits = ctypes.create_string_buffer(_EXTENDED_LIMITS_SIZE)

    def put(offset: int, value: int, size: int) -> None:
        ctypes.memmove(ctypes.addressof(limits) + offset, value.to_bytes(size, "little"), size)

    flags = _KILL_ON_JOB_CLOSE
    if ceilings is not None and ctypes.sizeof(ctypes.c_void_p) == 8:
        flags |= _LIMIT_ACTIVE_PROCESSES | _LIMIT_JOB_MEMORY
        put(_ACTIVE_PROCESSES_OFFSET, ceilings.processes, 4)
        put(_JOB_MEMORY_OFFSET, ceilings.memory, 8)
    put(_LIMIT_FLAGS_OFFSET, flags, 4)
    _kernel32.SetInformationJobObject(job, _EXTENDED_LIMITS, limits, _EXTENDED_LIMITS_SIZE)
    _kernel32.AssignProcessToJobObject(job, int(process._handle))  # type: ignore[attr-defined]
    return int(job)

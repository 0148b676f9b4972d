"""Tries a tool: makes its inputs, records each run, and observes what its process leaves behind.

A process is observed without the runner, which would tidy up before anybody could look.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narratoria.errors import NotRunnable
from narratoria.protocol import lines
from narratoria.protocol.command import Command
from narratoria.protocol.conformance import rules
from narratoria.protocol.conformance.rules import ConformanceRule
from narratoria.protocol.dialect import Batch, Guardrail, Limits, ProcessEnding
from narratoria.protocol.orphan_watchdog import INVOCATION, MARK, RUNTIME_ID, find_marked, kill_marked
from narratoria.protocol.orphans import end_orphans, orphans
from narratoria.protocol.process import run

_MAX_RECORDED_BYTES = 16_000_000  # bytes; a tool may write more than its limit before it is stopped


@dataclass(frozen=True, slots=True)
class Probe:
    """One way to call a tool."""

    name: str
    stdin: bytes
    rule: ConformanceRule | None = None  # what a bad ending breaks, if the tool ends well otherwise
    request_id: str = ""
    sample: bool = False  # the author's own input


@dataclass(frozen=True, slots=True)
class Transcript:
    """Records one run."""

    probe: Probe
    stdout: bytes
    ending: ProcessEnding
    limits: Limits
    cwd: Path
    stderr_tail: str = ""
    duration_ms: float = 0.0
    first_byte_ms: float | None = None

    @property
    def numbered(self) -> list[tuple[int, bytes]]:
        """Return the lines that hold something; not the piece of a line at which a limit cut the tool off."""
        text = self.stdout
        if self.ending.guardrail and not text.endswith(b"\n"):
            text = text[: text.rfind(b"\n") + 1]
        return list(lines.split(text, 1))


async def record(
    command: Command, probe: Probe, limits: Limits, is_last: Callable[[bytes], bool]
) -> Transcript:
    """Call the tool and let it go on whatever it says; NotRunnable when it cannot be started."""
    dialect = _RecordingDialect(is_last)
    output: list[bytes] = []
    size = 0
    first_byte_ms: float | None = None
    started = time.perf_counter()

    def hear(chunk: bytes) -> None:
        nonlocal first_byte_ms, size
        first_byte_ms = first_byte_ms or (time.perf_counter() - started) * 1000
        if size < _MAX_RECORDED_BYTES:
            output.append(chunk)
        size += len(chunk)

    outcome = await run(command, probe.stdin, dialect, limits=limits, on_bytes=hear)
    if dialect.ending.not_started:
        raise NotRunnable(f"{dialect.ending.not_started}; a script needs a #! line and `chmod +x`")
    return Transcript(
        probe=probe,
        stdout=b"".join(output),
        ending=dialect.ending,
        limits=limits,
        cwd=command.cwd or Path.cwd(),
        stderr_tail=outcome.stderr_tail,
        duration_ms=outcome.duration_ms,
        first_byte_ms=first_byte_ms,
    )


class _RecordingDialect:
    """Refuses nothing, so that one run shows everything that is wrong with it."""

    name = "recording"

    def __init__(self, is_last: Callable[[bytes], bool]) -> None:
        self._is_last = is_last
        self.ending = ProcessEnding()

    def open(self, limits: Limits, cwd: Path) -> _RecordingDialect:
        return self

    def read(self, block: bytes, first_line: int) -> Batch[bytes]:
        heard: list[bytes] = []
        for _, line in lines.split(block, first_line):
            heard.append(line)
            if self._is_last(line):
                return Batch(heard, ended=True)
        return Batch(heard)

    def interrupted(self, guardrail: Guardrail, message: str) -> Sequence[bytes]:
        return ()

    def concluded(self, ending: ProcessEnding) -> Sequence[bytes]:
        return ()

    def judge(self, ending: ProcessEnding) -> None:
        self.ending = ending

    def output(self) -> dict[str, Any]:
        return {}


MEGABYTE = 1_000_000
# quotes, a backslash, line ends, several scripts, right to left, beyond the basic plane, a joined emoji
ODD_TEXT = 'say "hé\\llo"\n\tпривет\u2028世界 שלום 𝄞 👩‍🚀 e\u0301'
LONG_TEXT = "a long story " * (MEGABYTE // 13)


def inputs_for(
    samples: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[str, ConformanceRule | None, Mapping[str, Any]]]:
    """Inputs by name, with the rule that each is for; none for those a tool is judged by in general."""
    yield "empty object", None, {}
    for number, sample in enumerate(samples, 1):
        yield f"your input {number}" if len(samples) > 1 else "your input", None, sample
    base = samples[0] if samples else {}
    yield "odd text", rules.UNICODE_INPUT, _with_text(base, ODD_TEXT)
    yield "a megabyte", rules.LARGE_INPUT, _with_text(base, LONG_TEXT)


def malformed(request: bytes) -> Iterator[Probe]:
    yield Probe("empty stdin", b"", rules.EMPTY_STDIN)
    yield Probe("half a request", request[: len(request) // 2], rules.MALFORMED_REQUEST)
    yield Probe("text instead of JSON", b"light the torch\n", rules.MALFORMED_REQUEST)
    yield Probe("an array as request", b"[1, 2, 3]", rules.MALFORMED_REQUEST)
    yield Probe("a number as input", b'{"context": {}, "input": 42}', rules.MALFORMED_REQUEST)


def _with_text(sample: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the sample with its texts replaced, or plausible texts where there are none."""
    names = [key for key, value in sample.items() if isinstance(value, str)] or ["name", "text"]
    first, *others = names
    return {**sample, first: text, **dict.fromkeys(others, text[:100])}


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

"""Runs a tool once and records all of it: every byte, every line, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narratoria.errors import NotRunnable
from narratoria.protocol import lines
from narratoria.protocol.command import Command
from narratoria.protocol.conformance.report import ConformanceRule
from narratoria.protocol.dialect import Batch, Guardrail, Limits, ProcessEnding
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

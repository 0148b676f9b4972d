"""Defines a dialect, the seam between the runner and a protocol: it reads lines and judges endings."""

from __future__ import annotations

import math
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from narratoria.errors import ProtocolViolationException

Category = Literal["tool_failure", "circular_dependency", "timeout", "invalid_json", "process_error"]
Guardrail = Literal["timeout", "output_bytes", "events", "resources"]

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Limits:
    """Holds the guardrails of one invocation; each can be set."""

    timeout: float = 30.0  # seconds of work from spawn to exit; being kept waiting does not count
    longest_run: float = math.inf  # seconds from spawn to exit, waiting and all
    max_output_bytes: int = 10_000_000  # of stdout; stderr is drained and kept to a tail
    max_events: int = 10_000
    max_line_bytes: int = 8 * 1024 * 1024
    max_depth: int = 100
    stderr_tail: int = 64 * 1024  # bytes kept
    exit_grace: float = 2.0  # seconds to exit after the last event
    kill_grace: float = 2.0  # seconds between SIGTERM and SIGKILL


@dataclass(frozen=True, slots=True)
class Failure:
    """Says why an invocation did not succeed, in the vocabulary of the execution trace."""

    code: str
    message: str
    category: Category
    details: dict[str, Any] = field(default_factory=dict)


def signal_name(number: int) -> str:
    """SIGSEGV rather than 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@dataclass(frozen=True, slots=True)
class Batch(Generic[E]):
    """Holds the events of a block of whole lines."""

    events: Sequence[E]
    warnings: Sequence[str] = ()
    violation: ProtocolViolationException | None = None  # reading stopped at this line
    ended: bool = False  # nothing is accepted after the last of these events
    dropped: int = 0  # lines that stood after it all the same


@dataclass(frozen=True, slots=True)
class ProcessEnding:
    """Holds the facts of a process's end that a conversation is judged by, besides its own events."""

    exit_code: int | None = None  # negative: the signal that ended it; None: it never started
    not_started: str = ""  # why there was no process
    violation: ProtocolViolationException | None = None
    guardrail: Guardrail | None = None
    guardrail_message: str = ""
    terminated_after_end: bool = False  # the result stands, the process had to be stopped


class Conversation(Protocol[E]):
    """One invocation read in one dialect; it keeps what judging the ending needs."""

    def read(self, block: bytes, first_line: int) -> Batch[E]:
        """Return the events of a block of whole lines, of which the first has this number."""

    def interrupted(self, guardrail: Guardrail, message: str) -> Sequence[E]:
        """Return the events that tell the consumer that a guardrail was hit, if the dialect has such."""

    def concluded(self, ending: ProcessEnding) -> Sequence[E]:
        """Return the events that an ending stands for where the tool itself cannot say it is done."""

    def judge(self, ending: ProcessEnding) -> Failure | None:
        """None for success."""

    def output(self) -> dict[str, Any]:
        """Return the tool's answer to the tools that depend on it."""


class Dialect(Protocol[E]):
    @property
    def name(self) -> str: ...

    def open(self, limits: Limits, cwd: Path) -> Conversation[E]: ...

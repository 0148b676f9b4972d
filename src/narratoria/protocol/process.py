"""Runs a tool: starts it, hands it its request, reads its lines as events, and says how it ended."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any, Generic, TypeVar

from narratoria.errors import ProtocolViolationException
from narratoria.protocol.child import Child
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import (
    Batch,
    Conversation,
    Dialect,
    Failure,
    Guardrail,
    Limits,
    ProcessEnding,
)
from narratoria.protocol.process_limits import ProcessTreeLimits, find_exceeded_ceiling, find_exceeded_limit
from narratoria.protocol.waiting_time import MOST_WAITING, WaitingTime

E = TypeVar("E")
OnEvents = Callable[[Sequence[E]], Awaitable[None] | None]
OnBytes = Callable[[bytes], None]
OnWarnings = Callable[[Sequence[str]], None]

_MAX_WARNINGS = 100
_RESOURCE_CHECK_S = 0.2  # between two looks at what a tool and its children use
_LATE_CHECK_S = 0.05  # between two looks at whether a tool that is late may go on


@dataclass(frozen=True, slots=True)
class Outcome:
    """Reports how an invocation ended."""

    failure: Failure | None  # None: success
    exit_code: int | None = None  # negative: the signal that ended it; None: it never started
    output: dict[str, Any] = field(default_factory=dict)
    events: int = 0
    dropped: int = 0  # lines that came after the last event
    stderr_bytes: int = 0
    stderr_tail: str = ""
    warnings: tuple[str, ...] = ()
    duration_ms: float = 0.0
    waited_ms: float = 0.0  # of the duration of a run whose time was up, how long it was kept waiting
    first_event_ms: float | None = None

    @property
    def ok(self) -> bool:
        return self.failure is None


async def run(
    command: Command,
    request: bytes,
    dialect: Dialect[E],
    *,
    limits: Limits = Limits(),
    on_events: OnEvents[E] | None = None,
    on_bytes: OnBytes | None = None,
    on_stderr: OnBytes | None = None,
    on_warnings: OnWarnings | None = None,
    has_more_time: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run a tool to its end. Events arrive in batches as they are read; the next are read when
    `on_events` has returned. When this task is cancelled, the whole process tree ends with it.

    `has_more_time` is asked when the tool's time is up: where nobody waits for it yet, it may go on."""
    conversation = dialect.open(limits, command.cwd or Path.cwd())
    reading = _Reading(conversation, limits, on_events, on_bytes, on_warnings)
    stderr = _Tail(limits.stderr_tail, on_stderr)
    if command.obstacle:
        return Outcome(conversation.judge(ProcessEnding(not_started=command.obstacle)))
    try:
        child = command.started or Child(command)
    except (OSError, ValueError) as error:
        return Outcome(conversation.judge(ProcessEnding(not_started=_why_not(error, command))))

    child.begin(request, stderr.add)
    watching = (
        asyncio.ensure_future(reading.watch(child, command.tree_limits)) if command.tree_limits else None
    )
    try:
        await reading.read_from(child, _Waiting(child.pid, command), has_more_time, command.tree_limits)
    finally:
        if watching:
            watching.cancel()
        exit_code = await end_child(child, limits.kill_grace)
    ending = reading.ending(exit_code)
    await reading.conclude(ending)
    return Outcome(
        failure=conversation.judge(ending),
        exit_code=exit_code,
        output=conversation.output(),
        events=reading.events,
        dropped=reading.dropped,
        stderr_bytes=stderr.size,
        stderr_tail=stderr.text(),
        warnings=tuple(reading.warnings),
        duration_ms=reading.elapsed_ms(),
        waited_ms=reading.waited_s * 1000,
        first_event_ms=reading.first_event_ms,
    )


async def end_child(child: Child, grace: float) -> int:
    """End the tree whatever happens to us meanwhile; a second cancellation only makes it impolite."""
    ending = asyncio.ensure_future(child.end(grace))
    cancelled: asyncio.CancelledError | None = None
    while not ending.done():
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError as error:
            cancelled = error
            child.kill()
    if cancelled:
        raise cancelled
    return ending.result()


def _why_not(error: OSError | ValueError, command: Command) -> str:
    program = Path(command.argv[0])
    if command.cwd is not None and not command.cwd.is_dir():
        return f"{program} could not be started: no such file or directory to work in: {command.cwd}"
    if isinstance(error, FileNotFoundError) and program.is_file():
        with program.open("rb") as script:
            first = script.readline(200).decode(errors="replace").strip()
        return f"{program} could not be started: the interpreter of its first line, {first}, is not there"
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return f"{command.argv[0]} could not be started: {reason}"


class _Waiting:
    """Measures how long a run was kept waiting: for a processor, a disk, or an answer of the host."""

    def __init__(self, pid: int, command: Command) -> None:
        self._of_tree, self._for_host = WaitingTime(pid), command.seconds_kept_waiting

    def seconds(self) -> float:
        return self._of_tree.seconds() + self._for_host()

    def is_held_up(self, limit_s: float) -> bool:
        return self._of_tree.is_held_up(limit_s)


class _State(Enum):
    """Tracks the reading of a tool's output.

    | state       | entered when                                  | what follows                            |
    | ----------- | --------------------------------------------- | ----------------------------------------|
    | READING     | the tool was started                          | its lines are events                    |
    | FINISHED    | its last event was read                       | it may exit in time; lines are dropped  |
    | OVERSTAYED  | it was FINISHED and did not exit in time      | it is ended; its result stands          |
    | VIOLATED    | it was READING and a line broke the protocol  | it is ended                             |
    | INTERRUPTED | it was READING and exceeded a limit           | it is ended; the listener is told why   |
    """

    READING = auto()
    FINISHED = auto()
    OVERSTAYED = auto()
    VIOLATED = auto()
    INTERRUPTED = auto()


class _Reading(Generic[E]):
    """Turns bytes into batches of events, within the limits."""

    def __init__(
        self,
        conversation: Conversation[E],
        limits: Limits,
        on_events: OnEvents[E] | None,
        on_bytes: OnBytes | None,
        on_warnings: OnWarnings | None,
    ) -> None:
        self._conversation, self._limits = conversation, limits
        self._on_events, self._on_bytes, self._on_warnings = on_events, on_bytes, on_warnings
        self._loop = asyncio.get_running_loop()
        self._started = time.perf_counter()
        self._parts: list[bytes] = []  # a line that has no end yet; joined once, when it has
        self._parts_size = 0
        self._skipping = False  # the rest of a line that was refused for its length
        self._line = 1
        self._begun = False  # a line after the last event that has no end yet
        self._state = _State.READING
        self._violation: ProtocolViolationException | None = None
        self._guardrail: Guardrail | None = None
        self._guardrail_message = ""
        self.events = self.bytes = self.dropped = 0
        self.warnings: list[str] = []
        self.first_event_ms: float | None = None
        self.waited_s = 0.0

    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000

    def ending(self, exit_code: int) -> ProcessEnding:
        return ProcessEnding(
            exit_code=exit_code,
            violation=self._violation,
            guardrail=self._guardrail,
            guardrail_message=self._guardrail_message,
            terminated_after_end=self._state is _State.OVERSTAYED,
        )

    async def conclude(self, ending: ProcessEnding) -> None:
        await self._deliver(self._conversation.concluded(ending))

    async def read_from(
        self,
        child: Child,
        waiting: _Waiting,
        has_more_time: Callable[[], bool],
        tree_limits: ProcessTreeLimits | None,
    ) -> None:
        """Read until the tool has said its last word, has exited, or has done what it must not do."""
        timing = asyncio.ensure_future(self._keep_time(child, waiting, has_more_time))
        try:
            while self._is_reading() and (chunk := await child.read()):
                await self._take(chunk)
            if self._parts_size and self._is_reading():
                block, self._parts = b"".join(self._parts), []
                await self._read_block(block)  # a missing last newline is tolerated
            if self._is_reading():
                await child.over.wait()
        finally:
            timing.cancel()
        if tree_limits and (reason := find_exceeded_ceiling(tree_limits)):
            self._hit("resources", reason)
        if self._guardrail:
            await self._deliver(self._conversation.interrupted(self._guardrail, self._guardrail_message))
        elif self._state is _State.FINISHED:
            await self._await_exit(child)

    def _is_reading(self) -> bool:
        return self._state is _State.READING

    async def _keep_time(self, child: Child, waiting: _Waiting, has_more_time: Callable[[], bool]) -> None:
        """Stop the tool when it has worked for as long as it may; being kept waiting is no work."""
        left = min(self._limits.timeout, self._limits.longest_run)
        while left > 0:
            await asyncio.sleep(left)
            left = await asyncio.to_thread(self._seconds_left, waiting)
            if left <= 0 and self.elapsed_ms() / 1000 < self._limits.longest_run and has_more_time():
                left = _LATE_CHECK_S
        self._time_out(child)
        await asyncio.sleep(self._limits.kill_grace)
        child.kill()

    def _seconds_left(self, waiting: _Waiting) -> float:
        """Return how long the tool may go on: at least until somebody looks again, or not at all."""
        limit, elapsed = self._limits.timeout, self.elapsed_ms() / 1000
        self.waited_s = waiting.seconds()
        longest = min((1 + MOST_WAITING) * limit, self._limits.longest_run)
        left = min(limit + self.waited_s, longest) - elapsed
        if left <= 0 and elapsed < longest and waiting.is_held_up(limit):
            self.waited_s = max(self.waited_s, elapsed - limit)
            left = _LATE_CHECK_S
        return max(left, _LATE_CHECK_S) if left > 0 else 0.0

    def _time_out(self, child: Child) -> None:
        if child.exited.is_set():
            return  # it was in time; whoever listens is not
        self._hit("timeout", f"ran longer than {self._limits.timeout:g} s and was stopped")
        child.hang_up()
        child.terminate()

    async def watch(self, child: Child, tree_limits: ProcessTreeLimits) -> None:
        """Stop a tool whose tree exceeds its limits; at once, since it may be growing still."""
        reason = ""
        while not reason:
            await asyncio.sleep(_RESOURCE_CHECK_S)
            reason = await asyncio.to_thread(find_exceeded_limit, child.pid, tree_limits)
        self._hit("resources", reason)
        child.hang_up()
        child.kill()

    def _hit(self, guardrail: Guardrail, message: str) -> None:
        if self._is_reading():
            self._state = _State.INTERRUPTED
            self._guardrail, self._guardrail_message = guardrail, message

    async def _await_exit(self, child: Child) -> None:
        """Give the process its grace to exit; what it says meanwhile is counted and dropped."""
        grace = self._loop.call_later(self._limits.exit_grace, child.hang_up)
        self._drop(b"".join(self._parts))
        try:
            while chunk := await child.read():
                self.bytes += len(chunk)
                self._drop(chunk)
                if self._on_bytes:
                    self._on_bytes(chunk)
            await child.over.wait()
        finally:
            grace.cancel()
            self._drop(b"\n")  # a missing last newline is tolerated here too
        if not child.exited.is_set():
            self._state = _State.OVERSTAYED
            self._tell([f"still ran {self._limits.exit_grace:g} s after its last event and was ended"])

    def _drop(self, chunk: bytes) -> None:
        """Count the lines that hold something, also those that come in pieces."""
        *ended, begun = chunk.split(b"\n")
        if ended:
            self.dropped += self._begun or bool(ended[0].strip())
            self.dropped += sum(1 for line in ended[1:] if line.strip())
            self._begun = False
        self._begun = self._begun or bool(begun.strip())

    async def _take(self, chunk: bytes) -> None:
        self.bytes += len(chunk)
        if self._on_bytes:
            self._on_bytes(chunk)
        over = self.bytes - self._limits.max_output_bytes
        await self._take_lines(chunk[:-over] if over > 0 else chunk)
        if over > 0:
            self._hit(
                "output_bytes", f"wrote more than {self._limits.max_output_bytes} bytes and was stopped"
            )

    async def _take_lines(self, chunk: bytes) -> None:
        if self._skipping:
            _, newline, chunk = chunk.partition(b"\n")
            self._skipping = not newline
        cut = chunk.rfind(b"\n") + 1
        if cut:
            block = b"".join((*self._parts, memoryview(chunk)[:cut]))
            self._parts, self._parts_size = [], 0
            await self._read_block(block)
        if rest := chunk[cut:]:
            self._parts.append(rest)
            self._parts_size += len(rest)
        if self._parts_size > self._limits.max_line_bytes:
            block = b"".join(self._parts)
            self._parts, self._parts_size, self._skipping = [], 0, True
            await self._read_block(block)  # refused for its length, in the dialect's own way
            self._line += 1

    async def _read_block(self, block: bytes) -> None:
        batch = self._conversation.read(block, self._line)
        self._line += len(block) - len(block.replace(b"\n", b""))  # a third of the time of `count`
        self._warn(batch.warnings)
        room = self._limits.max_events - self.events
        await self._deliver(batch.events[:room] if len(batch.events) > room else batch.events)
        if len(batch.events) > room:
            self._hit("events", f"emitted more than {self._limits.max_events} events and was stopped")
        elif self._state in (_State.READING, _State.FINISHED):
            self._violation = batch.violation
            self._state = _state_after(batch)
            self.dropped += batch.dropped

    async def _deliver(self, events: Sequence[E]) -> None:
        if not events:
            return
        if self.first_event_ms is None:
            self.first_event_ms = self.elapsed_ms()
        self.events += len(events)
        if self._on_events and (pending := self._on_events(events)) is not None:
            await pending

    def _warn(self, warnings: Sequence[str]) -> None:
        room = _MAX_WARNINGS - len(self.warnings)
        if warnings and room >= 0:
            self._tell(warnings if len(warnings) <= room else [*warnings[:room], "… and more like these"])

    def _tell(self, warnings: Sequence[str]) -> None:
        self.warnings.extend(warnings)
        if self._on_warnings:
            self._on_warnings(warnings)


def _state_after(batch: Batch[Any]) -> _State:
    if batch.ended:
        return _State.FINISHED
    return _State.VIOLATED if batch.violation else _State.READING


class _Tail:
    """Keeps the last bytes of a stream of any length."""

    def __init__(self, limit: int, tap: OnBytes | None) -> None:
        self._limit, self._tap = limit, tap
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self.size = 0

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self._held += len(chunk)
        self._chunks.append(chunk)
        while self._held - len(self._chunks[0]) >= self._limit:
            self._held -= len(self._chunks.popleft())
        if self._tap:
            self._tap(chunk)

    def text(self) -> str:
        return b"".join(self._chunks)[-self._limit :].decode(errors="replace")

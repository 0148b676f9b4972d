"""Serves one host channel: requests are read as long as there is room for their answers.

Nothing piles up. At most `in_flight` requests are worked on; the next line is read when one of them is done,
and answers wait in a short queue until the skill takes them. So a skill that floods the channel, or never
reads it, stops itself: the operating system's buffers fill, and its own writes block.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import select
import socket
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ParamSpec, TypeVar

from narratoria.errors import HostRefusal
from narratoria.protocol.waiting_time import begin_work, wait_until_done
from narratoria.skills.host import messages as wire
from narratoria.skills.host.dispatch import Invocation
from narratoria.skills.host.messages import CANCEL, Call, Id, LineBuffer, UnreadableCall
from narratoria.skills.host.method_table import METHODS
from narratoria.skills.host.method_types import DELTA

CHUNK = 64 * 1024
_OUTBOX = 4  # lines that wait for the skill to read them
_QUICK = 4 * 1024  # bytes; reading a longer line could keep the event loop busy, and is done in a thread

_ENVELOPE = 1024  # bytes around a result
_SHARE = 0.5  # of the time a run has left, the most that one search may take
_LEAST_SEARCH_S = 1.0  # that a search may take in any case, as a run's time does not count it
_STREAM_SHARE = 2.0  # of a call's time: what may pass between two pieces of a text that is streamed
_LATE_CHECK_S = 0.05  # between two looks at whether a search that is late may go on

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)


class SkillChannel:
    """Answers what comes in on one socket, until the other side hangs up or has asked too much."""

    def __init__(
        self,
        invocation: Invocation,
        run_seconds: float = math.inf,
        has_more_time: Callable[[], bool] = lambda: False,
    ) -> None:
        """`has_more_time` says whether a search whose time is up may go on, as nobody waits for it yet."""
        self._invocation, self._limits = invocation, invocation.limits
        self._has_more_time = has_more_time
        self._lines = LineBuffer(invocation.limits.message_bytes)
        self._outbox: asyncio.Queue[bytes | None] = asyncio.Queue(_OUTBOX)
        self._room = asyncio.Semaphore(invocation.limits.in_flight)
        self._calls: set[asyncio.Task[None]] = set()
        self._working: dict[Id, asyncio.Task[None]] = {}  # those that can still be cancelled
        self._cancelled: set[Id] = set()
        self._piece_at: dict[asyncio.Future[Any], float] = {}  # calls that stream, and their last piece
        self._taken = self._bytes = 0
        self._clock = asyncio.get_running_loop().time
        self._run_until = self._clock() + run_seconds
        self._least_search_s = min(_LEAST_SEARCH_S, _SHARE * run_seconds)
        self._was_late = False
        self._unanswered_store_calls = 0  # to the store or the embedder, which all skills share
        self._waited_s, self._waits_since = 0.0, 0.0

    @property
    def is_late(self) -> bool:
        """Return whether the store or the embedder has kept the skill waiting for too long, or still does."""
        return self._was_late or self._unanswered_store_calls > 0

    def waited_seconds(self) -> float:
        """Return for how long the skill has waited for the store or the embedder."""
        now = self._clock() - self._waits_since if self._unanswered_store_calls else 0.0
        return self._waited_s + now

    def _count_store_call(self, change: int) -> None:
        """Count a call to the store that is made or answered; while there is one, the skill waits."""
        now = self._clock()
        if self._unanswered_store_calls:
            self._waited_s += now - self._waits_since
        self._waits_since = now
        self._unanswered_store_calls += change

    async def serve(self, connection: socket.socket, received: bytes = b"") -> None:
        """`received` is what was read from the connection already. The connection is not closed here."""
        writing = asyncio.create_task(self._write(connection))
        reading = asyncio.create_task(self._converse(connection, received))
        try:
            # the writer ends first when nobody listens any more
            await asyncio.wait({writing, reading}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done() and reading.exception() is None and not _hung_up(connection):
                await asyncio.wait({writing})
        finally:
            tasks = (reading, writing, *self._calls)
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for problem in ended:
            if isinstance(problem, Exception):
                raise problem

    async def _write(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # hung up; whoever waits to be written is cancelled by `serve`
            while (line := await self._outbox.get()) is not None:
                await loop.sock_sendall(connection, line)

    async def _converse(self, connection: socket.socket, received: bytes) -> None:
        try:
            await self._read(connection, received)
        except HostRefusal as too_much:
            await self._outbox.put(wire.error(None, too_much))
        if not _hung_up(connection):  # it may have said all it wanted to say, and still listen
            while self._calls:
                await asyncio.wait(self._calls)
            await self._outbox.put(None)

    async def _read(self, connection: socket.socket, received: bytes) -> None:
        loop = asyncio.get_running_loop()
        chunk = received or await _receive(loop, connection)
        while chunk:
            self._bytes += len(chunk)
            if self._bytes > self._limits.total_bytes:
                raise _spent(f"{self._limits.total_bytes} bytes")
            for line in self._lines.add(chunk):
                await self._take(line)
            await asyncio.sleep(0)  # what is already there is read without a pause, and others wait too
            chunk = await _receive(loop, connection)
        if rest := self._lines.rest():
            await self._take(rest)

    async def _take(self, line: bytes | None) -> None:
        self._taken += 1
        if self._taken > self._limits.requests:
            raise _spent(f"{self._limits.requests} lines")
        if line is None:
            message = f"a line was longer than {self._limits.message_bytes} bytes and was not read"
            await self._refuse(None, HostRefusal("LIMIT", message, "send less at a time"))
        elif line.strip():
            try:
                call = await _maybe_in_thread(len(line), wire.read_call, line)
            except UnreadableCall as unreadable:
                await self._refuse(unreadable.id, unreadable.refusal)
            else:
                await self._begin(call, len(line))

    async def _begin(self, call: Call, size: int) -> None:
        if call.method == CANCEL:
            await self._cancel(call)
        elif call.id in self._working:
            message = f"the id {call.id!r} is that of a request not answered yet"
            await self._refuse(None, HostRefusal("INVALID_REQUEST", message, "use each id once"))
        else:
            await self._room.acquire()
            task = asyncio.create_task(self._answer(call, size))
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)
            if call.id is not None:
                self._working[call.id] = task
            await asyncio.sleep(0)  # a task cancelled before its first step would never answer

    async def _cancel(self, call: Call) -> None:
        call_id = call.params.get("id")
        if isinstance(call_id, int | str) and call_id in self._working and call_id not in self._cancelled:
            self._cancelled.add(call_id)
            self._working[call_id].cancel()  # not there: it was answered meanwhile
        if call.answered:
            await self._outbox.put(wire.result(call.id, {}))

    async def _answer(self, call: Call, size: int) -> None:
        try:
            answer = await self._outcome(call, size)
            if call.answered:
                await self._outbox.put(answer)
        finally:
            self._room.release()

    async def _outcome(self, call: Call, size: int) -> bytes:
        seconds = self._seconds_for(call)
        waits_for_store = _waits_for_store(call)
        self._count_store_call(+waits_for_store)
        try:
            value = await self._in_time(call, self._carry_out(call, size), seconds)
            return self._fitting(call, wire.result(call.id, value))
        except HostRefusal as refusal:
            return wire.error(call.id, refusal)
        except TimeoutError:
            self._was_late |= waits_for_store
            message = f"{call.method} took longer than {seconds:.3g} s and was stopped"
            return wire.error(call.id, HostRefusal("TIMEOUT", message, "ask for less at a time"))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if call.id not in self._cancelled or task is None or task.uncancel():
                self._was_late |= waits_for_store  # the run is over, and never got its answer
                raise  # not the skill, or not the skill alone: the channel is being closed
            return wire.error(call.id, HostRefusal("CANCELLED", f"{call.method} was cancelled, as asked"))
        except Exception:  # noqa: BLE001  the border to any engine: its bug costs one call, not the story
            _log.exception("%s failed for %s", call.method, self._invocation.caller)
            message = f"{call.method} failed inside the host"
            return wire.error(call.id, HostRefusal("INTERNAL_ERROR", message, "see the log of Narratoria"))
        finally:
            self._count_store_call(-waits_for_store)
            if call.id is not None:
                self._working.pop(call.id, None)
                self._cancelled.discard(call.id)

    def _seconds_for(self, call: Call) -> float:
        """Return how long the call may take; after a search that is late, the skill can still go on."""
        if _streams(call):
            return _STREAM_SHARE * self._limits.call_seconds
        if not _is_optional(call):
            return self._limits.call_seconds
        left = self._run_until + self.waited_seconds() - self._clock()
        return min(self._limits.call_seconds, max(self._least_search_s, _SHARE * left))

    async def _carry_out(self, call: Call, size: int) -> Any:
        await _maybe_in_thread(size, self._invocation.check, call, size)
        return await self._invocation.carry_out(call, partial(self._tell, call))

    async def _in_time(self, call: Call, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Return what the work comes to; TimeoutError when its time is up and the scene waits for it."""
        async with begin_work(work) as task:
            try:
                await wait_until_done(task, seconds)
                # who keeps writing, and is read, is slow and not stuck
                while not task.done() and (left := self._piece_at.get(task, 0) + seconds - self._clock()) > 0:
                    await asyncio.wait({task}, timeout=left)
                while _is_optional(call) and not task.done() and self._has_more_time():
                    await asyncio.wait({task}, timeout=_LATE_CHECK_S)
                if not task.done():
                    raise TimeoutError
                return task.result()
            finally:
                self._piece_at.pop(task, None)

    def _fitting(self, call: Call, answer: bytes) -> bytes:
        if len(answer) <= self._limits.result_bytes + _ENVELOPE:
            return answer
        message = f"the result of {call.method} is larger than {self._limits.result_bytes} bytes"
        raise HostRefusal("LIMIT", message, "ask for less at a time")

    async def _tell(self, call: Call, text: str) -> None:
        if call.answered:
            await self._outbox.put(wire.notification(DELTA, {"id": call.id, "text": text}))
            if (task := asyncio.current_task()) is not None:
                self._piece_at[task] = self._clock()

    async def _refuse(self, id: Id | None, refusal: HostRefusal) -> None:  # noqa: A002  the protocol's word
        await self._outbox.put(wire.error(id, refusal))


def _is_optional(call: Call) -> bool:
    method = METHODS.get(call.method)
    return method is not None and method.is_optional_read


def _streams(call: Call) -> bool:
    """Return whether words come one by one: who keeps writing is not stopped for being slow."""
    return call.method == "model.generate" and call.params.get("stream") is True


def _waits_for_store(call: Call) -> bool:
    method = METHODS.get(call.method)
    return method is not None and method.waits_for_store


async def _maybe_in_thread(size: int, work: Callable[P, T], /, *args: P.args, **more: P.kwargs) -> T:
    return await asyncio.to_thread(work, *args, **more) if size > _QUICK else work(*args, **more)


async def _receive(loop: asyncio.AbstractEventLoop, connection: socket.socket) -> bytes:
    try:
        return await loop.sock_recv(connection, CHUNK)
    except OSError:
        return b""


def _hung_up(connection: socket.socket) -> bool:
    """Return whether the other side is gone, where that differs from one that has only said all."""
    if sys.platform != "linux" or connection.family != socket.AF_UNIX:
        return False  # then the next write finds out, or the end of the invocation
    poll = select.poll()
    poll.register(connection, 0)
    return any(state & select.POLLHUP for _, state in poll.poll(0))


def _spent(what: str) -> HostRefusal:
    message = f"this invocation may send {what} to the host, and did; the channel is closed"
    return HostRefusal("LIMIT", message, "ask for several things at once, or less often")

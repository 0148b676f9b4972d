"""Opens a host channel for one invocation: an inherited socket, or a loopback port that takes one token once.

Whoever holds the channel has what was granted to the skill, and nothing else is asked of it. On Windows,
where a socket is not inherited by its number, the token stands in for possession.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import math
import os
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from narratoria.errors import HostRefusal
from narratoria.protocol.command import Command
from narratoria.skills.host import messages as wire
from narratoria.skills.host.channel import CHUNK, SkillChannel
from narratoria.skills.host.dispatch import DEFAULT_LIMITS, ChannelLimits, Invocation
from narratoria.skills.host.messages import Call, UnreadableCall
from narratoria.skills.host.services import Caller, Host
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import InvocationRequest

FD, PORT, TOKEN = "NARRATORIA_HOST_FD", "NARRATORIA_HOST_PORT", "NARRATORIA_HOST_TOKEN"
HELLO = "host.hello"
_HELLO_BYTES = 4096
_HELLO_SECONDS = 5.0
_STRANGERS = 16  # connections that have not shown the token yet

_log = logging.getLogger(__name__)


Transport: TypeAlias = Literal["socket", "port"]
DEFAULT_TRANSPORT: Transport = "port" if os.name == "nt" else "socket"


class HostEndpoint:
    """Holds both ends of a host channel: a process is started with one, and its run is served at the other.

    What a process asks before that waits in the operating system's buffer."""

    def __init__(self, transport: Transport = DEFAULT_TRANSPORT) -> None:
        self._sockets = ExitStack()
        self._theirs: socket.socket | None = None
        self._token = ""
        if transport == "socket":
            self._ours, self._theirs = (self._sockets.enter_context(end) for end in socket.socketpair())
        else:
            self._ours = self._sockets.enter_context(socket.create_server(("127.0.0.1", 0)))
            self._token = secrets.token_urlsafe(32)
        self._ours.setblocking(False)

    def add_to(self, command: Command) -> Command:
        """Return the command with the end that its process gets."""
        if self._theirs is None:
            variables = {FD: "", PORT: str(self._ours.getsockname()[1]), TOKEN: self._token}
            return replace(command, env={**command.env, **variables})
        number = self._theirs.fileno()
        variables = {FD: str(number), PORT: "", TOKEN: ""}
        return replace(command, pass_fds=(*command.pass_fds, number), env={**command.env, **variables})

    def let_go(self) -> None:
        """Close our copy of what the process has been started with: while we had it, it could not hang up."""
        if self._theirs is not None:
            self._theirs.close()

    @asynccontextmanager
    async def serve(self, channel: SkillChannel) -> AsyncIterator[None]:
        """Answer what the process asks until the end of the block, whatever the skill is doing."""
        serving = asyncio.create_task(self._serve(channel))
        try:
            yield
        finally:
            await _stop(serving)

    async def _serve(self, channel: SkillChannel) -> None:
        if self._theirs is None:
            await _serve_port(channel, self._ours, self._token)
            return
        try:
            first = await asyncio.get_running_loop().sock_recv(self._ours, CHUNK)
            self.let_go()  # the skill was started and has its own
            await channel.serve(self._ours, first)
        finally:
            self._ours.close()

    def close(self) -> None:
        self._sockets.close()


@asynccontextmanager
async def open_channel(
    command: Command,
    request: InvocationRequest,
    *,
    skill: str,
    permissions: Permissions,
    host: Host,
    limits: ChannelLimits = DEFAULT_LIMITS,
    run_seconds: float = math.inf,
    transport: Transport = DEFAULT_TRANSPORT,
) -> AsyncIterator[Command]:
    """Provide the command with a way to the host, which ends with the block, whatever the skill is doing.

    `run_seconds` is the skill's timeout: a search is refused in time for the skill to go on without it."""
    channel = make_channel(
        request, skill=skill, permissions=permissions, host=host, limits=limits, run_seconds=run_seconds
    )
    with closing(HostEndpoint(transport)) as endpoint:
        async with endpoint.serve(channel):
            yield with_waiting_time(endpoint.add_to(command), channel)


def make_channel(
    request: InvocationRequest,
    *,
    skill: str,
    permissions: Permissions,
    host: Host,
    limits: ChannelLimits = DEFAULT_LIMITS,
    run_seconds: float = math.inf,
) -> SkillChannel:
    """Return what answers the calls of one run; its time begins now."""
    caller = Caller(skill, _text(request, "playthroughId"), _text(request, "sessionId"))
    return SkillChannel(Invocation(caller, permissions, host, limits), run_seconds, request.has_more_time)


def with_waiting_time(command: Command, channel: SkillChannel) -> Command:
    """Return the command with what the channel knows of how long the host has kept the run waiting."""
    return replace(
        command, is_kept_waiting=lambda: channel.is_late, seconds_kept_waiting=channel.waited_seconds
    )


def _text(request: InvocationRequest, name: str) -> str:
    value = request.context.get(name)
    return value if isinstance(value, str) else ""


async def _stop(serving: asyncio.Task[None]) -> None:
    """Wait until nothing uses the sockets any more, whatever happens to us meanwhile."""
    serving.cancel()
    cancelled: asyncio.CancelledError | None = None
    while not serving.done():
        try:
            await asyncio.wait({serving})
        except asyncio.CancelledError as error:
            cancelled = error
    if not serving.cancelled() and (problem := serving.exception()):
        _log.error("a host channel broke", exc_info=problem)  # the skill's run has its own result
    if cancelled:
        raise cancelled


async def _serve_port(channel: SkillChannel, listener: socket.socket, token: str) -> None:
    with ExitStack() as connections:
        connection, received = await _Door(listener, token, connections).open()
        listener.close()  # the token is used up
        await channel.serve(connection, received)


class _Door:
    """Lets in at a port the first who shows the token; strangers are told why not, and wait for nobody."""

    def __init__(self, listener: socket.socket, token: str, connections: ExitStack) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener, self._token, self._connections = listener, token, connections
        self._guest: asyncio.Future[tuple[socket.socket, bytes]] = self._loop.create_future()
        self._greetings: set[asyncio.Task[None]] = set()
        self._strangers: set[socket.socket] = set()

    async def open(self) -> tuple[socket.socket, bytes]:
        """Return the guest's connection, and what it sent after its token."""
        accepting = asyncio.create_task(self._accept())
        try:
            waited: set[asyncio.Future[Any]] = {accepting, self._guest}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if accepting.done():
                accepting.result()  # raises
            return self._guest.result()
        finally:
            tasks = (accepting, *self._greetings)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for stranger in self._strangers:
                stranger.close()  # those who were cut short

    async def _accept(self) -> None:
        while True:
            connection = await self._next()
            self._strangers.add(connection)
            task = asyncio.create_task(self._greet(connection))
            self._greetings.add(task)
            task.add_done_callback(self._greetings.discard)
            if len(self._greetings) >= _STRANGERS:
                await asyncio.wait(self._greetings, return_when=asyncio.FIRST_COMPLETED)

    async def _next(self) -> socket.socket:
        if os.name == "nt":
            return (await self._loop.sock_accept(self._listener))[0]
        # not `sock_accept`: cancelled at the wrong moment, it loses a connection that nobody closes then
        while True:
            readable = self._loop.create_future()
            self._loop.add_reader(self._listener, _wake, readable)
            try:
                await readable
            finally:
                self._loop.remove_reader(self._listener)
            with suppress(BlockingIOError, ConnectionError):  # it has gone again
                return self._listener.accept()[0]

    async def _greet(self, connection: socket.socket) -> None:
        try:
            connection.setblocking(False)
            async with asyncio.timeout(_HELLO_SECONDS):
                hello, rest = await self._first_line(connection)
                call, refusal = self._judge(hello)
                answer = wire.error(call.id, refusal) if refusal else wire.result(call.id, {"accepted": True})
                await self._loop.sock_sendall(connection, answer)
            if not refusal and not self._guest.done():
                self._strangers.remove(self._connections.enter_context(connection))
                self._guest.set_result((connection, rest))
                return
        except (OSError, TimeoutError):
            pass  # one that hangs up, or says nothing
        self._strangers.remove(connection)
        connection.close()

    async def _first_line(self, connection: socket.socket) -> tuple[bytes, bytes]:
        received = b""
        while b"\n" not in received and len(received) <= _HELLO_BYTES:
            chunk = await self._loop.sock_recv(connection, CHUNK)
            if not chunk:
                break
            received += chunk
        line, _, rest = received.partition(b"\n")
        return line[: _HELLO_BYTES + 1], rest

    def _judge(self, hello: bytes) -> tuple[Call, HostRefusal | None]:
        advice = f'begin with {{"jsonrpc":"2.0","id":0,"method":"{HELLO}","params":{{"token":"${TOKEN}"}}}}'
        try:
            call = wire.read_call(hello)
        except UnreadableCall as unreadable:
            return Call("", id=unreadable.id), HostRefusal("BAD_TOKEN", unreadable.refusal.message, advice)
        token = call.params.get("token")
        if call.method != HELLO or not isinstance(token, str):
            return call, HostRefusal("BAD_TOKEN", "the token must come first", advice)
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return call, HostRefusal("BAD_TOKEN", "this is not the token of this invocation", advice)
        return call, None


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)

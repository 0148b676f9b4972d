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
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, Literal

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
    transport: Literal["socket", "port"] = "port" if os.name == "nt" else "socket",
) -> AsyncIterator[Command]:
    """Provide the command with a way to the host, which ends with the block, whatever the skill is doing.

    `run_seconds` is the skill's timeout: a search is refused in time for the skill to go on without it."""
    caller = Caller(skill, _text(request, "playthroughId"), _text(request, "sessionId"))
    invocation = Invocation(caller, permissions, host, limits)
    channel = SkillChannel(invocation, run_seconds, request.has_more_time)
    command = replace(
        command, is_kept_waiting=lambda: channel.is_late, seconds_kept_waiting=channel.waited_seconds
    )
    with ExitStack() as sockets:
        if transport == "socket":
            ours, theirs = (sockets.enter_context(end) for end in socket.socketpair())
            ours.setblocking(False)
            serving = asyncio.create_task(_serve_pair(channel, ours, theirs))
            command = replace(command, pass_fds=(*command.pass_fds, theirs.fileno()))
            variables = {FD: str(theirs.fileno()), PORT: "", TOKEN: ""}
        else:
            listener = sockets.enter_context(socket.create_server(("127.0.0.1", 0)))
            listener.setblocking(False)
            token = secrets.token_urlsafe(32)
            serving = asyncio.create_task(_serve_port(channel, listener, token))
            variables = {FD: "", PORT: str(listener.getsockname()[1]), TOKEN: token}
        try:
            yield replace(command, env={**command.env, **variables})
        finally:
            await _stop(serving)


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


async def _serve_pair(channel: SkillChannel, ours: socket.socket, theirs: socket.socket) -> None:
    try:
        first = await asyncio.get_running_loop().sock_recv(ours, CHUNK)
        # the skill was started and has its own; as long as we kept a copy, it could not hang up
        theirs.close()
        await channel.serve(ours, first)
    finally:
        ours.close()


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

"""A host with small engines that really work, and a client that holds every answer to its contract."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import textwrap
import uuid
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from tests.skills.host.records import Records

from narratoria import contracts
from narratoria.contracts import Contract
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.result import ExecutionResult
from narratoria.protocol.command import Command, command_for
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
from narratoria.skills.host.method_table import METHODS
from narratoria.skills.host.services import (
    Caller,
    EmbeddedTexts,
    Generation,
    Host,
    HostModelStatus,
    NarrationProblem,
    TextPiece,
)
from narratoria.skills.host.transport import FD, PORT, open_channel
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import InvocationRequest, Runnable, v0_tool
from narratoria.state import SessionState

EVERYTHING = ("store:read", "store:write", "embed", "model")


class Echo:
    """A model that repeats its prompt word by word, for ever when asked to."""

    def __init__(self) -> None:
        self.begun = self.ended = 0

    def about(self) -> HostModelStatus:
        return HostModelStatus(name="echo", tier="narrates", state="ready")

    async def generate(self, caller: Caller, wanted: Generation) -> AsyncGenerator[TextPiece, None]:
        self.begun += 1
        try:
            words = wanted.prompt.split()
            while words:
                for count, word in enumerate(words):
                    if count == wanted.max_tokens:
                        yield TextPiece("", "length")
                        return
                    yield TextPiece(f"{word} ")
                    await asyncio.sleep(0)
                if wanted.system != "for ever":
                    break
            yield TextPiece("", "stop")
        finally:
            self.ended += 1

    async def count(self, caller: Caller, texts: Sequence[str]) -> Sequence[int]:
        return [len(text.split()) for text in texts]


class Letters:
    """Embeds a text as how often it holds each letter."""

    async def embed(self, caller: Caller, texts: Sequence[str]) -> EmbeddedTexts:
        vectors = [[float(text.lower().count(chr(97 + n))) for n in range(26)] for text in texts]
        return EmbeddedTexts("letters", 26, vectors)


class NoAnvils:
    """A gate that lets everything through but anvils that nobody knows of."""

    async def check(
        self, caller: Caller, paragraphs: Sequence[str], facts: Mapping[str, Any]
    ) -> Sequence[NarrationProblem]:
        return [
            NarrationProblem(paragraph=number, message="there is no anvil here")
            for number, text in enumerate(paragraphs)
            if "anvil" in text and not facts.get("anvil")
        ]


@cache
def result_of(method: str) -> Contract:
    return Contract({"$ref": f"urn:narratoria:contract:host-answer#/$defs/{method}"})


class Line:
    """A client that speaks the wire by hand."""

    def __init__(self, connection: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        connection.setblocking(False)
        self.connection, self._loop, self._received = connection, loop, b""
        self.last = 0

    async def send(self, data: bytes) -> None:
        await self._loop.sock_sendall(self.connection, data)

    async def read(self) -> dict[str, Any] | None:
        """The next message; None at the end."""
        while b"\n" not in self._received:
            try:
                chunk = await self._loop.sock_recv(self.connection, 65536)
            except ConnectionResetError:
                chunk = b""
            if not chunk:
                assert self._received == b"", "the host ended in the middle of a line"
                return None
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        assert contracts.check("host-answer", line) == ()
        message: dict[str, Any] = json.loads(line)
        return message

    async def request(self, method: str, **params: Any) -> int:
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        assert method not in METHODS or isinstance(params, dict)
        await self.send(json.dumps(message).encode() + b"\n")
        return self.last

    async def ask(self, method: str, **params: Any) -> Any:
        """The result; fails for an error."""
        number = await self.request(method, **params)
        message = await self.read()
        assert message is not None
        assert message["id"] == number
        assert "error" not in message, message
        assert result_of(method).check_value(message["result"]) == ()
        return message["result"]

    async def refused(self, method: str, **params: Any) -> dict[str, Any]:
        """The error."""
        number = await self.request(method, **params)
        message = await self.read()
        assert message is not None
        assert message["id"] == number
        error: dict[str, Any] = message["error"]
        return error

    async def say(self, data: bytes) -> dict[str, Any]:
        """The one message that answers these bytes."""
        await self.send(data)
        message = await self.read()
        assert message is not None
        return message


Open = Callable[..., AbstractAsyncContextManager[Line]]


def descriptors() -> set[str]:
    return {
        f"{fd} {os.readlink(f'/proc/self/fd/{fd}')}"  # noqa: PTH115
        for fd in os.listdir("/proc/self/fd")  # noqa: PTH208
        if os.path.lexists(f"/proc/self/fd/{fd}")
    }


@asynccontextmanager
async def nothing_is_left() -> AsyncIterator[None]:
    """Inside, whatever opens a descriptor or starts a task must end it."""
    tasks, fds = asyncio.all_tasks(), descriptors()
    yield
    assert asyncio.all_tasks() - tasks == set()
    # files and pipes are others' matter: a thread may just be writing its record, or measuring a box
    assert {fd for fd in descriptors() - fds if "socket" in fd} == set()


@pytest.fixture
def host() -> Host:
    return Host(Records(), Letters(), Echo(), NoAnvils())


@pytest.fixture
def open_command(host: Host) -> Callable[..., AbstractAsyncContextManager[Command]]:
    """Opens a channel as the runtime does; what would be run is `true`."""

    @asynccontextmanager
    async def opening(
        *,
        permissions: Iterable[str] = EVERYTHING,
        playthrough: str = "p1",
        alone: bool = True,
        has_more_time: Callable[[], bool] = lambda: False,
        **options: Any,
    ) -> AsyncIterator[Command]:
        context = {"playthroughId": playthrough, "sessionId": "s1"}
        request = InvocationRequest("r", {}, context, has_more_time)
        options = {"host": host, "skill": "memory", "permissions": Permissions.parse(permissions), **options}
        async with (
            nothing_is_left() if alone else nullcontext(),
            open_channel(Command(("true",)), request, **options) as command,
            asyncio.timeout(60),
        ):
            yield command

    return opening


@pytest.fixture
def open_line(open_command: Callable[..., AbstractAsyncContextManager[Command]]) -> Open:
    """The same, with the skill's end of the channel."""

    @asynccontextmanager
    async def opening(**options: Any) -> AsyncIterator[Line]:
        async with open_command(**options) as command:
            connection = socket.socket(fileno=os.dup(int(command.env[FD])))
            with connection:
                yield Line(connection, asyncio.get_running_loop())

    return opening


@pytest.fixture
def connect() -> Iterator[Callable[[Command], Awaitable[Line]]]:
    """Connects to the port of a channel as a stranger would."""
    connections: list[socket.socket] = []

    async def connecting(command: Command) -> Line:
        loop = asyncio.get_running_loop()
        connection = socket.socket()
        connections.append(connection)
        connection.setblocking(False)
        await loop.sock_connect(connection, ("127.0.0.1", int(command.env[PORT])))
        return Line(connection, loop)

    yield connecting
    for connection in connections:
        connection.close()


class Theatre:
    """Runs scripts as the tools of a plan, each with a channel to the host."""

    def __init__(self, folder: Path, host: Host) -> None:
        self.folder, self.host = folder, host
        self.options: dict[str, Any] = {}

    def tool(
        self, script: str | Path, permissions: Iterable[str] = EVERYTHING, skill: str = "memory"
    ) -> Runnable:
        path = script if isinstance(script, Path) else self.write(script)
        around = partial(
            open_channel,
            skill=skill,
            permissions=Permissions.parse(permissions),
            host=self.host,
            **self.options,
        )
        limits = Limits(timeout=30, kill_grace=0.5)
        return replace(v0_tool(path.stem, command_for(path), limits=limits, skill=skill), around=around)

    def write(self, script: str) -> Path:
        path = self.folder / f"{uuid.uuid4().hex}.py"
        path.write_text(HEAD + textwrap.dedent(script), encoding="utf-8")
        return path

    async def play(
        self,
        *tools: Runnable,
        inputs: Sequence[dict[str, Any]] = (),
        playthrough: str = "p1",
        alone: bool = True,
        grace: float = 5,
    ) -> ExecutionResult:
        calls = tuple(
            ToolInvocation(tool_id=f"t{n}", tool_path=f"t{n}", input=inputs[n] if inputs else {})
            for n in range(len(tools))
        )
        plan = Plan(request_id=str(uuid.uuid4()), tools=calls, parallel=True)
        prepared = prepare_plan(plan, lambda path: tools[int(path[1:])])
        context = {"playthroughId": playthrough, "sessionId": "s1"}
        bounds = Bounds(concurrency=4, shutdown_grace=grace)
        async with nothing_is_left() if alone else nullcontext():
            return await execute(prepared, SessionState({}), bounds=bounds, context=context)

    async def output(self, tool: Runnable, **options: Any) -> Any:
        result = (await self.play(tool, **options)).tool_results[0]
        assert result.ok, (result.error, result.attempts[-1].stderr_tail if result.attempts else "")
        return result.output


HEAD = """
import json, os, socket, sys, threading, time
from narratoria import sdk
from narratoria.sdk import host, host_channel
"""


@pytest.fixture(scope="session")
def watchdog_is_up() -> None:
    """What the runner starts once and keeps belongs to no single test."""
    asyncio.run(run(Command((sys.executable, "-c", "")), b"", NARRATORIA_V0))


@pytest.fixture
def theatre(tmp_path: Path, host: Host, watchdog_is_up: None) -> Theatre:
    return Theatre(tmp_path, host)

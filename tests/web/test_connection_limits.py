"""Connections that are opened and left lying keep nobody out, and whoever dawdles is hung up on."""

from __future__ import annotations

import asyncio
import resource
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from tests.web.serving import Server
from uvicorn import Config
from uvicorn.server import ServerState

from narratoria.web import connection_limits
from narratoria.web.connection_limits import ConnectionLimits

HALF_OPEN = 1024
FEW_FILES = (
    "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512)); "
    "sys.argv[0] = 'narratoria'; runpy.run_module('narratoria.cli', run_name='__main__')"
)


@pytest.fixture
def many_files() -> Iterator[None]:
    """This process may open as many files as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2 * HALF_OPEN:
        pytest.skip(f"no process may open more than {hard} files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * HALF_OPEN), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.skipif(sys.platform == "win32", reason="limits open files by the kernel")
@pytest.mark.usefixtures("many_files")
def test_a_thousand_half_open_connections_do_not_keep_a_player_out(servers: Any) -> None:
    server: Server = servers(program=("-c", FEW_FILES)).start()
    with ExitStack() as stack:
        for number in range(HALF_OPEN):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            _send(half, (b"", b"GET / HTTP/1.1\r\nHost: ", b"POST /unlock HTTP/1.1\r\n")[number % 3])
        assert server.ask("GET", "/api/settings").status == 200
        assert server.ask("GET", "/api/settings").status == 200


def _send(connection: socket.socket, content: bytes) -> None:
    with suppress(ConnectionError):  # it has given way to a later one already
        connection.sendall(content)


class Clients:
    """Real connections to a real protocol in this process, with an application that answers once it may."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits, self.may_answer = limits, asyncio.Event()
        self.config = Config(
            self.answer, log_config=None, lifespan="off", interface="asgi3", ws=limits.websocket_protocol()
        )
        self.state = ServerState()
        self.writers: list[asyncio.StreamWriter] = []

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] == "POST":
            while (await receive()).get("more_body"):
                pass
        await self.may_answer.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def __aenter__(self) -> Clients:
        make = self.limits.http_protocol()
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(
            lambda: make(config=self.config, server_state=self.state, app_state={}), "127.0.0.1", 0
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        for writer in self.writers:
            writer.close()
        self.server.close()

    async def connect(self, content: bytes = b"") -> asyncio.StreamReader:
        port = self.server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        self.writers.append(writer)
        writer.write(content)
        await writer.drain()
        return reader


async def status_of(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(60):
        return (await reader.readline())[9:12]


REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def test_the_one_that_has_waited_longest_gives_way() -> None:
    async with Clients(ConnectionLimits(most=3)) as clients:
        oldest, younger = await clients.connect(), await clients.connect(b"GET / HT")
        await asyncio.sleep(0.05)
        third, fourth = await clients.connect(REQUEST), await clients.connect(REQUEST)
        assert await status_of(oldest) == b"503"
        clients.may_answer.set()
        assert (await status_of(third), await status_of(fourth)) == (b"204", b"204")
        assert not younger.at_eof()


async def test_where_everybody_is_being_answered_one_more_is_refused() -> None:
    async with Clients(ConnectionLimits(most=8, most_per_address=2)) as clients:
        served = [await clients.connect(REQUEST) for _ in range(2)]
        await asyncio.sleep(0.05)
        assert await status_of(await clients.connect(REQUEST)) == b"503"
        clients.may_answer.set()
        assert [await status_of(one) for one in served] == [b"204", b"204"]


async def test_a_header_that_does_not_come_in_time_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection_limits, "HEADER_TIMEOUT_S", 0.1)
    monkeypatch.setattr(connection_limits, "_SWEEP_S", 0.05)
    async with Clients(ConnectionLimits()) as clients:
        silent, slow = await clients.connect(), await clients.connect(REQUEST[:20])
        served = await clients.connect(REQUEST)
        assert (await status_of(silent), await status_of(slow)) == (b"408", b"408")
        clients.may_answer.set()
        assert await status_of(served) == b"204", "an answer may take its time"


async def test_a_body_that_drips_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "WHILE_S", 0.1)
    monkeypatch.setattr(connection_limits, "_SWEEP_S", 0.05)
    async with Clients(ConnectionLimits()) as clients:
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        dripping = await clients.connect(head + b"x")
        async with asyncio.timeout(60):
            assert await dripping.read() == b""


async def test_only_so_many_websockets_are_opened_from_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "MOST_SOCKETS_PER_ADDRESS", 0)
    upgrade = (
        b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    async with Clients(ConnectionLimits()) as clients:
        assert await status_of(await clients.connect(upgrade)) == b"503"

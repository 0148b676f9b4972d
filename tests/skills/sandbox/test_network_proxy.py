"""The network by host: what was granted is reached through the proxy, and nothing else by any way."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from narratoria.protocol.command import command_for
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.process import run
from narratoria.skills.permissions import NOTHING, Permissions
from narratoria.skills.sandbox import confine, probe
from narratoria.skills.sandbox.backends import Backend
from narratoria.skills.sandbox.network_proxy import RefusedConnection, read_proxy_request, resolve_granted

TOOLS = Path(__file__).parents[2] / "tools"
GRANTED = Permissions.parse(["network:127.0.0.1"])


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.heard.append((self.path, self.headers["Host"]))  # type: ignore[attr-defined]
        body = f"the page {self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        server.heard = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def echo() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            try:
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        connection.sendall(connection.recv(5))
            except OSError:
                return

        threading.Thread(target=answer, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture(params=["bubblewrap", "namespaces"])
def backend(request: pytest.FixtureRequest) -> Backend:
    wanted: Backend = request.param
    if wanted not in probe().backends:
        pytest.skip(f"{wanted} does not work here: {probe().reasons[wanted]}")
    return wanted


async def try_in_box(
    backend: Backend, folder: Path, what: str, *arguments: Any, granted: Permissions = GRANTED
) -> dict[str, Any]:
    command = command_for(TOOLS / "escapes" / "attempt.py")
    given = {"try": what, "with": arguments, "in": str(folder)}
    request = encode_request(request_id="r", tool="t", operation="o", input=given)
    with confine(command, home=folder, read_only=[TOOLS], permissions=granted, backend=backend) as boxed:
        outcome = await run(boxed, request, NARRATORIA_V0, limits=Limits(timeout=60))
    assert outcome.failure is None, (outcome.failure, outcome.stderr_tail)
    return outcome.output


async def test_a_granted_host_is_reached_by_the_usual_libraries(
    backend: Backend, tmp_path: Path, server: Any
) -> None:
    port = server.server_port
    done = await try_in_box(backend, tmp_path, "fetch", f"http://127.0.0.1:{port}/lore?page=2")
    assert done["result"] == "the page /lore?page=2"
    assert server.heard == [("/lore?page=2", f"127.0.0.1:{port}")]


async def test_a_tunnel_leads_to_a_granted_host(backend: Backend, tmp_path: Path, echo: int) -> None:
    assert (await try_in_box(backend, tmp_path, "tunnel", "127.0.0.1", echo))["result"] == "hello"


async def test_another_host_is_refused_with_a_reason(backend: Backend, tmp_path: Path, server: Any) -> None:
    for host in ("localhost", "127.0.0.2", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "2130706433"):
        done = await try_in_box(backend, tmp_path, "fetch", f"http://{host}:{server.server_port}/")
        assert done["could"] is False, (host, done)
        done = await try_in_box(backend, tmp_path, "tunnel", host, server.server_port)
        assert "was not granted; granted: 127.0.0.1" in done["why"], (host, done)
    assert server.heard == []


@pytest.mark.parametrize("how", ["tcp", "udp", "dns"])
async def test_the_granted_host_is_not_reached_past_the_proxy(
    backend: Backend, tmp_path: Path, echo: int, how: str
) -> None:
    assert (await try_in_box(backend, tmp_path, how, "127.0.0.1", echo))["could"] is False


async def test_without_the_permission_there_is_no_proxy(backend: Backend, tmp_path: Path) -> None:
    done = await try_in_box(backend, tmp_path, "variables", granted=NOTHING)
    assert not any("proxy" in name.lower() for name in done["result"])


async def test_a_box_that_could_not_be_kept_to_its_hosts_reaches_none(tmp_path: Path, server: Any) -> None:
    if "landlock" not in probe().backends:
        pytest.skip(f"landlock does not work here: {probe().reasons['landlock']}")
    done = await try_in_box("landlock", tmp_path, "fetch", f"http://127.0.0.1:{server.server_port}/")
    assert done["could"] is False
    assert server.heard == []


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    def answer(name: str, port: int, **_: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, port)) for address in addresses]

    monkeypatch.setattr("narratoria.skills.sandbox.network_proxy.socket.getaddrinfo", answer)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "192.168.1.1", "10.0.0.1", "0.0.0.0"],
)
def test_a_name_cannot_be_made_to_point_at_this_machine_or_the_home_network(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    resolve_to(monkeypatch, "93.184.215.14", address)
    with pytest.raises(RefusedConnection, match="no place for that name"):
        resolve_granted("sky.example.org", 443, ("sky.example.org",))


@pytest.mark.parametrize("host", ["3232235777", "0x7f.1", "127.1", "9" * 30, "0:0:0:0:0:0:0:1"])
def test_an_address_in_disguise_is_not_reached_though_it_was_granted_once(host: str) -> None:
    with pytest.raises(RefusedConnection, match="not written as addresses are"):
        resolve_granted(host, 443, (host,))


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("sky.example.org", "93.184.215.14"),
        ("localhost", "127.0.0.1"),
        ("192.168.1.7", "192.168.1.7"),
        ("nas.local", "192.168.1.7"),
        ("SKY.example.org.", "93.184.215.14"),
    ],
)
def test_a_name_leads_where_such_a_name_may(monkeypatch: pytest.MonkeyPatch, name: str, address: str) -> None:
    resolve_to(monkeypatch, address)
    granted = ("sky.example.org", "localhost", "192.168.1.7", "nas.local")
    assert resolve_granted(name, 443, granted) == [(address, 443)]


def test_a_plain_request_is_sent_onward_once_and_without_the_proxys_own_headers() -> None:
    head = b"GET http://sky.example.org:81/a?b HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\nX: 1"
    host, port, onward = read_proxy_request(head)
    assert (host, port) == ("sky.example.org", 81)
    assert onward == b"GET /a?b HTTP/1.1\r\nHost: x\r\nX: 1\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET / HTTP/1.1",
        b"CONNECT sky HTTP/1.1",
        b"GET ftp://sky/ HTTP/1.1",
        b"\xff\xfe\x00 a b",
        b"a b c d",
    ],
)
def test_what_is_no_request_to_a_proxy_is_refused(head: bytes) -> None:
    with pytest.raises(RefusedConnection):
        read_proxy_request(head)

"""Lets a box reach the hosts that were granted, and no others, through an HTTP proxy of the runtime's.

The box has a network of its own, in which there is nothing but the proxy's socket: made inside, handed over
to the runtime, and accepted from here. A name is resolved here, once, and has to lead where such a name may.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from narratoria.skills.permissions import LONGEST_HOST, is_odd_address

ENTRANCE = Path(__file__).parent / "inside" / "proxy_entrance.py"
MOST_CONNECTIONS = 64
LARGEST_HEAD = 64 * 1024
CONNECT_S = 15.0
HEAD_S = 15.0
IDLE_S = 300.0  # of a connection on which nobody says anything
_CHUNK = 64 * 1024
_LOCAL_NAMES = (".local", ".lan", ".internal", ".home.arpa")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class RefusedConnection(Exception):
    """Says why a tool is not connected to where it wants to go."""


@contextlib.contextmanager
def open_proxy(hosts: tuple[str, ...]) -> Iterator[int]:
    """Provide the descriptor by which a box hands over its end, and serve it while the context lasts."""
    ours, theirs = socket.socketpair()
    proxy = _Proxy(hosts, ours)
    thread = threading.Thread(target=proxy.serve, name="network-proxy", daemon=True)
    thread.start()
    try:
        yield theirs.fileno()
    finally:
        theirs.close()
        proxy.close()


def enter_proxy(fd: int) -> tuple[str, ...]:
    """Return what stands before a tool's command line so that it finds the proxy in its environment."""
    return (sys.executable, "-I", "-S", str(ENTRANCE), str(fd), "--")


def resolve_granted(host: str, port: int, hosts: tuple[str, ...]) -> list[tuple[str, int]]:
    """Return the addresses that a granted host has; RefusedConnection for every other host or address."""
    name = host.strip("[]").rstrip(".").lower()
    if name not in hosts:
        raise RefusedConnection(f"{name[:LONGEST_HOST]} was not granted; granted: {', '.join(hosts)}")
    if is_odd_address(name):  # granted before such were refused
        raise RefusedConnection(f"{name} is an address that is not written as addresses are")
    try:
        answers = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RefusedConnection(f"{name} is not known here: {error}") from error
    addresses = list(dict.fromkeys(str(answer[4][0]) for answer in answers))
    for address in addresses:
        if not _may_lead_to(name, ipaddress.ip_address(address.partition("%")[0])):
            raise RefusedConnection(f"{name} leads to {address}, which is no place for that name")
    return [(address, port) for address in addresses]


def _may_lead_to(name: str, address: Address) -> bool:
    """Whoever owns a name decides where it leads: to this machine or a home network by no other's."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if name == str(address):
        return True
    if address.is_loopback:
        return name in _LOOPBACK_NAMES
    if address.is_link_local or address.is_unspecified or address.is_multicast:
        return False
    return address.is_global or "." not in name or name.endswith(_LOCAL_NAMES)


class _Proxy:
    """Accepts what comes out of one box."""

    def __init__(self, hosts: tuple[str, ...], handed_over: socket.socket) -> None:
        self._hosts, self._handed_over = hosts, handed_over
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._open: set[socket.socket] = {handed_over}
        self._lock = threading.Lock()
        self._is_closed = False

    def serve(self) -> None:
        with contextlib.suppress(OSError):  # the box has ended
            _, fds, _, _ = socket.recv_fds(self._handed_over, 1, 1)
            if not fds:
                return
            listener = self._keep(socket.socket(fileno=fds[0]))
            while True:
                connection, _ = listener.accept()
                if not self._slots.acquire(blocking=False):
                    connection.close()
                    continue
                self._keep(connection)
                threading.Thread(target=self._serve_one, args=(connection,), daemon=True).start()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            sockets = list(self._open)
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # wakes whoever waits on it
            one.close()

    def _keep(self, one: socket.socket) -> socket.socket:
        with self._lock:
            if self._is_closed:
                one.close()
                raise OSError("the box has ended")
            self._open.add(one)
        return one

    def _let_go(self, one: socket.socket) -> None:
        with self._lock:
            self._open.discard(one)
        one.close()

    def _serve_one(self, connection: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError):
                self._connect_through(connection)
        finally:
            self._let_go(connection)
            self._slots.release()

    def _connect_through(self, connection: socket.socket) -> None:
        connection.settimeout(HEAD_S)
        head, rest = _read_head(connection)
        try:
            host, port, onward = read_proxy_request(head)
            remote = self._keep(_connect(resolve_granted(host, port, self._hosts)))
        except RefusedConnection as refusal:
            text = f"{refusal}\n".encode()
            connection.sendall(
                b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
                b"Content-Length: " + str(len(text)).encode() + b"\r\n\r\n" + text
            )
            return
        try:
            if onward:
                remote.sendall(onward + rest)
            else:
                connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                remote.sendall(rest)
            _copy_both_ways(connection, remote)
        finally:
            self._let_go(remote)


def read_proxy_request(head: bytes) -> tuple[str, int, bytes]:
    """Return where a request wants to go, and what is sent onward; nothing for a tunnel."""
    lines = head.split(b"\r\n")
    try:
        method, target, version = lines[0].decode("ascii").split(" ")
        is_tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if is_tunnel else target)
        host, port = parts.hostname, parts.port or (80 if not is_tunnel else None)
    except (ValueError, UnicodeDecodeError) as error:
        raise RefusedConnection("this is no request that a proxy could read") from error
    if not host or not port or not (is_tunnel or parts.scheme == "http"):
        raise RefusedConnection("a proxy is asked for http://HOST/… or CONNECT HOST:PORT")
    if is_tunnel:
        return host, port, b""
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    hop = (b"connection:", b"proxy-connection:", b"proxy-authorization:", b"keep-alive:")
    kept = [line for line in lines[1:] if line and not line.lower().startswith(hop)]
    # one request for each connection: the next may be for another host
    onward = [f"{method} {path} {version}".encode(), *kept, b"Connection: close", b"", b""]
    return host, port, b"\r\n".join(onward)


def _read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        chunk = connection.recv(_CHUNK)
        if not chunk or len(received) + len(chunk) > LARGEST_HEAD:
            raise ConnectionError("no head of a request")
        received += chunk
    head, _, rest = received.partition(b"\r\n\r\n")
    return head, rest


def _connect(addresses: list[tuple[str, int]]) -> socket.socket:
    reason: OSError | None = None
    for address in addresses:
        try:
            return socket.create_connection(address, timeout=CONNECT_S)
        except OSError as error:
            reason = error
    raise RefusedConnection(f"could not be reached: {reason}")


def _copy_both_ways(near: socket.socket, far: socket.socket) -> None:
    for one in (near, far):
        one.settimeout(IDLE_S)
    back = threading.Thread(target=_copy, args=(far, near), daemon=True)
    back.start()
    _copy(near, far)
    back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while chunk := source.recv(_CHUNK):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)

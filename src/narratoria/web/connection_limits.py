"""Limits connections before anybody is known: how many there are, and how long each may take.

    waits     accepted, or kept open after an answer: the header of a request has to come in time
    sends     a body is on its way: so much of it has to come in each while
    is served the answer is worked on, or taken by the other side: so much of it has to be taken in each while

Where there are too many, the one that has waited longest gives way. So connections that are opened and left
lying keep nobody out; who talks is only refused when all the others talk as well.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any, Literal, TypeAlias

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_CONNECTIONS = 256  # in all; fewer where the system lets a process open few files
MOST_PER_ADDRESS = 128
MOST_SOCKETS_PER_ADDRESS = 32  # WebSockets
HEADER_TIMEOUT_S = 10.0
WHILE_S, LEAST_IN_A_WHILE = 30.0, 16 * 1024  # seconds, and the bytes of a body that have to come in them
_SWEEP_S = 1.0
_SHARE_OF_FILES = 4  # of what a process may open: the others are for stories and skills

Phase: TypeAlias = Literal["waits", "sends", "is served"]


class ConnectionLimits:
    """Counts the connections of a server, and ends those that are too many or take too long."""

    def __init__(self, most: int = 0, most_per_address: int = MOST_PER_ADDRESS) -> None:
        self._most = most or min(MOST_CONNECTIONS, _most_files() // _SHARE_OF_FILES)
        self._most_per_address = min(most_per_address, self._most)
        self._connections: dict[LimitedConnection, None] = {}  # in the order in which they came
        self._sockets: dict[LimitedSocket, None] = {}
        self._counts: Counter[str] = Counter()  # by address, sockets among them
        self._sweeping: asyncio.TimerHandle | None = None

    def http_protocol(self) -> Any:
        """Return what uvicorn makes the protocol of a connection with."""
        return partial(LimitedConnection, limits=self)

    def websocket_protocol(self) -> Any:
        """Return what uvicorn makes the protocol of a WebSocket with."""
        return partial(LimitedSocket, limits=self)

    def admit(self, connection: LimitedConnection) -> bool:
        """Count a new connection; return False for one that has to go."""
        self._connections[connection] = None
        self._counts[connection.address] += 1
        if self._sweeping is None:
            self._sweeping = connection.loop.call_later(_SWEEP_S, self._sweep, connection.loop)
        if self._counts[connection.address] > self._most_per_address:
            return self._make_room((connection.address,), connection)
        if len(self._connections) + len(self._sockets) > self._most:
            return self._make_room((address for address, _ in self._counts.most_common()), connection)
        return True

    def may_open_socket(self, connection: LimitedConnection) -> bool:
        """Return whether one more WebSocket may be opened from the address of a connection."""
        of_address = sum(socket.address == connection.address for socket in self._sockets)
        return of_address < min(
            MOST_SOCKETS_PER_ADDRESS * self._most_per_address // MOST_PER_ADDRESS, self._most
        )

    def add_socket(self, socket: LimitedSocket) -> None:
        self._sockets[socket] = None
        self._counts[socket.address] += 1

    def discard(self, connection: LimitedConnection | LimitedSocket) -> None:
        """Count a connection no more."""
        among: dict[Any, None] = self._sockets if isinstance(connection, LimitedSocket) else self._connections
        if connection in among:
            del among[connection]
            self._counts[connection.address] -= 1
            if not self._counts[connection.address]:
                del self._counts[connection.address]

    def _make_room(self, addresses: Iterable[str], newcomer: LimitedConnection) -> bool:
        """End the connection that has waited longest, of the first address that has one."""
        for address in addresses:
            waiting = [
                one
                for one in self._connections
                if one.address == address and one is not newcomer and one.waits
            ]
            if waiting:
                min(waiting, key=lambda one: one.since).end(b"503 Service Unavailable")
                return True
        return False

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        for connection in list(self._connections):
            connection.check_time(loop.time())
        self._sweeping = loop.call_later(_SWEEP_S, self._sweep, loop) if self._connections else None


class LimitedConnection(H11Protocol):
    """Speaks HTTP as uvicorn does, within the limits."""

    def __init__(self, *args: Any, limits: ConnectionLimits, **more: Any) -> None:
        super().__init__(*args, **more)
        self._limits = limits
        self.address = ""
        self.since = self.loop.time()  # when the phase began, or was last looked at
        self._phase: Phase = "waits"
        self._received = self._unsent = 0

    @property
    def waits(self) -> bool:
        return self._phase == "waits"

    @property
    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None until the first request has come
        return cycle is not None and not cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = _network_of(self.client)
        if not self._limits.admit(self):
            self.end(b"503 Service Unavailable")

    def connection_lost(self, exc: Exception | None) -> None:
        self._limits.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._received += len(data)
        super().data_received(data)
        self._note_phase()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._note_phase()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._limits.discard(self)
        if self._limits.may_open_socket(self):
            super().handle_websocket_upgrade(event)
        else:
            self.end(b"503 Service Unavailable")

    def end(self, status: bytes) -> None:
        """End the connection at once, with a status where no answer has begun."""
        self._limits.discard(self)
        if not self._is_answering:
            self.transport.write(
                b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            )
        self.transport.abort()  # what the system has taken is sent; nothing is waited for

    def check_time(self, now: float) -> None:
        """End the connection if the other side has taken too long."""
        if self._phase == "waits":
            if now - self.since >= HEADER_TIMEOUT_S:
                self.end(b"408 Request Timeout")
        elif now - self.since >= WHILE_S:
            unsent = self.transport.get_write_buffer_size()
            is_stuck = 0 < self._unsent <= unsent
            if self._phase == "sends" and not self.flow.read_paused:
                is_stuck |= self._received < LEAST_IN_A_WHILE
            if is_stuck:
                self.end(b"408 Request Timeout")
            self.since, self._received, self._unsent = now, 0, unsent

    def _note_phase(self) -> None:
        phase: Phase = "waits"
        if self.conn.their_state is h11.SEND_BODY:
            phase = "sends"
        elif self._is_answering:
            phase = "is served"
        if phase != self._phase:
            self._phase, self.since, self._received, self._unsent = phase, self.loop.time(), 0, 0


class LimitedSocket(WebSocketsSansIOProtocol):
    """Speaks WebSocket as uvicorn does, and is counted."""

    def __init__(self, *args: Any, limits: ConnectionLimits, **more: Any) -> None:
        super().__init__(*args, **more)
        self._limits = limits
        self.address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.address = _network_of(self.client)
        self._limits.add_socket(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limits.discard(self)
        super().connection_lost(exc)


def _network_of(client: tuple[str, int] | None) -> str:
    """Return whose connection it is: an address, or the network that one household has of IPv6."""
    name = client[0] if client else ""
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)


def _most_files() -> int:
    """Return how many files and connections this process may have open."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS * _SHARE_OF_FILES
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return soft if soft != resource.RLIM_INFINITY else MOST_CONNECTIONS * _SHARE_OF_FILES

"""Connects a skill to the host: sends calls, waits for their answers, and raises what was refused.

`narratoria.sdk.host` has a function for each method; everything that these share is here.
"""

from __future__ import annotations

import json
import os
import threading
from _socket import socket  # what `socket.socket` is made of: the rest of that module costs a start
from collections import deque
from contextlib import suppress

from narratoria.sdk.emit import ToolFailure, line_of

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_PAGE = 1000  # the most records of one answer
_BATCH = 64  # the most texts of one request
_CHUNK = 64 * 1024
_MAX_LINE = 1024 * 1024  # the host's own limit, refused here at the author's line


class HostError(ToolFailure):
    """The host did not do what was asked. Not caught, it ends the call like any ToolFailure."""

    def __init__(
        self, code: str, message: str, *, advice: str = "", permission: str = "", number: int = 0
    ) -> None:
        details = {"advice": advice, "permission": permission}
        super().__init__(code, message, {name: value for name, value in details.items() if value} or None)
        self.advice = advice
        self.permission = permission  # the one that is missing, when that is the reason
        self.number = number  # of the JSON-RPC error; 0 when the host was not reached


def call(method: str, /, **params: Any) -> Any:
    """Call a method and return its result; parameters that are None are left out."""
    channel = open_channel()
    number = channel.send(method, _without_none(params))
    try:
        return _result(channel.receive(number))
    finally:
        channel.forget(number)


def call_pages(method: str, /, *, limit: int, **params: Any) -> list[dict[str, Any]]:
    """Call a method until it has given `limit` records, or all there are."""
    records: list[dict[str, Any]] = []
    while len(records) < limit:
        page = call(method, **params, limit=min(limit - len(records), _PAGE), offset=len(records))
        records += page["records"]
        if not page["more"] or not page["records"]:
            break
    return records


def call_batches(method: str, /, *, texts: Sequence[str]) -> list[list[float]]:
    """Call a method for as many texts at a time as one request may hold."""
    vectors: list[list[float]] = []
    for start in range(0, len(texts), _BATCH):
        vectors += call(method, texts=list(texts[start : start + _BATCH]))["vectors"]
    return vectors


def call_base64(method: str, /, **params: Any) -> dict[str, bytes]:
    """Call a method whose result holds bytes in base64, and decode them."""
    from binascii import a2b_base64

    return {name: a2b_base64(text) for name, text in call(method, **params).items()}


def stream_text(method: str, /, **params: Any) -> Iterator[str]:
    """Call a method that sends its text in pieces; it is cancelled when the iterator is closed."""
    channel = open_channel()
    return _receive_pieces(channel, channel.send(method, _without_none({**params, "stream": True})))


def record_items(
    items: Sequence[tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str]],
) -> list[dict[str, Any]]:
    """Name the parts of records that are given as (data type, record[, identifier])."""
    return [dict(zip(("dataType", "record", "identifier"), item, strict=False)) for item in items]


def _receive_pieces(channel: Channel, number: int) -> Iterator[str]:
    ended = False
    try:
        while not ended:
            message = channel.receive(number)
            if message.get("method") == "model.delta":
                yield message["params"]["text"]
            else:
                ended = True
                _result(message)
    finally:
        if not ended:
            channel.cancel(number)
        channel.forget(number)


def _without_none(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


def _result(message: dict[str, Any]) -> Any:
    error = message.get("error")
    if error is None:
        return message["result"]
    data = error.get("data") or {}
    raise HostError(
        data.get("reason", "HOST_ERROR"),
        error["message"],
        advice=data.get("advice", ""),
        permission=data.get("permission", ""),
        number=error["code"],
    )


class Channel:
    """Carries calls to the host. Whoever waits for an answer reads, and hands the others what is theirs."""

    def __init__(self, connection: socket) -> None:
        self._connection = connection
        self._writing = threading.Lock()
        self._turn = threading.Condition()
        self._reading = False
        self._last = 0
        self._inbox: dict[int, deque[dict[str, Any]]] = {}
        self._received = bytearray()
        self._broken: HostError | None = None

    def send(self, method: str, params: dict[str, Any]) -> int:
        with self._turn:
            self._last += 1
            number = self._last
        line = _encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        self._inbox[number] = deque()
        self._write(line)
        return number

    def cancel(self, number: int) -> None:
        with suppress(HostError):  # gone already, and the request with it
            self._write(_encode({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": number}}))

    def forget(self, number: int) -> None:
        self._inbox.pop(number, None)

    def receive(self, number: int) -> dict[str, Any]:
        """Return the next message about this request."""
        while True:
            with self._turn:
                while self._reading and not self._inbox[number]:
                    self._turn.wait()
                if self._inbox[number]:
                    return self._inbox[number].popleft()
                if self._broken:
                    raise self._broken
                self._reading = True
            message: dict[str, Any] | None = None
            try:
                message = self._read()
            finally:
                with self._turn:
                    self._reading = False
                    self._turn.notify_all()
                    if message is not None:
                        self._deliver(message)

    def _deliver(self, message: dict[str, Any]) -> None:
        number = message["params"]["id"] if "method" in message else message.get("id")
        if number in self._inbox:
            self._inbox[number].append(message)
        elif number is None:  # it is about the channel itself
            self._break(message["error"]["message"])

    def _read(self) -> dict[str, Any] | None:
        try:
            while (end := self._received.find(b"\n")) < 0:
                chunk = self._connection.recv(_CHUNK)
                if not chunk:
                    self._break("the host closed the channel")
                    return None
                self._received += chunk
        except OSError as error:
            self._break(f"the channel to the host broke: {error.strerror}")
            return None
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        message: dict[str, Any] = json.loads(line)
        return message

    def _write(self, line: bytes) -> None:
        try:
            with self._writing:
                self._connection.sendall(line)
        except OSError as error:
            raise HostError("CHANNEL_CLOSED", f"the host takes no more requests: {error.strerror}") from None

    def _break(self, why: str) -> None:
        self._broken = self._broken or HostError("CHANNEL_CLOSED", why)


def _encode(message: dict[str, Any]) -> bytes:
    line = line_of("host", message)
    if len(line) > _MAX_LINE:
        raise HostError(
            "LIMIT",
            f"{len(line)} bytes in one request, {_MAX_LINE} are allowed",
            advice="send less at a time",
        )
    return line


_opening = threading.Lock()
_channel: tuple[int, Channel] | None = None  # and the process that opened it


def open_channel() -> Channel:
    global _channel  # noqa: PLW0603  a process has one channel, and takes it once
    with _opening:
        if _channel is None:
            _channel = (os.getpid(), Channel(_connect()))
        opener, channel = _channel
    if opener != os.getpid():
        message = "the channel belongs to the process that opened it, and this is a copy of that process"
        raise HostError("NO_HOST", message, advice="call the host before forking, and pass the results on")
    return channel


def _connect() -> socket:
    # taken out of the environment: what this tool starts has no business with the host
    number, port, token = (os.environ.pop(f"NARRATORIA_HOST_{name}", "") for name in ("FD", "PORT", "TOKEN"))
    try:
        if number:
            os.set_inheritable(int(number), False)
            return socket(fileno=int(number))
        if port:
            return _say_hello(_connect_to_port(int(port)), token)
    except (OSError, ValueError) as error:
        message = f"the host cannot be reached: {error}"
        raise HostError("NO_HOST", message, advice="run the tool by Narratoria") from None
    message = "there is no host to ask: this tool was not started by Narratoria as part of a skill"
    raise HostError("NO_HOST", message, advice="run it in a plan, such as with `narratoria run`")


def _connect_to_port(port: int) -> socket:
    connection = socket()
    connection.settimeout(10)
    connection.connect(("127.0.0.1", port))
    return connection


def _say_hello(connection: socket, token: str) -> socket:
    hello = {"jsonrpc": "2.0", "id": 0, "method": "host.hello", "params": {"token": token}}
    connection.sendall(_encode(hello))
    answer = b""
    while not answer.endswith(b"\n"):  # nothing else comes before the next request
        chunk = connection.recv(_CHUNK)
        if not chunk:
            raise OSError("it hung up")
        answer += chunk
    connection.settimeout(None)
    _result(json.loads(answer))
    return connection

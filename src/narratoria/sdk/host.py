"""What Narratoria shares with its skills: the story's records, embeddings and the language model.

    from narratoria.sdk import host

    host.store("memory", {"summary": "Helped the blacksmith repair an anvil"})
    for memory in host.semantic_search("the blacksmith", limit=3):
        print(memory["record"]["summary"], memory["relevance"])

A skill declares what it needs in its manifest's `permissions`. Everything is about the story that is being
played: there is no way, and no need, to say which. All functions may be called from several threads at once.
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

__all__ = [
    "HostError",
    "check",
    "delete",
    "embed",
    "exact_match",
    "generate",
    "history",
    "info",
    "rasterise",
    "semantic_search",
    "store",
    "store_all",
    "update",
]

_PAGE = 1000  # the most records of one answer
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


def info() -> dict[str, Any]:
    """Who the host takes this tool for, what it may call, and the limits."""
    told: dict[str, Any] = _call("host.info")
    return told


def semantic_search(
    query: str,
    data_type: str | None = None,
    *,
    limit: int = 10,
    filters: dict[str, Any] | None = None,
    min_relevance: float | None = None,
) -> list[dict[str, Any]]:
    """Records about something, the most relevant first: `record`, `relevance`, `identifier`, `storedAt`, …"""
    found: dict[str, list[dict[str, Any]]] = _call(
        "store.semanticSearch",
        query=query,
        dataType=data_type,
        limit=limit,
        filters=filters,
        minRelevance=min_relevance,
    )
    return found["records"]


def exact_match(
    filters: dict[str, Any] | None = None,
    data_type: str | None = None,
    *,
    limit: int = 100,
    newest_first: bool = False,
) -> list[dict[str, Any]]:
    """Records whose fields have these values, in the order in which they were stored.

    A filter is a value, a list of which one will do, or a range such as {"from": 3, "to": 7}.
    """
    records: list[dict[str, Any]] = []
    while len(records) < limit:
        page = _call(
            "store.exactMatch",
            filters=filters,
            dataType=data_type,
            limit=min(limit - len(records), _PAGE),
            offset=len(records),
            newestFirst=newest_first,
        )
        records += page["records"]
        if not page["more"] or not page["records"]:
            break
    return records


def store(data_type: str, record: dict[str, Any], identifier: str | None = None) -> str:
    """Keep a record; its identifier. With one of your own, a tool that is run again stores nothing twice."""
    kept: dict[str, str] = _call("store.store", dataType=data_type, record=record, identifier=identifier)
    return kept["identifier"]


def store_all(
    items: Sequence[tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str]],
) -> list[dict[str, Any]]:
    """Keep several records, all of them or none; each as (data type, record[, identifier])."""
    given = [dict(zip(("dataType", "record", "identifier"), item, strict=False)) for item in items]
    kept: dict[str, list[dict[str, Any]]] = _call("store.storeAll", items=given)
    return kept["records"]


def history(data_type: str, subject: str, *, limit: int = 100) -> list[dict[str, Any]]:
    """Why a faction or a person thinks as it does: the changes of its opinion, the oldest first."""
    told: dict[str, list[dict[str, Any]]] = _call(
        "store.history", dataType=data_type, subject=subject, limit=limit
    )
    return told["changes"]


def update(data_type: str, identifier: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Merge changes into a record (None deletes a key); the record as it is now."""
    kept: dict[str, dict[str, Any]] = _call(
        "store.update", dataType=data_type, identifier=identifier, changes=changes
    )
    return kept["record"]


def delete(data_type: str, identifier: str) -> bool:
    """Whether there was such a record."""
    answer: dict[str, bool] = _call("store.delete", dataType=data_type, identifier=identifier)
    return answer["deleted"]


def embed(texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text."""
    vectors: list[list[float]] = []
    for start in range(0, len(texts), 64):
        vectors += _call("embed.embed", texts=list(texts[start : start + 64]))["vectors"]
    return vectors


def generate(
    prompt: str,
    *,
    system: str | None = None,
    max_tokens: int | None = None,
    temperature: float | None = None,
    seed: int | None = None,
    stop: Sequence[str] | None = None,
    schema: dict[str, Any] | None = None,
) -> Iterator[str]:
    """A text of the language model, piece by piece as it is made; whoever stops listening stops the model."""
    channel = _open()
    params = _given(
        prompt=prompt,
        system=system,
        maxTokens=max_tokens,
        temperature=temperature,
        seed=seed,
        stop=None if stop is None else list(stop),
        schema=schema,
        stream=True,
    )
    return _pieces(channel, channel.send("model.generate", params))


def check(paragraphs: Sequence[str], facts: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """What in these paragraphs contradicts the story: each `paragraph`, counted from 0, and a `message`."""
    answer: dict[str, list[dict[str, Any]]] = _call(
        "narration.check", paragraphs=list(paragraphs), facts=facts
    )
    return answer["findings"]


def rasterise(svg: str, size: int, *, crisp: bool = False) -> bytes:
    """A square PNG of an SVG that holds all it needs; crisp leaves its edges unsmoothed."""
    from binascii import a2b_base64

    answer: dict[str, str] = _call("picture.rasterise", svg=svg, size=size, crisp=crisp or None)
    return a2b_base64(answer["png"])


def _pieces(channel: Channel, number: int) -> Iterator[str]:
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


def _call(method: str, /, **params: Any) -> Any:
    channel = _open()
    number = channel.send(method, _given(**params))
    try:
        return _result(channel.receive(number))
    finally:
        channel.forget(number)


def _given(**params: Any) -> dict[str, Any]:
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
    """The way to the host. Whoever waits for an answer reads, and hands the others what is theirs."""

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
        """The next message about this request."""
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


def _open() -> Channel:
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
            return _greeted(_dialled(int(port)), token)
    except (OSError, ValueError) as error:
        message = f"the host cannot be reached: {error}"
        raise HostError("NO_HOST", message, advice="run the tool by Narratoria") from None
    message = "there is no host to ask: this tool was not started by Narratoria as part of a skill"
    raise HostError("NO_HOST", message, advice="run it in a plan, such as with `narratoria run`")


def _dialled(port: int) -> socket:
    connection = socket()
    connection.settimeout(10)
    connection.connect(("127.0.0.1", port))
    return connection


def _greeted(connection: socket, token: str) -> socket:
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

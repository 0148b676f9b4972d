"""Reads and writes the host channel's messages: JSON-RPC 2.0, one a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from narratoria.contracts.read import JsonFault, read_json
from narratoria.errors import HostRefusal

Id: TypeAlias = int | str

CODES = {
    "PARSE_ERROR": -32700,
    "INVALID_REQUEST": -32600,
    "METHOD_NOT_FOUND": -32601,
    "INVALID_PARAMS": -32602,
    "INTERNAL_ERROR": -32603,
    "CANCELLED": -32800,
    "NOT_PERMITTED": -32001,
    "NOT_AVAILABLE": -32002,
    "LIMIT": -32003,
    "NOT_FOUND": -32004,
    "ALREADY_EXISTS": -32005,
    "TIMEOUT": -32006,
    "BAD_TOKEN": -32007,
}
CANCEL = "$/cancel"
_MAX_ID = 128


@dataclass(frozen=True, slots=True)
class Call:
    """Represents one message of a skill."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    id: Id | None = None
    answered: bool = True  # False: a notification


class UnreadableCall(Exception):
    """Reports a line that is no call; `id` is whatever could be made out."""

    def __init__(self, refusal: HostRefusal, id: Id | None = None) -> None:  # noqa: A002  the protocol's word
        self.refusal, self.id = refusal, id
        super().__init__(refusal.message)


def read_call(line: bytes) -> Call:
    """Return the call that a line holds; raise UnreadableCall for one that holds none."""
    try:
        _, message = read_json(line)
    except JsonFault as fault:
        raise UnreadableCall(
            HostRefusal(
                "PARSE_ERROR", f"this line is not JSON: {fault.message}", "send one JSON object a line"
            )
        ) from None
    if isinstance(message, list):
        raise UnreadableCall(_invalid("batches are not supported", "send each request on a line of its own"))
    if not isinstance(message, dict):
        raise UnreadableCall(
            _invalid("a request is an object", 'such as {"jsonrpc":"2.0","id":1,"method":"host.info"}')
        )
    id_ = message.get("id")
    if isinstance(id_, bool) or not isinstance(id_, int | str | None) or len(str(id_)) > _MAX_ID:
        raise UnreadableCall(_invalid(f"an id is a whole number or a string of at most {_MAX_ID} characters"))
    if "id" in message and id_ is None:
        raise UnreadableCall(_invalid("the id is null", "leave it out, or send a number or a string"))
    method, params = message.get("method"), message.get("params", {})
    if message.get("jsonrpc") != "2.0":
        raise UnreadableCall(_invalid('"jsonrpc" must be "2.0"'), id_)
    if not isinstance(method, str):
        raise UnreadableCall(_invalid("a request names its method"), id_)
    if not isinstance(params, dict):
        raise UnreadableCall(
            HostRefusal("INVALID_PARAMS", "params must be an object", "give the parameters by name"), id_
        )
    return Call(method, params, id_, answered="id" in message)


def _invalid(message: str, advice: str = "") -> HostRefusal:
    return HostRefusal("INVALID_REQUEST", message, advice)


def result(id: Id | None, value: Any) -> bytes:  # noqa: A002
    return _line({"jsonrpc": "2.0", "id": id, "result": value})


def error(id: Id | None, refusal: HostRefusal) -> bytes:  # noqa: A002
    code = CODES[refusal.reason]
    return _line(
        {
            "jsonrpc": "2.0",
            "id": id,
            "error": {"code": code, "message": refusal.message, "data": refusal.data},
        }
    )


def notification(method: str, params: Mapping[str, Any]) -> bytes:
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def _line(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"


class LineBuffer:
    """Bytes to lines; of a line that is too long only the fact is kept."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, chunk: bytes) -> Iterator[bytes | None]:
        """Yield the lines that this chunk completes; None for one that was too long."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            self._keep(part)
            yield None if self._size > self._longest else b"".join(self._parts)
            self._parts, self._size = [], 0
        self._keep(rest)

    def rest(self) -> bytes:
        """Return the bytes after the last line end, unless they are too many."""
        return b"".join(self._parts)

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._longest:
            self._parts.clear()
        elif part:
            self._parts.append(part)

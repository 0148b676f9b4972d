"""Reads the runtime's request to a tool: one JSON object on stdin."""

from __future__ import annotations

import json
import sys
from collections import namedtuple

from narratoria.sdk.emit import ToolFailure, wire

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    class _Fields(NamedTuple):
        request_id: str
        tool: str
        operation: str
        input: dict[str, Any]
        context: dict[str, Any]

else:
    _Fields = namedtuple("_Fields", "request_id tool operation input context")


class Request(_Fields):
    """One call. What the runtime did not send is empty."""

    __slots__ = ()

    @property
    def config(self) -> dict[str, Any]:
        """Return the skill's settings."""
        return self.context.get("config") or {}

    @property
    def dependencies(self) -> dict[str, Any]:
        """Return the outputs of the tools this one depends on, by tool id; None for a failed optional one."""
        return self.context.get("dependencies") or {}

    @property
    def state(self) -> dict[str, Any]:
        """Return the session state as it was when the plan began."""
        return self.context.get("state") or {}

    @property
    def data_dir(self) -> str:
        """Return the skill's own folder: what is written here is still there at the next call."""
        return self.context.get("dataDir") or ""

    @property
    def asset_dir(self) -> str:
        """Return where this call's assets belong."""
        return self.context.get("assetDir") or ""

    @property
    def campaign_dir(self) -> str:
        return self.context.get("campaignDir") or ""

    @property
    def playthrough_id(self) -> str:
        return self.context.get("playthroughId") or ""

    @property
    def session_id(self) -> str:
        return self.context.get("sessionId") or ""

    @property
    def seed(self) -> Any:
        """Seed your dice with it and a replay rolls the same; None when there is none."""
        return self.context.get("seed")

    def key(self, *what: Any) -> str:
        """Return a name for what this call does: the same on a retry, another one in another turn."""
        from _blake2 import blake2b  # `hashlib` would bring OpenSSL along, and cost as much as all the rest

        turn = self.seed if self.seed is not None else self.request_id.rpartition("/")[0]
        identity = json.dumps([turn, self.playthrough_id, *what], sort_keys=True, ensure_ascii=False)
        return blake2b(identity.encode(errors="surrogatepass"), digest_size=10).hexdigest()


_request: Request | None = None


def read_request() -> Request:
    """Return the request on stdin, read once and the same at every call; empty for a tool started by hand."""
    global _request  # noqa: PLW0603 - stdin can be read only once, and so there is one request
    if _request is None:
        _request = parse_request(_stdin())
        wire.request_id = _request.request_id
    return _request


def parse_request(text: bytes) -> Request:
    try:
        document = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as problem:
        raise ToolFailure("BAD_REQUEST", f"stdin does not hold JSON: {problem}") from None
    if not isinstance(document, dict):
        raise ToolFailure("BAD_REQUEST", "stdin must hold one JSON object")
    for names, kind, expected in ((_TEXTS, str, "a string"), (_OBJECTS, dict, "an object")):
        for name in names:
            if not isinstance(document.get(name, kind()), kind):
                raise ToolFailure("BAD_REQUEST", f"{name} must be {expected}", {"field": name})
    texts = (document.get(name, "") for name in _TEXTS)
    objects = (document.get(name, {}) for name in _OBJECTS)
    return Request(*texts, *objects)


_TEXTS = ("requestId", "tool", "operation")
_OBJECTS = ("input", "context")


def _stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():  # closed, or a person at a terminal: do not wait for them
        return b""
    return sys.stdin.buffer.read()

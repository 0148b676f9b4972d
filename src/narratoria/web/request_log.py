"""Writes logs as JSON, a line each, with the request, the story and the account that they are about."""

from __future__ import annotations

import logging
import re
import secrets
import sys
import time
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from narratoria.web.operation import ACCOUNT

HEADER = "x-request-id"
_GIVEN = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_STORY = re.compile(r"^/api/stories/([A-Za-z0-9._-]{1,100})(?:/|$)")
_QUIET = ("/healthz", "/readyz", "/metrics")  # asked every few seconds
_current: ContextVar[Mapping[str, str]] = ContextVar("narratoria request")
_log = logging.getLogger("narratoria.requests")


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON, with the request that it happened in."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_current.get({}),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(entry).decode()


class RequestLog:
    """Gives each request an id and writes a line when it was answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope))
        path: str = scope["path"]
        story = _STORY.match(path)
        # a turn that is begun in it goes on with these, whatever else is served meanwhile
        _current.set({"request": request_id, **({"story": story[1]} if story else {})})
        status, begun = 0, time.perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": list(message.get("headers", ()))}
                MutableHeaders(raw=message["headers"])[HEADER] = request_id
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            if path not in _QUIET:
                fields = {
                    "method": scope.get("method", "WEBSOCKET"),
                    "path": path,
                    "status": status,
                    "ms": round((time.perf_counter() - begun) * 1000, 1),
                    "account": account.id if (account := scope.get(ACCOUNT)) else "",
                }
                _log.info("%s %s", fields["method"], path, extra={"fields": fields})


def log_to_stderr(form: str) -> None:
    """Write all logs to the standard error, as JSON or as text."""
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    handler.setFormatter(JsonFormatter() if form == "json" else plain)
    for name in ("narratoria", "uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.propagate = False
        logger.setLevel(logging.WARNING)
    _log.setLevel(logging.INFO)


def _request_id(headers: Headers) -> str:
    """Return the id that a proxy gave the request, where it is a plain one, or a new one."""
    given = headers.get(HEADER, "")
    return given if _GIVEN.fullmatch(given) else secrets.token_hex(8)

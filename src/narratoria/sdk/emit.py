"""Writes the six events, each checked in the author's own process before its line leaves it."""

from __future__ import annotations

import json
import os
import re
from _thread import allocate_lock  # what `threading.Lock` is, without importing it

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from typing import Any

LEVELS = ("debug", "info", "warn", "error")
MAX_LINE_BYTES = 8 * 1024 * 1024
MEDIA_TYPE = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*( ?;.+)?"


class Wire:
    """Holds where the lines go, and what has been said on it."""

    def __init__(self) -> None:
        self.fd = 1
        self.request_id = ""
        self.asset_ids: set[str] = set()
        self.ended = False
        self._lock = allocate_lock()

    def send(self, kind: str, fields: dict[str, Any]) -> None:
        envelope = {"version": "0", "type": kind}
        if self.request_id:
            envelope["requestId"] = self.request_id
        line = encode(kind, envelope | fields)
        with self._lock:
            if self.ended:
                raise RuntimeError(f"{kind}: `done` was already sent, nothing is accepted after it")
            self.ended = kind == "done"
            self._write(line)

    def _write(self, line: bytes) -> None:
        try:
            while line:  # one write as a rule; a signal can cut it short
                line = line[os.write(self.fd, line) :]
        except BrokenPipeError:
            raise SystemExit(128 + 13) from None  # nobody listens any more: leave as SIGPIPE would


wire = Wire()


def log(message: str, level: str = "info", fields: dict[str, Any] | None = None) -> None:
    """Tell what is going on; level is debug, info, warn or error."""
    if level not in LEVELS:
        raise ValueError(f"log: level must be one of {', '.join(LEVELS)}, not {level!r}")
    wire.send("log", {"level": level, "message": text("log", "message", message)} | opt("log", fields=fields))


def state_patch(patch: dict[str, Any]) -> None:
    """Change the session state: objects merge, null deletes a key, anything else replaces."""
    wire.send("state_patch", {"patch": mapping("state_patch", "patch", patch)})


def asset(
    asset_id: str,
    path: str | os.PathLike[str],
    *,
    kind: str,
    media_type: str,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Announce a file that has been written."""
    place = os.fspath(path)
    if not os.path.isfile(place):
        raise ValueError(f"asset {asset_id!r}: there is no file at {place!r}; write it, then announce it")
    if not re.fullmatch(MEDIA_TYPE, text("asset", "media_type", media_type)):
        raise ValueError(f"asset {asset_id!r}: media_type must read like image/png, not {media_type!r}")
    if asset_id in wire.asset_ids:
        raise ValueError(f"asset {asset_id!r}: this id was already used; ids are unique in one call")
    fields = {
        "assetId": text("asset", "asset_id", asset_id),
        "kind": text("asset", "kind", kind),
        "mediaType": media_type,
        "path": place,
    }
    wire.send("asset", fields | opt("asset", metadata=metadata))
    wire.asset_ids.add(asset_id)


def ui_event(event: str, payload: dict[str, Any] | None = None) -> None:
    """Ask the interface for something; it may not know the event."""
    wire.send("ui_event", {"event": text("ui_event", "event", event)} | opt("ui_event", payload=payload))


def error(code: str, message: str, details: dict[str, Any] | None = None) -> None:
    """Report an error; the call goes on until `done`."""
    fields = {"errorCode": text("error", "code", code), "errorMessage": text("error", "message", message)}
    wire.send("error", fields | opt("error", details=details))


def done(ok: bool = True, summary: str = "", output: dict[str, Any] | None = None) -> None:
    """End the call; `output` is what tools that depend on this one get to see."""
    if not isinstance(ok, bool):
        raise TypeError(f"done: ok must be True or False, not {ok!r}")
    fields: dict[str, Any] = {"ok": ok}
    if summary:
        fields["summary"] = text("done", "summary", summary)
    wire.send("done", fields | opt("done", output=output))


class ToolFailure(Exception):
    """Raised inside `run`: the call ends with this error and `done.ok: false`."""

    def __init__(self, code: str, message: str, details: dict[str, Any] | None = None) -> None:
        self.code = text("ToolFailure", "code", code)
        self.message = text("ToolFailure", "message", message)
        self.details = details
        # refused here, at the author's line, rather than while the failure is being reported
        encode("ToolFailure", {"code": code, "message": message} | opt("ToolFailure", details=details))
        super().__init__(f"{code}: {message}")


class InvalidInput(ToolFailure):
    """Reports an input that cannot be used: which field of it, and what was expected there."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__("INVALID_INPUT", f"{field}: {problem}", {"field": field})


def text(kind: str, name: str, value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{kind}: {name} must be a str, not {type(value).__name__}")
    if not value:
        raise ValueError(f"{kind}: {name} must not be empty")
    return value


def mapping(kind: str, name: str, value: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{kind}: {name} must be a dict, not {type(value).__name__}")
    return value


def opt(kind: str, **fields: dict[str, Any] | None) -> dict[str, Any]:
    """Return the optional objects that were given."""
    return {name: mapping(kind, name, value) for name, value in fields.items() if value is not None}


def encode(kind: str, event: dict[str, Any]) -> bytes:
    """Return an event as its line, refused at the author's own line where it cannot be one."""
    line = line_of(kind, event)
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(f"{kind}: {len(line)} bytes in one line, {MAX_LINE_BYTES} are allowed")
    return line


def line_of(kind: str, event: dict[str, Any]) -> bytes:
    try:
        body = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return f"{body}\n".encode()
    except TypeError as problem:
        raise TypeError(f"{kind}: {problem}") from None
    except (ValueError, RecursionError) as problem:  # NaN, a circle, half a surrogate pair, endless nesting
        raise ValueError(f"{kind}: cannot be written as JSON: {problem}") from None

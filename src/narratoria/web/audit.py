"""Writes down who changed what, came in or was refused, and shows it to the owner."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from narratoria.contracts.read import UNDECODABLE
from narratoria.paths import make_private
from narratoria.web.accounts import Account
from narratoria.web.app_state import AppState
from narratoria.web.operation import ACCOUNT, Operation, Operations

FILE = "audit.jsonl"
LARGEST = 16 * 1024 * 1024  # bytes, after which a file is put aside and a new one begun
SHOWN = 200
ALWAYS = ("Profiles", "Sharing", "Import")  # groups of which a player's changes are written down too
Handle: TypeAlias = Callable[[Request], Awaitable[Response]]

audit = Operations("Audit", "Who changed what, came in or was refused.", role="owner")


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    when: str
    who: str  # the name of the account
    account: str  # its id
    address: str
    what: str  # the name of the operation
    target: str  # the address that was asked for, without its query
    status: int


class AuditPage(msgspec.Struct, frozen=True, rename="camel"):
    entries: tuple[AuditEntry, ...]  # the newest first


class AuditLog:
    """Appends to `logs/audit.jsonl`, whole lines at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def note(self, account: Account | None, *, address: str, what: str, target: str, status: int) -> None:
        """Write one line; a log that cannot be written stops nothing."""
        entry = AuditEntry(
            when=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            who=account.name if account else "",
            account=account.id if account else "",
            address=address,
            what=what,
            target=target[:300],
            status=status,
        )
        with contextlib.suppress(OSError), self._lock:
            make_private(self._folder)
            path = self._folder / FILE
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_size > LARGEST:
                    path.replace(path.with_suffix(".1.jsonl"))
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, msgspec.json.encode(entry) + b"\n")
            finally:
                os.close(descriptor)

    def latest(self, most: int) -> tuple[AuditEntry, ...]:
        """Return the newest entries, the newest first."""
        try:
            with (self._folder / FILE).open("rb") as file:
                lines = deque(file, maxlen=most)
        except OSError:
            return ()
        entries = []
        for line in reversed(lines):
            with contextlib.suppress(*UNDECODABLE):
                entries.append(msgspec.json.decode(line, type=AuditEntry))
        return tuple(entries)


def with_audit(operation: Operation, app_state: AppState, handle: Handle) -> Handle:
    """Return a request handler that writes down what it did, where people are told apart."""
    log = AuditLog(app_state.home / "logs")
    is_change = operation.method != "GET" and (
        operation.role != "player" or operation.method == "DELETE" or operation.group in ALWAYS
    )

    async def answer(request: Request) -> Response:
        response = await handle(request)
        if (is_change or response.status_code == 403) and app_state.has_accounts:
            await asyncio.to_thread(
                log.note,
                request.scope[ACCOUNT],
                address=request.client.host if request.client else "",
                what=operation.name,
                target=request.url.path,
                status=response.status_code,
            )
        return response

    return answer


@audit.get("/audit")
async def show_audit(
    app_state: AppState, limit: Annotated[int, msgspec.Meta(ge=1, le=5000)] = SHOWN
) -> AuditPage:
    """Who changed what, came in or was refused, the newest first."""
    return AuditPage(await asyncio.to_thread(AuditLog(app_state.home / "logs").latest, limit))

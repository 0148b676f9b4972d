"""Finds and claims the one server of a home."""

from __future__ import annotations

import contextlib
import os
import socket
import urllib.error
import urllib.request
from pathlib import Path

import msgspec

from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ContractViolation, NarratoriaException, StoreUnavailable
from narratoria.files import file_lock, replace_file
from narratoria.paths import make_private
from narratoria.store.engines.file_lock import Lock
from narratoria.web.access_keys import ticket_for

PORT = 8719
NEARBY = 20  # ports tried after the usual one
_LOCK, _FILE = "server.lock", "server.json"


class RunningServer(msgspec.Struct, frozen=True):
    """Says where a server can be reached, and the token that opens it; for the user's own eyes."""

    pid: int
    port: int
    address: str
    token: str

    def address_for_browser(self, path: str = "/", *, once: bool = False) -> str:
        """Return the address for a browser; `once` for one that opens the server only the first time."""
        return f"{self.address}{path}?token={ticket_for(self.token) if once else self.token}"


class HomeClaim:
    """Holds the right to be the server of a home, given back by `release` or by dying."""

    def __init__(self, folder: Path) -> None:
        make_private(folder)
        self._folder = folder
        self._lock = Lock(folder / _LOCK, folder)

    def announce(self, running: RunningServer) -> None:
        """Write down where the server is; on a full disk it runs without that."""
        path = self._folder / _FILE
        with contextlib.suppress(ContractViolation), file_lock(path):
            replace_file(path, msgspec.json.encode(running), private=True)

    def release(self) -> None:
        # its port stays known: an open tab finds the next server where this one was
        self._lock.release()


def claim(folder: Path) -> HomeClaim | None:
    """None when another server has it."""
    try:
        return HomeClaim(folder)
    except StoreUnavailable:
        return None


def last_announced(folder: Path) -> RunningServer | None:
    try:
        return msgspec.json.decode((folder / _FILE).read_bytes(), type=RunningServer)
    except (OSError, *UNDECODABLE):
        return None


def is_answering(running: RunningServer) -> bool:
    """Return whether a server of ours answers there now."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{running.port}/api/alive", headers={"Authorization": f"Bearer {running.token}"}
    )
    # no proxy of the environment stands between this machine and itself
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=2.0) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError, ValueError):
        return False


def listen(host: str, requested_port: int | None, before: int | None = None) -> socket.socket:
    """Return an open socket: on the requested port, else the last one, the usual one, one nearby, any."""
    candidates = (
        [requested_port]
        if requested_port is not None
        else [*([before] if before else []), *range(PORT, PORT + NEARBY), 0]
    )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    reason = ""
    for port in candidates:
        opened = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would let two listen on one port
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((host, port))
            opened.listen(128)
        except OSError as error:
            reason = error.strerror or str(error)
            opened.close()
            continue
        opened.setblocking(False)
        return opened
    where = f"{host}:{requested_port}" if requested_port is not None else host
    raise NarratoriaException(f"cannot listen on {where}: {reason}; choose another with --port or --host")


def forget(folder: Path) -> None:
    with contextlib.suppress(OSError):
        (folder / _FILE).unlink()

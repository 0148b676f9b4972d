"""Defines a file lock that the system releases when its holder dies."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from narratoria.errors import StoreUnavailable

_AWAY = 1 << 20  # where Windows locks a byte: a locked one cannot be read


class Lock:
    """Is held from its creation on; the file names the holder for whoever cannot take it."""

    def __init__(self, path: Path, about: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        self._path, self._descriptor = path, os.open(path, flags, 0o600)
        try:
            _take(self._descriptor)
        except OSError:
            holder = _holder(self._descriptor)
            os.close(self._descriptor)
            raise StoreUnavailable(
                f"{about} is in use by {holder}; close that one, or give this one a home of its own "
                "(NARRATORIA_HOME)"
            ) from None
        with contextlib.suppress(OSError):  # on a full disk it is held without a name
            # one that is still in the file was left by somebody who died: the lock itself was free
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)  # the file stays: removing it would let two hold two locks
        os.close(self._descriptor)


def _holder(descriptor: int) -> str:
    text = os.read(descriptor, 32).decode("ascii", "replace").strip()
    if text == str(os.getpid()):
        return "this very process"
    return f"process {text}" if text else "another process"


if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _AWAY, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

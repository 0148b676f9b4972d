"""Replaces files atomically, and asks the file system questions that always have an answer."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from narratoria.errors import ContractViolation, Problem
from narratoria.paths import make_private

PRIVATE = 0o600


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Wait until nobody else changes this file, and keep others waiting meanwhile."""
    with _reporting_failure(path):
        make_private(path.parent)
        # beside the file, which is replaced: a lock on it would be a lock on the old one
        descriptor = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, PRIVATE)
    try:
        with _reporting_failure(path):
            _lock(descriptor)
            _sweep(path)
        yield
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes, *, private: bool) -> None:
    """Replace the file, on the disk when this returns; to be called as its `only_writer`."""
    with _reporting_failure(path):
        target = Path(os.path.realpath(path))  # a link to the file stays a link
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        if target.parent != path.parent:
            temporary = target.with_name(temporary.name)
        mode = _mode(target, private=private)
        try:
            _write(temporary, content, mode)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)


def _write(path: Path, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, PRIVATE), "wb") as file:
        if sys.platform != "win32":
            os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _mode(target: Path, *, private: bool) -> int:
    if private:
        return PRIVATE
    with contextlib.suppress(FileNotFoundError):
        return target.stat().st_mode & 0o777  # what was made private stays so
    umask = os.umask(0o077)
    os.umask(umask)
    return 0o666 & ~umask


def _sweep(path: Path) -> None:
    """Whoever is the only writer knows that other beginnings of this file were left by somebody who died."""
    for folder in {path.parent, Path(os.path.realpath(path)).parent}:
        for leftover in folder.glob(f".{path.name}.*.tmp"):
            leftover.unlink(missing_ok=True)


@contextlib.contextmanager
def _reporting_failure(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"cannot be written: {reason}; what was there before is unchanged"
        raise ContractViolation([Problem(message, file=str(path))]) from error


if sys.platform == "win32":
    import msvcrt
    import time

    def _lock(descriptor: int) -> None:
        while True:
            with contextlib.suppress(OSError):
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                return
            time.sleep(0.01)

    def sync_folder(folder: Path) -> None:
        """There is nothing to do: the file system writes its folders through."""
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def sync_folder(folder: Path) -> None:
        """Have the names in a folder on the disk when this returns."""
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# pathlib raises where a folder may not be entered, a name is too long, a link runs in a circle or `~name` is
# nobody. All of these can stand in a stranger's manifest or config, and are then simply not a file.


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def real_path(path: Path) -> Path:
    """The path with its links followed as far as they lead."""
    return Path(os.path.realpath(path))


def expand_home(path: str) -> Path:
    """The path with a leading `~` spelled out, if there is such a home."""
    return Path(os.path.expanduser(path))  # noqa: PTH111

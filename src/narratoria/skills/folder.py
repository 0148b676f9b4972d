"""What may be read of a skill's folder: plain files of a sensible size, and none that lies outside."""

from __future__ import annotations

import os
from pathlib import Path

MAX_BYTES = 1024 * 1024


def find_file(folder: Path, relative: str) -> Path | None:
    """The file with its links followed, None where there is none; ValueError for one that lies outside."""
    path = _resolved(folder / relative)
    if path is None or not is_file(path):
        return None
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"'{relative}' leads out of the skill's folder; keep it inside")
    return path


def read_bytes(folder: Path, relative: str) -> bytes | None:
    """The content of a file inside the folder, None where there is none; ValueError why it cannot be used."""
    path = _resolved(folder / relative)
    if path is None:
        raise ValueError(f"'{relative}' cannot be read: it is no name for a file, or links lead in a circle")
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"'{relative}' leads out of the skill's folder; keep it inside")
    try:
        if not os.path.lexists(path):
            return None
        if not is_file(path):
            kind = "a directory" if path.is_dir() else "not a plain file"
            raise ValueError(f"'{relative}' cannot be read: it is {kind}")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ValueError(f"'{relative}' cannot be read: {error.strerror or error}") from None
    if len(content) > MAX_BYTES:
        raise ValueError(f"'{relative}' is longer than {MAX_BYTES // 1024} KiB")
    return content


def read_text(folder: Path, relative: str) -> str | None:
    """The same as text."""
    content = read_bytes(folder, relative)
    try:
        return None if content is None else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"'{relative}' is not UTF-8 text (byte {error.start})") from None


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113  pathlib raises for names that are too long


def _resolved(path: Path) -> Path | None:
    try:
        resolved = path.resolve()
        resolved.lstat()
    except FileNotFoundError:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None  # a name that no file can have, or links that lead in a circle
    return None if resolved.is_symlink() else resolved  # 3.13 gives a circle back unresolved

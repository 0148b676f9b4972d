"""Bytecode for scripts that run in a box, where Python can write none and would compile them every time."""

from __future__ import annotations

import py_compile
from importlib.util import cache_from_source
from pathlib import Path


def compile_ahead(*folders: Path) -> None:
    """Compiles what has no bytecode yet, or old; only where this package can be written to."""
    try:
        for folder in folders:
            for source in folder.rglob("*.py"):
                if not _is_compiled(source):
                    py_compile.compile(str(source), quiet=2)
    except OSError:
        return  # installed for all users: whoever installed it has compiled it


def _is_compiled(source: Path) -> bool:
    """Whether there is bytecode of just this source: Python itself looks at its time and its size."""
    try:
        with Path(cache_from_source(str(source))).open("rb") as file:
            head = file.read(16)
    except OSError:
        return False
    told = source.stat()
    stamp = int(told.st_mtime) & 0xFFFFFFFF, told.st_size & 0xFFFFFFFF
    return head[4:8] == bytes(4) and head[8:16] == b"".join(part.to_bytes(4, "little") for part in stamp)

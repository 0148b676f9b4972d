"""Questions to the file system that always have an answer.

pathlib raises where a folder may not be entered, a name is too long, a link runs in a circle or `~name` is
nobody. All of these can stand in a stranger's manifest or config, and are then simply not a file.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def real(path: Path) -> Path:
    """The path with its links followed as far as they lead."""
    return Path(os.path.realpath(path))


def from_home(path: str) -> Path:
    """The path with a leading `~` spelled out, if there is such a home."""
    return Path(os.path.expanduser(path))  # noqa: PTH111

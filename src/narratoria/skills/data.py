"""A skill's own folder for what it wants to keep: private to it, and still there after an upgrade."""

from __future__ import annotations

from pathlib import Path

from narratoria import paths
from narratoria.errors import NarratoriaException

DATA = "data"


class UnusableName(NarratoriaException):
    """A skill's name that cannot be the name of a folder."""


def data_path(skill: str) -> Path:
    """`skills/<name>/data` in the user's home for Narratoria, whether it is there yet or not."""
    if skill in ("", ".", "..") or any(mark in skill for mark in ("/", "\\", "\0", ":")):
        raise UnusableName(f"'{skill}' cannot be the name of a skill: it is no name for a folder")
    return paths.home() / "skills" / skill / DATA


def data_dir(skill: str) -> Path:
    """The skill's data folder, made on first use and closed to everybody but the user."""
    path = data_path(skill)
    if path.is_symlink():
        raise UnusableName(f"{path} is a link; a skill's data stays in the folder that is made for it")
    paths.make_private(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)  # made by hand, or unpacked
    return path

"""A playthrough: where the story stands, what was told, and the file it is kept in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from narratoria.engine.scene import Scene
from narratoria.errors import ContractViolation, Problem
from narratoria.skills.health import SessionHealth
from narratoria.state import SessionState

FILE = "story.json"
FORMAT = 1


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Where the story stands, as the engine counts it; skills see it and cannot change it."""

    scene: int = 0
    place: str = ""
    visits: dict[str, int] = {}
    told: dict[str, str] = {}  # beats, and how each one's roll ended
    met: tuple[str, ...] = ()
    heard: dict[str, int] = {}  # how much of what a person has to say
    seen: dict[str, int] = {}  # how much of what a place has to show


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One story in the middle of being told; a turn makes the next one out of it."""

    id: str
    campaign: str
    seed: int
    progress: Progress = Progress()
    state: SessionState = msgspec.field(default_factory=SessionState)
    scenes: tuple[Scene, ...] = ()
    health: SessionHealth = SessionHealth()  # not saved: a new start gives every skill a new chance

    @property
    def scene(self) -> Scene | None:
        return self.scenes[-1] if self.scenes else None

    @property
    def flags(self) -> frozenset[str]:
        """What is remembered to be so."""
        flags = self.state.get("flags")
        return frozenset(name for name, on in flags.items() if on) if isinstance(flags, dict) else frozenset()


class _Saved(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    id: str
    campaign: str
    seed: int
    progress: Progress
    state: dict[str, Any]
    scenes: tuple[Scene, ...]


def save(session: Session, folder: Path) -> Path:
    """Into `<folder>/<id>/story.json`: whatever happens meanwhile, the old story is there or the new one."""
    saved = _Saved(
        format=FORMAT,
        id=session.id,
        campaign=session.campaign,
        seed=session.seed,
        progress=session.progress,
        state=session.state.to_dict(),
        scenes=session.scenes,
    )
    path = folder / session.id / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, msgspec.json.format(msgspec.json.encode(saved), indent=1))
    return path


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".story-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: Path) -> Session:
    """The story in this file; ContractViolation for one that is damaged."""
    try:
        saved = msgspec.json.decode(path.read_bytes(), type=_Saved)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"this saved story cannot be read: {error}; begin another one with --new"
        raise ContractViolation([Problem(message, file=str(path))]) from None
    if saved.format != FORMAT:
        message = f"this story was saved in format {saved.format}, and only format {FORMAT} can be read here"
        raise ContractViolation([Problem(message, "/format", str(path))])
    return Session(
        id=saved.id,
        campaign=saved.campaign,
        seed=saved.seed,
        progress=saved.progress,
        state=SessionState(saved.state),
        scenes=saved.scenes,
    )


def latest(folder: Path, campaign: str) -> Session | None:
    """The story of this campaign that was played last."""
    stories = [path for path in folder.glob(f"*/{FILE}") if _is_of(path, campaign)]
    newest = max(stories, key=lambda path: path.stat().st_mtime_ns, default=None)
    return load(newest) if newest else None


def _is_of(path: Path, campaign: str) -> bool:
    return path.parent.name.rpartition("-")[0] == campaign


def free_id(folder: Path, campaign: str) -> str:
    """`<campaign>-1`, or the next number that no story has."""
    taken: Mapping[str, int] = {path.name: 1 for path in folder.glob(f"{campaign}-*")}
    number = 1
    while f"{campaign}-{number}" in taken:
        number += 1
    return f"{campaign}-{number}"

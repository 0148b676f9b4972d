"""What could not be written into the store, in a file beside it until it can be: nothing told is lost while
any disk takes a file.

Each line tells of one turn, and the last one about a turn counts: a choice, then the choice with its scene; a
line that has neither takes the turn back. Whoever holds the file locks it, so that nobody else brings it in.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from narratoria.engine.trace import Chosen, Ended

FORMAT: Literal["narratoria-unsaved"] = "narratoria-unsaved"
LARGEST = 256 * 1024 * 1024  # bytes
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Heading(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first line: whose turns these are."""

    format: Literal["narratoria-unsaved"] = FORMAT
    version: Literal[1] = 1
    line: str
    campaign: str
    title: str
    seed: int
    sitting: str = ""


class Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a turn: nothing, what was chosen, or how it ended."""

    number: int
    chosen: Chosen | None = None
    ended: Ended | None = None
    state: dict[str, Any] = {}
    records: tuple[tuple[str, dict[str, Any], str], ...] = ()  # what the store has to remember of it


class Spilled(msgspec.Struct, frozen=True):
    """One story's turns that are not in the store, in their order."""

    file: Path
    heading: Heading
    turns: tuple[Kept, ...]


def places_for(folder: Path) -> tuple[Path, ...]:
    """Where such files may lie: among the stories, or, where nothing can be written there, with what the
    system keeps for a while."""
    mark = hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:12]
    user = os.geteuid() if hasattr(os, "geteuid") else "me"
    try:
        beside = Path(tempfile.gettempdir()) / f"narratoria-unsaved-{user}-{mark}"
    except OSError:  # there is no such place
        return (folder / "unsaved",)
    return folder / "unsaved", beside


class Spill:
    """The file of one story; none before the first line, and none once everything is in the store."""

    def __init__(self, heading: Heading, places: tuple[Path, ...]) -> None:
        self.heading, self._places = heading, places
        self.file: Path | None = None
        self._descriptor: int | None = None

    def add(self, kept: Kept) -> bool:
        """Whether it is on a disk now."""
        line = msgspec.json.encode(kept)
        if self._descriptor is not None and _written(self._descriptor, line):
            return True
        before = self._taken() if self.file else b""
        for place in self._places:
            if self._opened(place) and self._descriptor is not None:
                begun = before or msgspec.json.encode(self.heading)
                if _written(self._descriptor, begun + b"\n" + line):
                    return True
                self.remove()
        return False

    def move_to(self, line: str) -> None:
        """The turns to come belong to another line of the store."""
        self.remove()
        self.heading = msgspec.structs.replace(self.heading, line=line)

    def remove(self) -> None:
        """All of it is in the store."""
        if self.file is not None:
            with contextlib.suppress(OSError):
                self.file.unlink()
        self.close()
        self.file = None

    def close(self) -> None:
        """The file stays, for the next start."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _taken(self) -> bytes:
        """What a file holds that takes no more, which goes on elsewhere."""
        assert self.file is not None
        try:
            return b"\n".join(line for line in self.file.read_bytes().split(b"\n") if line)
        except OSError:
            return b""
        finally:
            self.close()

    def _opened(self, place: Path) -> bool:
        file = place / f"{self.heading.line}.jsonl"
        self.close()
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(place):
                return False
            self._descriptor = os.open(file, _FLAGS, 0o600)
            _lock(self._descriptor)
            os.ftruncate(self._descriptor, 0)
        except OSError:
            self.close()
            return False
        self.file = file
        return True


def spilled(places: tuple[Path, ...]) -> Iterator[Spilled]:
    """The files that nobody holds, each locked while it is looked at; one that says nothing is left alone."""
    for place in places:
        if not place.is_dir() or not _is_ours(place):
            continue
        for file in sorted(place.glob("*.jsonl")):
            try:
                descriptor = os.open(file, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            except OSError:
                continue
            try:
                _lock(descriptor)
                if (found := _read(file)) is not None:
                    yield found
            except OSError:
                continue  # its story is being played
            finally:
                os.close(descriptor)


def _read(file: Path) -> Spilled | None:
    if file.stat().st_size > LARGEST:
        return None
    first, *rest = [line for line in file.read_bytes().split(b"\n") if line] or [b""]
    try:
        heading = msgspec.json.decode(first, type=Heading)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    turns: dict[int, Kept] = {}
    for line in rest:
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # torn at the end
            kept = msgspec.json.decode(line, type=Kept)
            turns[kept.number] = kept
    told = tuple(turns[number] for number in sorted(turns) if turns[number].chosen is not None)
    return Spilled(file, heading, told)


def _written(descriptor: int, text: bytes) -> bool:
    """A line that did not fit is cut off again, so that the next one is whole."""
    try:
        before = os.fstat(descriptor).st_size
        done = os.write(descriptor, b"\n" + text)
        if done == len(text) + 1:
            os.fsync(descriptor)
            return True
        os.ftruncate(descriptor, before)
    except OSError:
        pass
    return False


def _is_ours(place: Path) -> bool:
    """In a place that all may write to, somebody else could have made the folder."""
    about = place.lstat()
    if not stat.S_ISDIR(about.st_mode):
        return False
    return not hasattr(os, "geteuid") or about.st_uid == os.geteuid()


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # where nothing is: a locked byte cannot be read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

"""What could not be written into the store, in a file beside it until it can be: nothing told is lost while
any disk takes a file.

Each line tells of one turn, and the last one about a turn counts: a choice, then the choice with its scene; a
line that has neither takes the turn back, in the store too. Whoever holds the file locks it, so that nobody
else brings it in.

A file whose turns follow one that the store has not, or has otherwise, is set apart under another name, as a
story that goes on would write over it. Each start looks whether the turn before has come since.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Literal

import msgspec

from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput
from narratoria.engine.scene import Scene

FORMAT: Literal["narratoria-unsaved"] = "narratoria-unsaved"
LARGEST = 256 * 1024 * 1024  # bytes
WAITING, APART = "*.jsonl", "*.apart-*"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class UnsavedTurnsHeader(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first line: whose turns these are."""

    format: Literal["narratoria-unsaved"] = FORMAT
    version: Literal[1] = 1
    branch: str = msgspec.field(name="line")
    campaign: str
    title: str
    seed: int
    session_id: str = msgspec.field(default="", name="sitting")


class UnsavedTurn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: the input of a turn, the input with the output, or neither where the turn was undone."""

    number: int
    # a turn of this number that the store may have was undone
    replaces_stored: bool = msgspec.field(default=False, name="anew")
    # of the scene before; empty for the first turn, and in files written by early versions
    previous_digest: str = msgspec.field(default="", name="after")
    input: TurnInput | None = msgspec.field(default=None, name="chosen")
    output: TurnOutput | None = msgspec.field(default=None, name="ended")
    state: dict[str, Any] = {}
    records: tuple[tuple[str, dict[str, Any], str], ...] = ()  # memories of it that the store has not taken


class UnsavedTurns(msgspec.Struct, frozen=True):
    """One story's turns that are not in the store, in their order."""

    file: Path
    header: UnsavedTurnsHeader
    turns: tuple[UnsavedTurn, ...]

    def remove(self) -> None:
        """All of it is in the store; emptied first, for where no file can be unlinked."""
        with contextlib.suppress(OSError):
            os.truncate(self.file, 0)
            self.file.unlink()

    def set_apart(self) -> Path:
        """Where it lies from now on: nobody writes over it, and it waits for the turns before it."""
        names = (self.file.with_suffix(f".apart-{number}") for number in count(1))
        apart = next(name for name in names if not name.exists())
        try:
            self.file.rename(apart)
        except OSError:
            return self.file
        return apart


def scene_digest(scene: Scene | None) -> str:
    """What tells a scene from every other that a story could have had in its place."""
    return hashlib.sha256(msgspec.json.encode(scene)).hexdigest()[:32] if scene else ""


def unsaved_folders(folder: Path) -> tuple[Path, ...]:
    """Where such files may lie: among the stories, or, where nothing can be written there, with what the
    system keeps for a while."""
    mark = hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:12]
    user = os.geteuid() if hasattr(os, "geteuid") else "me"
    try:
        beside = Path(tempfile.gettempdir()) / f"narratoria-unsaved-{user}-{mark}"
    except OSError:  # there is no such place
        return (folder / "unsaved",)
    return folder / "unsaved", beside


class UnsavedTurnLog:
    """The file of one story; none before the first line, and none once everything is in the store."""

    def __init__(self, header: UnsavedTurnsHeader, places: tuple[Path, ...]) -> None:
        self.header, self._places = header, places
        self.file: Path | None = None
        self._descriptor: int | None = None
        self._line = header.branch  # of the file to come

    def append(self, kept: UnsavedTurn) -> bool:
        """Whether it is on a disk now; what was there before is there still."""
        line = msgspec.json.encode(kept)
        if self._descriptor is not None and _written(self._descriptor, line):
            return True
        before = self._taken() or msgspec.json.encode(self.header)
        for place in self._places:
            file = place / f"{self.header.branch}.jsonl"
            if file == self.file or (descriptor := _opened(file)) is None:
                continue
            if _written(descriptor, before + b"\n" + line):
                self._let_go()  # whoever finds both meanwhile finds the same turns twice
                self.file, self._descriptor = file, descriptor
                return True
            _remove(file, descriptor)
        return False

    def move_to(self, line: str) -> None:
        """The turns to come belong to another line of the store; a file that is there says so of its own."""
        self._line = line
        if self.file is None:
            self.header = msgspec.structs.replace(self.header, branch=line)

    def remove(self) -> None:
        """All of it is in the store."""
        self._let_go()
        self.header = msgspec.structs.replace(self.header, branch=self._line)

    def close(self) -> None:
        """The file stays, for the next start."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _let_go(self) -> None:
        if self.file is not None and self._descriptor is not None:
            _remove(self.file, self._descriptor)
        self.file = self._descriptor = None

    def _taken(self) -> bytes:
        """What a file holds that takes no more, which goes on elsewhere."""
        if self.file is None:
            return b""
        try:
            return b"\n".join(line for line in self.file.read_bytes().split(b"\n") if line)
        except OSError:  # it stays as it is, for the next start
            self.close()
            self.file = None
            return b""


def find_unsaved_turns(places: tuple[Path, ...], names: str = WAITING) -> Iterator[UnsavedTurns]:
    """The files that nobody holds, each locked while it is looked at; one that says nothing is left alone."""
    for place in places:
        if not place.is_dir() or not _is_ours(place):
            continue
        for file in sorted(place.glob(names)):
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


def _read(file: Path) -> UnsavedTurns | None:
    if file.stat().st_size > LARGEST:
        return None
    first, *rest = [line for line in file.read_bytes().split(b"\n") if line] or [b""]
    try:
        header = msgspec.json.decode(first, type=UnsavedTurnsHeader)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    turns: dict[int, UnsavedTurn] = {}
    for line in rest:
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # torn at the end
            kept = msgspec.json.decode(line, type=UnsavedTurn)
            turns[kept.number] = kept
    return UnsavedTurns(file, header, tuple(turns[number] for number in sorted(turns)))


def _opened(file: Path) -> int | None:
    """An empty file that nobody else holds."""
    descriptor = None
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_ours(file.parent):
            descriptor = os.open(file, _FLAGS, 0o600)
            _lock(descriptor)
            os.ftruncate(descriptor, 0)
            return descriptor
    except OSError:
        pass
    if descriptor is not None:
        os.close(descriptor)
    return None


def _remove(file: Path, descriptor: int) -> None:
    """Emptied first, for where no file can be unlinked."""
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
    os.close(descriptor)
    with contextlib.suppress(OSError):
        file.unlink()


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

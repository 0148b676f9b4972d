"""Keeps the turns that the store did not take in a file beside it, until they can be written there.

Each line describes one turn, and the last line of a turn counts: its input, then its input with its output; a
line with neither undoes the turn, in the store too. Whoever has the file open locks it, so that nobody else
recovers it.

A file whose turns follow one that the store does not have, or has differently, is separated: it is renamed,
as a story that goes on would overwrite it. Each start checks whether the missing turn has come since.
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

from narratoria.contracts.read import UNDECODABLE
from narratoria.engine.persistence.turn_record import MemoryRecord, TurnInput, TurnOutput
from narratoria.engine.scene import Scene
from narratoria.files import sync_folder

FORMAT: Literal["narratoria-unsaved"] = "narratoria-unsaved"
MAX_BYTES = 256 * 1024 * 1024  # bytes
UNSAVED_FILES, SEPARATED_FILES = "*.jsonl", "*.apart-*"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class UnsavedTurnsHeader(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Says in the first line of the file which story the turns belong to."""

    format: Literal["narratoria-unsaved"] = FORMAT
    version: Literal[1] = 1
    branch: str = msgspec.field(name="line")
    campaign: str
    title: str
    seed: int
    session_id: str = msgspec.field(default="", name="sitting")
    owner: str = ""  # the account whose story it is


class UnsavedTurn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Holds one line: the input of a turn, the input with the output, or neither if the turn was undone."""

    number: int
    # a turn of this number that the store may have was undone
    replaces_stored: bool = msgspec.field(default=False, name="anew")
    # of the scene before; empty for the first turn, and in files written by early versions
    previous_digest: str = msgspec.field(default="", name="after")
    input: TurnInput | None = msgspec.field(default=None, name="chosen")
    output: TurnOutput | None = msgspec.field(default=None, name="ended")
    state: dict[str, Any] = {}
    records: tuple[MemoryRecord, ...] = ()  # memories of it that the store has not taken


class UnsavedTurns(msgspec.Struct, frozen=True):
    """Holds the content of one file: the turns of a story that are not in the store, in their order."""

    file: Path
    header: UnsavedTurnsHeader
    turns: tuple[UnsavedTurn, ...]

    def remove(self) -> None:
        """Remove the file, emptied first for folders in which nothing can be unlinked."""
        with contextlib.suppress(OSError):
            os.truncate(self.file, 0)
            self.file.unlink()

    def separate(self) -> Path:
        """Rename the file so that nothing overwrites it, and return where it is."""
        names = (self.file.with_suffix(f".apart-{number}") for number in count(1))
        new_path = next(name for name in names if not name.exists())
        try:
            self.file.rename(new_path)
        except OSError:
            return self.file
        return new_path


def scene_digest(scene: Scene | None) -> str:
    """Return a digest that differs between any two scenes."""
    return hashlib.sha256(msgspec.json.encode(scene)).hexdigest()[:32] if scene else ""


def unsaved_folders(folder: Path) -> tuple[Path, ...]:
    """Return the folders for such files: one among the stories, then a temporary one."""
    mark = hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:12]
    user = os.geteuid() if hasattr(os, "geteuid") else "me"
    try:
        beside = Path(tempfile.gettempdir()) / f"narratoria-unsaved-{user}-{mark}"
    except OSError:  # there is no such folder
        return (folder / "unsaved",)
    return folder / "unsaved", beside


class UnsavedTurnLog:
    """Writes the file of one story; it exists only while turns are not in the store."""

    def __init__(self, header: UnsavedTurnsHeader, folders: tuple[Path, ...]) -> None:
        self.header, self._folders = header, folders
        self.file: Path | None = None
        self._descriptor: int | None = None
        self._branch = header.branch  # of the file to come

    def append(self, turn: UnsavedTurn) -> bool:
        """Append a turn, in another folder if need be, and return whether it is on a disk."""
        line = msgspec.json.encode(turn)
        if self._descriptor is not None and _write_line(self._descriptor, line):
            return True
        before = self._read_content() or msgspec.json.encode(self.header)
        for folder in self._folders:
            file = folder / f"{self.header.branch}.jsonl"
            if file == self.file or (descriptor := _open_empty(file)) is None:
                continue
            if _write_line(descriptor, before + b"\n" + line) and _sync_names(folder):
                self._remove_file()  # a start that finds both files meanwhile finds the same turns twice
                self.file, self._descriptor = file, descriptor
                return True
            _remove(file, descriptor)
        return False

    def move_to(self, branch: str) -> None:
        """Use another branch for the turns to come; a file that exists keeps its header."""
        self._branch = branch
        if self.file is None:
            self.header = msgspec.structs.replace(self.header, branch=branch)

    def remove(self) -> None:
        """Remove the file: every turn is in the store."""
        self._remove_file()
        self.header = msgspec.structs.replace(self.header, branch=self._branch)

    def close(self) -> None:
        """Close the file and leave it for the next start."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _remove_file(self) -> None:
        if self.file is not None and self._descriptor is not None:
            _remove(self.file, self._descriptor)
        self.file = self._descriptor = None

    def _read_content(self) -> bytes:
        """Return the content of a file that takes no more lines, to continue it elsewhere."""
        if self.file is None:
            return b""
        try:
            return b"\n".join(line for line in self.file.read_bytes().split(b"\n") if line)
        except OSError:  # it stays as it is, for the next start
            self.close()
            self.file = None
            return b""


def find_unsaved_turns(folders: tuple[Path, ...], names: str = UNSAVED_FILES) -> Iterator[UnsavedTurns]:
    """Yield the content of every file that is not in use, locked meanwhile; unreadable ones are skipped."""
    for folder in folders:
        if not folder.is_dir() or not _is_ours(folder):
            continue
        for file in sorted(folder.glob(names)):
            try:
                descriptor = os.open(file, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            except OSError:
                continue
            try:
                _lock(descriptor)
                if (content := _read_file(file)) is not None:
                    yield content
            except OSError:
                continue  # its story is being played
            finally:
                os.close(descriptor)


def _read_file(file: Path) -> UnsavedTurns | None:
    if file.stat().st_size > MAX_BYTES:
        return None
    first, *rest = [line for line in file.read_bytes().split(b"\n") if line] or [b""]
    try:
        header = msgspec.json.decode(first, type=UnsavedTurnsHeader)
    except UNDECODABLE:
        return None
    turns: dict[int, UnsavedTurn] = {}
    for line in rest:
        with contextlib.suppress(*UNDECODABLE):  # torn at the end
            turn = msgspec.json.decode(line, type=UnsavedTurn)
            turns[turn.number] = turn
    return UnsavedTurns(file, header, tuple(turns[number] for number in sorted(turns)))


def _open_empty(file: Path) -> int | None:
    """Return the descriptor of an empty, locked file, or None if there can be none."""
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
    """Remove a file, emptied first for folders in which nothing can be unlinked."""
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
    os.close(descriptor)
    with contextlib.suppress(OSError):
        file.unlink()


def _write_line(descriptor: int, text: bytes) -> bool:
    """Write a line and return whether it is on the disk; a partial line is cut off again."""
    # begun anew after a torn line, and ended: after a power cut zeros may stand where the next one would be
    line = b"\n" + text + b"\n"
    try:
        before = os.fstat(descriptor).st_size
        size = os.write(descriptor, line)
        if size == len(line):
            os.fsync(descriptor)
            return True
        os.ftruncate(descriptor, before)
    except OSError:
        pass
    return False


def _sync_names(folder: Path) -> bool:
    """Return whether the name of a new file is on the disk too, and that of its folder."""
    try:
        sync_folder(folder)
        sync_folder(folder.parent)
    except OSError:
        return False
    return True


def _is_ours(folder: Path) -> bool:
    """Return whether the folder is ours: in a shared place somebody else could have made it."""
    about = folder.lstat()
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

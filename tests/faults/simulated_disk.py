"""A disk that loses power: what nobody asked it to keep is there in part, in another order, or not at all.

Files are written for real in a folder, and every step is recorded. `cut` then makes another folder as a disk
may leave it when the power fails after some of the steps:

    a write that no fsync followed   is there or not, whatever came after it; torn in the middle of a sector,
                                     with zeros where the rest of it would be
    a new, renamed or removed name   is there or not until its folder was synced, though its file was
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECTOR = 512


@dataclass
class SimulatedFile:
    """What a file holds, what of that is on the disk for sure, and what is on its way."""

    content: bytearray = field(default_factory=bytearray)
    durable: bytes = b""
    pending: list[tuple[str, int, bytes]] = field(default_factory=list)

    def write(self, data: bytes) -> None:
        self.pending.append(("write", len(self.content), data))
        self.content += data

    def truncate(self, size: int) -> None:
        self.pending.append(("truncate", size, b""))
        del self.content[size:]

    def sync(self) -> None:
        self.durable, self.pending = bytes(self.content), []

    def after_cut(self, rng: random.Random) -> bytes:
        """What the disk may hold: some of what was on its way, each piece whole, torn or zero."""
        content = bytearray(self.durable)
        for kind, at, data in self.pending:
            if rng.random() < 0.4:
                continue
            if kind == "truncate":
                del content[at:]
                continue
            if len(content) < at + len(data):
                content += bytes(at + len(data) - len(content))  # the size is written apart from the bytes
            torn = rng.choice((0, len(data), rng.randrange(len(data) + 1), SECTOR - at % SECTOR))
            content[at : at + min(torn, len(data))] = data[:torn]
        return bytes(content)


@dataclass
class SimulatedDisk:
    """Stands in for the module `os` in what writes files, and records what it is asked for."""

    root: Path
    names: dict[str, SimulatedFile | None] = field(default_factory=dict)
    possible: dict[str, list[SimulatedFile | None]] = field(
        default_factory=dict
    )  # until the folder is synced
    failing: set[str] = field(default_factory=set)  # folders in which nothing more can be written
    steps: int = 0
    cut_after: int = 1 << 30

    def __post_init__(self) -> None:
        self._open: dict[int, tuple[str, SimulatedFile | None]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.cut_after:
            raise PowerCut

    def open(self, path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        name = str(path)
        is_new = not Path(name).exists()
        descriptor = os.open(path, flags, mode, **more)
        if Path(name).is_dir():
            self._open[descriptor] = (name, None)
            return descriptor
        if is_new:
            self._step()
            self._rename(name, SimulatedFile())
        self._open[descriptor] = (name, self.names[name])
        return descriptor

    def _rename(self, name: str, file: SimulatedFile | None) -> None:
        self.possible.setdefault(name, [self.names.get(name)]).append(file)
        self.names[name] = file

    def write(self, descriptor: int, data: bytes) -> int:
        name, file = self._open[descriptor]
        assert file is not None
        self._step()
        if any(name.startswith(folder) for folder in self.failing):
            data = data[: len(data) // 2]  # the disk is full
        file.write(data)
        return os.write(descriptor, data)

    def ftruncate(self, descriptor: int, size: int) -> None:
        _, file = self._open[descriptor]
        assert file is not None
        self._step()
        file.truncate(size)
        os.ftruncate(descriptor, size)

    def fsync(self, descriptor: int) -> None:
        name, file = self._open[descriptor]
        self._step()
        if file is not None:
            file.sync()
            return
        for one in list(self.possible):
            if str(Path(one).parent) == name:
                del self.possible[one]

    def close(self, descriptor: int) -> None:
        self._open.pop(descriptor, None)
        os.close(descriptor)

    def unlink(self, path: Path) -> None:
        self._step()
        self._rename(str(path), None)
        os.unlink(path)  # noqa: PTH108  Path.unlink() is this

    def after_cut(self, folder: Path, rng: random.Random) -> None:
        """Make the folder as the disk may be when the power is back."""
        for name, latest in self.names.items():
            file = rng.choice(self.possible[name]) if name in self.possible else latest
            if file is not None:
                place = folder / Path(name).relative_to(self.root)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.after_cut(rng))


class PowerCut(BaseException):
    """Ends a program as a power cut does: nothing more of it is done."""

"""Finds out whether a folder lies in an encrypted folder or on an encrypted disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

FILE_SYSTEMS = ("ecryptfs", "fuse.gocryptfs", "fuse.cryfs", "fuse.encfs", "fuse.securefs")
MOUNTS, DEVICES = Path("/proc/self/mountinfo"), Path("/sys/dev/block")


def find_encryption(folder: Path, *, mounts: Path = MOUNTS, devices: Path = DEVICES) -> str | None:
    """Return what encrypts a folder, an empty text where nothing does, None where nobody can tell."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    real = Path(os.path.realpath(folder))
    inner: tuple[int, str, str] | None = (
        None  # the mount that holds the folder: the deepest, of those the last
    )
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or not kind:
            continue
        place = Path(fields[4].replace("\\040", " "))
        if real.is_relative_to(place) and (inner is None or len(place.parts) >= inner[0]):
            inner = len(place.parts), fields[2], kind[0]
    if inner is None:
        return None
    _, device, kind_of_system = inner
    if kind_of_system in FILE_SYSTEMS:
        return kind_of_system.removeprefix("fuse.")
    return "dm-crypt" if any(map(_is_crypt, _devices_below(devices / device))) else ""


def _devices_below(device: Path) -> Iterator[Path]:
    """Yield a block device and those it is made of."""
    yield device
    for part in device.glob("slaves/*"):
        yield from _devices_below(part)


def _is_crypt(device: Path) -> bool:
    try:
        return (device / "dm" / "uuid").read_text().startswith("CRYPT-")
    except OSError:
        return False

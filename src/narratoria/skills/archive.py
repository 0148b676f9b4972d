"""Unpacks a stranger's archive, or copies a stranger's folder, without believing anything it says of itself.

Everything is judged before a byte is written, and what is written is counted all the same.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from narratoria.errors import ContractViolation, Problem

MIB = 1024 * 1024
MAX_PROBLEMS = 20
LEFT_OUT = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "__pycache__", ".git"})

_ENCRYPTED, _UTF8 = 0x1, 0x800  # bits of an entry's flags
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?")  # on Windows, with any ending
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,  # also: names that are not the UTF-8 they claim to be
)


@dataclass(frozen=True, slots=True)
class PackageLimits:
    """Limits the size of a package; a skill is a folder of text and small programs."""

    archive_bytes: int = 100 * MIB
    bytes: int = 200 * MIB
    files: int = 5_000
    ratio: int = 100  # of what is unpacked to the archive, once it is more than a MiB
    name_bytes: int = 255  # of one part of a path
    depth: int = 20


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """Describes a file of an archive under the name it will have."""

    path: PurePosixPath
    info: zipfile.ZipInfo


def unpack_archive(archive: Path, into: Path, limits: PackageLimits = PackageLimits()) -> None:
    """Write the archive's files below a folder; ContractViolation says why it is refused, entry by entry."""
    try:
        if archive.stat().st_size > limits.archive_bytes:
            raise _refused(archive, f"is larger than {limits.archive_bytes // MIB} MiB")
        with zipfile.ZipFile(archive) as opened:
            entries = _checked(archive, opened, limits)
            room = limits.bytes
            for entry in entries:
                room -= _write(opened, entry, into, room)
    except OSError as error:
        raise _refused(archive, f"cannot be unpacked: {error.strerror or error}") from error
    except _UNREADABLE as error:
        raise _refused(archive, f"is not a sound zip archive: {error}") from error


def _checked(archive: Path, opened: zipfile.ZipFile, limits: PackageLimits) -> list[ArchiveEntry]:
    infos = opened.infolist()
    total = sum(info.file_size for info in infos)
    if len(infos) > limits.files:
        raise _refused(archive, f"holds {len(infos)} files; at most {limits.files} are unpacked")
    if total > limits.bytes:
        raise _refused(
            archive, f"would unpack to {total // MIB} MiB; at most {limits.bytes // MIB} are unpacked"
        )
    size = max(archive.stat().st_size, 1)
    if total > MIB and total / size > limits.ratio:
        message = f"would grow {total // size} times when unpacked, as no skill does; at most {limits.ratio}"
        raise _refused(archive, message)
    entries: list[ArchiveEntry] = []
    faults: list[str] = []
    tree = _Tree()
    for info in infos:
        name = _name(info)
        if fault := _name_fault(info, name, limits) or _kind_fault(info):
            faults.append(f"'{name[:100]}' {fault}")
            continue
        path = PurePosixPath(name)
        if fault := tree.clash(path, is_folder=info.is_dir()):
            faults.append(f"'{name[:100]}' {fault}")
        elif not info.is_dir() and LEFT_OUT.isdisjoint(path.parts):
            entries.append(ArchiveEntry(path, info))
    if faults:
        raise _refused(archive, *faults)
    return entries


def _name(info: zipfile.ZipInfo) -> str:
    """As it is written there: some packers write UTF-8 without saying so."""
    if info.flag_bits & _UTF8 or info.orig_filename.isascii():
        return info.orig_filename
    try:
        return info.orig_filename.encode("cp437").decode()
    except UnicodeError:
        return info.orig_filename


def _name_fault(info: zipfile.ZipInfo, name: str, limits: PackageLimits) -> str:
    parts = name.removesuffix("/").split("/")
    is_unambiguous = info.flag_bits & _UTF8 or name.isascii() or name != info.orig_filename
    faults = {
        "has a name that is not UTF-8": not is_unambiguous,
        "has a name with control characters": any(unicodedata.category(mark) == "Cc" for mark in name),
        "is an absolute path": name.startswith("/") or re.match(r"[A-Za-z]:", name) is not None,
        "leads out of the archive's folder": ".." in re.split(r"[/\\]", name),
        "has a backslash or a colon in its name": "\\" in name or ":" in name,
        "has an empty part in its path": "" in parts or "." in parts,
        "has a part that ends in a dot or a space": any(part[-1:] in (".", " ") for part in parts if part),
        "has a name that Windows keeps for itself": any(_RESERVED.fullmatch(part) for part in parts),
        "has a name that is too long": any(len(part.encode()) > limits.name_bytes for part in parts),
        "lies too deep": len(parts) > limits.depth,
    }
    return next((fault for fault, applies in faults.items() if applies), "")


def _kind_fault(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a link; a package holds files only"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is neither a file nor a folder"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed in a way that is not read here; use deflate"
    return ""


class _Tree:
    """Records the paths so far, as the most forgetful file system would see them."""

    def __init__(self) -> None:
        self._spellings: dict[str, str] = {}
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def clash(self, path: PurePosixPath, *, is_folder: bool) -> str:
        """Return why a path cannot lie beside the earlier ones; add it to them if there is no reason."""
        folders = [str(parent) for parent in path.parents[:-1]] + ([str(path)] if is_folder else [])
        for name in (*folders, str(path)):
            first = self._spellings.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
            if first != name:
                return f"differs from '{first[:100]}' only by its case or its accents"
        self._folders.update(folders)
        if not self._files.isdisjoint(folders) or (not is_folder and str(path) in self._folders):
            return "is a file and a folder at the same time"
        if is_folder:
            return ""
        if str(path) in self._files:
            return "stands there twice"
        self._files.add(str(path))
        return ""


def _write(opened: zipfile.ZipFile, entry: ArchiveEntry, into: Path, room: int) -> int:
    target = into / entry.path
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with opened.open(entry.info) as source, target.open("xb") as file:
        while chunk := source.read(64 * 1024):
            written += len(chunk)
            if written > room:
                raise zipfile.BadZipFile("it holds more than it says")
            file.write(chunk)
    target.chmod(0o755 if entry.info.external_attr >> 16 & 0o111 else 0o644)
    return written


# folders


def copy_package(source: Path, into: Path, limits: PackageLimits = PackageLimits()) -> None:
    """Copy a folder's files as a package, and also those that links inside it lead to."""
    faults: list[str] = []
    files: list[tuple[Path, Path]] = []
    total = 0
    root = source.resolve()
    try:
        for path in _files_below(root):
            relative = path.relative_to(root)
            real = path.resolve()
            if not real.is_relative_to(root):
                faults.append(f"'{relative}' is a link that leads out of the folder")
            elif not real.is_file():
                faults.append(f"'{relative}' is neither a file nor a folder, or a link to a folder")
            else:
                total += real.stat().st_size
                files.append((real, into / relative))
            if len(files) > limits.files or total > limits.bytes:
                most = f"{limits.files} files and {limits.bytes // MIB} MiB"
                raise _refused(source, f"is too large for a skill; at most {most} are copied")
        if faults:
            raise _refused(source, *faults)
        for real, target in files:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(real.read_bytes())
            target.chmod(0o755 if real.stat().st_mode & 0o111 else 0o644)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise _refused(source, f"cannot be copied: {reason}") from error


def _files_below(root: Path) -> Iterator[Path]:
    """Everything that is not a folder, links to folders among it."""
    for folder, folders, names in os.walk(root):
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and name not in linked)
        yield from (Path(folder, name) for name in sorted((*names, *linked)) if name not in LEFT_OUT)


def _refused(source: Path, *faults: str) -> ContractViolation:
    problems = [Problem(fault, file=str(source)) for fault in faults[:MAX_PROBLEMS]]
    if len(faults) > MAX_PROBLEMS:
        problems.append(Problem(f"… and {len(faults) - MAX_PROBLEMS} more", file=str(source)))
    return ContractViolation(problems)

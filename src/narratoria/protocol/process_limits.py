"""Checks what a tool and everything it started use together, while it runs."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from narratoria.protocol.control_groups import ControlGroup

MIB = 1024 * 1024
RESERVE = 512 * MIB  # of a disk, which no tool may use: stories have to be written there
_LITTLE = 16 * MIB  # that a tool may write on a disk that others have filled
_MOST_FILES = 100_000  # in the folders of one tool; beyond that, counting them would be the attack
_DEEPEST_FOLDER = 100  # below which nobody looks: each level costs a descriptor
_OPEN_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class ProcessTreeLimits:
    """The kernel's own limits hold for a process; these hold for the whole tree."""

    processes: int = 128  # and threads
    memory: int = 2048 * MIB
    disk: int = 1024 * MIB  # in `folders`, all together, and for what is written in one run
    folders: tuple[Path, ...] = ()
    is_contained: bool = False  # whatever the process starts stays below it, and ends with it
    group: ControlGroup | None = None  # by which the kernel itself holds some of these limits


def find_exceeded_limit(pid: int, tree_limits: ProcessTreeLimits) -> str:
    """Say which limit the tree of this process exceeds; empty while it exceeds none."""
    if reason := find_exceeded_ceiling(tree_limits):
        return reason
    tree = list_limited_tree(pid, tree_limits)
    group, memory = tree_limits.group, tree_limits.memory
    if not (group and group.limits("pids")) and sum(map(_threads, tree)) > tree_limits.processes:
        return f"started more than {tree_limits.processes} processes and was stopped"
    is_counted = not (group and group.limits("memory"))
    if is_counted and resident_memory(tree) > memory and _memory(tree, "pss") > memory:
        return _describe_memory(tree_limits)
    return _find_exceeded_disk(tree, tree_limits)


def find_exceeded_ceiling(tree_limits: ProcessTreeLimits) -> str:
    """Say which limit the kernel itself has enforced, also on a tool that has ended by it."""
    has_run_out = tree_limits.group is not None and tree_limits.group.has_run_out_of_memory()
    return _describe_memory(tree_limits) if has_run_out else ""


def _describe_memory(tree_limits: ProcessTreeLimits) -> str:
    return f"used more than {tree_limits.memory // MIB} MiB of memory and was stopped"


def _find_exceeded_disk(tree: Sequence[int], tree_limits: ProcessTreeLimits) -> str:
    """Say how the disk is used beyond its limit: by files in sight, without a name, or removed again."""
    limit = tree_limits.disk // MIB
    try:
        is_too_much = exceeds_disk_limit(tree_limits.folders, tree_limits.disk - _unlinked_bytes(tree))
    except _HiddenFolder as hidden:
        return f"keeps {hidden}, and was stopped; remove it"
    if is_too_much:
        places = " and ".join(map(str, tree_limits.folders))
        return f"keeps more than {limit} MiB in {places} and was stopped; remove some of it"
    written = sum(map(_written_bytes, tree))
    if written > tree_limits.disk:
        return f"wrote more than {limit} MiB in one run and was stopped"
    if written > _LITTLE and (place := _find_full_disk(tree_limits.folders)):
        return (
            f"wrote {written // MIB} MiB with less than {RESERVE // MIB} MiB left in {place}, and was stopped"
        )
    return ""


def _find_full_disk(folders: Sequence[Path]) -> Path | None:
    """Return a folder on a disk of which hardly anything is left, by the kernel's own count."""
    if sys.platform != "win32":
        for folder in folders:
            with contextlib.suppress(OSError):
                place = os.statvfs(folder)
                if place.f_bavail * place.f_frsize < RESERVE:
                    return folder
    return None


def list_limited_tree(pid: int, tree_limits: ProcessTreeLimits) -> list[int]:
    """Return the processes that share these limits; where they cannot leave, nobody else is looked at."""
    return (_list_descendants(pid) if tree_limits.is_contained else []) or list_process_tree(pid)


def _list_descendants(pid: int) -> list[int]:
    """Return a process and its descendants, as the kernel lists them; none where it does not."""
    members: set[int] = set()
    waiting = [pid]
    while waiting:
        member = waiting.pop()
        if member in members:
            continue
        members.add(member)
        try:
            for thread in os.listdir(f"/proc/{member}/task"):
                with open(f"/proc/{member}/task/{thread}/children", "rb") as children:
                    waiting.extend(map(int, children.read().split()))
        except FileNotFoundError:
            if member == pid:
                return []  # a kernel that has no such list, or a process that is gone
        except OSError:
            continue  # gone meanwhile
    return list(members)


def list_process_tree(pid: int) -> list[int]:
    """Return its process group and all descendants, as far as the kernel shows them."""
    children: dict[int, list[int]] = {}
    group: list[int] = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit() and (stat := _read(f"/proc/{name}/stat")):
            parent, leader = stat[stat.rfind(b")") + 4 :].split(None, 2)[:2]
            children.setdefault(int(parent), []).append(int(name))
            if int(leader) == pid:
                group.append(int(name))
    members: set[int] = set()
    waiting = [pid, *group]
    while waiting:
        member = waiting.pop()
        if member not in members:
            members.add(member)
            waiting.extend(children.get(member, ()))
    return list(members)


def resident_memory(tree: Sequence[int]) -> int:
    """Return the bytes that the processes hold, where what they share counts for each of them."""
    return _memory(tree, "rss")


def _threads(pid: int) -> int:
    stat = _read(f"/proc/{pid}/stat")
    return int(stat[stat.rfind(b")") + 2 :].split()[17]) if stat else 0


def _memory(pids: Sequence[int], kind: str) -> int:
    """Resident bytes; `pss` splits what processes share between them, and is dear to ask for."""
    total = 0
    for pid in pids:
        if kind == "rss":
            fields = _read(f"/proc/{pid}/statm").split()
            total += int(fields[1]) * os.sysconf("SC_PAGESIZE") if len(fields) > 1 else 0
        else:
            rollup = _read(f"/proc/{pid}/smaps_rollup")
            total += int(rollup.split(b"\nPss:")[1].split()[0]) * 1024 if rollup else _memory([pid], "rss")
    return total


class _HiddenFolder(Exception):
    """Reports a folder whose files cannot be counted."""


def exceeds_disk_limit(folders: tuple[Path, ...], limit: int) -> bool:
    used = 0
    for number, size in enumerate(_sizes(folders)):
        used += size
        if used > limit or number > _MOST_FILES:
            return True
    return used > limit


def _sizes(folders: Sequence[Path]) -> Iterator[int]:
    for folder in folders:
        if os.name == "posix":
            yield from _sizes_below(str(folder), None, 0)
        else:
            yield from (path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _sizes_below(name: str, parent: int | None, depth: int) -> Iterator[int]:
    """Yield what each file and folder takes up, by descriptors: a path may be too long for the kernel."""
    if depth > _DEEPEST_FOLDER:
        raise _HiddenFolder(f"folders that are more than {_DEEPEST_FOLDER} deep")
    try:
        folder = os.open(name, _OPEN_FOLDER, dir_fd=parent)
    except PermissionError as error:
        if depth and _is_ours(name, parent):
            raise _HiddenFolder(f"a folder that cannot be read ({name})") from error
        return
    except OSError:
        return  # gone meanwhile
    try:
        yield from _sizes_in(folder, depth)
    finally:
        os.close(folder)


def _sizes_in(folder: int, depth: int) -> Iterator[int]:
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # gone meanwhile
            yield status.st_blocks * 512
            if stat.S_ISDIR(status.st_mode):
                yield from _sizes_below(entry.name, folder, depth + 1)


def _is_ours(name: str, parent: int | None) -> bool:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_uid == os.geteuid()
    except OSError:
        return False


def _unlinked_bytes(tree: Sequence[int]) -> int:
    """Return what files take up that have no name any more, and live on while somebody has them open."""
    sizes: dict[tuple[int, int], int] = {}
    for pid in tree:
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue  # gone, or not ours to look into
        for name in names:
            try:
                status = os.stat(f"/proc/{pid}/fd/{name}")
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and not status.st_nlink:
                sizes[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def _written_bytes(pid: int) -> int:
    """Return what a process and those it has waited for sent to disks, by the kernel's own count."""
    for line in _read(f"/proc/{pid}/io").splitlines():
        if line.startswith(b"write_bytes:"):
            return int(line.split()[1])
    return 0


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""  # gone, or not ours to read

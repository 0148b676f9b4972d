"""Checks what a tool and everything it started use together, while it runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

MIB = 1024 * 1024
_MOST_FILES = 100_000  # in the folders of one tool; beyond that, counting them would be the attack


@dataclass(frozen=True, slots=True)
class ProcessTreeLimits:
    """The kernel's own limits hold for a process; these hold for the whole tree."""

    processes: int = 128  # and threads
    memory: int = 2048 * MIB
    disk: int = 1024 * MIB  # in `folders`, all together
    folders: tuple[Path, ...] = ()
    is_contained: bool = False  # whatever the process starts stays below it, and ends with it


def find_exceeded_limit(pid: int, tree_limits: ProcessTreeLimits) -> str:
    """Say which limit the tree of this process exceeds; empty while it exceeds none."""
    tree = list_limited_tree(pid, tree_limits)
    if sum(_threads(member) for member in tree) > tree_limits.processes:
        return f"started more than {tree_limits.processes} processes and was stopped"
    if resident_memory(tree) > tree_limits.memory and _memory(tree, "pss") > tree_limits.memory:
        return f"used more than {tree_limits.memory // MIB} MiB of memory and was stopped"
    if exceeds_disk_limit(tree_limits.folders, tree_limits.disk):
        places = " and ".join(map(str, tree_limits.folders))
        return f"keeps more than {tree_limits.disk // MIB} MiB in {places} and was stopped; remove some of it"
    return ""


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


def exceeds_disk_limit(folders: tuple[Path, ...], limit: int) -> bool:
    used = 0
    for number, size in enumerate(_sizes([str(folder) for folder in folders])):
        used += size
        if used > limit or number > _MOST_FILES:
            return True
    return False


def _sizes(folders: list[str]) -> Iterator[int]:
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    stat = entry.stat(follow_symlinks=False)
                    yield getattr(stat, "st_blocks", stat.st_size // 512 + 1) * 512  # Windows has no blocks
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue  # gone meanwhile


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""  # gone, or not ours to read

"""Sets the kernel's own ceilings on memory and processes, by control groups of version 2 and version 1.

Groups are made only inside one that was given to Narratoria: named by NARRATORIA_CGROUP, or handed over by
systemd (`Delegate=yes`). Any other belongs to whoever made it, who counts and ends processes by it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

GIVEN_GROUP = "NARRATORIA_CGROUP"  # a group as /proc/self/cgroup names it, such as /narratoria
Controller: TypeAlias = Literal["memory", "pids"]
CONTROLLERS: tuple[Controller, ...] = ("memory", "pids")

_PREFIX = "narratoria-"  # then the runtime's process number, and a number of its own
_RUNTIME = "narratoria-runtime"  # where a runtime moves to, since version 2 keeps processes in leaves alone
_DELEGATED = ("user.delegate", "trusted.delegate")  # how systemd marks a group it has handed over
_REMOVAL_S = 1.0
_numbers = itertools.count()

# enters groups, and becomes what follows: the kernel moves a process before it can start any other
ENTER = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"'


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Describes a mounted tree of control groups, and the given group in it."""

    folder: Path  # of the given group
    controllers: frozenset[Controller]
    version: Literal[1, 2]


@dataclass(frozen=True, slots=True)
class GroupSupport:
    """Lists where groups can be made, or why they cannot."""

    hierarchies: tuple[Hierarchy, ...] = ()
    reason: str = ""

    def limits(self, controller: Controller) -> bool:
        return any(controller in hierarchy.controllers for hierarchy in self.hierarchies)


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """Holds the processes of one box below the kernel's ceilings."""

    folders: tuple[Path, ...]
    controllers: frozenset[Controller] = field(default_factory=frozenset)

    def limits(self, controller: Controller) -> bool:
        return controller in self.controllers

    @property
    def entrances(self) -> tuple[str, ...]:
        """Return the files through which a process enters."""
        return tuple(str(folder / "cgroup.procs") for folder in self.folders)

    def has_run_out_of_memory(self) -> bool:
        """Return whether the kernel has ended a process because the group was at its ceiling."""
        for folder, name in itertools.product(self.folders, ("memory.events", "memory.oom_control")):
            for line in _read(folder / name).splitlines():
                key, _, value = line.partition(" ")
                if key == "oom_kill" and value.strip() not in ("", "0"):
                    return True
        return False

    def list_processes(self) -> set[int]:
        return {int(pid) for folder in self.folders for pid in _read(folder / "cgroup.procs").split()}

    def remove(self) -> None:
        """End whoever is left in the group, and remove it; one that stays is removed by a later runtime."""
        until = time.monotonic() + _REMOVAL_S
        while not all(_remove_folder(folder) for folder in self.folders) and time.monotonic() < until:
            for pid in self.list_processes():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)


@cache
def find_group_support() -> GroupSupport:
    """Return where groups can be made on this machine; asked once, since it moves the runtime to a leaf."""
    if not Path("/proc/self/cgroup").exists():
        return GroupSupport(reason="there are no control groups on this system")
    return read_group_support(
        mounts=_read(Path("/proc/self/mountinfo")),
        own=_read(Path("/proc/self/cgroup")),
        given=os.environ.get(GIVEN_GROUP, ""),
    )


def read_group_support(*, mounts: str, own: str, given: str) -> GroupSupport:
    """Return where groups can be made, by what the kernel says of its mounts and of this process."""
    own_groups = dict(_own_groups(own))
    hierarchies: list[Hierarchy] = []
    reasons: list[str] = []
    for mounted, version, offered in _mounted(mounts):
        own_group = own_groups.get(offered[0] if version == 1 else "", "/")
        folder = _folder_of(mounted, given or own_group)
        if folder is None or not folder.is_dir():
            reasons.append(f"there is no group {given} in {mounted[0]}" if given else "")
            continue
        if not given and not (version == 2 and _is_delegated(folder)):
            continue
        try:
            is_own = folder == _folder_of(mounted, own_group)
            names = offered if version == 1 else _enable_controllers(folder, is_own=is_own)
            controllers = frozenset(name for name in CONTROLLERS if name in names)
            _try_out(folder)
        except OSError as error:
            reasons.append(f"no group can be made in {folder}: {error.strerror}")
            continue
        if controllers:
            hierarchies.append(Hierarchy(folder, controllers, version))
            _remove_abandoned(folder)
    missing = [name for name in CONTROLLERS if not any(name in one.controllers for one in hierarchies)]
    if not missing:
        return GroupSupport(tuple(hierarchies))
    told = "; ".join(reason for reason in dict.fromkeys(reasons) if reason)
    if not given:
        told = "no control group was given to Narratoria"
    return GroupSupport(tuple(hierarchies), told or f"{given} has no controller for {' and '.join(missing)}")


@contextlib.contextmanager
def make_control_group(
    support: GroupSupport, *, memory: int, processes: int
) -> Iterator[ControlGroup | None]:
    """Provide a group with these ceilings while the context lasts; none where none was given.

    OSError where one was given and cannot be made."""
    if not support.hierarchies:
        yield None
        return
    name = f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
    folders = tuple(hierarchy.folder / name for hierarchy in support.hierarchies)
    controllers = frozenset[Controller]().union(*(one.controllers for one in support.hierarchies))
    group = ControlGroup(folders, controllers)
    try:
        for hierarchy, folder in zip(support.hierarchies, folders, strict=True):
            folder.mkdir()
            for file, value in _ceilings(hierarchy, memory=memory, processes=processes):
                _write_ceiling(folder / file, value)
        yield group
    finally:
        group.remove()


def enter_groups(group: ControlGroup | None, shell: str) -> tuple[str, ...]:
    """Return what stands before a command line so that it runs in the group from its first moment."""
    return (shell, "-c", ENTER, shell, *group.entrances, "--") if group else ()


def _ceilings(hierarchy: Hierarchy, *, memory: int, processes: int) -> Iterator[tuple[str, str]]:
    if "memory" in hierarchy.controllers and hierarchy.version == 2:
        yield "memory.max", str(memory)
        yield "memory.swap.max", "0"
        yield "memory.oom.group", "1"
    elif "memory" in hierarchy.controllers:
        yield "memory.limit_in_bytes", str(memory)
        yield "memory.memsw.limit_in_bytes", str(memory)
    if "pids" in hierarchy.controllers:
        yield "pids.max", str(processes)


def _write_ceiling(file: Path, value: str) -> None:
    is_optional = "sw" in file.name or "oom" in file.name  # a kernel without swap has no files for it
    try:
        with file.open("w") as ceiling:
            ceiling.write(value)
    except OSError:
        if not is_optional:
            raise


def _mounted(mounts: str) -> Iterator[tuple[tuple[Path, str], Literal[1, 2], tuple[str, ...]]]:
    """Yield where each hierarchy is mounted with its root there, its version, and its controllers."""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or not kind or not kind[0].startswith("cgroup"):
            continue
        mounted = (Path(fields[4]), fields[3])
        if kind[0] == "cgroup2":
            yield mounted, 2, ()
        elif names := tuple(name for name in kind[-1].split(",") if name in CONTROLLERS):
            yield mounted, 1, names


def _own_groups(own: str) -> Iterator[tuple[str, str]]:
    """Yield a controller, or nothing for version 2, and the group that this process is in."""
    for line in own.splitlines():
        _, names, group = line.split(":", 2)
        for name in names.split(","):
            yield name, group


def _folder_of(mounted: tuple[Path, str], group: str) -> Path | None:
    """Return the folder of a group; None for one that is not below what is mounted."""
    place, root = mounted
    if ".." in Path(group).parts or not group.startswith("/"):
        return None
    if root != "/":
        if not Path(group).is_relative_to(root):
            return None
        group = f"/{Path(group).relative_to(root)}"
    return place / group.lstrip("/")


def _is_delegated(folder: Path) -> bool:
    if sys.platform == "linux":
        for name in _DELEGATED:
            with contextlib.suppress(OSError):
                if os.getxattr(folder, name) == b"1":
                    return True
    return False


def _enable_controllers(folder: Path, *, is_own: bool) -> tuple[str, ...]:
    """Return the controllers that groups inside this one have, after having asked for what is missing."""
    offered = _read(folder / "cgroup.controllers").split()
    missing = set(CONTROLLERS) & set(offered) - set(_read(folder / "cgroup.subtree_control").split())
    if missing:
        if is_own:
            leaf = folder / _RUNTIME
            leaf.mkdir(exist_ok=True)
            for pid in _read(folder / "cgroup.procs").split():
                with contextlib.suppress(ProcessLookupError):
                    _write(leaf / "cgroup.procs", pid)
        _write(folder / "cgroup.subtree_control", " ".join(f"+{name}" for name in sorted(missing)))
    return tuple(_read(folder / "cgroup.subtree_control").replace("+", "").split())


def _try_out(folder: Path) -> None:
    trial = folder / f"{_PREFIX}{os.getpid()}-trial"
    trial.mkdir()
    trial.rmdir()


def _remove_abandoned(folder: Path) -> None:
    """Remove the groups of runtimes that were killed; whoever was in them has ended with them."""
    for group in folder.glob(f"{_PREFIX}[0-9]*-*"):
        pid = group.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path(f"/proc/{pid}").exists():
            ControlGroup((group,)).remove()


def _remove_folder(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _write(file: Path, text: str) -> None:
    with file.open("w") as control:
        control.write(text)

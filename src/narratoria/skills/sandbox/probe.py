"""Finds out, once and by trying, which kinds of sandbox work on this machine."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from narratoria.protocol.command import Command
from narratoria.protocol.control_groups import GIVEN_GROUP, GroupSupport, find_group_support
from narratoria.protocol.process_limits import MIB, RESERVE
from narratoria.skills.permissions import NOTHING
from narratoria.skills.sandbox import backends
from narratoria.skills.sandbox.backends import Backend, program, wrap_command
from narratoria.skills.sandbox.policy import Resources, build_policy
from narratoria.skills.sandbox.seccomp import seccomp_supported

_ORDER: dict[str, tuple[Backend, ...]] = {
    "linux": ("bubblewrap", "namespaces", "landlock", "plain"),
    "darwin": ("seatbelt", "plain"),
    "win32": ("job",),
}


@dataclass(frozen=True, slots=True)
class SandboxGuarantee:
    """One thing a box may hold, and whether this one does."""

    what: str
    held: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class SandboxSupport:
    """Lists the backends that work here, best first, and why the others do not."""

    backends: tuple[Backend, ...]
    reasons: dict[Backend, str]  # why not
    landlock: int = 0
    seccomp: bool = False
    root: bool = False
    groups: GroupSupport = field(default_factory=GroupSupport)

    @property
    def best(self) -> Backend:
        return self.backends[0]

    @property
    def isolates(self) -> bool:
        """Return whether files, network and other processes are kept from a tool at all."""
        return self.best in ("bubblewrap", "namespaces", "landlock", "seatbelt")

    @property
    def keeps_to_hosts(self) -> bool:
        """Return whether a tool can be kept to the hosts that it was granted."""
        return self.best in ("bubblewrap", "namespaces")

    def guarantees(self, backend: Backend | None = None) -> tuple[SandboxGuarantee, ...]:
        return tuple(_guarantees(backend or self.best, self))

    def advice(self) -> str:
        """Tell the user how to get more isolation; empty where there is no more to get."""
        if self.best in ("bubblewrap", "namespaces"):
            return ""
        if self.backends[-1] == "plain" and "landlock" in (*self.backends, *self.reasons):
            return (
                "install bubblewrap (Debian, Ubuntu: sudo apt install bubblewrap; Fedora: sudo dnf install "
                "bubblewrap), or allow unprivileged user namespaces"
            )
        if self.best == "job":
            return "run Narratoria inside WSL 2, where skills are kept in a box"
        return "install only skills that you trust"

    def ceilings_advice(self) -> str:
        """Tell the user how to get the kernel's own ceilings; empty where they are there, or cannot be."""
        if sys.platform != "linux" or (self.groups.limits("memory") and self.groups.limits("pids")):
            return ""
        return (
            "start Narratoria by `systemd-run --user --scope -p Delegate=yes narratoria …`, or name a "
            f"control group that it may use in {GIVEN_GROUP}"
        )


@cache
def probe() -> SandboxSupport:
    """Asked once; the answer holds for the life of the runtime."""
    works: list[Backend] = []
    reasons: dict[Backend, str] = {}
    for backend in _ORDER.get(sys.platform, ("plain",)):
        reason = _why_not(backend)
        if reason:
            reasons[backend] = reason
        else:
            works.append(backend)
    root = os.name == "posix" and os.geteuid() == 0
    return SandboxSupport(
        tuple(works) or ("plain",),
        reasons,
        backends.landlock_abi(),
        _has_seccomp(),
        root,
        find_group_support(),
    )


def _why_not(backend: Backend) -> str:
    if backend in ("job", "plain"):
        return ""
    if reason := _missing(backend):
        return reason
    with tempfile.TemporaryDirectory(prefix="narratoria-") as folder:
        home = Path(folder).resolve()
        command = Command((program("true"),), cwd=home)
        place = build_policy(command, NOTHING, home=home, read_only=(), writable=())
        try:
            with wrap_command(backend, command, place, Resources()) as wrapped:
                tried = subprocess.run(
                    wrapped.argv,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=20,
                    check=False,
                    cwd=home,
                    env=wrapped.environment(),
                    pass_fds=wrapped.pass_fds,
                )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    error_lines = tried.stderr.decode(errors="replace").strip().splitlines()
    if tried.returncode:
        return error_lines[-1] if error_lines else f"a trial run ended with exit code {tried.returncode}"
    return ""


def _missing(backend: Backend) -> str:
    if backend == "seatbelt":
        return "" if Path(backends.SANDBOX_EXEC).exists() else f"{backends.SANDBOX_EXEC} is not there"
    if not _has_seccomp():
        return "the kernel has no seccomp, or its system calls on this machine are not known here"
    if backend == "landlock" and not backends.landlock_abi():
        return "the kernel has no Landlock (Linux 5.13 or newer, and `landlock` among its security modules)"
    if backend == "bubblewrap":
        absent = [name for name in ("bwrap", "env", "prlimit") if not Path(program(name)).is_absolute()]
        return f"not installed: {', '.join(absent)}" if absent else ""
    return ""


def _has_seccomp() -> bool:
    return sys.platform == "linux" and Path("/proc/sys/kernel/seccomp").exists() and seccomp_supported()


def _guarantees(backend: Backend, machine: SandboxSupport) -> Iterator[SandboxGuarantee]:
    full = backend in ("bubblewrap", "namespaces")
    boxed = full or backend in ("landlock", "seatbelt")
    yield SandboxGuarantee(
        "files of the user and of other skills are out of reach", boxed, _names_note(backend)
    )
    yield SandboxGuarantee("no network unless granted, and no sockets of other programs", boxed)
    yield SandboxGuarantee(
        "a skill that was granted some hosts reaches no others", boxed, "" if full else "nor those hosts"
    )
    yield SandboxGuarantee(
        "other programs cannot be signalled or looked into", boxed, _signals_note(backend, machine)
    )
    yield SandboxGuarantee("the environment holds no secrets of the user", True)
    outlives = full or backend in ("landlock", "job")
    yield SandboxGuarantee(
        "nothing a tool starts outlives it, or Narratoria", outlives, _ending_note(backend)
    )
    yield SandboxGuarantee("/tmp is private", True, "" if full else "a folder of its own, named by TMPDIR")
    counted = backend != "seatbelt" and (sys.platform != "darwin")
    by_kernel = backend == "job" or machine.groups.limits("pids") or (full and not machine.root)
    note = "by the kernel" if by_kernel else "counted five times a second, then stopped"
    yield SandboxGuarantee("the number of processes is limited", counted, note if counted else "")
    yield SandboxGuarantee("the memory of each process is limited by the kernel", counted)
    memory_by_kernel = backend == "job" or machine.groups.limits("memory")
    yield SandboxGuarantee(
        "the memory of all processes together is limited by the kernel",
        memory_by_kernel,
        "" if memory_by_kernel else _memory_note(machine),
    )
    yield SandboxGuarantee("the size of each file is limited by the kernel", True)
    yield SandboxGuarantee("the disk that all files use together is limited by the kernel", False, _DISK_NOTE)


_DISK_NOTE = (
    "an ordinary user can set no quota; it is counted five times a second, with what hides from sight, and a "
    f"tool is stopped before less than {RESERVE // MIB} MiB of the disk are left"
)


def _memory_note(machine: SandboxSupport) -> str:
    reason = f"{machine.groups.reason}; " if machine.groups.reason else ""
    return (
        f"{reason}it is counted five times a second, memory that no process has mapped is refused, and what "
        "the kernel holds in pipes and sockets is not counted"
    )


def _names_note(backend: Backend) -> str:
    return "that a file exists, and its size, can be seen" if backend == "landlock" else ""


def _signals_note(backend: Backend, machine: SandboxSupport) -> str:
    if backend == "landlock" and machine.landlock < backends.LANDLOCK_WATCHES_SIGNALS:
        return "nor can a tool signal the programs that it started itself"
    return ""


def _ending_note(backend: Backend) -> str:
    if backend in ("plain", "seatbelt"):
        return "a program that leaves its session, empties its environment and closes its pipes is not found"
    return ""


def machine() -> str:
    """Return the machine in a few words."""
    return f"{platform.system()} {platform.release()} ({platform.machine()})"

"""Wraps a command in a sandbox, with each of the backends a machine may offer.

The profile of macOS is made from its documentation and not tested on a Mac yet.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

from narratoria import paths
from narratoria.protocol.command import Command
from narratoria.protocol.control_groups import enter_groups, find_group_support, make_control_group
from narratoria.protocol.process_limits import ProcessTreeLimits
from narratoria.skills.sandbox.network_proxy import enter_proxy, open_proxy
from narratoria.skills.sandbox.policy import (
    DEVICE_LINKS,
    DEVICES,
    ZEROES,
    Resources,
    SandboxPolicy,
    clean_environment,
)
from narratoria.skills.sandbox.seccomp import seccomp_program

LANDLOCK_WATCHES_TRUNCATE, LANDLOCK_WATCHES_SIGNALS = 3, 6  # the versions that brought it

_SYS_CREATE_RULESET, _ASK_VERSION = 444, 1


@cache
def landlock_abi() -> int:
    """Return the version, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(ctypes.c_long(_SYS_CREATE_RULESET), None, ctypes.c_long(0), _ASK_VERSION)))


SANDBOX_EXEC = "/usr/bin/sandbox-exec"

_ALWAYS = """(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (subpath "/System") (subpath "/Library/Frameworks") (subpath "/private/var/db/dyld"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/urandom"))
(allow file-read* (literal "/dev/random") (literal "/"))
"""


def seatbelt_profile(place: SandboxPolicy) -> str:
    """Everything denied but what the place shows, and the network where it was granted."""
    lines = [f"(allow file-read* (subpath {_quoted(path)}))" for path in place.read_only]
    lines += [f"(allow file-read* file-write* (subpath {_quoted(path)}))" for path in place.writable]
    if place.network:
        lines.append('(allow network-outbound (remote ip "*:*"))')
        lines.append('(allow mach-lookup (global-name "com.apple.mDNSResponder"))')
    return _ALWAYS + "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


Backend = Literal["bubblewrap", "namespaces", "landlock", "seatbelt", "job", "plain"]

_LAUNCHER = Path(__file__).parent / "inside"
# bubblewrap would end at a signal that is meant for the tool; ignored signals stay ignored in what it starts,
# so they are set back inside
_LAUNCHING_PROCESSES = 3  # that stand beside the tool, and are in its control group
_FOR_THE_TOOL = "HUP,INT,QUIT,TERM,ALRM,USR1,USR2"


@contextlib.contextmanager
def wrap_command(
    backend: Backend, command: Command, place: SandboxPolicy, resources: Resources
) -> Iterator[Command]:
    """Provide the command that runs this one in its box, while the context lasts."""
    with contextlib.ExitStack() as stack:
        ceilings = make_control_group(
            find_group_support(),
            memory=resources.tree_memory,
            processes=resources.processes + _LAUNCHING_PROCESSES,
        )
        try:
            group = stack.enter_context(ceilings)
        except OSError as error:  # it would run without the ceilings that were promised
            yield replace(command, obstacle=f"no box: its control group could not be made: {error}")
            return
        counts_all_memory = group is not None and group.limits("memory")
        private_tmp = private_network = backend in ("bubblewrap", "namespaces")
        temporary = "/tmp" if private_tmp else stack.enter_context(_scratch())
        if not private_tmp:
            place = replace(place, writable=(*place.writable, temporary))
        passed = command.pass_fds
        if not private_network:
            place = replace(place, hosts=())  # nothing there could keep a tool to some hosts
        proxy: tuple[str, ...] = ()
        if place.hosts:
            handed_over = stack.enter_context(open_proxy(place.hosts))
            passed, proxy = (*passed, handed_over), enter_proxy(handed_over)
        match backend:
            case "bubblewrap":
                filtered = _memfd(
                    stack, seccomp_program(network=_has_sockets(place), counts_all_memory=counts_all_memory)
                )
                passed = (*passed, filtered)
                argv = _bubblewrap(place, resources, filtered)
            case "seatbelt":
                argv = (
                    SANDBOX_EXEC,
                    "-p",
                    seatbelt_profile(place),
                    *_launcher("plain", place, resources, counts_all_memory),
                )
            case "job":
                argv = ()
            case _:
                argv = _launcher(backend, place, resources, counts_all_memory)
        yield replace(
            command,
            argv=(*enter_groups(group, program("sh")), *argv, *proxy, *command.argv),
            env=clean_environment(place, temporary, command.env),
            inherit_env=False,
            pass_fds=passed,
            shell_codes=backend == "bubblewrap",
            tree_limits=ProcessTreeLimits(
                processes=resources.processes,
                memory=resources.tree_memory,
                disk=resources.disk,
                folders=tuple(map(Path, place.writable)),
                is_contained=private_tmp,  # both have a process table of their own
                group=group,
            ),
        )


def _has_sockets(place: SandboxPolicy) -> bool:
    return place.network or bool(place.hosts)


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    path = tempfile.mkdtemp(prefix="narratoria-")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _memfd(stack: contextlib.ExitStack, content: bytes) -> int:
    assert sys.platform == "linux"
    fd = os.memfd_create("filter")
    stack.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _bubblewrap(place: SandboxPolicy, resources: Resources, filtered: int) -> tuple[str, ...]:
    binds: list[tuple[str, tuple[str, ...]]] = []
    binds += [(path, ("--ro-bind", path, path)) for path in place.read_only]
    binds += [(path, ("--bind", path, path)) for path in place.writable]
    binds.append(("/tmp", ("--size", str(resources.temporary), "--tmpfs", "/tmp")))
    links = (part for at, target in place.links.items() for part in ("--symlink", target, at))
    outer_first = sorted(binds, key=lambda bind: bind[0].count("/"))
    return (
        program("env"),
        f"--ignore-signal={_FOR_THE_TOOL}",
        program("bwrap"),
        "--unshare-all",
        *(("--share-net",) if place.network else ()),
        "--die-with-parent",
        *("--cap-drop", "ALL"),
        *links,
        *(part for _, bind in outer_first for part in bind),
        *("--proc", "/proc", "--remount-ro", "/proc"),  # root could write the kernel's settings there
        *("--dev", "/dev", "--dev-bind", ZEROES, "/dev/zero"),
        *("--size", str(resources.temporary), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),
        *("--remount-ro", "/", "--chdir", place.cwd, "--seccomp", str(filtered), "--"),
        *(program("env"), f"--default-signal={_FOR_THE_TOOL}"),
        program("prlimit"),
        *(f"--{name}={value}" for name, value in _limits(resources).items()),
        "--",
    )


def _launcher(
    backend: Backend, place: SandboxPolicy, resources: Resources, counts_all_memory: bool
) -> tuple[str, ...]:
    import resource

    code = f"import sys; sys.path.append({str(_LAUNCHER)!r}); import launcher; launcher.main(sys.argv[1:])"
    limits = _limits(resources)
    if backend != "namespaces":
        del limits["nproc"]  # there the kernel would count all processes of the user
    spec = [f"mode={backend}", f"runtime={os.getpid()}", f"cwd={place.cwd}"]
    spec += (f"limit={getattr(resource, f'RLIMIT_{name.upper()}')}:{value}" for name, value in limits.items())
    if backend != "plain":
        spec += (f"ro={path}" for path in place.read_only)
        spec += (f"rw={path}" for path in place.writable)
        spec += (f"dev={path}" for path in DEVICES)
        spec.append(f"zeroes={ZEROES}")
        spec += ("network=1",) if place.network else ("loopback=1",) if place.hosts else ()
        spec.append(f"filter={_filter(backend, _has_sockets(place), counts_all_memory)}")
    if backend == "landlock":
        # an interpreter looks for packages by listing the folder they are in
        spec += (f"abi={landlock_abi()}", f"list={paths.PACKAGE.parent}")
    if backend == "namespaces":
        spec += (f"link={at}:{target}" for at, target in {**place.links, **DEVICE_LINKS}.items())
        spec += (f"tmpfs={path}:{resources.temporary}" for path in ("/tmp", "/dev/shm"))
    return (sys.executable, "-I", "-S", "-c", code, *spec, "--")


@cache
def _filter(backend: Backend, network: bool, counts_all_memory: bool) -> str:
    is_outside = backend == "landlock"
    return seccomp_program(
        network=network,
        outside=is_outside,
        truncates=not is_outside or landlock_abi() >= LANDLOCK_WATCHES_TRUNCATE,
        counts_all_memory=counts_all_memory,
    ).hex()


def _limits(resources: Resources) -> dict[str, int]:
    return {
        "nproc": resources.processes,
        "data": resources.memory,  # not the address space: runtimes reserve far more of it than they use
        "fsize": resources.file_size,
        "nofile": resources.open_files,
        "core": 0,
    }


@cache
def program(name: str) -> str:
    return shutil.which(name) or name

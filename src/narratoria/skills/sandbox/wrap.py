"""Wraps a command in a sandbox, with each of the backends a machine may offer."""

from __future__ import annotations

import contextlib
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
from narratoria.protocol.process_limits import ProcessTreeLimits
from narratoria.skills.sandbox import linux, macos
from narratoria.skills.sandbox.policy import (
    DEVICE_LINKS,
    DEVICES,
    Resources,
    SandboxPolicy,
    clean_environment,
)

Backend = Literal["bubblewrap", "namespaces", "landlock", "seatbelt", "job", "plain"]

_LAUNCHER = Path(__file__).parent / "inside"
# bubblewrap would end at a signal that is meant for the tool; ignored signals stay ignored in what it starts,
# so they are set back inside
_FOR_THE_TOOL = "HUP,INT,QUIT,TERM,ALRM,USR1,USR2"


@contextlib.contextmanager
def wrap_command(
    backend: Backend, command: Command, place: SandboxPolicy, resources: Resources
) -> Iterator[Command]:
    """Provide the command that runs this one in its box, while the context lasts."""
    with contextlib.ExitStack() as stack:
        private_tmp = backend in ("bubblewrap", "namespaces")
        temporary = "/tmp" if private_tmp else stack.enter_context(_scratch())
        if not private_tmp:
            place = replace(place, writable=(*place.writable, temporary))
        passed = command.pass_fds
        match backend:
            case "bubblewrap":
                filtered = _memfd(stack, linux.seccomp_program(network=place.network))
                passed = (*passed, filtered)
                argv = _bubblewrap(place, resources, filtered)
            case "seatbelt":
                argv = (
                    macos.SANDBOX_EXEC,
                    "-p",
                    macos.seatbelt_profile(place),
                    *_launcher("plain", place, resources),
                )
            case "job":
                argv = ()
            case _:
                argv = _launcher(backend, place, resources)
        yield replace(
            command,
            argv=(*argv, *command.argv),
            env=clean_environment(place, temporary, command.env),
            inherit_env=False,
            pass_fds=passed,
            shell_codes=backend == "bubblewrap",
            tree_limits=ProcessTreeLimits(
                processes=resources.processes,
                memory=resources.tree_memory,
                disk=resources.disk,
                folders=tuple(map(Path, place.writable)),
            ),
        )


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
        *("--dev", "/dev"),
        *("--size", str(resources.temporary), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),
        *("--remount-ro", "/", "--chdir", place.cwd, "--seccomp", str(filtered), "--"),
        *(program("env"), f"--default-signal={_FOR_THE_TOOL}"),
        program("prlimit"),
        *(f"--{name}={value}" for name, value in _limits(resources).items()),
        "--",
    )


def _launcher(backend: Backend, place: SandboxPolicy, resources: Resources) -> tuple[str, ...]:
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
        spec += ("network=1",) if place.network else ()
        spec.append(f"filter={_filter(backend, place.network)}")
    if backend == "landlock":
        # an interpreter looks for packages by listing the folder they are in
        spec += (f"abi={linux.landlock_abi()}", f"list={paths.PACKAGE.parent}")
    if backend == "namespaces":
        spec += (f"link={at}:{target}" for at, target in {**place.links, **DEVICE_LINKS}.items())
        spec += (f"tmpfs={path}:{resources.temporary}" for path in ("/tmp", "/dev/shm"))
    return (sys.executable, "-I", "-S", "-c", code, *spec, "--")


@cache
def _filter(backend: Backend, network: bool) -> str:
    if backend == "namespaces":
        return linux.seccomp_program(network=network).hex()
    return linux.seccomp_program(
        network=network, outside=True, truncates=linux.landlock_abi() >= linux.LANDLOCK_WATCHES_TRUNCATE
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

"""Wraps a command in a sandbox, with each of the backends a machine may offer.

The seccomp filter of Linux forbids a list of calls and allows everything else, so that tools in any
language keep working. A refused call fails with an error code that the tool can report.
The profile of macOS is made from its documentation and not tested on a Mac yet.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import shutil
import struct
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
from narratoria.skills.sandbox.policy import (
    DEVICE_LINKS,
    DEVICES,
    Resources,
    SandboxPolicy,
    clean_environment,
)

# the kernel's number for the machine, and the column of its system calls below
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "arm64": (0xC00000B7, 1)}
_ABSENT = -1

# name: (number on x86_64, number on aarch64)
_SYSCALLS = {
    # into the memory and the descriptors of other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # other namespaces, other mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # into the kernel
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    # looked at more closely, or answered in a special way
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "clone": (56, 220),
    "clone3": (435, 435),
    "socket": (41, 198),
    "ioctl": (16, 29),
    "prlimit64": (302, 261),
    # where there are no namespaces
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "chmod": (90, _ABSENT),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, _ABSENT),
    "fchown": (93, 55),
    "lchown": (94, _ABSENT),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "truncate": (76, 45),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
}
_names = list(_SYSCALLS)
_FORBIDDEN = _names[: _names.index("io_uring_setup")]
# Landlock does not see these, and they would reach the user's other processes and files
_OUTSIDE_FORBIDDEN = [*_names[_names.index("shmget") :], "chown", "fchown", "lchown", "fchownat"]
_OUTSIDE_UNSUPPORTED = [name for name in _names if "xattr" in name]
# answered with success, and nothing done: whatever the tool starts stays in the process group that is ended
_OUTSIDE_PRETENDED = ["setsid", "setpgid", "chmod", "fchmod", "fchmodat", "fchmodat2"]

_NEW_NAMESPACES = 0x7E020000
_AF_INET, _AF_INET6 = 2, 10
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # to put words into a terminal's mouth
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH, _ARGUMENT = 0, 4, 16


def seccomp_supported() -> bool:
    """Return whether this machine's system calls are known here."""
    return platform.machine() in _MACHINES and struct.pack("=H", 1) == b"\x01\x00"


def seccomp_program(*, network: bool, outside: bool = False, truncates: bool = True) -> bytes:
    """Return the filter, as the kernel takes it. `outside`: the tool has no namespaces of its own.

    `truncates` is False where Landlock does not watch over truncate.
    """
    arch, column = _MACHINES[platform.machine()]
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, arch),
        _refuse(errno.EPERM),  # another machine's system calls have other numbers
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        code += [(_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS)]
    for name, answer in _answers(network=network, outside=outside, truncates=truncates):
        number = _SYSCALLS[name][column]
        if number != _ABSENT:
            code += [(_EQUAL, 0, len(answer), number), *answer]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _answers(
    *, network: bool, outside: bool, truncates: bool
) -> Iterator[tuple[str, list[tuple[int, int, int, int]]]]:
    for name in _FORBIDDEN:
        yield name, [_refuse(errno.EPERM)]
    for name in ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"):
        yield name, [_refuse(errno.ENOSYS)]  # callers go back to the plain calls, which can be looked into
    yield "clone", [_argument(0), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), _refuse(errno.EPERM), _allow()]
    # Unix sockets never: a name in a shared folder or in the abstract would reach the user's other programs.
    # A pair of connected ones and those that were handed over are made by other calls, and work.
    families = [_AF_INET, _AF_INET6] if network else []
    allowed_families = [(_EQUAL, len(families) - index, 0, family) for index, family in enumerate(families)]
    yield "socket", [_argument(0), *allowed_families, _refuse(errno.EACCES), _allow()]
    ioctl = [(_EQUAL, 1, 0, _TIOCSTI), (_EQUAL, 0, 1, _TIOCLINUX), _refuse(errno.EPERM), _allow()]
    yield "ioctl", [_argument(1), *ioctl]
    yield "prlimit64", [_argument(0), (_EQUAL, 1, 0, 0), _refuse(errno.EPERM), _allow()]  # its own alone
    if not outside:
        return
    for name in _OUTSIDE_FORBIDDEN:
        yield name, [_refuse(errno.EPERM)]
    for name in _OUTSIDE_UNSUPPORTED:
        yield name, [_refuse(errno.ENOTSUP)]
    for name in _OUTSIDE_PRETENDED:
        yield name, [_refuse(0)]
    if not truncates:
        yield "truncate", [_refuse(errno.EPERM)]


def _argument(index: int) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, _ARGUMENT + 8 * index)  # its lower half: none of these is wider


def _refuse(code: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ERRNO | code)


def _allow() -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ALLOW)


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
                filtered = _memfd(stack, seccomp_program(network=place.network))
                passed = (*passed, filtered)
                argv = _bubblewrap(place, resources, filtered)
            case "seatbelt":
                argv = (
                    SANDBOX_EXEC,
                    "-p",
                    seatbelt_profile(place),
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
                is_contained=private_tmp,  # both have a process table of their own
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
        spec += (f"abi={landlock_abi()}", f"list={paths.PACKAGE.parent}")
    if backend == "namespaces":
        spec += (f"link={at}:{target}" for at, target in {**place.links, **DEVICE_LINKS}.items())
        spec += (f"tmpfs={path}:{resources.temporary}" for path in ("/tmp", "/dev/shm"))
    return (sys.executable, "-I", "-S", "-c", code, *spec, "--")


@cache
def _filter(backend: Backend, network: bool) -> str:
    if backend == "namespaces":
        return seccomp_program(network=network).hex()
    return seccomp_program(
        network=network, outside=True, truncates=landlock_abi() >= LANDLOCK_WATCHES_TRUNCATE
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

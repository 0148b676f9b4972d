"""Asks the Linux kernel for its sandboxing features: the seccomp filter, and the version of Landlock.

Everything else is allowed: a list of what is forbidden keeps working with tools in any language. A refused
call fails with an error code, so that a tool can say what it was not allowed to do.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Iterator
from functools import cache

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

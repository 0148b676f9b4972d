"""Writes the seccomp filter of a box: the system calls that the kernel refuses a tool on Linux.

The filter forbids a list of calls and allows everything else, so that tools in any language keep working. A
refused call fails with an error code that the tool can report.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator

# the kernel's number for the machine, and the column of its system calls below
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "arm64": (0xC00000B7, 1)}
_ABSENT = -1

# Each table: name: (number on x86_64, number on aarch64).
_FORBIDDEN = {
    # into the memory and the descriptors of other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
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
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "fanotify_init": (300, 262),
}
# callers go back to the plain calls, which can be looked into
_UNKNOWN = {
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "clone3": (435, 435),
}
# memory that no process need have mapped, so that only the kernel's own ceiling counts it
_UNCOUNTED = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
}
_EXAMINED = {
    "clone": (56, 220),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
    "prlimit64": (302, 261),
    "prctl": (157, 167),
    "mmap": (9, 222),
}
# Landlock does not see these, and they would reach the user's other processes and files
_OUTSIDE_FORBIDDEN = {
    "shmget": (29, 194),
    "shmat": (30, 196),  # by its number, without having asked for it by name
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "inotify_add_watch": (254, 27),  # tells when the user opens, writes or removes a file
    "chown": (92, _ABSENT),
    "fchown": (93, 55),
    "lchown": (94, _ABSENT),
    "fchownat": (260, 54),
}
_OUTSIDE_UNSUPPORTED = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "getxattrat": (464, 464),
    "listxattrat": (465, 465),
    "removexattrat": (466, 466),
    "file_getattr": (468, 468),
    "file_setattr": (469, 469),
}
# answered with success, and nothing done: whatever the tool starts stays in the process group that is ended,
# and whose modes and times a path belongs to cannot be seen here
_OUTSIDE_PRETENDED = {
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "chmod": (90, _ABSENT),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "utime": (132, _ABSENT),
    "utimes": (235, _ABSENT),
    "futimesat": (261, _ABSENT),
}
_SET_TIMES = {"utimensat": (280, 88)}
_TRUNCATE = {"truncate": (76, 45)}
_SYSCALLS = {
    **_FORBIDDEN,
    **_UNKNOWN,
    **_UNCOUNTED,
    **_EXAMINED,
    **_OUTSIDE_FORBIDDEN,
    **_OUTSIDE_UNSUPPORTED,
    **_OUTSIDE_PRETENDED,
    **_SET_TIMES,
    **_TRUNCATE,
}

_NEW_NAMESPACES = 0x7E020000
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_TYPES = 1, 5, 0xF
_MAP_TYPES, _MAP_SHARED, _MAP_SHARED_VALIDATE, _MAP_ANONYMOUS = 0x0F, 0x01, 0x03, 0x20
_X32 = 0x40000000
_PR_SET_DUMPABLE = 4
_REFUSED_IOCTLS = (
    *(0x5412, 0x541C),  # TIOCSTI, TIOCLINUX: they put words into a terminal's mouth
    *(0x8901, 0x8902),  # FIOSETOWN, SIOCSPGRP: another process would be sent a signal by the kernel
    *(0x40086602, 0x401C5820),  # FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR: the attributes of files it may only read
)
_REFUSED_FCNTLS = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: the same, by another call

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH, _ARGUMENT = 0, 4, 16

Instruction = tuple[int, int, int, int]


def seccomp_supported() -> bool:
    """Return whether this machine's system calls are known here."""
    return platform.machine() in _MACHINES and struct.pack("=H", 1) == b"\x01\x00"


def seccomp_program(
    *, network: bool, outside: bool = False, truncates: bool = True, counts_all_memory: bool = False
) -> bytes:
    """Return the filter, as the kernel takes it. `outside`: the tool has no namespaces of its own.

    `truncates` is False where Landlock does not watch over truncate; `counts_all_memory` is True where the
    kernel's own ceiling counts memory that no process has mapped.
    """
    arch, column = _MACHINES[platform.machine()]
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, arch),
        _refuse(errno.EPERM),  # another machine's system calls have other numbers
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        code += [(_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS)]
    answers = _answers(
        network=network, outside=outside, truncates=truncates, counts_all_memory=counts_all_memory
    )
    for name, answer in answers:
        number = _SYSCALLS[name][column]
        if number != _ABSENT:
            code += [(_EQUAL, 0, len(answer), number), *answer]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _answers(
    *, network: bool, outside: bool, truncates: bool, counts_all_memory: bool
) -> Iterator[tuple[str, list[Instruction]]]:
    for name in _FORBIDDEN:
        yield name, [_refuse(errno.EPERM)]
    for name in _UNKNOWN:
        yield name, [_refuse(errno.ENOSYS)]
    if not counts_all_memory:
        for name in _UNCOUNTED:
            yield name, [_refuse(errno.ENOSYS)]
        yield "mmap", _refuse_shared_anonymous()
    yield "clone", [_argument(0), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), _refuse(errno.EPERM), _allow()]
    # Unix sockets never: a name in a shared folder or in the abstract would reach the user's other programs.
    # A pair of connected ones and those that were handed over are made by other calls, and work.
    yield "socket", [_argument(0), *_allow_only((_AF_INET, _AF_INET6) if network else (), errno.EACCES)]
    # a pair for datagrams could send to any name all the same; the others stay with each other
    pair = [
        _argument(1),
        (_AND, 0, 0, _SOCK_TYPES),
        *_allow_only((_SOCK_STREAM, _SOCK_SEQPACKET), errno.EACCES),
    ]
    yield "socketpair", [_argument(0), (_EQUAL, 1, 0, _AF_UNIX), _refuse(errno.EACCES), *pair]
    yield "ioctl", [_argument(1), *_refuse_only(_REFUSED_IOCTLS)]
    yield "fcntl", [_argument(1), *_refuse_only(_REFUSED_FCNTLS)]
    # a process that nobody may look into cannot be counted
    yield "prctl", [_argument(0), (_EQUAL, 0, 1, _PR_SET_DUMPABLE), _refuse(0), _allow()]
    yield "prlimit64", [_argument(0), *_allow_only((0,), errno.EPERM)]  # its own alone
    if not outside:
        return
    for name in _OUTSIDE_FORBIDDEN:
        yield name, [_refuse(errno.EPERM)]
    for name in _OUTSIDE_UNSUPPORTED:
        yield name, [_refuse(errno.ENOTSUP)]
    for name in _OUTSIDE_PRETENDED:
        yield name, [_refuse(0)]
    yield "utimensat", _pretend_times()
    if not truncates:
        yield "truncate", [_refuse(errno.EPERM)]


def _refuse_shared_anonymous() -> list[Instruction]:
    """Memory that is shared and has no file keeps its pages when it is unmapped in part."""
    return [
        _argument(3),
        (_ANY_BIT, 0, 4, _MAP_ANONYMOUS),
        (_AND, 0, 0, _MAP_TYPES),
        (_EQUAL, 1, 0, _MAP_SHARED),
        (_EQUAL, 0, 1, _MAP_SHARED_VALIDATE),
        _refuse(errno.ENOMEM),
        _allow(),
    ]


def _pretend_times() -> list[Instruction]:
    """Pretended too, but for "now" on a path: whoever is told that it worked takes the file for there."""
    return [
        _argument(2),
        (_EQUAL, 0, 2, 0),
        _argument(1),
        (_EQUAL, 0, 1, 0),
        _refuse(0),
        _refuse(errno.EPERM),
    ]


def _allow_only(values: tuple[int, ...], otherwise: int) -> list[Instruction]:
    compare = [(_EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)]
    return [*compare, _refuse(otherwise), _allow()]


def _refuse_only(values: tuple[int, ...]) -> list[Instruction]:
    last = len(values) - 1
    compare = [(_EQUAL, last - index, 0 if index < last else 1, value) for index, value in enumerate(values)]
    return [*compare, _refuse(errno.EPERM), _allow()]


def _argument(index: int) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENT + 8 * index)  # its lower half: none of these is wider


def _refuse(code: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | code)


def _allow() -> Instruction:
    return (_RETURN, 0, 0, _ALLOW)

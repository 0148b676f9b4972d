"""The filter, run as the kernel runs it: what it answers to a call with these arguments."""

from __future__ import annotations

import errno
import platform
import struct
from typing import Any

import pytest

from narratoria.skills.sandbox import seccomp
from narratoria.skills.sandbox.seccomp import seccomp_program, seccomp_supported

pytestmark = pytest.mark.skipif(not seccomp_supported(), reason="no calls of this machine are known")

ALLOWED = None


def answer(
    program: bytes, name: str, *arguments: int, arch: int | None = None, number: int | None = None
) -> Any:
    """The error code that the filter answers with; None where it lets the call pass."""
    machine, column = seccomp._MACHINES[platform.machine()]
    if number is None:
        number = seccomp._SYSCALLS[name][column]
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, machine if arch is None else arch, 0, *padded)
    code = list(struct.iter_unpack("=HBBI", program))
    at = accumulator = 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x54:
                accumulator &= value
            case 0x15:
                at += yes if accumulator == value else no
            case 0x35:
                at += yes if accumulator >= value else no
            case 0x45:
                at += yes if accumulator & value else no
            case 0x06:
                return ALLOWED if value == 0x7FFF0000 else value & 0xFFFF
            case _:
                raise AssertionError(operation)


INSIDE = seccomp_program(network=False) if seccomp_supported() else b""
NETWORK = seccomp_program(network=True) if seccomp_supported() else b""
OUTSIDE = seccomp_program(network=False, outside=True, truncates=False) if seccomp_supported() else b""
COUNTED = seccomp_program(network=False, counts_all_memory=True) if seccomp_supported() else b""


@pytest.mark.parametrize(
    ("program", "name", "arguments", "expected"),
    [
        (INSIDE, "ptrace", (), errno.EPERM),
        (INSIDE, "io_uring_setup", (), errno.ENOSYS),
        (INSIDE, "socket", (2, 1), errno.EACCES),
        (NETWORK, "socket", (2, 1), ALLOWED),
        (NETWORK, "socket", (10, 2), ALLOWED),
        (NETWORK, "socket", (1, 1), errno.EACCES),
        (NETWORK, "socket", (16, 3), errno.EACCES),
        (NETWORK, "socketpair", (1, 2), errno.EACCES),
        (NETWORK, "socketpair", (1, 3), errno.EACCES),
        (NETWORK, "socketpair", (1, 2 | 0o2000000), errno.EACCES),
        (NETWORK, "socketpair", (30, 1), errno.EACCES),
        (INSIDE, "socketpair", (1, 1 | 0o2000000), ALLOWED),
        (INSIDE, "socketpair", (1, 5), ALLOWED),
        (INSIDE, "fcntl", (3, 8, 1), errno.EPERM),
        (INSIDE, "fcntl", (3, 10, 9), errno.EPERM),
        (INSIDE, "fcntl", (3, 15, 1), errno.EPERM),
        (INSIDE, "fcntl", (3, 2, 1), ALLOWED),
        (INSIDE, "ioctl", (0, 0x5412), errno.EPERM),
        (INSIDE, "ioctl", (0, 0x8901), errno.EPERM),
        (INSIDE, "ioctl", (0, 0x8902), errno.EPERM),
        (INSIDE, "ioctl", (0, 0x5401), ALLOWED),
        (INSIDE, "clone", (0x10000000,), errno.EPERM),
        (INSIDE, "clone", (0x11,), ALLOWED),
        (INSIDE, "prlimit64", (0,), ALLOWED),
        (INSIDE, "prlimit64", (7,), errno.EPERM),
        (INSIDE, "prctl", (4, 0), 0),
        (INSIDE, "prctl", (15,), ALLOWED),
        (INSIDE, "mmap", (0, 4096, 3, 0x21), errno.ENOMEM),
        (INSIDE, "mmap", (0, 4096, 3, 0x23), errno.ENOMEM),
        (INSIDE, "mmap", (0, 4096, 3, 0x22), ALLOWED),
        (INSIDE, "mmap", (0, 4096, 1, 0x01), ALLOWED),
        (INSIDE, "memfd_create", (), errno.ENOSYS),
        (COUNTED, "memfd_create", (), ALLOWED),
        (COUNTED, "mmap", (0, 4096, 3, 0x21), ALLOWED),
        (INSIDE, "utimensat", (), ALLOWED),
        (OUTSIDE, "utimensat", (3, 0, 0), 0),
        (OUTSIDE, "utimensat", (3, 0x7000, 0x8000), 0),
        (OUTSIDE, "utimensat", (3, 0x7000, 0), errno.EPERM),
        (OUTSIDE, "inotify_add_watch", (), errno.EPERM),
        (OUTSIDE, "getxattr", (), errno.ENOTSUP),
        (OUTSIDE, "shmat", (), errno.EPERM),
        (OUTSIDE, "truncate", (), errno.EPERM),
        (INSIDE, "truncate", (), ALLOWED),
    ],
)
def test_the_filter_answers(program: bytes, name: str, arguments: tuple[int, ...], expected: Any) -> None:
    assert answer(program, name, *arguments) == expected


def test_calls_of_another_architecture_are_refused() -> None:
    assert answer(INSIDE, "socket", 1, arch=0x40000003) == errno.EPERM


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the other numbering is that of x86-64")
def test_calls_by_the_other_numbering_are_refused() -> None:
    assert answer(OUTSIDE, "", number=0x40000000 | 41) == errno.ENOSYS


def test_a_call_that_no_list_names_passes() -> None:
    assert answer(OUTSIDE, "", number=400) is ALLOWED

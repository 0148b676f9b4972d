"""Stands between the runtime and a tool: shuts the box, then becomes the tool, or waits for it.

Started by the runtime as a program of its own, with the plainest of interpreters, and imports as little as it
can, for it runs before every tool. Its arguments are `key=value`, then `--`, then the tool's command line:

    mode=namespaces   a new root, process table and network; the launcher waits and ends as the tool does
    mode=landlock     rules on the process itself; the launcher becomes the tool
    mode=plain        limits alone
    ro= rw= dev=      a path to show, read-only, writable or as a device
    list=             a path whose names alone may be read (Landlock)
    zeroes=           the device to show as /dev/zero
    link=AT:TARGET    a symbolic link         tmpfs=AT:BYTES   an empty folder in memory
    limit=N:VALUE     a resource limit        filter=HEX       what the kernel shall refuse
    runtime=PID       whose death ends everything
    network=1         the machine's network   loopback=1       one of its own, to speak with itself
    cwd=PATH  abi=N
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys

# the module `signal` imports enum, which takes longer than everything else here
import _signal as signal  # type: ignore[import-not-found]  # isort: skip

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing them for real would take as long as the rest
    from typing import Any, NoReturn, TypeAlias

    Spec: TypeAlias = dict[str, list[str]]

_libc = ctypes.CDLL(None, use_errno=True)
_AARCH64 = os.uname().machine == "aarch64"

_NEW_MOUNTS, _NEW_CGROUP, _NEW_HOST, _NEW_IPC = 0x20000, 0x02000000, 0x04000000, 0x08000000
_NEW_USER, _NEW_PIDS, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
_DETACH, _HERE, _RECURSIVE = 2, -100, 0x8000
_SIOCSIFFLAGS = 0x8914
_SYS_PIVOT_ROOT = 41 if _AARCH64 else 155
_SYS_CAPSET = 91 if _AARCH64 else 126
_SYS_MOUNT_SETATTR = 442
_SYS_LANDLOCK_CREATE, _SYS_LANDLOCK_ADD, _SYS_LANDLOCK_RESTRICT = 444, 445, 446
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 4, 22, 24
_PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 38, 47

_TOLD_TO_THE_GROUP = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM),
    *(signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2),
)

NOT_FOUND, NOT_STARTED, NO_BOX = 127, 126, 125  # exit codes, the first two as in a shell

# Landlock's rights, by the version that brought them
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1, 2, 4, 8, 1 << 14
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | 1 << 15
_TCP, _SCOPES = 3, 3  # binding and connecting; abstract sockets and signals
_NETWORK_ABI, _SCOPE_ABI = 4, 6


def main(arguments: list[str]) -> None:
    split = arguments.index("--")
    spec: Spec = {}
    for argument in arguments[:split]:
        key, _, value = argument.partition("=")
        spec.setdefault(key, []).append(value)
    tool = arguments[split + 1 :]
    try:
        _END_IN[spec["mode"][0]](spec, tool)
    except OSError as error:
        _complain(f"the sandbox could not be built: {error}")
        os._exit(NO_BOX)


# with namespaces


def _in_namespaces(spec: Spec, tool: list[str]) -> None:
    _enter_namespaces(network="network" in spec)
    if "loopback" in spec:
        _start_loopback()
    _die_with(int(spec["runtime"][0]))
    _build_root(spec)
    ended, tell = os.pipe()
    first = os.fork()
    if not first:
        os.close(ended)
        _be_first(spec, tool, tell)
    os.close(tell)
    _let_go_of_all_but(ended)
    # the tool's group is ours too: what it is told is not for us, and what ends it alone is told on
    for number in _TOLD_TO_THE_GROUP:
        signal.signal(number, signal.SIG_IGN)
    status = os.read(ended, 16)
    os.waitpid(first, 0)  # returns when everybody in the namespace is dead
    _end_like(int(status) if status else 9)


def _enter_namespaces(*, network: bool) -> None:
    uid, gid = os.geteuid(), os.getegid()
    flags = _NEW_USER | _NEW_MOUNTS | _NEW_PIDS | _NEW_IPC | _NEW_HOST | _NEW_CGROUP
    _call("unshare", flags if network else flags | _NEW_NETWORK)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _start_loopback() -> None:
    fd = _call("socket", 2, 2, 0)  # of the internet, for datagrams: any will do to ask by
    request = ctypes.create_string_buffer(b"lo".ljust(16, b"\0") + (1).to_bytes(2, sys.byteorder), 40)
    _call("ioctl", fd, ctypes.c_ulong(_SIOCSIFFLAGS), ctypes.byref(request))
    os.close(fd)


def _build_root(spec: Spec) -> None:
    """Build a root below /tmp, with the old one at hand to take things from."""
    shown = [(path, kind) for kind in ("ro", "rw", "dev", "tmpfs") for path in spec.get(kind, ())]
    real = {path: os.path.realpath(path) for path, _ in shown}  # links lead astray once the root has moved
    _mount(None, "/", None, _REC | _PRIVATE)
    _mount("tmpfs", "/tmp", "tmpfs", _NOSUID | _NODEV, "mode=0755,size=16m")
    os.mkdir("/tmp/new")
    os.mkdir("/tmp/old")
    _syscall(_SYS_PIVOT_ROOT, b"/tmp", b"/tmp/old")
    os.chdir("/")
    _mount("/new", "/new", None, _BIND)
    for link in spec.get("link", ()):
        at, _, target = link.partition(":")
        _make(f"/new{at}", folder=True, parent=True)
        os.symlink(target, f"/new{at}")
    for path, kind in sorted(shown, key=lambda entry: entry[0].count("/")):  # the outer before the inner
        _show(path, kind, f"/old{real[path]}")
    for path in spec.get("zeroes", ()):
        _show("/dev/zero", "dev", f"/old{path}")
    os.makedirs("/new/proc", exist_ok=True)


def _show(path: str, kind: str, source: str) -> None:
    if kind == "tmpfs":
        path, _, size = path.rpartition(":")
        _make(f"/new{path}", folder=True)
        _mount("tmpfs", f"/new{path}", "tmpfs", _NOSUID | _NODEV, f"mode=0700,size={size}")
        return
    target = f"/new{path}"
    _make(target, folder=os.path.isdir(source))
    _mount(source, target, None, _BIND | _REC)
    set_ = _NOSUID if kind == "dev" else _NOSUID | _NODEV
    _set_attributes(target, set_ | _RDONLY if kind == "ro" else set_, _RECURSIVE)


def _make(path: str, *, folder: bool, parent: bool = False) -> None:
    if os.path.lexists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if parent:
        return
    if folder:
        os.mkdir(path)
    else:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC))


def _set_attributes(path: str, set_: int, flags: int = 0) -> None:
    # RDONLY, NOSUID and NODEV have the same numbers here as for mount(2)
    attributes = (ctypes.c_uint64 * 4)(set_, 0, 0, 0)
    _syscall(_SYS_MOUNT_SETATTR, _HERE, os.fsencode(path), flags, ctypes.byref(attributes), 32)


def _be_first(spec: Spec, tool: list[str], tell: int) -> NoReturn:
    """Process 1 of the namespace: starts the tool, buries the dead, tells how the tool ended."""
    _call("prctl", _PR_SET_PDEATHSIG, 9)
    try:
        _mount("proc", "/new/proc", "proc", _RDONLY | _NOSUID | _NODEV | _NOEXEC)
        os.chdir("/new")
        _syscall(_SYS_PIVOT_ROOT, b".", b".")
        _call("umount2", b".", _DETACH)
        os.chdir("/")
        _set_attributes("/", _RDONLY)
        os.chdir(spec["cwd"][0])
        _drop_privileges()
        _limit(spec)
        _call("prctl", _PR_SET_DUMPABLE, 0)  # until the tool is started, and here for good
        _refuse(spec)
        child = os.fork()
    except OSError as error:
        _complain(f"the sandbox could not be built: {error}")
        os.write(tell, str(NO_BOX << 8).encode())
        os._exit(0)
    if not child:
        _become(tool)
    _let_go_of_all_but(tell)
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child:
            os.write(tell, str(status).encode())
            os._exit(0)


def _let_go_of_all_but(fd: int) -> None:
    """The tool's pipes and channels end with the tool, not with us."""
    os.closerange(0, fd)
    os.closerange(fd + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _end_like(status: int) -> NoReturn:
    """End as the tool ended, so that nobody need know that there was a launcher."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != 9:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


# with Landlock


def _in_landlock(spec: Spec, tool: list[str]) -> None:
    _die_with(int(spec["runtime"][0]))
    os.chdir(spec["cwd"][0])
    _drop_privileges()
    _limit(spec)
    abi = int(spec["abi"][0])
    _restrict_files(spec, abi)
    _refuse(spec)
    if abi < _SCOPE_ABI:
        _install(_signals_to_itself())
    _become(tool)


def _restrict_files(spec: Spec, abi: int) -> None:
    rights = _RIGHTS[max(version for version in _RIGHTS if version <= abi)]
    network = 0 if "network" in spec or abi < _NETWORK_ABI else _TCP
    fields = [rights, network, _SCOPES if abi >= _SCOPE_ABI else 0]
    field_count = 3 if abi >= _SCOPE_ABI else 2 if abi >= _NETWORK_ABI else 1
    attributes = (ctypes.c_uint64 * field_count)(*fields[:field_count])
    ruleset = _syscall(_SYS_LANDLOCK_CREATE, ctypes.byref(attributes), 8 * field_count, 0)
    for path in spec.get("ro", ()):
        _allow_beneath(ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
    for path in spec.get("list", ()):
        _allow_beneath(ruleset, path, _READ_DIR)
    for path in spec.get("rw", ()):
        _allow_beneath(ruleset, path, rights)
    for path in spec.get("dev", ()):
        _allow_beneath(ruleset, path, (_READ_FILE | _WRITE_FILE | _TRUNCATE) & rights)
    if "zeroes" in spec:
        _allow_beneath(ruleset, "/dev/zero", _READ_FILE)  # which cannot be mapped to be written and shared
    _syscall(_SYS_LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)


def _allow_beneath(ruleset: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not os.path.isdir(path):
        rights &= _OF_FILES
    rule = ctypes.create_string_buffer(rights.to_bytes(8, sys.byteorder) + fd.to_bytes(4, sys.byteorder), 12)
    _syscall(_SYS_LANDLOCK_ADD, ruleset, 1, ctypes.byref(rule), 0)
    os.close(fd)


def _signals_to_itself() -> bytes:
    """Return a filter for kernels whose Landlock leaves signals alone: only to one's own process group."""
    kill, tgkill = (129, 131) if _AARCH64 else (62, 234)
    others = (130, 138, 240, 424) if _AARCH64 else (200, 129, 297, 424)
    me = os.getpid()
    refuse, allow = (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)
    mine = [
        (0x20, 0, 0, 16),
        (0x15, 3, 0, 0),
        (0x15, 2, 0, me),
        (0x15, 1, 0, -me & 0xFFFFFFFF),
        refuse,
        allow,
    ]
    program = [(0x20, 0, 0, 0), (0x15, 0, len(mine), kill), *mine, (0x15, 0, len(mine), tgkill), *mine]
    for number in others:
        program += [(0x15, 0, 1, number), refuse]
    return b"".join(
        code.to_bytes(2, sys.byteorder) + bytes((yes, no)) + value.to_bytes(4, sys.byteorder)
        for code, yes, no, value in [*program, allow]
    )


# limits alone


def _plainly(spec: Spec, tool: list[str]) -> None:
    os.chdir(spec["cwd"][0])
    _limit(spec)
    _become(tool)


# what they share


def _die_with(runtime: int) -> None:
    _call("prctl", _PR_SET_PDEATHSIG, 9)
    if os.getppid() != runtime:  # it died before we could ask to be told
        os._exit(NO_BOX)


def _drop_privileges() -> None:
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for capability in range(64):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            break  # the last one there is, or we have none to give up
    _libc.prctl(_PR_CAP_AMBIENT, 4, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _syscall(_SYS_CAPSET, ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def _limit(spec: Spec) -> None:
    for limit in spec.get("limit", ()):
        number, value = map(int, limit.split(":"))
        _, highest = resource.getrlimit(number)
        value = value if highest == resource.RLIM_INFINITY else min(value, highest)
        resource.setrlimit(number, (value, value))


def _refuse(spec: Spec) -> None:
    for text in spec.get("filter", ()):
        _install(bytes.fromhex(text))


def _install(program: bytes) -> None:
    code = ctypes.create_string_buffer(program, len(program))
    address = ctypes.addressof(code)
    # struct sock_fprog: the number of instructions, padded to a pointer, and where they are
    fprog = (ctypes.c_uint64 * 2)(len(program) // 8, address)
    _call("prctl", _PR_SET_SECCOMP, 2, ctypes.byref(fprog), 0, 0)


def _become(tool: list[str]) -> NoReturn:
    try:
        # Python ignores these two, and a tool must find them as they are for everybody else
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.execvpe(tool[0], tool, os.environ)
    except OSError as error:
        _complain(f"{tool[0]} could not be started: {error.strerror}")
        os._exit(NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_STARTED)


def _complain(text: str) -> None:
    os.write(2, f"{text}\n".encode(errors="surrogateescape"))


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    texts = [os.fsencode(text) if text else None for text in (source, target, kind)]
    _call("mount", *texts, ctypes.c_ulong(flags), data.encode() or None, about=target)


def _call(name: str, *arguments: Any, about: str = "") -> int:
    result: int = getattr(_libc, name)(*arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}", about or None)
    return result


def _syscall(number: int, *arguments: Any) -> int:
    longs = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = _libc.syscall(ctypes.c_long(number), *longs)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"system call {number}: {os.strerror(code)}")
    return result


_END_IN = {"namespaces": _in_namespaces, "landlock": _in_landlock, "plain": _plainly}

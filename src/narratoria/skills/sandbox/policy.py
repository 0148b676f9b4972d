"""Builds the policy of a sandbox: the system and the interpreter to read, the tool's own folders to write."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from narratoria import paths
from narratoria.protocol.command import Command
from narratoria.protocol.process_limits import MIB
from narratoria.skills.permissions import Permissions

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
# Of /etc only what programs need to start: when the user is root, the rest holds secrets, and each entry
# costs a fifth of a millisecond of every launch.
ETC = (
    *("alternatives", "fonts", "group", "ld.so.cache", "localtime", "nsswitch.conf", "passwd"),
    "ssl/openssl.cnf",  # node will not start when it is there and may not be read, as with Landlock
)
ETC_FOR_NETWORK = (
    *("gai.conf", "host.conf", "hosts", "protocols", "resolv.conf", "services"),
    *("ca-certificates", "crypto-policies", "pki/ca-trust", "pki/tls/certs", "ssl/certs"),
)
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
# what /dev/zero is inside: it reads the same, and cannot be mapped as memory that no limit sees
ZEROES = "/dev/full"
DEVICE_LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
}
PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "PATHEXT", "COMSPEC")  # the last three for Windows


@dataclass(frozen=True, slots=True)
class Resources:
    """Limits the resources that a tool may use; each limit can be set."""

    memory: int = 1024 * MIB  # of one process
    tree_memory: int = 2048 * MIB  # of all together
    processes: int = 128  # and threads
    file_size: int = 256 * MIB
    disk: int = 1024 * MIB  # in all folders it may write to
    temporary: int = 128 * MIB  # in /tmp, where that is in memory
    open_files: int = 1024


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """Lists the files and the network that one run may reach, under the names they have outside."""

    read_only: tuple[str, ...]
    writable: tuple[str, ...]
    links: Mapping[str, str]
    cwd: str
    home: str
    network: bool = False  # all that this machine reaches
    hosts: tuple[str, ...] = ()  # through the proxy alone, in a box that has a network of its own


def build_policy(
    command: Command,
    permissions: Permissions,
    *,
    home: Path,
    read_only: Iterable[Path],
    writable: Iterable[Path],
    programs: Iterable[str] = (),
) -> SandboxPolicy:
    """Return the policy for one run; what is not there on this machine is left out."""
    links, network = _system_links(), permissions.allows("network")
    hosts = () if network else permissions.hosts
    own = tuple(read_only)
    shown: list[Path] = []
    for name in (command.argv[0], *programs):
        shown += _program(name, own)
    shown += own
    shown += (files.path for files in permissions.files if not files.writable)
    written = [home, *writable, *(files.path for files in permissions.files if files.writable)]
    writable_paths = tuple(_spellings(written))
    linked = tuple(f"{link}/" for link in links)
    spellings = dict.fromkeys((*_system(network=network or bool(hosts)), *_runtime(), *_spellings(shown)))
    readable = tuple(path for path in spellings if not path.startswith(linked))
    readable_paths = tuple(_without_inner(readable, writable_paths))
    cwd = str(command.cwd) if command.cwd else str(home)
    if {cwd, *_parents(cwd)}.isdisjoint((*readable_paths, *writable_paths)):
        cwd = str(home)
    return SandboxPolicy(readable_paths, writable_paths, links, cwd, str(home), network, hosts)


def clean_environment(place: SandboxPolicy, temporary: str, given: Mapping[str, str]) -> dict[str, str]:
    """Nothing of the user's environment but where programs are and how people write; then what was given."""
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment.setdefault("PATH", os.defpath)
    folders = dict.fromkeys(("TMPDIR", "TEMP", "TMP") if os.name == "nt" else ("TMPDIR",), temporary)
    return {**environment, "HOME": place.home, **folders, **given}


def why_not_runnable(command: Command) -> str:
    """Return why the kernel would not start this program, which behind a wrapper nobody else would tell."""
    name = command.argv[0]
    executable = (shutil.which(name) if os.sep not in name else None) or name
    try:
        os.stat(executable)  # noqa: PTH116
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return f"{name} could not be started: {reason}"
    if Path(executable).is_dir() or not os.access(executable, os.X_OK):
        return f"{name} could not be started: Permission denied"
    try:
        with open(executable, "rb") as program:  # noqa: PTH123
            first = program.readline(256)
    except OSError:
        return ""  # may be run and not read
    if first.startswith(b"#!"):
        line = first[2:].decode(errors="replace").strip()
        interpreter = line.split()[0] if line else ""
        if not os.path.exists(interpreter):  # noqa: PTH110
            return f"{name} could not be started: the interpreter of its first line, #!{line}, is not there"
    elif sys.platform == "linux" and not first.startswith(b"\x7fELF"):
        return f"{name} could not be started: Exec format error"
    return ""


@cache
def _system_links() -> dict[str, str]:
    """Return which of the system's folders are links, and where they lead; that is looked at once."""
    return {path: str(Path(path).readlink()) for path in SYSTEM if Path(path).is_symlink()}


@cache
def _system_spellings() -> tuple[str, ...]:
    """Return the folders of the system and what programs need of /etc; they are looked at once."""
    folders = (path for path in SYSTEM if path not in _system_links())
    return tuple(_spellings(map(Path, (*folders, *(f"/etc/{name}" for name in ETC)))))


def _system(*, network: bool) -> Iterator[str]:
    yield from _system_spellings()
    if network:  # where names are looked up changes with the network
        yield from _spellings(Path(f"/etc/{name}") for name in ETC_FOR_NETWORK)


def _runtime() -> tuple[str, ...]:
    """Return the interpreter that is running us, with its packages."""
    return _installations((sys.prefix, sys.base_prefix, str(paths.PACKAGE)), _homes())


@cache
def _installations(prefixes: tuple[str, ...], homes: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(
        _spellings(
            path
            for prefix in dict.fromkeys(prefixes)
            for path in _installation(
                Path(prefix), private=any(home.is_relative_to(prefix) for home in homes)
            )
        )
    )


def _program(name: str, own: Iterable[Path]) -> Iterator[Path]:
    """Yield a program that is to run, with what is installed around it."""
    needed = shutil.which(name)
    if needed and any(Path(needed).resolve().is_relative_to(folder.resolve()) for folder in own):
        needed = None  # the tool itself: where a stranger put it says nothing about what it may read
    for program_path in (needed, *map(_on_path, _shebang(name))):
        for path in (
            dict.fromkeys((Path(program_path).absolute(), Path(program_path).resolve()))
            if program_path
            else ()
        ):
            yield path
            root = path.parent.parent
            if path.parent.name == "bin" and root not in (Path("/"), Path("/usr")):
                private = _around_homes(root) or any(root.is_relative_to(home) for home in _homes())
                yield from _installation(root, private=private)


def _on_path(program: str) -> str | None:
    """Return where the user has this program.

    What a script names is its author's choice: any other file with the right to be run would open the folders
    beside it."""
    program_path = shutil.which(Path(program).name)
    same = program_path and (os.sep not in program or Path(program_path).resolve() == Path(program).resolve())
    return program_path if same else None


def _shebang(program: str) -> tuple[str, ...]:
    try:
        with open(program, "rb") as script:  # noqa: PTH123
            first = script.readline(256)
    except OSError:
        return ()
    return tuple(first[2:].decode(errors="replace").split()[:2]) if first.startswith(b"#!") else ()


def _installation(prefix: Path, *, private: bool) -> Iterator[Path]:
    """Yield a program's own tree; only its usual parts where other things of the user may lie beside them."""
    parts = ("bin", "lib", "lib64", "libexec", "pyvenv.cfg")
    yield from (prefix / part for part in parts) if private else (prefix,)


def _around_homes(prefix: Path) -> bool:
    return any(home.is_relative_to(prefix) for home in _homes())


def _homes() -> tuple[Path, ...]:
    return _spell_homes(Path.home(), paths.home().absolute(), paths.shared_home().absolute())


@cache
def _spell_homes(*homes: Path) -> tuple[Path, ...]:
    """Return each home as it is spelled and without links, which are followed once in a runtime."""
    return tuple(path for home in homes for path in (home, home.resolve()))


def _without_inner(paths: tuple[str, ...], writable: tuple[str, ...]) -> Iterator[str]:
    """Those that are not shown already as part of another: each one costs a moment of every launch."""
    for path in paths:
        parents = _parents(path)
        if path not in writable and (parents.isdisjoint(paths) or not parents.isdisjoint(writable)):
            yield path


def _parents(path: str) -> set[str]:
    """Return the folders around a path, the root among them."""
    parents = set()
    while (parent := os.path.dirname(path)) != path:  # noqa: PTH120
        parents.add(parent)
        path = parent
    return parents


def _spellings(paths: Iterable[Path]) -> Iterator[str]:
    """Each path that exists, as it is spelled and as it is without links."""
    seen = set()
    for path in paths:
        if not os.path.exists(path):  # noqa: PTH110
            continue
        for spelling in (os.path.abspath(path), os.path.realpath(path)):  # noqa: PTH100
            if spelling not in seen:
                seen.add(spelling)
                yield spelling

"""Defines the permissions of a skill, which has none but those its manifest asks for and the user grants."""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from narratoria.errors import ContractViolation, Problem

NETWORK = "network"
# permission: what the user is told it means
MEANINGS = {
    "store:read": "read what the story remembers",
    "store:write": "change what the story remembers",
    "model": "ask the local language model",
    "embed": "have texts compared by meaning",
    NETWORK: "reach the network, and send what it knows to anybody there",
}
LONGEST_HOST = 253  # characters of a name
NETWORK_HOST = "network:"  # before a host that may be reached, through a proxy
FILES = "files:"
ENV = "env:"  # a variable that one of its settings is taken from; asked for in its config schema
WRITE = ":write"  # at the end of a files permission: changed as well as read


@dataclass(frozen=True, slots=True)
class FilePermission:
    """Names a place outside its own folder that a skill may use."""

    path: Path
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Permissions:
    """Holds a set of permissions: asked for by a manifest, granted by a user, in force where both agree."""

    names: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, names: Iterable[str], *, pointer: str = "/permissions", file: str = "") -> Permissions:
        """ContractViolation, with everything that is wrong, for a list that cannot be used."""
        names = tuple(names)
        if problems := check_permissions(names, pointer=pointer, file=file):
            raise ContractViolation(problems)
        return cls(frozenset(map(normalise_permission, names)))

    def allows(self, name: str) -> bool:
        """Return whether this very permission is here; `files:` asks for any place at all."""
        if name == FILES:
            return bool(self.files)
        return normalise_permission(name) in self.names

    @property
    def files(self) -> tuple[FilePermission, ...]:
        return tuple(_files(name) for name in sorted(self.names) if name.startswith(FILES))

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(name.removeprefix(ENV) for name in self.names if name.startswith(ENV))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the hosts that may be reached one by one."""
        return tuple(name.removeprefix(NETWORK_HOST) for name in self if name.startswith(NETWORK_HOST))

    def __or__(self, other: Permissions) -> Permissions:
        return Permissions(self.names | other.names)

    def __and__(self, other: Permissions) -> Permissions:
        """Return what both allow: reading, where one allows writing and the other reading the same place."""
        both = self.names & other.names
        readable = {name.removesuffix(WRITE) for name in self.names if name.startswith(FILES)}
        readable &= {name.removesuffix(WRITE) for name in other.names if name.startswith(FILES)}
        return Permissions(both | {name for name in readable if name + WRITE not in both})

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.names))

    def __bool__(self) -> bool:
        return bool(self.names)

    def describe(self) -> tuple[str, ...]:
        """Each permission in words for the person who is to grant it."""
        return tuple(_meaning(name) for name in self)


NOTHING = Permissions()


def check_permissions(
    names: Iterable[object], *, pointer: str = "/permissions", file: str = ""
) -> tuple[Problem, ...]:
    """Return what is wrong with each of these permissions, and what to write instead."""
    problems = []
    for index, name in enumerate(names):
        message = _fault(name) if isinstance(name, str) else f"{name!r} is not text"
        if message:
            problems.append(Problem(message, f"{pointer}/{index}", file))
    return tuple(problems)


def _fault(name: str) -> str:
    if name in MEANINGS:
        return ""
    if name.startswith(FILES):
        return _path_fault(name)
    if name.startswith(NETWORK_HOST):
        return _host_fault(name)
    if name.startswith(ENV):
        named = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name.removeprefix(ENV))
        return "" if named else f"'{name}' names no environment variable; write {ENV}MY_API_KEY"
    near = difflib.get_close_matches(name.strip().lower(), [*MEANINGS, FILES], n=1, cutoff=0.5)
    advice = f"write '{near[0]}'" if near else f"known are {', '.join(MEANINGS)} and {FILES}<path>"
    return f"'{name}' is not a permission; {advice}"


def _host_fault(name: str) -> str:
    host = name.removeprefix(NETWORK_HOST)
    if not re.fullmatch(r"[a-z0-9._:-]+", host) or len(host) > LONGEST_HOST:
        return f"'{name[:60]}' names no host; write {NETWORK_HOST}example.org"
    if is_odd_address(host):
        return f"'{name[:60]}' hides an address; write it as everybody does, such as {NETWORK_HOST}192.0.2.1"
    return ""


def is_odd_address(host: str) -> bool:
    """Return whether a host is an address that is not written the usual way: 3232235777, 0x7f.1, 010.0.0.1.

    The system takes these for addresses, and a person who is asked for a permission takes them for names.
    """
    last = host.rstrip(".").rpartition(".")[2]
    if ":" not in host and not re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last):
        return False
    try:
        return str(ipaddress.ip_address(host)) != host
    except ValueError:
        return True


def _path_fault(name: str) -> str:
    text = name.removeprefix(FILES).removesuffix(WRITE)
    if not text:
        return f"'{name}' names no path; write {FILES}~/Music or {FILES}/srv/maps"
    if "\0" in text:
        return f"'{name}' holds a NUL character"
    if not (text.startswith("~/") or Path(text).is_absolute()):
        return f"'{name}' must begin at / or ~/, so that everybody reads it the same way"
    if ".." in Path(text).parts:
        return f"'{name}' must not hold '..'; write the path it leads to"
    path = Path(os.path.normpath(Path(text).expanduser()))
    if path == Path.home() or path in Path.home().parents:
        return f"'{name}' opens everything of the user; name a folder inside it, such as {FILES}~/Music"
    return ""


def normalise_permission(name: str) -> str:
    """Return a permission as it is kept."""
    if not name.startswith(FILES):
        return name
    suffix = WRITE if name.endswith(WRITE) else ""
    return f"{FILES}{os.path.normpath(name.removeprefix(FILES).removesuffix(WRITE))}{suffix}"


def _files(name: str) -> FilePermission:
    path = Path(name.removeprefix(FILES).removesuffix(WRITE)).expanduser()
    return FilePermission(path, writable=name.endswith(WRITE))


def _meaning(name: str) -> str:
    if name in MEANINGS:
        return MEANINGS[name]
    if name.startswith(ENV):
        return f"be given your environment variable {name.removeprefix(ENV)}"
    if name.startswith(NETWORK_HOST):
        return f"reach {name.removeprefix(NETWORK_HOST)}, and send what it is asked about there"
    files = _files(name)
    return f"{'read and change' if files.writable else 'read'} what is in {files.path}"

"""Defines a skill, a folder that describes itself, and reads its files: documents, scripts and data.

Only plain files of a sensible size are read, and none that lies outside the skill's folder.
"""

from __future__ import annotations

import os
import py_compile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, Literal, TypeAlias

from narratoria import paths
from narratoria.errors import NarratoriaException, Problem
from narratoria.files import is_file
from narratoria.protocol.command import INTERPRETERS
from narratoria.skills.input_schema import find_schema_problem
from narratoria.skills.mcp.server import McpServer
from narratoria.skills.permissions import NOTHING, Permissions

# text: a program that knows nothing of us, whose lines are logged and whose exit code is its answer
# mcp: a tool of the skill's MCP server, which a bridge speaks with
ScriptProtocol: TypeAlias = Literal["narratoria-0", "text", "m-control-1", "mcp"]


@dataclass(frozen=True, slots=True)
class SkillScript:
    """Describes a program of a skill that plans can run."""

    name: str
    path: Path
    description: str = ""
    timeout: float = 30.0  # seconds
    required: bool = True
    protocol: ScriptProtocol = "narratoria-0"
    input_schema: Mapping[str, Any] | None = field(default=None, hash=False)  # of its input, where it says so
    tool: str = ""  # of an MCP server, as the server calls it
    warm_start: bool = False  # may be started ahead: it does nothing before it has read its request


@dataclass(frozen=True, slots=True)
class Skill:
    """Describes a capability bundle, as its folder does."""

    name: str
    version: str
    description: str
    folder: Path
    display_name: str = ""
    author: str = ""
    license: str = ""
    compatibility: str = ""  # what it needs around it, in words for people
    prompt: str = ""
    instructions: Path | None = None  # a SKILL.md, whose body is read when the skill is chosen
    config_schema: str = "config-schema.json"  # relative to the folder; need not be there
    scripts: tuple[SkillScript, ...] = ()
    mcp: McpServer | None = None  # whose tools are among the scripts
    capabilities: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()  # what players say when they mean this skill
    permissions: Permissions = NOTHING  # what it asks for; what it gets is the user's decision
    allowed_tools: tuple[str, ...] = ()  # of an Agent Skill: told to people, granted nothing
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    priority: int = 50
    max_retries: int = 3
    backoff_ms: int = 100
    warnings: tuple[Problem, ...] = ()  # what was put up with

    def script(self, name: str) -> SkillScript | None:
        return next((script for script in self.scripts if script.name == name), None)


MAX_BYTES = 1024 * 1024


def find_file(folder: Path, relative: str) -> Path | None:
    """Return the file with its links followed, None where there is none; raise ValueError for one outside."""
    path = _resolved(folder / relative)
    if path is None or not is_file(path):
        return None
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"'{relative}' leads out of the skill's folder; keep it inside")
    return path


def read_bytes(folder: Path, relative: str) -> bytes | None:
    """Return the content of a file in the folder, None without one; raise ValueError if it cannot be used."""
    path = _resolved(folder / relative)
    if path is None:
        raise ValueError(f"'{relative}' cannot be read: it is no name for a file, or links lead in a circle")
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"'{relative}' leads out of the skill's folder; keep it inside")
    try:
        if not os.path.lexists(path):
            return None
        if not is_file(path):
            kind = "a directory" if path.is_dir() else "not a plain file"
            raise ValueError(f"'{relative}' cannot be read: it is {kind}")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ValueError(f"'{relative}' cannot be read: {error.strerror or error}") from None
    if len(content) > MAX_BYTES:
        raise ValueError(f"'{relative}' is longer than {MAX_BYTES // 1024} KiB")
    return content


def read_text(folder: Path, relative: str) -> str | None:
    """Return the content of a file in the folder as text; otherwise like `read_bytes`."""
    content = read_bytes(folder, relative)
    try:
        return None if content is None else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"'{relative}' is not UTF-8 text (byte {error.start})") from None


def _resolved(path: Path) -> Path | None:
    try:
        resolved = path.resolve()
        resolved.lstat()
    except FileNotFoundError:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None  # a name that no file can have, or links that lead in a circle
    return None if resolved.is_symlink() else resolved  # 3.13 gives a circle back unresolved


SCRIPTS_FOLDER = "scripts"
MAX_SCRIPT_DEPTH = 3  # folders below scripts/
MAX_SCRIPTS = 200  # of one skill
KNOWN_ENDINGS = frozenset({".py", *INTERPRETERS})


def read_listed_scripts(
    folder: Path, entries: Sequence[dict[str, Any]]
) -> tuple[tuple[SkillScript, ...], list[Problem]]:
    """Return the scripts of a manifest, and what is wrong with the others, by their places in it."""
    scripts: dict[str, SkillScript] = {}
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        pointer = f"/scripts/{index}"
        try:
            path = find_listed_file(folder, entry["path"])
        except ValueError as error:
            problems.append(Problem(str(error), f"{pointer}/path"))
            continue
        where, reason = find_schema_problem(entry["input"]) if "input" in entry else ("", "")
        if reason:
            problems.append(Problem(reason, f"{pointer}/input{where}"))
            continue
        if entry["name"] in scripts:
            problems.append(Problem(f"a script is called '{entry['name']}' already", f"{pointer}/name"))
            continue
        scripts[entry["name"]] = SkillScript(
            name=entry["name"],
            path=path,
            description=entry.get("description", ""),
            timeout=entry.get("timeout", 30_000) / 1000,
            required=entry.get("required", True),
            input_schema=entry.get("input"),
            warm_start=entry.get("warmStart", False),
        )
    return tuple(scripts.values()), problems


def find_listed_file(folder: Path, relative: str) -> Path:
    lies_outside: ValueError | None = None
    for place in (f"{SCRIPTS_FOLDER}/{relative}", relative):
        try:
            if path := find_file(folder, place):
                return path
        except ValueError as reason:
            lies_outside = reason
    if lies_outside:
        raise ValueError(f"'{relative}' leads out of the skill's folder; keep it inside")
    raise ValueError(f"there is no file '{relative}' in {SCRIPTS_FOLDER}/ or in the skill's root")


def find_scripts(
    folder: Path, *, protocol: ScriptProtocol, by_ending: bool, listed: Sequence[SkillScript] = ()
) -> tuple[tuple[SkillScript, ...], list[Problem]]:
    """Return the other programs in scripts/, and which of them are not used and why.

    A program is what may be executed; `by_ending`, also what lies directly in scripts/ and whose ending
    names an interpreter. What begins with a dot or an underscore is none.
    """
    problems: list[Problem] = []
    taken = {script.path for script in listed}
    programs: list[tuple[str, Path]] = []
    for relative in sorted(_programs(folder / SCRIPTS_FOLDER, by_ending=by_ending)):
        try:
            path = find_file(folder, f"{SCRIPTS_FOLDER}/{relative}")
        except ValueError as reason:
            problems.append(
                Problem(f"{reason}; it is not used", file=str(folder / SCRIPTS_FOLDER / relative))
            )
            continue
        if path and path not in taken:
            taken.add(path)
            programs.append((relative, path))
    if len(programs) > MAX_SCRIPTS:
        message = f"holds {len(programs)} programs; those after the first {MAX_SCRIPTS} are not used"
        problems.append(Problem(message, file=str(folder / SCRIPTS_FOLDER)))
        del programs[MAX_SCRIPTS:]
    names = _names([relative for relative, _ in programs], {script.name for script in listed})
    pairs = zip(names, programs, strict=True)
    scripts = (SkillScript(name, path, protocol=protocol, required=False) for name, (_, path) in pairs)
    return tuple(scripts), problems  # nobody has said that a plan fails without them


def _programs(scripts: Path, *, by_ending: bool) -> Iterator[str]:
    """Yield the paths of the programs, relative to scripts/."""
    for folder, folders, files in os.walk(scripts):
        below = Path(folder).relative_to(scripts)
        depth = len(below.parts)
        folders[:] = sorted(name for name in folders if _counts(name) and depth < MAX_SCRIPT_DEPTH)
        for name in filter(_counts, files):
            has_known_ending = Path(name).suffix.lower() in KNOWN_ENDINGS
            if _executable(Path(folder, name), has_known_ending) or (
                by_ending and has_known_ending and depth == 0
            ):
                yield (below / name).as_posix()


def _counts(name: str) -> bool:
    return name[0] not in "._" and name != "node_modules"


def _executable(path: Path, known_ending: bool) -> bool:
    # where there is no such bit, an ending that we can run has to do
    return os.access(path, os.X_OK) if os.name == "posix" else known_ending


def _names(paths: Sequence[str], taken: set[str]) -> Iterator[str]:
    """Without the ending where that tells them apart, else with it."""
    short = [str(Path(path).with_suffix("").as_posix()) for path in paths]
    count = Counter(short)
    for path, name in zip(paths, short, strict=True):
        yield path if count[name] > 1 or name in taken else name


DATA_FOLDER = "data"


class InvalidSkillName(NarratoriaException):
    """Reports a skill's name that cannot be the name of a folder."""


def data_path(skill: str) -> Path:
    """`skills/<name>/data` in the user's home for Narratoria, whether it is there yet or not."""
    if skill in ("", ".", "..") or any(mark in skill for mark in ("/", "\\", "\0", ":")):
        raise InvalidSkillName(f"'{skill}' cannot be the name of a skill: it is no name for a folder")
    return paths.shared_home() / "skills" / skill / DATA_FOLDER


def data_dir(skill: str) -> Path:
    """Return the skill's data folder, made on first use and closed to everybody but the user."""
    path = data_path(skill)
    if path.is_symlink():
        raise InvalidSkillName(f"{path} is a link; a skill's data stays in the folder that is made for it")
    paths.make_private(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)  # made by hand, or unpacked
    return path


def compile_ahead(*folders: Path) -> None:
    """Compiles what has no bytecode yet, or old; only where this package can be written to."""
    try:
        for folder in folders:
            for source in folder.rglob("*.py"):
                if not _is_compiled(source):
                    py_compile.compile(str(source), quiet=2)
    except OSError:
        return  # installed for all users: whoever installed it has compiled it


def _is_compiled(source: Path) -> bool:
    """Return whether there is bytecode of just this source: Python itself looks at its time and its size."""
    try:
        with Path(cache_from_source(str(source))).open("rb") as file:
            head = file.read(16)
    except OSError:
        return False
    status = source.stat()
    stamp = int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF
    return head[4:8] == bytes(4) and head[8:16] == b"".join(part.to_bytes(4, "little") for part in stamp)

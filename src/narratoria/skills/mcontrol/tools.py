"""Finds m-control tools under the tools roots, and builds the command, the request and the limits of each."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narratoria.errors import ContractViolation, NotRunnable, Problem
from narratoria.files import expand_home, is_file, is_folder, real_path
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects import mctl_v1
from narratoria.protocol.dialects.mctl_v1 import encode_request
from narratoria.protocol.events import ErrorEvent, Event, LogEvent
from narratoria.skills.mcontrol.config import Config, declared_values
from narratoria.skills.mcontrol.manifest import FILE_NAME, Runtime, ToolManifest, read_manifest
from narratoria.skills.runnable import InvocationRequest, Runnable

ROOTS_VARIABLE = "M_CONTROL_TOOLS_ROOT"
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Root:
    """Names a folder to search, and who says so."""

    path: Path
    origin: str
    expected: bool = True  # somebody named it, so that its absence is worth a word


@dataclass(frozen=True, slots=True)
class Catalog:
    """Lists the tools there are, by precedence, and what was passed over."""

    roots: tuple[Root, ...]
    tools: tuple[ToolManifest, ...]
    problems: tuple[Problem, ...]

    def get(self, tool_id: str) -> ToolManifest | None:
        return next((tool for tool in self.tools if tool.id == tool_id), None)


def tools_roots(config: Config, env: Mapping[str, str] = os.environ) -> tuple[Root, ...]:
    """Return the environment's roots, then the config's, then the project's `tools`; each folder once."""
    named = [part for part in env.get(ROOTS_VARIABLE, "").split(os.pathsep) if part]
    candidates = [
        *(Root(expand_home(part).absolute(), ROOTS_VARIABLE) for part in named),
        *(Root(path, "paths.toolsRoots") for path in config.tools_roots),
        Root(config.workspace_root / "tools", "./tools", expected=False),
    ]
    unique: dict[Path, Root] = {}
    for root in candidates:
        unique.setdefault(real_path(root.path), root)
    return tuple(unique.values())


def discover(roots: Sequence[Root]) -> Catalog:
    """Every valid manifest under the roots; the others, and doubles of an id, are problems."""
    tools: dict[str, ToolManifest] = {}
    problems: list[Problem] = []
    seen: set[Path] = set()
    for root in roots:
        if not is_folder(root.path):
            if root.expected:
                problems.append(_absent(root))
            continue
        for path in _manifests(root.path, problems):
            if real_path(path) in seen:
                continue  # one root lies inside another, or a symlink leads to both
            seen.add(real_path(path))
            try:
                tool = read_manifest(path)
            except ContractViolation as violation:
                problems += violation.problems
                continue
            first = tools.setdefault(tool.id, tool)
            if first is not tool:
                problems.append(_double(tool, first))
    return Catalog(tuple(roots), tuple(tools.values()), tuple(problems))


def _manifests(root: Path, problems: list[Problem]) -> Iterator[Path]:
    """Yield the files named manifest.json under a root, in a stable order, each folder once."""

    def unreadable(error: OSError) -> None:
        problems.append(Problem(f"cannot be searched: {error.strerror}", file=str(error.filename)))

    visited: set[tuple[int, int]] = set()
    for folder, folders, files in os.walk(root, onerror=unreadable, followlinks=True):
        try:
            here = Path(folder).stat()
        except OSError as error:  # it was there a moment ago
            unreadable(error)
            continue
        # Links are followed, so a folder may come round again; by its inode it is known.
        if (here.st_dev, here.st_ino) in visited:
            folders.clear()
            continue
        visited.add((here.st_dev, here.st_ino))
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS and name[0] != ".")
        if FILE_NAME in files or FILE_NAME in folders:
            yield Path(folder, FILE_NAME)


def _absent(root: Root) -> Problem:
    what = "is not a folder" if root.path.exists() else "does not exist"
    return Problem(f"{what}; create it, or take it out of {root.origin}", file=str(root.path))


def _double(tool: ToolManifest, first: ToolManifest) -> Problem:
    return Problem(
        f"{tool.id} is taken by {first.path}, which comes first; this tool is not used. "
        "Give one of them another id, or remove one",
        "/id",
        str(tool.path),
    )


DEFAULT_TIMEOUT_MS = 30_000
POWERSHELL_OPTIONS = ("-NoLogo", "-NoProfile", "-NonInteractive", "-File")
DOTNET_PROJECTS = frozenset({".csproj", ".fsproj", ".vbproj"})


@dataclass(frozen=True, slots=True)
class Launch:
    """Holds the arguments of `protocol.process.run` for one tool."""

    command: Command
    request: bytes
    limits: Limits


def prepare_launch(
    manifest: ToolManifest, config: Config, *, payload: Any, timeout: float | None = None
) -> Launch:
    """Ready to run; ContractViolation for a missing config key, NotRunnable for a missing file or program."""
    return Launch(
        command=Command(command_line(manifest, config), cwd=config.workspace_root),
        request=encode_request(
            tool_id=manifest.id,
            config=declared_values(config, manifest),
            workspace_root=config.workspace_root,
            input=payload,
        ),
        limits=Limits(timeout=timeout if timeout is not None else timeout_ms(manifest, config) / 1000),
    )


def timeout_ms(manifest: ToolManifest, config: Config) -> int:
    """Return what the config says of this tool, else the manifest, else the config's default, else 30 s."""
    candidates = (config.tool_timeouts_ms.get(manifest.id), manifest.timeout_ms, config.default_timeout_ms)
    return next((value for value in candidates if value is not None), DEFAULT_TIMEOUT_MS)


def command_line(manifest: ToolManifest, config: Config) -> tuple[str, ...]:
    entry = manifest.entry
    if not is_file(entry):
        raise NotRunnable(
            f"{manifest.path} /entry: {entry} is not there; build the tool or mend the manifest"
        )
    if manifest.runtime != "executable":
        return (*_prefix(manifest.runtime, entry, config), str(entry))
    if not os.access(entry, os.X_OK):
        raise NotRunnable(f"{manifest.path} /entry: {entry} may not be executed; run `chmod +x {entry}`")
    return (str(entry),)


def find_program(runtime: Runtime, config: Config) -> str:
    """Return the full path of the program that runs this kind of tool; raise NotRunnable without one."""
    override = config.runtimes.get(runtime)
    if isinstance(override, tuple):
        override = override[0]
    names = (override,) if override else default_programs(runtime)
    program = next((path for name in names if (path := shutil.which(name))), None)
    if program:
        return program
    if override:
        raise NotRunnable(f"{config.file_to_edit} /runtimes/{runtime}: {override} is not a program here")
    raise NotRunnable(
        f"{runtime} tools need {' or '.join(names)} on PATH; "
        f'install it, or set "runtimes": {{"{runtime}": "/path/to/it"}} in {config.file_to_edit}'
    )


def default_programs(runtime: Runtime) -> tuple[str, ...]:
    match runtime:
        case "python":
            return (sys.executable,)  # the one interpreter that is certainly there
        case "powershell":
            return ("pwsh", "powershell")
        case _:
            return (runtime,)


def _prefix(runtime: Runtime, entry: Path, config: Config) -> tuple[str, ...]:
    program = find_program(runtime, config)
    override = config.runtimes.get(runtime)
    if isinstance(override, tuple):
        return (program, *override[1:])
    if runtime == "powershell":
        return (program, *POWERSHELL_OPTIONS)
    if runtime == "dotnet" and entry.suffix in DOTNET_PROJECTS:
        return (program, "run", "--project")
    return (program,)


def tool_as_runnable(manifest: ToolManifest, config: Config) -> Runnable:
    """ContractViolation for a missing config key, NotRunnable for a missing file or program."""
    values = declared_values(config, manifest)

    def encode(request: InvocationRequest) -> bytes:
        return mctl_v1.encode_request(
            tool_id=manifest.id,
            config=values,
            workspace_root=config.workspace_root,
            input=dict(request.input),
        )

    return Runnable(
        name=manifest.id,
        command=Command(command_line(manifest, config), cwd=config.workspace_root),
        encode=encode,
        dialect=mctl_v1.mctl_v1(manifest.id),
        events=_in_our_terms,
        limits=Limits(timeout=timeout_ms(manifest, config) / 1000),
        skill=manifest.id,
    )


def _in_our_terms(events: Iterable[mctl_v1.MctlEvent]) -> Iterator[Event]:
    """Logs and errors; a result is the tool's output and the start is no news."""
    for event in events:
        match event:
            case mctl_v1.Log(payload=payload) if payload.message:
                yield LogEvent(version="0", timestamp=event.ts, level=payload.level, message=payload.message)
            case mctl_v1.Error(payload=payload):
                yield ErrorEvent(
                    version="0",
                    timestamp=event.ts,
                    error_code=payload.code or "TOOL_FAILED",
                    error_message=payload.message or "no message",
                    details=payload.details(),
                )

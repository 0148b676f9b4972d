"""Builds the command, the request and the limits of a tool from its manifest and config."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narratoria.errors import NotRunnable
from narratoria.files import is_file
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects import mctl_v1
from narratoria.protocol.dialects.mctl_v1 import encode_request
from narratoria.protocol.events import ErrorEvent, Event, LogEvent
from narratoria.skills.mcontrol.config import Config, declared_values
from narratoria.skills.mcontrol.manifest import Runtime, ToolManifest
from narratoria.skills.runnable import InvocationRequest, Runnable

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

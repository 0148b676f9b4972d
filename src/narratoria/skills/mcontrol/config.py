"""Reads the config of m-control: the home's file with the project's merged over it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from narratoria import contracts
from narratoria.errors import ContractViolation, Problem
from narratoria.files import expand_home, is_file
from narratoria.skills.mcontrol.manifest import ToolManifest

CONFIG_VERSION = 1
FOLDER = ".m-control"
FILE_NAME = "config.json"
HOME_VARIABLE = "M_CONTROL_HOME"  # in place of ~/.m-control

EMPTY_CONFIG: Mapping[str, Any] = {
    "configVersion": CONFIG_VERSION,
    "tools": {},
    "paths": {},
    "runtimes": {},
    "timeouts": {},
}


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """Holds the `tools` section of one file, as it was written."""

    file: Path
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Config:
    """Both files in one, with absolute paths."""

    workspace_root: Path
    home_file: Path
    project_file: Path
    settings: tuple[ToolSettings, ...] = ()  # of the files that exist, the home's first
    tools_roots: tuple[Path, ...] = ()
    runtimes: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    default_timeout_ms: int | None = None
    tool_timeouts_ms: Mapping[str, int] = field(default_factory=dict)

    @property
    def file_to_edit(self) -> Path:
        """Return the layer that wins, or would win once it exists."""
        return self.settings[-1].file if self.settings else self.project_file


def load_config(folder: Path, env: Mapping[str, str] = os.environ) -> Config:
    """Return the config that holds in this folder; raise ContractViolation with every problem of both."""
    home = home_file(env)
    root = workspace_root(folder, home)
    project = root / FOLDER / FILE_NAME
    files = tuple(path for path in dict.fromkeys((home, project)) if is_file(path))
    merged: dict[str, Any] = {}
    settings: list[ToolSettings] = []
    problems: list[Problem] = []
    for path in files:
        try:
            layer = read_layer(path)
            merged = merge_layers(merged, layer)
            settings.append(ToolSettings(path, layer.get("tools", {})))
        except ContractViolation as violation:
            problems += violation.problems
    if problems:
        raise ContractViolation(problems)
    timeouts = merged.get("timeouts", {})
    return Config(
        workspace_root=root,
        home_file=home,
        project_file=project,
        settings=tuple(settings),
        tools_roots=tuple(Path(path) for path in merged.get("paths", {}).get("toolsRoots", ())),
        runtimes=merged.get("runtimes", {}),
        default_timeout_ms=timeouts.get("default"),
        tool_timeouts_ms=timeouts.get("tools", {}),
    )


def home_file(env: Mapping[str, str] = os.environ) -> Path:
    folder = env.get(HOME_VARIABLE)
    return (Path(folder).absolute() if folder else Path.home() / FOLDER) / FILE_NAME


def workspace_root(folder: Path, home: Path) -> Path:
    """Return the nearest folder upwards with a project config, else the folder itself."""
    folder = folder.absolute()
    for candidate in (folder, *folder.parents):
        path = candidate / FOLDER / FILE_NAME
        if path != home and is_file(path):
            return candidate
    return folder


def read_layer(path: Path) -> dict[str, Any]:
    """One config file, checked, with its paths made absolute."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ContractViolation([Problem(f"cannot be read: {error.strerror}", file=str(path))]) from error
    _refuse_other_versions(path, text)
    layer: dict[str, Any] = dict(contracts.parse("mctl-config", text, file=str(path)))
    start = path.parent.parent
    if "toolsRoots" in layer.get("paths", {}):
        roots = [str(start / expand_home(root)) for root in layer["paths"]["toolsRoots"]]
        layer["paths"] = {**layer["paths"], "toolsRoots": roots}
    layer["runtimes"] = {
        runtime: _program(program, start) for runtime, program in layer.get("runtimes", {}).items()
    }
    return layer


def merge_layers(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Objects key by key, anything else replaced."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            merged[key] = merge_layers(below, value)
        else:
            merged[key] = value
    return merged


def declared_values(config: Config, manifest: ToolManifest) -> dict[str, Any]:
    """Return the declared keys that are set, as a flat map; raise ContractViolation for a missing one."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for key in manifest.declared:
        try:
            value = read_value(config, key)
        except ContractViolation as violation:
            problems += violation.problems
            continue
        if value is not None:
            values[key] = value
        if key in manifest.required_config and value in (None, ""):
            problems.append(_missing(config, manifest, key))
    if problems:
        raise ContractViolation(problems)
    return values


def read_value(config: Config, key: str) -> Any:
    """Return the setting under a dot key, the project's over the home's; None when it is not set."""
    value: Any = None
    for settings in config.settings:
        values = list(_lookup(settings.values, key.split(".")))
        given = [candidate for candidate in values if candidate is not None]
        if len(given) > 1:
            where = str(settings.file)
            raise ContractViolation([Problem(f"{key} is set in more than one spelling", "/tools", where)])
        if isinstance(value, Mapping) and given and isinstance(given[0], Mapping):
            value = merge_layers(value, given[0])
        elif values:
            value = given[0] if given else None
    return value


def _lookup(settings: Mapping[str, Any], parts: Sequence[str]) -> Iterator[Any]:
    # The file is searched as it was written: spelling it out first would also split dots inside the values.
    for end in range(1, len(parts) + 1):
        key = ".".join(parts[:end])
        if key not in settings:
            continue
        if end == len(parts):
            yield settings[key]
        elif isinstance(settings[key], Mapping):
            yield from _lookup(settings[key], parts[end:])
        else:
            yield None  # merged over another file's object, this value would replace it


def _missing(config: Config, manifest: ToolManifest, key: str) -> Problem:
    setting: Any = "…"
    for part in reversed(key.split(".")):
        setting = {part: setting}
    first = "" if config.settings else "run `mctl init`, then "
    example = json.dumps({"tools": setting}, ensure_ascii=False)[1:-1]
    return Problem(
        f"{manifest.id} needs {key}, which is not set; {first}add {example}",
        "/tools/" + key.replace(".", "/"),
        str(config.file_to_edit),
    )


def _refuse_other_versions(path: Path, text: bytes) -> None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return  # the contract says where the syntax goes wrong
    if not isinstance(document, dict) or document.get("configVersion") == CONFIG_VERSION:
        return
    if "configVersion" not in document:
        message = f'is missing; add "configVersion": {CONFIG_VERSION}'
    else:
        version = json.dumps(document["configVersion"])
        message = (
            f"is {version}, and this mctl reads version {CONFIG_VERSION} only; use the mctl the file was "
            f"written for, or move the file away and run `mctl init` for a new one"
        )
    raise ContractViolation(
        [Problem(message, "/configVersion", str(path), _line_of(text, b'"configVersion"'))]
    )


def _line_of(text: bytes, key: bytes) -> int:
    place = text.find(key)
    return text.count(b"\n", 0, place) + 1 if place >= 0 else 1


def _program(program: str | list[str], start: Path) -> str | tuple[str, ...]:
    if isinstance(program, str):
        return _locate(program, start)
    return (_locate(program[0], start), *program[1:])


def _locate(program: str, start: Path) -> str:
    # A bare name is looked up on PATH; a path is relative to where the config belongs, like a tools root.
    has_folder = os.sep in program or "/" in program or program.startswith("~")
    return str(start / expand_home(program)) if has_folder else program

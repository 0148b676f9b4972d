"""Reads a tool's manifest, and describes the tool as a skill with a single script.

A tool is adopted by putting its folder, or a link to it, among the skills. Those in m-control's own roots can
be named by plans, but no planner is offered them: they were not written for a story.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from narratoria import contracts
from narratoria.errors import ContractViolation, Problem
from narratoria.files import is_file, real_path
from narratoria.skills.skill import Skill, SkillScript

Runtime: TypeAlias = Literal["node", "python", "powershell", "dotnet", "executable"]

FILE_NAME = "manifest.json"
# A manifest is a page of text; whatever is larger is some other file of that name.
MAX_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ToolManifest:
    """Holds the manifest of a tool, with its paths made absolute."""

    id: str
    version: str
    name: str
    description: str
    runtime: Runtime
    entry: Path
    path: Path
    required_config: tuple[str, ...] = ()
    optional_config: tuple[str, ...] = ()
    timeout_ms: int | None = None
    tags: tuple[str, ...] = ()
    unknown_fields: tuple[str, ...] = ()

    @property
    def declared(self) -> tuple[str, ...]:
        """Return the config keys the tool may see."""
        return tuple(dict.fromkeys(self.required_config + self.optional_config))


def read_manifest(path: Path) -> ToolManifest:
    """Return the manifest in this file; raise ContractViolation with every problem of an invalid one."""
    path = path.absolute()
    document = contracts.parse("mctl-manifest", _read(path), file=str(path))
    return ToolManifest(
        id=document["id"],
        version=document["version"],
        name=document["name"],
        description=document["description"],
        runtime=document["runtime"],
        entry=_entry(path, document["entry"]),
        path=path,
        required_config=tuple(document.get("requiredConfig", ())),
        optional_config=tuple(document.get("optionalConfig", ())),
        timeout_ms=_whole(document.get("timeoutMs")),
        tags=tuple(document.get("tags", ())),
        unknown_fields=tuple(sorted(document.keys() - known_fields())),
    )


def known_fields() -> frozenset[str]:
    return frozenset(contracts.load("mctl-manifest")["properties"]) | {"$schema"}


def _read(path: Path) -> bytes:
    try:
        if not is_file(path):
            raise ContractViolation([Problem("is not a file", file=str(path))])
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ContractViolation([Problem(f"cannot be read: {error.strerror}", file=str(path))]) from error
    if len(content) > MAX_BYTES:
        raise ContractViolation([Problem("is over 1 MiB, too large for a manifest", file=str(path))])
    return content


def _entry(manifest: Path, entry: str) -> Path:
    # The contract refuses `..`; what is left to refuse is a symlink that leads out of the folder.
    folder = manifest.parent
    if not real_path(folder / entry).is_relative_to(real_path(folder)):
        raise ContractViolation(
            [
                Problem(
                    f"{entry!r} leads out of the manifest's folder; keep the entry inside it",
                    "/entry",
                    str(manifest),
                )
            ]
        )
    return folder / entry


def _whole(value: Any) -> int | None:
    # JSON Schema counts 30000.0 among the integers
    return None if value is None else int(value)


DEFAULT_TIMEOUT_MS = 30_000


def skill_from_tool(tool: ToolManifest) -> Skill:
    """Return the skill that a tool is to a plan; its settings stay where m-control keeps them."""
    folder = tool.path.parent
    script = SkillScript(
        name=tool.id,
        path=real_path(tool.entry),
        description=tool.description,
        timeout=(tool.timeout_ms or DEFAULT_TIMEOUT_MS) / 1000,
        protocol="m-control-1",
    )
    return Skill(
        name=tool.id,
        version=tool.version,
        description=tool.description,
        folder=folder,
        display_name=tool.name,
        scripts=(script,),
        capabilities=tool.tags,
    )


def read_tool_as_skill(folder: Path) -> Skill:
    """Return the tool in this folder as a skill; raise ContractViolation with its manifest's problems."""
    return skill_from_tool(read_manifest(folder / FILE_NAME))

"""Finds tools: every manifest under the tools roots, in the order of the roots."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from narratoria.errors import ContractViolation, Problem
from narratoria.files import expand_home, is_folder, real_path
from narratoria.skills.mcontrol.config import Config
from narratoria.skills.mcontrol.manifest import FILE_NAME, ToolManifest, read_manifest

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

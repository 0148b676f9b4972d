"""The programs of a skill: those that its manifest lists, and those that lie in its `scripts/` folder."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from narratoria.errors import Problem
from narratoria.protocol.command import INTERPRETERS
from narratoria.skills.folder import find_file
from narratoria.skills.skill import ScriptProtocol, SkillScript

FOLDER = "scripts"
DEEPEST = 3  # folders below scripts/
MOST = 200  # scripts of one skill
KNOWN_ENDINGS = frozenset({".py", *INTERPRETERS})


def listed_scripts(
    folder: Path, entries: Sequence[dict[str, Any]]
) -> tuple[tuple[SkillScript, ...], list[Problem]]:
    """The scripts of a manifest, and what is wrong with the others, by their places in it."""
    scripts: dict[str, SkillScript] = {}
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        pointer = f"/scripts/{index}"
        try:
            path = _listed_file(folder, entry["path"])
        except ValueError as reason:
            problems.append(Problem(str(reason), f"{pointer}/path"))
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
        )
    return tuple(scripts.values()), problems


def _listed_file(folder: Path, relative: str) -> Path:
    lies_outside: ValueError | None = None
    for place in (f"{FOLDER}/{relative}", relative):
        try:
            if path := find_file(folder, place):
                return path
        except ValueError as reason:
            lies_outside = reason
    if lies_outside:
        raise ValueError(f"'{relative}' leads out of the skill's folder; keep it inside")
    raise ValueError(f"there is no file '{relative}' in {FOLDER}/ or in the skill's root")


def found_scripts(
    folder: Path, *, protocol: ScriptProtocol, by_ending: bool, listed: Sequence[SkillScript] = ()
) -> tuple[tuple[SkillScript, ...], list[Problem]]:
    """The other programs in scripts/, and which of them are not used and why.

    A program is what may be executed; `by_ending`, also what lies directly in scripts/ and whose ending
    names an interpreter. What begins with a dot or an underscore is none.
    """
    problems: list[Problem] = []
    taken = {script.path for script in listed}
    found: list[tuple[str, Path]] = []
    for relative in sorted(_programs(folder / FOLDER, by_ending=by_ending)):
        try:
            path = find_file(folder, f"{FOLDER}/{relative}")
        except ValueError as reason:
            problems.append(Problem(f"{reason}; it is not used", file=str(folder / FOLDER / relative)))
            continue
        if path and path not in taken:
            taken.add(path)
            found.append((relative, path))
    if len(found) > MOST:
        message = f"holds {len(found)} programs; those after the first {MOST} are not used"
        problems.append(Problem(message, file=str(folder / FOLDER)))
        del found[MOST:]
    names = _names([relative for relative, _ in found], {script.name for script in listed})
    pairs = zip(names, found, strict=True)
    return tuple(SkillScript(name, path, protocol=protocol) for name, (_, path) in pairs), problems


def _programs(scripts: Path, *, by_ending: bool) -> Iterator[str]:
    """The paths of the programs, relative to scripts/."""
    for folder, folders, files in os.walk(scripts):
        below = Path(folder).relative_to(scripts)
        depth = len(below.parts)
        folders[:] = sorted(name for name in folders if _counts(name) and depth < DEEPEST)
        for name in filter(_counts, files):
            known = Path(name).suffix.lower() in KNOWN_ENDINGS
            if _executable(Path(folder, name), known) or (by_ending and known and depth == 0):
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

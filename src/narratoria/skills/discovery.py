"""Finds skills in their folders, and the script that a plan means.

A folder is a skill by what describes it: `skill.json`, else `SKILL.md`, else m-control's `manifest.json`; a
`SKILL.md` beside a `skill.json` belongs to the same skill. Of two skills with one name the one found first
stays, in the order of roots; in one root, the one in the folder of its own name, where it is installed, and
then in the order of names. What came with the package, or was installed, cannot be displaced by a folder that
takes its name, and with it its permissions, its settings and its data.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from narratoria.errors import ContractViolation, Problem, SkillScriptNotFoundError
from narratoria.skills import agent_skills, manifest
from narratoria.skills.mcontrol import manifest as mcontrol_manifest
from narratoria.skills.skill import Skill, SkillScript

# in the order in which they are asked
DESCRIPTIONS = {
    manifest.FILE_NAME: manifest.read_manifest,
    agent_skills.FILE_NAME: agent_skills.read_agent_skill,
    mcontrol_manifest.FILE_NAME: mcontrol_manifest.read_tool_as_skill,
}
DEEPEST = 4  # folders of folders: collections of skills are often sorted into some
SKIPPED = frozenset({"node_modules", "__pycache__"})
# below a root, `data` is what some skill has written: nothing in it becomes a skill by that
PRIVATE = frozenset({"data", "scripts"})
MEANT_AS_SKILL = frozenset({"scripts", "prompt.md", "config-schema.json"})


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Holds the skills that were read, and what was wrong with the others."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[Problem, ...] = ()
    last_good: tuple[str, ...] = ()  # skills whose folder is broken now, in their last good version

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Return what was tolerated in the skills that were found."""
        return tuple(warning for skill in self.skills for warning in skill.warnings)

    def skill(self, name: str) -> Skill | None:
        return next((skill for skill in self.skills if skill.name == name), None)

    def find(self, tool_path: str) -> tuple[Skill, SkillScript]:
        """Return the script behind `skill/script`, `skills/skill/file` or the file's own path."""
        path = os.path.abspath(tool_path)  # noqa: PTH100  Path.absolute() keeps the `..`
        for skill in self.skills:
            for script in skill.scripts:
                if tool_path in _names(skill, script) or path in _files(skill, script):
                    return skill, script
        raise SkillScriptNotFoundError(f"no skill owns '{tool_path}'")


NO_SKILLS = Catalogue()


def discover(roots: Iterable[Path], *, previous: Catalogue = NO_SKILLS) -> Catalogue:
    """Every valid skill below these roots, and each problem of the others.

    A skill that was good in the previous catalogue and is broken now stays as it was."""
    before = {skill.folder: skill for skill in previous.skills}
    skills: dict[str, Skill] = {}
    problems: list[Problem] = []
    last_good: list[str] = []
    seen: set[Path] = set()
    for root in roots:
        here: list[Skill] = []
        for folder in skill_folders(root, problems):
            if (place := folder.resolve()) in seen:
                continue  # one root lies inside another, or a link leads to both
            seen.add(place)
            try:
                skill = read_skill(folder)
            except ContractViolation as violation:
                problems.extend(violation.problems)
                if folder not in before:
                    continue
                skill = before[folder]
                last_good.append(skill.name)
                message = f"the skill '{skill.name}' stays in use as it was before this change"
                problems.append(Problem(message, file=str(folder)))
            here.append(skill)
        for skill in sorted(here, key=lambda skill: not _at_home(skill, root)):
            first = skills.setdefault(_key(skill.name), skill)
            if first is not skill:
                problems.append(_double(skill, first))
    return Catalogue(tuple(skills.values()), tuple(problems), tuple(last_good))


def read_skill(folder: Path) -> Skill:
    """Return the skill in this folder; raise ContractViolation with every problem of what describes it."""
    described = description_of(folder)
    if described is None:
        message = _meant_as_skill(folder) or f"is not a skill: it has neither {' nor '.join(DESCRIPTIONS)}"
        raise ContractViolation([Problem(message, file=str(folder))])
    skill = DESCRIPTIONS[described](folder)
    if described == manifest.FILE_NAME and os.path.lexists(folder / agent_skills.FILE_NAME):
        return agent_skills.merge_agent_skill(skill)
    return skill


def description_of(folder: Path) -> str | None:
    """Return the name of the file that describes the skill in this folder, if it is one."""
    return next((name for name in DESCRIPTIONS if os.path.lexists(folder / name)), None)


def skill_folders(root: Path, problems: list[Problem]) -> Iterator[Path]:
    """Yield the folders below a root that describe a skill, in the order of their names."""
    for child in _subfolders(root, problems, links=True):
        yield from _skill_folders(child, problems, 1)


def _skill_folders(folder: Path, problems: list[Problem], depth: int) -> Iterator[Path]:
    if description_of(folder):
        yield folder
        return
    if reason := _meant_as_skill(folder):
        problems.append(Problem(reason, file=str(folder)))
    elif depth < DEEPEST:
        for child in _subfolders(folder, problems, links=False):
            if child.name not in PRIVATE:
                yield from _skill_folders(child, problems, depth + 1)


def _meant_as_skill(folder: Path) -> str:
    """Return why a folder that looks like a skill is none; empty for others, such as those of settings."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return ""  # told when its folders are searched
    spelled = {name.casefold(): name for name in DESCRIPTIONS}
    for name in names:
        if right := spelled.get(name.casefold()):
            return f"is not a skill: rename its {name} to {right}"
    if MEANT_AS_SKILL.isdisjoint(names):
        return ""
    return f"is not a skill: it has neither {' nor '.join(DESCRIPTIONS)}"


def _subfolders(folder: Path, problems: list[Problem], *, links: bool) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if _is_folder(entry, links=links))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems.append(Problem(f"cannot be searched: {error.strerror}", file=str(folder)))
        return []
    return [folder / name for name in names if name[0] != "." and name not in SKIPPED]


def _is_folder(entry: os.DirEntry[str], *, links: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=links)
    except OSError:
        return False  # a link in a circle


def _key(name: str) -> str:
    """Equal for names that some file systems take for the same."""
    return unicodedata.normalize("NFC", name).casefold()


def _at_home(skill: Skill, root: Path) -> bool:
    return skill.folder.parent == root and _key(skill.folder.name) == _key(skill.name)


def _double(skill: Skill, first: Skill) -> Problem:
    message = f"a skill called '{first.name}' was found in {first.folder} already; this one is not used"
    return Problem(message, file=str(skill.folder / (description_of(skill.folder) or "")))


def _names(skill: Skill, script: SkillScript) -> tuple[str, ...]:
    names = (
        f"{skill.name}/{script.name}",
        f"skills/{skill.name}/{script.name}",
        f"skills/{skill.name}/{script.path.name}",
        f"skills/{skill.name}/{_within(skill, script).as_posix()}",
    )
    return (skill.name, *names) if script.protocol == "m-control-1" else names


def _files(skill: Skill, script: SkillScript) -> tuple[str, ...]:
    """Return the file itself, and the same by the way its skill was reached: maybe through a link."""
    files = (str(script.path), os.path.abspath(skill.folder / _within(skill, script)))  # noqa: PTH100
    return (
        (*files, str(skill.folder / mcontrol_manifest.FILE_NAME))
        if script.protocol == "m-control-1"
        else files
    )


def _within(skill: Skill, script: SkillScript) -> Path:
    return script.path.relative_to(skill.folder.resolve())

"""Finds skills in their folders, and the script that a plan means."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from narratoria.errors import ContractViolation, Problem, SkillScriptNotFoundError
from narratoria.skills.skill import Skill, SkillScript, read_skill


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The skills that were found, and what was wrong with those that could not be read."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[Problem, ...] = ()

    def skill(self, name: str) -> Skill | None:
        return next((skill for skill in self.skills if skill.name == name), None)

    def find(self, tool_path: str) -> tuple[Skill, SkillScript]:
        """The script behind `skill/script`, `skills/skill/file` or the file's own path."""
        path = os.path.abspath(tool_path)  # noqa: PTH100  Path.absolute() keeps the `..`
        for skill in self.skills:
            for script in skill.scripts:
                if tool_path in _names(skill, script) or path in _files(skill, script):
                    return skill, script
        raise SkillScriptNotFoundError(f"no skill owns '{tool_path}'")


def discover(roots: Iterable[Path]) -> Catalogue:
    """Every valid skill below these roots; of two with one name the one found first stays."""
    skills: dict[str, Skill] = {}
    problems: list[Problem] = []
    for root in roots:
        for folder in sorted(path.parent for path in root.glob("*/skill.json")) if root.is_dir() else ():
            try:
                skill = read_skill(folder)
            except ContractViolation as violation:
                problems.extend(violation.problems)
                continue
            if first := skills.get(skill.name):
                message = (
                    f"a skill called '{skill.name}' was found in {first.folder} already; this one is not used"
                )
                problems.append(Problem(message, file=str(folder / "skill.json")))
            else:
                skills[skill.name] = skill
    return Catalogue(tuple(skills.values()), tuple(problems))


def _names(skill: Skill, script: SkillScript) -> tuple[str, ...]:
    return (
        f"{skill.name}/{script.name}",
        f"skills/{skill.name}/{script.name}",
        f"skills/{skill.name}/{script.path.name}",
        f"skills/{skill.name}/{_within(skill, script).as_posix()}",
    )


def _files(skill: Skill, script: SkillScript) -> tuple[str, str]:
    """The file itself, and the same by the way its skill was found: that may have been through a link."""
    return str(script.path), os.path.abspath(skill.folder / _within(skill, script))  # noqa: PTH100


def _within(skill: Skill, script: SkillScript) -> Path:
    return script.path.relative_to(skill.folder.resolve())

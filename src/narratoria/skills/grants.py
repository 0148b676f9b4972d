"""What a skill asks for, and what of it the user has agreed to."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from narratoria import places
from narratoria.errors import NarratoriaException
from narratoria.skills.permissions import Permissions, check
from narratoria.skills.settings import Settings
from narratoria.skills.skill import Skill


def is_bundled(skill: Skill) -> bool:
    """What came with the package is trusted as the package is."""
    return skill.folder.is_relative_to(places.BUNDLED_SKILLS)


def asked_by(skill: Skill) -> Permissions:
    """Everything that the user is to decide about."""
    return skill.permissions


def granted_to(skill: Skill, settings: Settings) -> Permissions:
    """What a skill asks for and was granted; what came with the package is granted what it asks for."""
    asked = asked_by(skill)
    if is_bundled(skill):
        return asked
    granted = settings.granted(skill.name) or ()
    # edited by hand, or from when the home was another: what makes no sense was not granted
    return asked & Permissions.parse(name for name in granted if not check([name]))


def chosen(skill: Skill, names: Iterable[str]) -> Permissions:
    """Those that a user named, out of what the skill asks for; NarratoriaException for any other."""
    names = tuple(names)
    if problems := check(names):
        raise NarratoriaException("\n".join(problem.message for problem in problems))
    wanted, asked = Permissions.parse(names), asked_by(skill)
    if refused := [name for name in wanted if not (wanted & asked).allows(name)]:
        listed = ", ".join(asked) or "nothing"
        raise NarratoriaException(f"{skill.name} does not ask for {', '.join(refused)}; it asks for {listed}")
    return wanted


def how_to_grant(skill: str, *names: str) -> str:
    """The command that does it."""
    return shlex.join(["narratoria", "skills", "grant", skill, *names])

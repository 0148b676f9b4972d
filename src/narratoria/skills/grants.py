"""What a skill asks for, and what of it the user has agreed to."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from narratoria import paths
from narratoria.errors import ContractViolation, NarratoriaException
from narratoria.skills.config_schema import ConfigField, read_schema
from narratoria.skills.permissions import ENV, NETWORK, Permissions, check
from narratoria.skills.settings import Settings
from narratoria.skills.skill import Skill


def is_bundled(skill: Skill) -> bool:
    """What came with the package is trusted as the package is."""
    return skill.folder.is_relative_to(paths.BUNDLED_SKILLS)


def asked_by(skill: Skill) -> Permissions:
    """Everything that the user is to decide about: its manifest's list, its settings' variables."""
    try:
        schema = read_schema(skill.folder, skill.config_schema)
    except ContractViolation:
        return skill.permissions  # nothing is read by a schema that is refused
    return skill.permissions | Permissions(frozenset(ENV + name for name in _variables(schema.fields)))


def left_to_the_user(skill: Skill) -> Permissions:
    """What of it can be granted and taken back: of what came with the package, the network alone."""
    asked = asked_by(skill)
    return asked & Permissions.parse([NETWORK]) if is_bundled(skill) else asked


def _variables(fields: Iterable[ConfigField]) -> Iterator[str]:
    for about in fields:
        if about.env_var:
            yield about.env_var
        yield from _variables(about.fields)


def withheld_from(skill: Skill, settings: Settings) -> frozenset[str]:
    """The variables that its settings name and that the user has not agreed to."""
    asked = asked_by(skill)
    return asked.variables - _granted(skill, asked, settings).variables


def granted_to(skill: Skill, settings: Settings) -> Permissions:
    """What a skill asks for and was granted; what came with the package has all of it but the network."""
    return _granted(skill, asked_by(skill), settings)


def _granted(skill: Skill, asked: Permissions, settings: Settings) -> Permissions:
    granted = settings.granted(skill.name) or ()
    # edited by hand, or from when the home was another: what makes no sense was not granted
    agreed = asked & Permissions.parse(name for name in granted if not check([name]))
    if is_bundled(skill):
        return Permissions(asked.names - {NETWORK}) | agreed  # nothing leaves this machine by default
    return agreed


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

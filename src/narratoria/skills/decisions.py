"""Reads and writes the user's decisions about skills, `<home>/skills.json`: which are on, and the grants."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from narratoria import contracts, paths
from narratoria.contracts.json_pointer import split_pointer
from narratoria.errors import ContractViolation, NarratoriaException, Problem
from narratoria.files import file_lock, replace_file
from narratoria.skills.config_schema import ConfigField, read_schema
from narratoria.skills.permissions import ENV, NETWORK, Permissions, check_permissions
from narratoria.skills.skill import Skill

FILE_NAME = "skills.json"


@dataclass(frozen=True, slots=True)
class SkillDecisions:
    """Holds the decisions that were read, and what was wrong with those that could not be."""

    document: Mapping[str, Any] = field(default_factory=dict)  # unknown keys are kept
    problems: tuple[Problem, ...] = ()

    def is_enabled(self, skill: str) -> bool:
        return bool(self._of(skill).get("enabled", True))

    def granted(self, skill: str) -> tuple[str, ...] | None:
        """Return the permissions that the user gave; None when there was no decision yet."""
        permissions = self._of(skill).get("permissions")
        return None if permissions is None else tuple(permissions)

    @property
    def disabled(self) -> frozenset[str]:
        return frozenset(skill for skill in self.document.get("skills", {}) if not self.is_enabled(skill))

    def with_enabled(self, skill: str, enabled: bool) -> SkillDecisions:
        return self._with(skill, {**self._of(skill), "enabled": enabled})

    def with_granted(self, skill: str, permissions: Iterable[str]) -> SkillDecisions:
        return self._with(skill, {**self._of(skill), "permissions": [*dict.fromkeys(permissions)]})

    def without(self, skill: str) -> SkillDecisions:
        """As if nothing had ever been decided about it."""
        skills = {name: of for name, of in self.document.get("skills", {}).items() if name != skill}
        return replace(self, document={**self.document, "skills": skills})

    def _of(self, skill: str) -> Mapping[str, Any]:
        decided: Mapping[str, Any] = self.document.get("skills", {}).get(skill, {})
        return decided

    def _with(self, skill: str, decided: Mapping[str, Any]) -> SkillDecisions:
        skills = {**self.document.get("skills", {}), skill: decided}
        return replace(self, document={**self.document, "skills": skills})


def load_decisions(home: Path) -> SkillDecisions:
    """Read the user's decisions; what cannot be read counts as not decided, and is reported as a problem."""
    return _read(home / FILE_NAME)[0]


def change_decisions(home: Path, edit: Callable[[SkillDecisions], SkillDecisions]) -> SkillDecisions:
    """Read, change and save, with nobody in between; a file that was broken is kept as a copy."""
    path = home / FILE_NAME
    with file_lock(path):
        before, text = _read(path)
        if before.problems and text:
            replace_file(_free_name(path), text, private=True)
        after = replace(edit(before), problems=())
        document = json.dumps(after.document, indent=2, ensure_ascii=False) + "\n"
        replace_file(path, document.encode(), private=True)
    return after


def _read(path: Path) -> tuple[SkillDecisions, bytes]:
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return SkillDecisions(), b""
    except OSError as error:
        reason = error.strerror or str(error)
        return SkillDecisions(
            problems=(Problem(f"cannot be read: {reason}; {_GOES_ON}", file=str(path)),)
        ), b""
    try:
        return SkillDecisions(contracts.parse("skill-settings", text, file=str(path))), text
    except ContractViolation as violation:
        problems = tuple(replace(p, message=f"{p.message}; {_GOES_ON}") for p in violation.problems)
    return SkillDecisions(_sound_part(text, problems), problems), text


_GOES_ON = "until it is mended, this counts as not decided"


def _sound_part(text: bytes, problems: tuple[Problem, ...]) -> dict[str, Any]:
    """Return the decisions about skills that nothing is wrong with."""
    try:
        document = contracts.Contract({"type": "object"}).parse(text)
    except ContractViolation:
        return {}
    places = (split_pointer(problem.pointer) for problem in problems)
    wrong = {place[1] for place in places if len(place) > 1}
    skills = document.get("skills")
    sound = {name: of for name, of in skills.items() if name not in wrong} if isinstance(skills, dict) else {}
    return {**document, "skills": sound}


def _free_name(path: Path) -> Path:
    number = 1
    while os.path.lexists(copy := path.with_name(f"{path.name}.broken-{number}")):
        number += 1
    return copy


def is_bundled(skill: Skill) -> bool:
    """Return whether the skill came with the package, and is trusted as the package is."""
    return skill.folder.is_relative_to(paths.BUNDLED_SKILLS)


def requested_permissions(skill: Skill) -> Permissions:
    """Everything that the user is to decide about: its manifest's list, its settings' variables, its
    MCP server's host."""
    own = skill.permissions
    if skill.mcp and skill.mcp.permission:
        own |= Permissions(frozenset((skill.mcp.permission,)))
    try:
        schema = read_schema(skill.folder, skill.config_schema)
    except ContractViolation:
        return own  # nothing is read by a schema that is refused
    return own | Permissions(frozenset(ENV + name for name in _variables(schema.fields)))


def user_controlled_permissions(skill: Skill) -> Permissions:
    """Return what can be granted and taken back: of a bundled skill, the network alone."""
    requested = requested_permissions(skill)
    return requested & Permissions.parse([NETWORK]) if is_bundled(skill) else requested


def _variables(fields: Iterable[ConfigField]) -> Iterator[str]:
    for about in fields:
        if about.env_var:
            yield about.env_var
        yield from _variables(about.fields)


def withheld_variables(skill: Skill, decisions: SkillDecisions) -> frozenset[str]:
    """Return the variables that its settings name and that the user has not agreed to."""
    requested = requested_permissions(skill)
    return requested.variables - _granted(skill, requested, decisions).variables


def granted_permissions(skill: Skill, decisions: SkillDecisions) -> Permissions:
    """Return what a skill asks for and was granted; a bundled skill has all of it but the network."""
    return _granted(skill, requested_permissions(skill), decisions)


def _granted(skill: Skill, requested: Permissions, decisions: SkillDecisions) -> Permissions:
    granted = decisions.granted(skill.name) or ()
    # edited by hand, or from when the home was another: what makes no sense was not granted
    agreed = requested & Permissions.parse(name for name in granted if not check_permissions([name]))
    if is_bundled(skill):
        return Permissions(requested.names - {NETWORK}) | agreed  # nothing leaves this machine by default
    return agreed


def select_permissions(skill: Skill, names: Iterable[str]) -> Permissions:
    """Those that a user named, out of what the skill asks for; NarratoriaException for any other."""
    names = tuple(names)
    if problems := check_permissions(names):
        raise NarratoriaException("\n".join(problem.message for problem in problems))
    selected, requested = Permissions.parse(names), requested_permissions(skill)
    if refused := [name for name in selected if not (selected & requested).allows(name)]:
        listed = ", ".join(requested) or "nothing"
        raise NarratoriaException(f"{skill.name} does not ask for {', '.join(refused)}; it asks for {listed}")
    return selected


def grant_command(skill: str, *names: str) -> str:
    """Return the command that grants these permissions."""
    return shlex.join(["narratoria", "skills", "grant", skill, *names])

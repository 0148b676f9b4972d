"""What the user decided about skills: `<home>/skills.json`, with which are on and what each may do."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from narratoria import contracts
from narratoria.contracts.locate import split_pointer
from narratoria.errors import ContractViolation, Problem
from narratoria.skills.atomic import only_writer, write_atomically

FILE_NAME = "skills.json"


@dataclass(frozen=True, slots=True)
class Settings:
    """The decisions that were read, and what was wrong with those that could not be."""

    document: Mapping[str, Any] = field(default_factory=dict)  # unknown keys are kept
    problems: tuple[Problem, ...] = ()

    def is_enabled(self, skill: str) -> bool:
        return bool(self._of(skill).get("enabled", True))

    def granted(self, skill: str) -> tuple[str, ...] | None:
        """The permissions that the user gave; None when there was no decision yet."""
        permissions = self._of(skill).get("permissions")
        return None if permissions is None else tuple(permissions)

    @property
    def disabled(self) -> frozenset[str]:
        return frozenset(skill for skill in self.document.get("skills", {}) if not self.is_enabled(skill))

    def with_enabled(self, skill: str, enabled: bool) -> Settings:
        return self._with(skill, {**self._of(skill), "enabled": enabled})

    def with_granted(self, skill: str, permissions: Iterable[str]) -> Settings:
        return self._with(skill, {**self._of(skill), "permissions": [*dict.fromkeys(permissions)]})

    def without(self, skill: str) -> Settings:
        """As if nothing had ever been decided about it."""
        skills = {name: of for name, of in self.document.get("skills", {}).items() if name != skill}
        return replace(self, document={**self.document, "skills": skills})

    def _of(self, skill: str) -> Mapping[str, Any]:
        decided: Mapping[str, Any] = self.document.get("skills", {}).get(skill, {})
        return decided

    def _with(self, skill: str, decided: Mapping[str, Any]) -> Settings:
        skills = {**self.document.get("skills", {}), skill: decided}
        return replace(self, document={**self.document, "skills": skills})


def load_settings(home: Path) -> Settings:
    """What was decided; whatever cannot be read counts as not decided, and is told as a problem."""
    return _read(home / FILE_NAME)[0]


def change_settings(home: Path, edit: Callable[[Settings], Settings]) -> Settings:
    """Read, change and save, with nobody in between; a file that was broken is kept as a copy."""
    path = home / FILE_NAME
    with only_writer(path):
        before, text = _read(path)
        if before.problems and text:
            write_atomically(_free_name(path), text, private=True)
        after = replace(edit(before), problems=())
        document = json.dumps(after.document, indent=2, ensure_ascii=False) + "\n"
        write_atomically(path, document.encode(), private=True)
    return after


def _read(path: Path) -> tuple[Settings, bytes]:
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Settings(), b""
    except OSError as error:
        reason = error.strerror or str(error)
        return Settings(problems=(Problem(f"cannot be read: {reason}; {_GOES_ON}", file=str(path)),)), b""
    try:
        return Settings(contracts.parse("skill-settings", text, file=str(path))), text
    except ContractViolation as violation:
        problems = tuple(replace(p, message=f"{p.message}; {_GOES_ON}") for p in violation.problems)
    return Settings(_sound_part(text, problems), problems), text


_GOES_ON = "until it is mended, this counts as not decided"


def _sound_part(text: bytes, problems: tuple[Problem, ...]) -> dict[str, Any]:
    """The decisions about skills that nothing is wrong with."""
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

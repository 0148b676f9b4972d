"""Reads the skills and actions that foreign skills are fitted and scored on."""

from __future__ import annotations

from pathlib import Path

import msgspec

from evals.planning import cases as planning_cases
from narratoria.skills.skill import Skill

FOLDER = Path(__file__).parent / "cases"


class Described(msgspec.Struct, frozen=True):
    name: str
    description: str
    capabilities: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


class Action(msgspec.Struct, frozen=True):
    action: str
    skill: str  # the one that it needs; empty for none
    near: str = ""  # the one whose subject it names and which it does not need


class Cases(msgspec.Struct, frozen=True):
    skills: tuple[Described, ...]
    actions: tuple[Action, ...]

    def as_skills(self) -> list[Skill]:
        return [
            Skill(
                name=one.name,
                version="1.0.0",
                description=one.description,
                folder=FOLDER,
                display_name=one.name,
                capabilities=one.capabilities,
                examples=one.examples,
            )
            for one in self.skills
        ]


def read_cases(name: str) -> Cases:
    return msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Cases)


def read_wide_sets() -> list[Cases]:
    return msgspec.json.decode((FOLDER / "wide.json").read_bytes(), type=list[Cases])


def read_ordinary_actions() -> list[str]:
    """Return actions that were labelled for the bundled skills and need no other."""
    return [case.action for split in ("fit", "fit-more") for case in planning_cases.load(split)]

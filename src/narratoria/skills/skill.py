"""Defines a skill: a folder that describes itself, and the scripts it brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from narratoria.errors import Problem
from narratoria.skills.permissions import NOTHING, Permissions

# text: a program that knows nothing of us, whose lines are logged and whose exit code is its answer
ScriptProtocol: TypeAlias = Literal["narratoria-0", "text", "m-control-1"]


@dataclass(frozen=True, slots=True)
class SkillScript:
    """Describes a program of a skill that plans can run."""

    name: str
    path: Path
    description: str = ""
    timeout: float = 30.0  # seconds
    required: bool = True
    protocol: ScriptProtocol = "narratoria-0"


@dataclass(frozen=True, slots=True)
class Skill:
    """Describes a capability bundle, as its folder does."""

    name: str
    version: str
    description: str
    folder: Path
    display_name: str = ""
    author: str = ""
    license: str = ""
    compatibility: str = ""  # what it needs around it, in words for people
    prompt: str = ""
    instructions: Path | None = None  # a SKILL.md, whose body is read when the skill is chosen
    config_schema: str = "config-schema.json"  # relative to the folder; need not be there
    scripts: tuple[SkillScript, ...] = ()
    capabilities: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()  # what players say when they mean this skill
    permissions: Permissions = NOTHING  # what it asks for; what it gets is the user's decision
    allowed_tools: tuple[str, ...] = ()  # of an Agent Skill: told to people, granted nothing
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    priority: int = 50
    max_retries: int = 3
    backoff_ms: int = 100
    warnings: tuple[Problem, ...] = ()  # what was put up with

    def script(self, name: str) -> SkillScript | None:
        return next((script for script in self.scripts if script.name == name), None)

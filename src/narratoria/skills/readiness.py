"""Checks whether a skill can be used now: turned on, and with settings that it can work with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from narratoria.errors import ContractViolation, Problem
from narratoria.skills.config import EffectiveConfig, SkillConfig, read_config
from narratoria.skills.settings import SkillDecisions
from narratoria.skills.skill import Skill

Condition: TypeAlias = Literal["ready", "disabled", "misconfigured"]


@dataclass(frozen=True, slots=True)
class Readiness:
    skill: Skill
    enabled: bool = True
    config: SkillConfig | None = None  # None: its schema or its file cannot be read
    effective: EffectiveConfig | None = None
    problems: tuple[Problem, ...] = ()  # what keeps it from being used
    warnings: tuple[Problem, ...] = ()

    @property
    def condition(self) -> Condition:
        if not self.enabled:
            return "disabled"
        return "misconfigured" if self.problems else "ready"

    @property
    def reason(self) -> str:
        """Return why a plan may not use it, and what to do; nothing for one that it may use."""
        name = self.skill.name
        if not self.enabled:
            return f"the skill '{name}' is disabled; `narratoria skills enable {name}` turns it on"
        listed = "; ".join(str(problem) for problem in self.problems)
        return f"the skill '{name}' is not configured: {listed}" if listed else ""


def check_readiness(
    skill: Skill, home: Path, settings: SkillDecisions, env: Mapping[str, str] = os.environ
) -> Readiness:
    enabled = settings.is_enabled(skill.name)
    try:
        config = read_config(skill, home)
    except ContractViolation as violation:
        return Readiness(skill, enabled, problems=violation.problems, warnings=skill.warnings)
    effective = config.effective(env)
    warnings = (*skill.warnings, *effective.warnings)
    return Readiness(skill, enabled, config, effective, effective.problems, warnings)

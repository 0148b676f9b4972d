"""Tracks the health of each skill in a session, and checks whether a skill can be used now.

    healthy          ── timeout or network error ──▶ temporaryFailure
    healthy          ── 3 failures in a row ───────▶ degraded
    degraded         ── success ───────────────────▶ healthy
    degraded         ── 3 more failures ───────────▶ permanentFailure
    temporaryFailure ── a retry succeeds ──────────▶ healthy
    temporaryFailure ── retries are used up ───────▶ permanentFailure
    permanentFailure ── a new session, or the player's "Try again" ──▶ healthy

Every run of a script counts, retries included, unless it failed while the host kept it waiting: slow is not
broken. A new session starts with a new, empty `SessionHealth`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from narratoria.errors import ContractViolation, Problem
from narratoria.skills.config import EffectiveConfig, SkillConfig, read_config
from narratoria.skills.decisions import SkillDecisions, grant_command, granted_permissions
from narratoria.skills.manifest import MANIFEST_FILE
from narratoria.skills.mcp.server import find_launch_problem
from narratoria.skills.skill import Skill

SkillErrorState = Literal["healthy", "degraded", "temporaryFailure", "permanentFailure"]
# transient: a timeout or a network error · late: it failed, and the host had kept it waiting
Observation = Literal["success", "failure", "transient", "late"]

FAILURES_IN_A_ROW = 3
NETWORK = "NETWORK"  # a tool's error code that starts with this word speaks of the network
HOST_LATE = "HOST_LATE"  # the error code of a run that failed while the host kept it waiting


@dataclass(frozen=True, slots=True)
class SkillHealth:
    state: SkillErrorState = "healthy"
    failures: int = 0  # in a row, in this state

    @property
    def can_select(self) -> bool:
        return self.state != "permanentFailure"

    def after(self, observation: Observation) -> SkillHealth:
        """Return the health after one run of a script."""
        if self.state == "permanentFailure" or observation == "late":
            return self
        if observation == "success":
            return SkillHealth()
        if self.state == "healthy" and observation == "transient":
            return SkillHealth("temporaryFailure", 1)
        if self.failures + 1 < FAILURES_IN_A_ROW or self.state == "temporaryFailure":
            return replace(self, failures=self.failures + 1)
        return SkillHealth("permanentFailure" if self.state == "degraded" else "degraded")

    def given_up(self) -> SkillHealth:
        """Return the health after the last retry has failed."""
        return SkillHealth("permanentFailure") if self.state == "temporaryFailure" else self


@dataclass(frozen=True, slots=True)
class SessionHealth:
    """Holds the health of every skill that has run in this session."""

    skills: Mapping[str, SkillHealth] = field(default_factory=dict)

    def of(self, skill: str) -> SkillHealth:
        return self.skills.get(skill, SkillHealth())

    def after(
        self, skill: str, observations: Iterable[Observation], *, exhausted: bool = True
    ) -> SessionHealth:
        """Return the health after one invocation of a script: its first run and its retries, in order.

        Not `exhausted`: the plan was over before all retries were used, so nothing was given up."""
        health = self.of(skill)
        last: Observation = "success"
        for last in observations:
            health = health.after(last)
        if exhausted and last not in ("success", "late"):
            health = health.given_up()
        return SessionHealth({**self.skills, skill: health})

    def with_another_chance(self) -> SessionHealth:
        """Return this health with every skill that was given up as good as new."""
        return SessionHealth({name: health for name, health in self.skills.items() if health.can_select})

    @property
    def degraded(self) -> frozenset[str]:
        """Return the skills that a plan chooses with caution."""
        return frozenset(name for name, health in self.skills.items() if health.state == "degraded")

    @property
    def disabled(self) -> frozenset[str]:
        """Return the skills that no plan of this session may use any more."""
        return frozenset(name for name, health in self.skills.items() if not health.can_select)


def classify_failure(category: str, code: str) -> Observation:
    """Classify a run that failed by its failure's category and code."""
    if code == HOST_LATE:
        return "late"
    return "transient" if category == "timeout" or code.upper().startswith(NETWORK) else "failure"


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
    problems = (*effective.problems, *_server_problems(skill, settings))
    return Readiness(skill, enabled, config, effective, problems, warnings)


def _server_problems(skill: Skill, settings: SkillDecisions) -> tuple[Problem, ...]:
    """Return what keeps a skill's MCP server from being spoken with, and what to do."""
    server, file = skill.mcp, str(skill.folder / MANIFEST_FILE)
    if server is None:
        return ()
    if reason := find_launch_problem(server):
        return (Problem(reason, "/mcp", file),)
    if server.permission and not granted_permissions(skill, settings).allows(server.permission):
        advice = grant_command(skill.name, server.permission)
        message = f"its MCP server is at {server.host}, which it may not reach yet; try: {advice}"
        return (Problem(message, "/mcp/url", file),)
    return ()

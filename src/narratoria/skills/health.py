"""Tracks the health of each skill in a session: four states, seven transitions, one value.

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

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

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
    def disabled(self) -> frozenset[str]:
        """Return the skills that no plan of this session may use any more."""
        return frozenset(name for name, health in self.skills.items() if not health.can_select)


def classify_failure(category: str, code: str) -> Observation:
    """Classify a run that failed by its failure's category and code."""
    if code == HOST_LATE:
        return "late"
    return "transient" if category == "timeout" or code.upper().startswith(NETWORK) else "failure"

"""Defines what a planner is asked for, the planner's interface, and the record of a failed attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from narratoria.errors import Problem
from narratoria.planning.plan import Plan
from narratoria.planning.result import ExecutionResult
from narratoria.protocol.dialect import Category
from narratoria.skills.skill import Skill


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Holds what a planner needs to make a plan."""

    player_input: str
    skills: Sequence[Skill]  # those it may choose from
    disabled_skills: frozenset[str] = frozenset()
    context: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1
    parent_plan_id: str | None = None
    error_context: FailedAttempt | None = None  # what became of the attempt before


class Planner(Protocol):
    async def generate(self, request: PlanRequest) -> Plan:
        """Return a plan for the player's action; raise PlanRejected for text that is no plan."""


@runtime_checkable
class ReadAheadPlanner(Protocol):
    """Answers sooner if it can read the scene before the player acts."""

    @property
    def reads_ahead(self) -> bool:
        """Return whether reading ahead is of use now."""

    async def expect(self, request: PlanRequest) -> None:
        """Read a request without an action; return when that is done or cannot be."""


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """Says why an attempt of a turn failed."""

    number: int
    reason: str
    category: Category
    plan: Plan | None = None
    problems: tuple[Problem, ...] = ()
    result: ExecutionResult | None = None

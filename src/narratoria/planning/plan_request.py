"""What a planner is asked, and what it is told of the attempt before."""

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
    """What a planner is asked."""

    player_input: str
    skills: Sequence[Skill]  # those it may choose from
    disabled_skills: frozenset[str] = frozenset()
    context: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1
    parent_plan_id: str | None = None
    error_context: FailedAttempt | None = None  # what became of the attempt before


class Planner(Protocol):
    async def generate(self, request: PlanRequest) -> Plan:
        """A plan for the player's action; PlanRejected for text that is no plan."""


@runtime_checkable
class ReadAheadPlanner(Protocol):
    """A planner that is quicker where it knows who is there before the player acts."""

    @property
    def reads_ahead(self) -> bool:
        """Whether that is of use now."""

    async def expect(self, request: PlanRequest) -> None:
        """Returns when it has read that, or cannot; the request has no action."""


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """Why a plan did not carry the turn."""

    number: int
    reason: str
    category: Category
    plan: Plan | None = None
    problems: tuple[Problem, ...] = ()
    result: ExecutionResult | None = None

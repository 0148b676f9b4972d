"""Defines a plan, the request for one, the planner's interface, and the progress of a plan that runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import msgspec

from narratoria.contracts import contract
from narratoria.errors import ContractViolation, PlanRejected, Problem
from narratoria.planning.result import ExecutionResult, ToolError, ToolResult, without_null
from narratoria.protocol.dialect import Category
from narratoria.protocol.events import Event
from narratoria.skills.skill import Skill

MAX_BYTES = 8 * 1024 * 1024  # as long as a protocol line may be


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    max_retries: int = 3
    backoff_ms: int = 100

    def delay(self, retry: int) -> int:
        """Return the milliseconds to wait before retry 1, 2, 3 …"""
        return self.backoff_ms << (retry - 1)


class PlanMetadata(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    generation_attempt: int = 1
    parent_plan_id: str | None = None
    planner: str = ""  # model, scorer or patterns
    reasons: tuple[str, ...] = ()  # why a better one did not make the plan


class ToolInvocation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    tool_id: str
    tool_path: str
    input: dict[str, Any] = {}
    dependencies: tuple[str, ...] = ()
    required: bool = True
    async_: bool = msgspec.field(name="async", default=False)
    retry_policy: RetryPolicy = RetryPolicy()


class Plan(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Lists the tools to run for one player action, and how they depend on each other."""

    request_id: str
    narrative: str | None = None
    tools: tuple[ToolInvocation, ...]
    parallel: bool = False
    disabled_skills: tuple[str, ...] = ()
    metadata: PlanMetadata = PlanMetadata()

    @classmethod
    def from_json(cls, text: bytes | str, file: str = "") -> Plan:
        """Parse a plan; raise PlanRejected with every problem of the document."""
        if len(text) > MAX_BYTES:
            reason = f"the plan has {len(text):,} bytes; at most {MAX_BYTES:,} are read"
            raise PlanRejected([Problem(reason, "", file)])
        try:
            document = contract("plan-json").parse(text, file=file)
        except ContractViolation as violation:
            raise PlanRejected(violation.problems) from None
        return cls.from_dict(document)

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Plan:
        """Convert a document that is known to keep the contract."""
        return msgspec.convert(_with_whole_numbers(document), cls)

    def to_dict(self) -> dict[str, Any]:
        """Return the document; what the plan does not have is absent, not null."""
        document = without_null(msgspec.to_builtins(self), "narrative")
        return {**document, "metadata": without_null(document["metadata"], "parentPlanId")}

    def to_json(self) -> bytes:
        return msgspec.json.encode(self.to_dict())


def _with_whole_numbers(document: dict[str, Any]) -> dict[str, Any]:
    """Convert floats such as 3.0, which the contract takes for whole numbers and the types do not."""
    tools = [
        tool | {"retryPolicy": _whole(tool["retryPolicy"])} if "retryPolicy" in tool else tool
        for tool in document["tools"]
    ]
    metadata = {"metadata": _whole(document["metadata"])} if "metadata" in document else {}
    return {**document, "tools": tools, **metadata}


def _whole(values: dict[str, Any]) -> dict[str, Any]:
    return {key: int(value) if isinstance(value, float) else value for key, value in values.items()}


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Holds what a planner needs to make a plan."""

    player_input: str
    skills: Sequence[Skill]  # those it may choose from
    disabled_skills: frozenset[str] = frozenset()
    degraded_skills: frozenset[str] = frozenset()  # have failed often: no plan depends on them
    context: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1
    parent_plan_id: str | None = None
    error_context: FailedAttempt | None = None  # what became of the attempt before


class Planner(Protocol):
    async def generate(self, request: PlanRequest) -> Plan:
        """Return a plan for the player's action; raise PlanRejected for text that is no plan."""


@runtime_checkable
class LoadingPlanner(Protocol):
    """Plans otherwise until it has loaded what it plans with."""

    async def wait_until_loaded(self) -> None:
        """Return when everything is loaded that can be."""


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


@dataclass(frozen=True, slots=True)
class PlanStarted:
    plan: Plan


@dataclass(frozen=True, slots=True)
class ToolStarted:
    plan_id: str
    tool_id: str
    attempt: int  # 1 is the first run


@dataclass(frozen=True, slots=True)
class ToolEmitted:
    plan_id: str
    tool_id: str
    attempt: int
    event: Event


@dataclass(frozen=True, slots=True)
class ToolRetrying:
    plan_id: str
    tool_id: str
    attempt: int  # the one that failed
    error: ToolError
    delay_ms: int


@dataclass(frozen=True, slots=True)
class ToolFinished:
    plan_id: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class PlanFinished:
    result: ExecutionResult


PlanProgress: TypeAlias = PlanStarted | ToolStarted | ToolEmitted | ToolRetrying | ToolFinished | PlanFinished
OnProgress: TypeAlias = Callable[[PlanProgress], None]

"""Defines the progress events of a running plan, for a live view; the result repeats all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from narratoria.planning.plan import Plan
from narratoria.planning.result import ExecutionResult, ToolError, ToolResult
from narratoria.protocol.events import Event


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

"""Defines the result of a plan, as frozen values in the shape of the contract `execution-result`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.protocol.dialect import Category, Failure
from narratoria.protocol.events import AssetEvent, Event

ToolState: TypeAlias = Literal["success", "failed", "skipped", "timeout"]
AttemptState: TypeAlias = Literal["success", "failed", "timeout"]


class ToolError(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    code: str
    message: str
    category: Category
    details: dict[str, Any] = {}

    @classmethod
    def from_failure(cls, failure: Failure) -> ToolError:
        return cls(
            code=failure.code, message=failure.message, category=failure.category, details=failure.details
        )


class Attempt(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes one run of a tool's process."""

    state: AttemptState
    events: tuple[Event, ...] = ()
    error: ToolError | None = None
    started_at_ms: int = 0  # since the start of the plan
    execution_time_ms: int = 0
    exit_code: int | None = None
    warnings: tuple[str, ...] = ()
    stderr_tail: str = ""


class ToolResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds the result of one tool; output, events and error are those of its last attempt."""

    tool_id: str
    tool_path: str = ""
    skill: str | None = None
    state: ToolState
    output: dict[str, Any] | None = None
    events: tuple[Event, ...] = ()
    execution_time_ms: int = 0
    retry_count: int = 0
    error: ToolError | None = None
    attempts: tuple[Attempt, ...] = ()

    @classmethod
    def from_attempts(
        cls,
        tool_id: str,
        attempts: Sequence[Attempt],
        *,
        output: dict[str, Any] | None = None,
        tool_path: str = "",
        skill: str | None = None,
    ) -> ToolResult:
        """Return the result of a tool that ran at least once."""
        first, last = attempts[0], attempts[-1]
        return cls(
            tool_id=tool_id,
            tool_path=tool_path,
            skill=skill,
            state=last.state,
            output=output if last.state == "success" else None,
            events=last.events,
            execution_time_ms=last.started_at_ms + last.execution_time_ms - first.started_at_ms,
            retry_count=len(attempts) - 1,
            error=last.error,
            attempts=tuple(attempts),
        )

    @classmethod
    def skipped(
        cls, tool_id: str, reason: ToolError | None = None, *, tool_path: str = "", skill: str | None = None
    ) -> ToolResult:
        """Return the result of a tool that never ran."""
        return cls(tool_id=tool_id, tool_path=tool_path, skill=skill, state="skipped", error=reason)

    @property
    def ok(self) -> bool:
        return self.state == "success"


class AssetReference(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    asset_id: str
    kind: str
    media_type: str
    path: str
    tool_id: str
    metadata: dict[str, Any] = {}

    @classmethod
    def from_event(cls, event: AssetEvent, tool_id: str) -> AssetReference:
        return cls(
            asset_id=event.asset_id,
            kind=event.kind,
            media_type=event.media_type,
            path=event.path,
            tool_id=tool_id,
            metadata=event.metadata,
        )


class ExecutionResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    plan_id: str
    success: bool
    can_replan: bool
    failed_tools: tuple[str, ...]
    disabled_skills: tuple[str, ...]
    tool_results: tuple[ToolResult, ...]  # in the plan's topological order
    aggregated_state: dict[str, Any]
    aggregated_assets: tuple[AssetReference, ...]
    execution_time_ms: int
    attempt_number: int

    @classmethod
    def from_json(cls, text: bytes | str) -> ExecutionResult:
        """Decode a result that `to_json` wrote, such as one from the plan log."""
        return msgspec.json.decode(text, type=cls)

    def to_json(self) -> bytes:
        """Return the document; what a tool or a run does not have is absent, not null."""
        document = msgspec.to_builtins(self)
        results = [
            without_null(result, "skill", "output", "error")
            | {"attempts": [without_null(one, "error", "exitCode") for one in result["attempts"]]}
            for result in document["toolResults"]
        ]
        return msgspec.json.encode({**document, "toolResults": results})

    def of(self, tool_id: str) -> ToolResult:
        return next(result for result in self.tool_results if result.tool_id == tool_id)


def without_null(document: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return a document without those of these fields that are null; no other null is touched."""
    return {name: value for name, value in document.items() if value is not None or name not in names}

"""Defines a plan as frozen values, read from a document that keeps the contract `plan-json`."""

from __future__ import annotations

from typing import Any

import msgspec

from narratoria.contracts import contract
from narratoria.errors import ContractViolation, PlanRejected, Problem

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
        document: dict[str, Any] = msgspec.to_builtins(self)
        return document

    def to_json(self) -> bytes:
        return msgspec.json.encode(self)


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

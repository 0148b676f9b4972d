"""Writes down every generation and every execution attempt, one JSON line each, in a log that rotates."""

from __future__ import annotations

from pathlib import Path

from narratoria.planning.plan import Plan
from narratoria.planning.planner import FailedAttempt, PlanRequest
from narratoria.planning.result import ExecutionResult
from narratoria.skills.health import SessionHealth

MAX_BYTES = 10_000_000  # of one file, before it is put aside
KEPT = 5  # files put aside
MAX_EVENTS = 200  # of one attempt; the rest is counted


class Journal:
    """`<folder>/plans.jsonl`, and `plans.1.jsonl` … for what is older."""

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES, kept: int = KEPT) -> None:
        self._folder, self._max_bytes, self._kept = folder, max_bytes, kept

    def generated(self, request: PlanRequest, outcome: Plan | FailedAttempt, seconds: float) -> None:
        """A planner has answered, with a plan that can run or not."""
        raise NotImplementedError

    def executed(self, plan: Plan, result: ExecutionResult, health: SessionHealth) -> None:
        """A plan has run, to success or not."""
        raise NotImplementedError

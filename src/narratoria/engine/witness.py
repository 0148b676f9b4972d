"""Who made a plan, and why nobody better did."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from narratoria.planner.planner import PlanExplanation
from narratoria.planning.plan import Plan
from narratoria.planning.plan_request import Planner, PlanRequest


@runtime_checkable
class Explains(Protocol):
    """A planner that says how it came to a plan."""

    async def explain(self, request: PlanRequest, *, patient: bool = ...) -> PlanExplanation: ...


class Witness:
    """Implements `Planner`: asks another one, and keeps what it says about its latest plan."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self.by = ""  # model, scorer or patterns
        self.reasons: tuple[str, ...] = ()

    async def generate(self, request: PlanRequest) -> Plan:
        self.by, self.reasons = "", ()
        if not isinstance(self._planner, Explains):
            return await self._planner.generate(request)
        explained = await self._planner.explain(request, patient=False)
        self.by, self.reasons = explained.by, explained.fallback_reasons
        return explained.plan

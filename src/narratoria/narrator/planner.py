"""The planner of a story: route, then complete by code; and the steps down when that cannot be done."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from narratoria.errors import NarratoriaException
from narratoria.narrator.compose import ROLL, SceneType, compose, offers
from narratoria.narrator.patterns import (
    PatternPlanner,
    action_of,
    by_words,
    is_chosen,
    read_request,
)
from narratoria.narrator.router import Router, Score
from narratoria.planning.plan import Plan
from narratoria.planning.planner import PlanRequest

DEADLINE = 4.0  # seconds of the five a plan may take; the rest is for the patterns

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Explained:
    """A plan, who made it, what was thought of each script, and why a better planner did not."""

    plan: Plan
    by: str  # model, scorer or patterns
    scores: tuple[Score, ...] = ()
    steps_down: tuple[str, ...] = ()


class RoutePlanner:
    """Implements `Planner`: model → scorer → patterns; the template is what a turn ends with without a plan.

    What a player picked among the choices is known for what it is and never waits for a model, so that the
    same choices tell the same story whether or not one is loaded.
    """

    def __init__(
        self, open_router: Callable[[], Awaitable[Router | None]], *, deadline: float = DEADLINE
    ) -> None:
        self._open, self._deadline = open_router, deadline
        self._opening: asyncio.Task[Router | None] | None = None
        self._patterns = PatternPlanner()

    def start_loading(self) -> None:
        """Begin to load in the background; needs a running loop."""
        if self._opening is None or self._is_lost(self._opening):
            self._opening = asyncio.create_task(self._load())

    async def generate(self, request: PlanRequest) -> Plan:
        return (await self.explain(request, patient=False)).plan

    async def explain(self, request: PlanRequest, *, patient: bool = True) -> Explained:
        """With `patient`, a router that is still loading is waited for, within the deadline."""
        begun = time.monotonic()
        if is_chosen(action_of(request)):
            return await self._by_patterns(request, "")
        self.start_loading()
        assert self._opening is not None
        try:
            async with asyncio.timeout(self._deadline):
                if not patient and not self._opening.done():
                    return await self._by_patterns(request, "the scorer is still loading")
                router = await asyncio.shield(self._opening)
                if router is None:
                    return await self._by_patterns(request, "no embedding model is installed")
                return await self._routed(router, request, self._deadline - (time.monotonic() - begun))
        except TimeoutError:
            return await self._by_patterns(request, f"the scorer had not answered after {self._deadline:g} s")
        except NarratoriaException as error:
            return await self._by_patterns(request, f"the scorer failed: {error}")

    async def close(self) -> None:
        """Give up what is still loading."""
        opening, self._opening = self._opening, None
        if opening is not None:
            opening.cancel()
            await asyncio.wait([opening])

    async def _routed(self, router: Router, request: PlanRequest, left: float) -> Explained:
        offered, reading = offers(request), read_request(request, router.spelling.mend)
        routed = await router.route(reading, offered, within=max(0.1, left / 2))
        wanted = routed.wanted
        if action_of(request).get("risky"):
            wanted.add(ROLL)
        scene: SceneType = "danger" if ROLL in wanted else routed.scene
        by = "model" if any("model" in score.why for score in routed.scores) else "scorer"
        steps_down = (routed.step_down,) if routed.step_down else ()
        return Explained(compose(request, wanted, reading, scene, offered), by, routed.scores, steps_down)

    async def _by_patterns(self, request: PlanRequest, reason: str) -> Explained:
        if reason:
            _log.info("planned by patterns: %s", reason)
        plan = await self._patterns.generate(request)
        asked = by_words(read_request(request))
        scores = tuple(Score(label, 1.0, 1.0, "its words are in the action") for label in sorted(asked))
        return Explained(plan, "patterns", scores, (reason,) if reason else ())

    async def _load(self) -> Router | None:
        try:
            return await self._open()
        except (NarratoriaException, OSError, ValueError) as error:
            _log.warning("there is no scorer: %s", error)
            return None

    @staticmethod
    def _is_lost(opening: asyncio.Task[Router | None]) -> bool:
        """Whether it belongs to a loop that is gone."""
        return opening.cancelled() or opening.get_loop().is_closed()

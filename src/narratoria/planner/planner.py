"""The planner of a story: route, then complete by code; and the steps down when that cannot be done."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from narratoria.errors import NarratoriaException
from narratoria.planner.adviser import Advise, Adviser, no_adviser
from narratoria.planner.patterns import (
    action_of,
    by_words,
    is_chosen,
    plan_by_words,
    read_request,
)
from narratoria.planner.plan import compose, with_groups
from narratoria.planner.reading import Reading
from narratoria.planner.slots import Scene
from narratoria.planner.steps import ROLL, Offer, Routed, Score, offers
from narratoria.planning.plan import Plan, PlanMetadata
from narratoria.planning.plan_request import PlanRequest

if TYPE_CHECKING:
    from narratoria.planner.router import Router

DEADLINE = 4.5  # seconds of the five a plan may take; the rest is for the patterns
VOTE = 0.7  # of what is left, the part in which a model may say what is needed
MARGIN = 0.3  # seconds that are left when a model has had its say
WEIGHED = ("free", "beat", "talk")  # kinds of action that may need more than is written on them
LONGEST_REASON = 1000

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

    What a player picked among the choices is known for what it is and waits for nothing; where a capable
    model is there, it may see that a deed needs more than its words say.
    """

    def __init__(
        self,
        open_router: Callable[[], Awaitable[Router | None]],
        *,
        advise: Advise = no_adviser,
        on_words: Callable[[], None] = lambda: None,
        deadline: float = DEADLINE,
        patience: float | None = None,
    ) -> None:
        """`patience`: how long a scorer may load where it is waited for; the deadline counts from then on.

        `on_words` is called where an action was typed, not picked.
        """
        self._open, self._advise, self._deadline = open_router, advise, deadline
        self._on_words = on_words
        self._patience = deadline if patience is None else patience
        self._opening: asyncio.Task[Router | None] | None = None
        self.reads_ahead = True  # not for whoever picks, where that is planned without a model
        self._expecting: Adviser | None = None

    def start_loading(self) -> None:
        """Begin to load in the background; needs a running loop."""
        if self._opening is None or self._is_lost(self._opening):
            self._opening = asyncio.create_task(self._load())

    async def generate(self, request: PlanRequest) -> Plan:
        return (await self.explain(request, patient=False)).plan

    async def expect(self, request: PlanRequest) -> None:
        """Do what can be done for the next plan before the player acts; the request has no action yet."""
        request = with_groups(request)
        adviser = self._advise(offers(request))
        if isinstance(adviser, Adviser):
            self._expecting = adviser
            await adviser.expect(request.context)

    async def explain(self, request: PlanRequest, *, patient: bool = True) -> Explained:
        """With `patient`, a router that is still loading is waited for, within the deadline."""
        request = with_groups(request)
        action = action_of(request)
        offered = offers(request)
        typed = not is_chosen(action)
        if typed:
            self._on_words()
        if self._expecting is not None:
            self._expecting.attend()
        adviser: Adviser | str = "it needs none"
        if str(action.get("kind", "free")) in WEIGHED:
            adviser = self._advise(offered)
            self.reads_ahead = typed or (isinstance(adviser, Adviser) and adviser.fills)
        if not typed and (isinstance(adviser, str) or not adviser.fills):
            return self._by_patterns(request)
        no_model = (adviser,) if isinstance(adviser, str) else ()
        router = await self._scorer(patient=patient)
        if isinstance(router, str):
            return self._by_patterns(request, *no_model, router)
        try:
            async with asyncio.timeout(self._deadline):
                return await self._routed(router, request, offered, adviser)
        except TimeoutError:
            failed = f"the scorer had not answered after {self._deadline:g} s"
        except NarratoriaException as error:
            failed = f"the scorer failed: {error}"
        return self._by_patterns(request, *no_model, failed)

    async def _scorer(self, *, patient: bool) -> Router | str:
        """The router, or why there is none."""
        self.start_loading()
        assert self._opening is not None
        if not self._opening.done():
            if not patient:
                return "the scorer is still loading"
            await asyncio.wait({self._opening}, timeout=self._patience)
        if not self._opening.done():
            return f"the scorer had not loaded after {self._patience:g} s"
        return await self._opening or "no embedding model is installed"

    async def close(self) -> None:
        """Give up what is still loading."""
        opening, self._opening = self._opening, None
        if opening is not None:
            opening.cancel()
            await asyncio.wait([opening])

    async def _routed(
        self, router: Router, request: PlanRequest, offered: Mapping[str, Offer], adviser: Adviser | str
    ) -> Explained:
        until = time.monotonic() + self._deadline - MARGIN
        reading = read_request(request, router.spelling.mend)
        routed = await router.route(reading, offered)
        if isinstance(adviser, str):
            return _explained(_composed(request, reading, routed, offered), "scorer", routed.scores, adviser)
        left = until - time.monotonic()
        routed, silent = await adviser.weigh(routed, reading.text, request.context, max(0.1, left * VOTE))
        plan = _composed(request, reading, routed, offered)
        scene = Scene.of(reading.text, reading, request.context)
        filled = await adviser.fill(plan, scene, max(0.0, until - time.monotonic()))
        by = "scorer" if silent and not filled.steps else "model"
        return _explained(filled.plan, by, routed.scores, silent, filled.reason)

    @staticmethod
    def _by_patterns(request: PlanRequest, *reasons: str) -> Explained:
        if reasons:
            _log.info("planned by patterns: %s", "; ".join(reasons))
        reading = read_request(request)
        asked = sorted(by_words(reading))
        scores = tuple(Score(label, 1.0, 1.0, "its words are in the action") for label in asked)
        return _explained(plan_by_words(request, reading), "patterns", scores, *reasons)

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


def _composed(request: PlanRequest, reading: Reading, routed: Routed, offered: Mapping[str, Offer]) -> Plan:
    action: Mapping[str, Any] = action_of(request)
    wanted = routed.wanted
    if is_chosen(action):
        wanted.discard(ROLL)  # what is offered says by itself whether it is risky
    if action.get("risky"):
        wanted.add(ROLL)
    return compose(request, wanted, reading, routed.scene, offered)


def _explained(plan: Plan, by: str, scores: tuple[Score, ...], *reasons: str) -> Explained:
    """The plan says itself who made it, and why nobody better did."""
    why = tuple(reason[:LONGEST_REASON] for reason in reasons if reason)
    signed = msgspec.structs.replace(plan, metadata=PlanMetadata(planner=by, reasons=why))
    return Explained(signed, by, scores, why)

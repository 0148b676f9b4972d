"""Plans a turn by model, scorer or patterns, whichever is the best that can answer in time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from narratoria.errors import NarratoriaException
from narratoria.planner.model_adviser import Adviser, FindAdviser, no_adviser
from narratoria.planner.patterns import (
    choose_queries,
    get_action,
    is_picked_choice,
    named_scripts,
    plan_by_patterns,
    prefer_healthy,
    read_request,
    scripts_by_words,
)
from narratoria.planner.plan import add_groups, build_plan
from narratoria.planner.plan_scripts import (
    FAMILIAR,
    ROLL,
    Score,
    ScriptOffer,
    SkillScores,
    find_advisers,
    find_offers,
)
from narratoria.planner.player_action import PlayerAction
from narratoria.planner.slots import FormScene
from narratoria.planning.plan import Plan, PlanMetadata, PlanRequest

if TYPE_CHECKING:
    from narratoria.planner.skill_scorer import SkillScorer

PLAN_TIMEOUT_S = 4.5  # seconds of the five a plan may take; the rest is for the patterns
VOTE_SHARE = 0.7  # of what is left, the part in which a model may say what is needed
MARGIN_S = 0.3  # seconds that are left when a model has had its say
WEIGHED_KINDS = ("free", "beat", "talk")  # kinds of action that may need more than is written on them
LONGEST_REASON = 1000
RIVAL_MARGIN = 0.2  # of a need: two foreign skills that would both do

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlanExplanation:
    """A plan, who made it, the score of each script, and why a better planner did not make it."""

    plan: Plan
    by: str  # model, scorer or patterns
    scores: tuple[Score, ...] = ()
    fallback_reasons: tuple[str, ...] = ()


class TurnPlanner:
    """Implements `Planner`: model, else scorer, else patterns.

    What a player picked among the choices is known for what it is and waits for nothing; where a capable
    model is there, it may see that a deed needs more than its words say.
    """

    def __init__(
        self,
        open_scorer: Callable[[], Awaitable[SkillScorer | None]],
        *,
        advise: FindAdviser = no_adviser,
        on_words: Callable[[], None] = lambda: None,
        deadline: float = PLAN_TIMEOUT_S,
        load_timeout_s: float | None = None,
    ) -> None:
        """`load_timeout_s` limits how long a scorer may load; without it, loading is part of the deadline.

        `on_words` is called where an action was typed, not picked.
        """
        self._open, self._advise, self._deadline = open_scorer, advise, deadline
        self._on_words = on_words
        self._load_timeout_s = load_timeout_s
        self._opening: asyncio.Task[SkillScorer | None] | None = None
        self.reads_ahead = True  # not for whoever picks, where that is planned without a model
        self._expecting_adviser: Adviser | None = None

    def start_loading(self) -> None:
        """Start loading the scorer in the background; needs a running loop."""
        if self._opening is None or self._is_of_closed_loop(self._opening):
            self._opening = asyncio.create_task(self._load())

    async def wait_until_loaded(self) -> None:
        """Wait until the scorer is loaded, or cannot be."""
        self.start_loading()
        assert self._opening is not None
        await asyncio.wait({self._opening})

    async def generate(self, request: PlanRequest) -> Plan:
        return (await self.explain(request)).plan

    async def expect(self, request: PlanRequest) -> None:
        """Prepare the next plan before the player acts; the request has no action yet."""
        request = add_groups(request)
        adviser = self._advise(find_offers(request))
        if isinstance(adviser, Adviser):
            self._expecting_adviser = adviser
            await adviser.expect(request.context)
        names_out = FAMILIAR | request.disabled_skills
        strangers = [skill for skill in request.skills if skill.name not in names_out]
        if strangers and not isinstance(scorer := await self._wait_for_scorer(), str):
            await asyncio.to_thread(scorer.foreign.prepare, strangers)

    async def explain(self, request: PlanRequest) -> PlanExplanation:
        """Return the plan and its reasons; a scorer that is still loading is waited for."""
        request = add_groups(request)
        action = get_action(request)
        offers = find_offers(request)
        is_typed = not is_picked_choice(action)
        if is_typed:
            self._on_words()
        if self._expecting_adviser is not None:
            self._expecting_adviser.stop_reading_ahead()
        adviser: Adviser | str = "it needs none"
        if str(action.get("kind", "free")) in WEIGHED_KINDS:
            adviser = self._advise(offers)
            self.reads_ahead = is_typed or (isinstance(adviser, Adviser) and adviser.fills)
        if not is_typed and (isinstance(adviser, str) or not adviser.fills):
            return self._plan_by_patterns(request)
        no_model = (adviser,) if isinstance(adviser, str) else ()
        started = time.monotonic()
        scorer = await self._wait_for_scorer()
        if isinstance(scorer, str):
            return self._plan_by_patterns(request, *no_model, scorer)
        waited = time.monotonic() - started if self._load_timeout_s is None else 0.0
        try:
            async with asyncio.timeout(self._deadline - waited):
                return await self._plan_by_scorer(scorer, request, offers, adviser, self._deadline - waited)
        except TimeoutError:
            failure = f"the scorer had not answered after {self._deadline:g} s"
        except NarratoriaException as error:
            failure = f"the scorer failed: {error}"
        return self._plan_by_patterns(request, *no_model, failure)

    async def _wait_for_scorer(self) -> SkillScorer | str:
        """Return the scorer, or why there is none."""
        self.start_loading()
        assert self._opening is not None
        seconds = self._deadline if self._load_timeout_s is None else self._load_timeout_s
        await asyncio.wait({self._opening}, timeout=seconds)
        if not self._opening.done():
            return f"the scorer had not loaded after {seconds:g} s"
        return await self._opening or "no embedding model is installed"

    async def close(self) -> None:
        """Cancel what is still loading."""
        opening, self._opening = self._opening, None
        if opening is not None:
            opening.cancel()
            await asyncio.wait([opening])

    async def _plan_by_scorer(
        self,
        scorer: SkillScorer,
        request: PlanRequest,
        offers: Mapping[str, ScriptOffer],
        adviser: Adviser | str,
        seconds: float,
    ) -> PlanExplanation:
        until = time.monotonic() + seconds - MARGIN_S
        player_action = read_request(request, scorer.spelling.mend)
        skill_scores = await scorer.score_scripts(player_action, offers, find_advisers(request))
        if isinstance(adviser, str):
            return _explain_plan(
                _build_scored_plan(request, player_action, skill_scores, offers),
                "scorer",
                skill_scores.scores,
                adviser,
            )
        seconds_left = until - time.monotonic()
        skill_scores, vote_failure = await adviser.weigh_scores(
            skill_scores, player_action.text, request.context, max(0.1, seconds_left * VOTE_SHARE)
        )
        plan = _build_scored_plan(request, player_action, skill_scores, offers)
        scene = FormScene.of(player_action.text, player_action, request.context)
        filled_plan = await adviser.fill_inputs(plan, scene, max(0.0, until - time.monotonic()))
        by = "scorer" if vote_failure and not filled_plan.steps else "model"
        return _explain_plan(filled_plan.plan, by, skill_scores.scores, vote_failure, filled_plan.reason)

    @staticmethod
    def _plan_by_patterns(request: PlanRequest, *reasons: str) -> PlanExplanation:
        if reasons:
            _log.info("planned by patterns: %s", "; ".join(reasons))
        player_action = read_request(request)
        labels = sorted(scripts_by_words(player_action))
        scores = tuple(Score(label, 1.0, 1.0, "its words are in the action") for label in labels)
        return _explain_plan(plan_by_patterns(request, player_action), "patterns", scores, *reasons)

    async def _load(self) -> SkillScorer | None:
        try:
            return await self._open()
        except (NarratoriaException, OSError, ValueError) as error:
            _log.warning("there is no scorer: %s", error)
            return None

    @staticmethod
    def _is_of_closed_loop(opening: asyncio.Task[SkillScorer | None]) -> bool:
        """Return whether the task belongs to a closed loop."""
        return opening.cancelled() or opening.get_loop().is_closed()


def _build_scored_plan(
    request: PlanRequest,
    player_action: PlayerAction,
    skill_scores: SkillScores,
    offers: Mapping[str, ScriptOffer],
) -> Plan:
    action: Mapping[str, Any] = get_action(request)
    wanted_labels = prefer_by_priority(skill_scores, offers, request.degraded_skills) | named_scripts(action)
    if is_picked_choice(action):
        wanted_labels.discard(ROLL)  # what is offered says by itself whether it is risky
        wanted_labels |= choose_queries(request)
    if action.get("risky"):
        wanted_labels.add(ROLL)
    return build_plan(request, wanted_labels, player_action, skill_scores.scene, offers)


def prefer_by_priority(
    skill_scores: SkillScores, offers: Mapping[str, ScriptOffer], degraded_skills: Collection[str] = ()
) -> set[str]:
    """Return the chosen scripts; of rival foreign skills, the healthy ones that come first.

    A skill that has failed often lately is chosen where no other will do.
    """
    labels = skill_scores.chosen_labels
    needs = {
        one.label: one.needed
        for one in skill_scores.scores
        if one.label in labels and one.label in offers and offers[one.label].skill.name not in FAMILIAR
    }
    best = max(needs.values(), default=0.0)
    rivals = {label for label, need in needs.items() if need >= best - RIVAL_MARGIN}
    healthy = prefer_healthy(rivals, degraded_skills)
    first = max((offers[label].skill.priority for label in healthy), default=0)
    return labels - rivals | {label for label in healthy if offers[label].skill.priority == first}


def _explain_plan(plan: Plan, by: str, scores: tuple[Score, ...], *reasons: str) -> PlanExplanation:
    """Return the plan with who made it and why nobody better did, in its metadata as well."""
    why = tuple(reason[:LONGEST_REASON] for reason in reasons if reason)
    reasons = (*plan.metadata.reasons, *why)  # which scripts do not fit, then which planners did not
    explained_plan = msgspec.structs.replace(plan, metadata=PlanMetadata(planner=by, reasons=reasons))
    return PlanExplanation(explained_plan, by, scores, why)

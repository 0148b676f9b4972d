"""Asks a language model for advice on one action, once it has read its instructions.

Reading takes a small machine many times as long as answering, so it is done beside the story, when a model is
loaded and when other skills are offered; until then plans are made without it. Nothing here waits for that.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from narratoria.errors import ModelUnavailable
from narratoria.inference.chat_template import Message, Prompt
from narratoria.planner import prompted_vote, slots, trained_vote
from narratoria.planner.plan_scripts import ScriptOffer, SkillScores
from narratoria.planning.plan import Plan
from narratoria.skills.host.services import HostModelStatus

READING_TIMEOUT_S = 180.0  # seconds, on a machine that has other things to do as well
FILLING_TIERS = ("fills", "embellishes", "narrates")

_log = logging.getLogger(__name__)


class AdvisingModel(trained_vote.TrainedModel, slots.FormModel, Protocol):
    """The part of a local model that the planner uses."""

    async def warm(self, prompt: Prompt, *, within: float = ...) -> object: ...


@dataclass(frozen=True, slots=True)
class Instructions:
    """The offers a model has read about, and its answer to an action that says nothing."""

    offers: Mapping[str, ScriptOffer]
    base: Mapping[str, float]


class Adviser:
    def __init__(self, model: AdvisingModel, *, fills: bool) -> None:
        self.model, self.fills = model, fills
        self._instructions: Instructions | None = None
        self._reading_task: asyncio.Task[None] | None = None
        self._failure = ""
        self._expected_context: Mapping[str, Any] | None = (
            None  # before the next action; none once that is there
        )

    def prepare(self, offers: Mapping[str, ScriptOffer]) -> None:
        """Start reading what belongs to these skills in the background; return at once."""
        if self._was_prepared_for(offers) or (
            self._reading_task is not None and not self._reading_task.done()
        ):
            return
        self._reading_task = asyncio.create_task(self.read_instructions(offers))

    async def read_instructions(self, offers: Mapping[str, ScriptOffer]) -> None:
        """Have the model read its instructions; return when it has, or cannot."""
        try:
            if self.model.adapters:  # it was told what all of them are for long ago
                base = {}
                await trained_vote.ask_model(self.model, prompted_vote.UNDECIDED, {}, READING_TIMEOUT_S)
            else:
                base = await prompted_vote.ask_model(
                    self.model, prompted_vote.UNDECIDED, offers, READING_TIMEOUT_S
                )
            if self.fills:
                await self.model.warm(
                    [Message("system", slots.system_prompt(offers))], within=READING_TIMEOUT_S
                )
        except ModelUnavailable as error:
            self._failure = f"the model has not read its instructions: {error}"
            _log.info("%s", self._failure)
            return
        self._instructions = Instructions(dict(offers), base)

    def why_unavailable(self, offers: Mapping[str, ScriptOffer]) -> str:
        """Return why the model cannot be asked now; empty when it can."""
        if self._instructions is None or not set(offers) <= set(self._instructions.offers):
            return self._failure or "the model is still reading its instructions"
        return ""

    async def expect(self, context: Mapping[str, Any]) -> None:
        """Have each adapter read what is known before the player acts, until `stop_reading_ahead`."""
        self._expected_context = context
        beginning = trained_vote.build_question_start(context)
        with contextlib.suppress(ModelUnavailable):  # then all of it is read when it is asked
            for number in range(len(self.model.adapters) if beginning else 0):
                await self.model.read_ahead(beginning, number, within=READING_TIMEOUT_S)
                if self._expected_context is not context:
                    break

    def stop_reading_ahead(self) -> None:
        """Read nothing further ahead than what is being read: the player has acted."""
        self._expected_context = None

    async def weigh_scores(
        self, skill_scores: SkillScores, action: str, context: Mapping[str, Any], within: float
    ) -> tuple[SkillScores, str]:
        """Return the scores with the model's vote, or unchanged with the reason."""
        assert self._instructions is not None  # there was no excuse
        try:
            if self.model.adapters:
                return trained_vote.apply_vote(
                    skill_scores, await trained_vote.ask_model(self.model, action, context, within)
                ), ""
            vote = await prompted_vote.ask_model(self.model, action, self._instructions.offers, within)
        except ModelUnavailable as error:
            return skill_scores, f"the model does not help to choose: {error}"
        return replace(
            skill_scores, scores=prompted_vote.apply_vote(skill_scores.scores, vote, self._instructions.base)
        ), ""

    async def fill_inputs(self, plan: Plan, scene: slots.FormScene, within: float) -> slots.FilledPlan:
        assert self._instructions is not None
        if not self.fills:
            return slots.FilledPlan(plan)
        return await slots.fill_forms(self.model, plan, scene, self._instructions.offers, within)

    async def close(self) -> None:
        """Stop reading; the model belongs to somebody else."""
        if self._reading_task is not None:
            self._reading_task.cancel()
            await asyncio.wait({self._reading_task})

    def _was_prepared_for(self, offers: Mapping[str, ScriptOffer]) -> bool:
        return self._instructions is not None and set(self._instructions.offers) == set(offers)


FindAdviser: TypeAlias = Callable[[Mapping[str, ScriptOffer]], "Adviser | str"]  # or why there is none


def no_adviser(_: Mapping[str, ScriptOffer]) -> Adviser | str:
    """Return no adviser and no reason, for a planner that does without."""
    return ""


class ModelSource(Protocol):
    """Gives the planner the story's model while it is loaded."""

    @property
    def model(self) -> AdvisingModel | None: ...

    @property
    def tier(self) -> str: ...

    def about(self) -> HostModelStatus: ...


class CurrentAdviser:
    """Gives the planner an adviser over the story's model, and never waits for a model that is loading."""

    def __init__(self, source: ModelSource) -> None:
        self._source = source
        self._adviser: Adviser | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def __call__(self, offers: Mapping[str, ScriptOffer]) -> Adviser | str:
        model, about = self._source.model, self._source.about()
        if model is None:
            self._close_adviser()
            return about.reason or f"{about.name} is not loaded: it chooses no better than the scorer"
        if self._adviser is None or self._adviser.model is not model:
            self._close_adviser()
            self._adviser = Adviser(model, fills=self._source.tier in FILLING_TIERS)
        self._adviser.prepare(offers)
        return self._adviser.why_unavailable(offers) or self._adviser

    async def close(self) -> None:
        self._close_adviser()
        if self._closing:
            await asyncio.wait(self._closing)

    def _close_adviser(self) -> None:
        if self._adviser is not None:
            closing: Coroutine[Any, Any, None] = self._adviser.close()
            task = asyncio.create_task(closing)
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
            self._adviser = None

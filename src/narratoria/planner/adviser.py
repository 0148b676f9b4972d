"""A language model at the planner's side: it has read its instructions, and is asked about one action.

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
from narratoria.planner.steps import Offer, Routed
from narratoria.planning.plan import Plan
from narratoria.skills.host.services import About

READING = 180.0  # seconds, on a machine that has other things to do as well
FILLERS = ("fills", "embellishes", "narrates")

_log = logging.getLogger(__name__)


class Model(trained_vote.Answerer, slots.Filler, Protocol):
    """What of a local model a planner uses."""

    async def warm(self, prompt: Prompt, *, within: float = ...) -> object: ...


@dataclass(frozen=True, slots=True)
class Instructed:
    """What a model was told, and what it says to nothing in particular."""

    offered: Mapping[str, Offer]
    base: Mapping[str, float]


class Adviser:
    def __init__(self, model: Model, *, fills: bool) -> None:
        self.model, self.fills = model, fills
        self._told: Instructed | None = None
        self._reading: asyncio.Task[None] | None = None
        self._failed = ""
        self._expected: Mapping[str, Any] | None = None  # before the next action; none once that is there

    def prepare(self, offered: Mapping[str, Offer]) -> None:
        """Let it read what belongs to these skills, beside everything else; returns at once."""
        if self._is_about(offered) or (self._reading is not None and not self._reading.done()):
            return
        self._reading = asyncio.create_task(self.read(offered))

    async def read(self, offered: Mapping[str, Offer]) -> None:
        """Let it read its instructions, and return when it has, or cannot."""
        try:
            if self.model.adapters:  # it was told what all of them are for long ago
                base = {}
                await trained_vote.ask(self.model, prompted_vote.UNDECIDED, {}, READING)
            else:
                base = await prompted_vote.ask(self.model, prompted_vote.UNDECIDED, offered, READING)
            if self.fills:
                await self.model.warm([Message("system", slots.system(offered))], within=READING)
        except ModelUnavailable as error:
            self._failed = f"the model has not read its instructions: {error}"
            _log.info("%s", self._failed)
            return
        self._told = Instructed(dict(offered), base)

    def excuse(self, offered: Mapping[str, Offer]) -> str:
        """Why it is not to be asked now; empty when it is."""
        if self._told is None or not set(offered) <= set(self._told.offered):
            return self._failed or "the model is still reading its instructions"
        return ""

    async def expect(self, context: Mapping[str, Any]) -> None:
        """Let each of its trainings read what is known before the player acts; `attend` ends it."""
        self._expected = context
        beginning = trained_vote.beginning(context)
        with contextlib.suppress(ModelUnavailable):  # then all of it is read when it is asked
            for number in range(len(self.model.adapters) if beginning else 0):
                await self.model.read_ahead(beginning, number, within=READING)
                if self._expected is not context:
                    break

    def attend(self) -> None:
        """The player has acted: nothing more is read ahead than what is being read."""
        self._expected = None

    async def weigh(
        self, routed: Routed, action: str, context: Mapping[str, Any], within: float
    ) -> tuple[Routed, str]:
        """The scores with its say in them, or as they were and why."""
        assert self._told is not None  # there was no excuse
        try:
            if self.model.adapters:
                return trained_vote.weighed(
                    routed, await trained_vote.ask(self.model, action, context, within)
                ), ""
            said = await prompted_vote.ask(self.model, action, self._told.offered, within)
        except ModelUnavailable as error:
            return routed, f"the model does not help to choose: {error}"
        return replace(routed, scores=prompted_vote.weighed(routed.scores, said, self._told.base)), ""

    async def fill(self, plan: Plan, scene: slots.Scene, within: float) -> slots.Filled:
        assert self._told is not None
        if not self.fills:
            return slots.Filled(plan)
        return await slots.fill(self.model, plan, scene, self._told.offered, within)

    async def close(self) -> None:
        """Stop its reading; the model belongs to somebody else."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    def _is_about(self, offered: Mapping[str, Offer]) -> bool:
        return self._told is not None and set(self._told.offered) == set(offered)


Advise: TypeAlias = Callable[[Mapping[str, Offer]], "Adviser | str"]  # or why there is none


def no_adviser(_: Mapping[str, Offer]) -> Adviser | str:
    """For whoever plans without a language model, and need not say why."""
    return ""


class ModelSource(Protocol):
    """Gives the planner the story's model while it is loaded."""

    @property
    def model(self) -> Model | None: ...

    @property
    def tier(self) -> str: ...

    def about(self) -> About: ...


class Advisers:
    """Gives the planner an adviser over the story's model, and never waits for a model that is loading."""

    def __init__(self, source: ModelSource) -> None:
        self._source = source
        self._adviser: Adviser | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def __call__(self, offered: Mapping[str, Offer]) -> Adviser | str:
        model, about = self._source.model, self._source.about()
        if model is None:
            self._let_go()
            return about.reason or f"{about.name} is not loaded: it chooses no better than the scorer"
        if self._adviser is None or self._adviser.model is not model:
            self._let_go()
            self._adviser = Adviser(model, fills=self._source.tier in FILLERS)
        self._adviser.prepare(offered)
        return self._adviser.excuse(offered) or self._adviser

    async def close(self) -> None:
        self._let_go()
        if self._closing:
            await asyncio.wait(self._closing)

    def _let_go(self) -> None:
        if self._adviser is not None:
            closing: Coroutine[Any, Any, None] = self._adviser.close()
            task = asyncio.create_task(closing)
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
            self._adviser = None

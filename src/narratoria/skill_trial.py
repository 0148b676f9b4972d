"""Plays one action with a skill and without it, outside every story, as `narratoria skills try` shows it."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from narratoria import app
from narratoria.engine import skill_results
from narratoria.engine.persistence.turn_record import TurnTrace
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import SkillFinding
from narratoria.planner.plan_scripts import FAMILIAR, Score
from narratoria.planner.planner import PlanExplanation, TurnPlanner
from narratoria.planning.plan import Plan, PlanRequest, ToolInvocation
from narratoria.planning.replan import PlanOutcome
from narratoria.planning.result import ToolResult
from narratoria.skills.discovery import Catalogue
from narratoria.skills.skill import Skill

LOADING_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class SkillTrial:
    """What came of an action with a skill, and the scene that would have come without it."""

    label: str  # of the script that ran, or would have
    scores: tuple[Score, ...]
    by: str  # who planned it
    was_chosen: bool  # by the planner itself
    reasons: tuple[str, ...]  # why a script was left out
    call: ToolInvocation | None
    result: ToolResult | None
    findings: tuple[SkillFinding, ...]
    refused: tuple[str, ...]  # what of its result could not be used, and why
    scene: Scene
    scene_without: Scene


class TrialPlanner:
    """Implements `Planner`: plans as a story does, with the skill on trial even where it is not chosen."""

    def __init__(self, skill: Skill) -> None:
        self._skill = skill
        self._planner = TurnPlanner(app.open_scorer, load_timeout_s=LOADING_TIMEOUT_S)
        self.explanation: PlanExplanation | None = None  # of the last plan with an action in words
        self.was_chosen = False

    async def generate(self, request: PlanRequest) -> Plan:
        explained = await self._planner.explain(request)
        action = request.context.get("action", {})
        if action.get("kind") == "begin" or request.attempt > 1:
            return explained.plan
        self.was_chosen = bool(find_calls(explained.plan, self._skill.name)) or any(
            score.label == self._skill.name and score.is_chosen for score in explained.scores
        )
        if not self.was_chosen and self._skill.scripts:
            label = pick_label(self._skill, explained.scores)
            context = {**request.context, "action": {**action, "skill": label}}
            forced = await self._planner.explain(replace(request, context=context))
            explained = replace(explained, plan=forced.plan)
        self.explanation = explained
        return explained.plan

    async def close(self) -> None:
        await self._planner.close()


def pick_label(skill: Skill, scores: Sequence[Score]) -> str:
    """Return the script of a skill that the planner finds likeliest; without scripts, the skill itself."""
    labels = [f"{skill.name}/{script.name}" for script in skill.scripts]
    needs = {score.label: score.needed for score in scores}
    return max(labels, key=lambda label: needs.get(label, 0.0), default=skill.name)


def find_calls(plan: Plan, skill: str) -> list[ToolInvocation]:
    return [call for call in plan.tools if call.tool_path.startswith(f"skills/{skill}/")]


async def try_skill(skill: Skill, action: str, *, campaign: str, seed: int) -> SkillTrial:
    """Play the action as the second turn of a new story, once with the skill and once without it."""
    scorer = await app.open_scorer()  # loaded before a turn waits for it
    others = tuple(one for one in app.open_skills().skills if one.name != skill.name)
    if scorer is not None:
        scorer.foreign.prepare(one for one in (*others, skill) if one.name not in FAMILIAR)
    planner = TrialPlanner(skill)
    story = TrialStory(action, campaign, seed)
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        try:
            with collect_warnings(skill_results.__name__) as refused:
                played = await _play(story, Path(here), (*others, skill), planner)
            without = await _play(story, Path(there), others, None)
        finally:
            await planner.close()
    scene, trace, findings = played
    explained = planner.explanation
    plan = trace.outcome.plan if isinstance(trace.outcome, PlanOutcome) else explained and explained.plan
    call = next(iter(find_calls(plan, skill.name)), None) if plan else None
    results = trace.outcome.result.tool_results if isinstance(trace.outcome, PlanOutcome) else ()
    scores = explained.scores if explained else ()
    return SkillTrial(
        label=call.tool_path.removeprefix("skills/") if call else pick_label(skill, scores),
        scores=scores,
        by=explained.by if explained else "",
        was_chosen=planner.was_chosen,
        reasons=explained.plan.metadata.reasons if explained else (),
        call=call,
        result=next((one for one in results if call and one.tool_id == call.tool_id), None),
        findings=findings,
        refused=tuple(dict.fromkeys(refused)),
        scene=scene,
        scene_without=without[0],
    )


@contextmanager
def collect_warnings(logger_name: str) -> Iterator[list[str]]:
    """Yield a list of the warnings that are logged meanwhile; they go nowhere else."""
    logger, messages = logging.getLogger(logger_name), list[str]()
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    was_passed_on, logger.propagate = logger.propagate, False
    try:
        yield messages
    finally:
        logger.removeHandler(handler)
        logger.propagate = was_passed_on


@dataclass(frozen=True, slots=True)
class TrialStory:
    """The story that an action is tried in."""

    action: str
    campaign: str
    seed: int


async def _play(
    story: TrialStory, folder: Path, skills: tuple[Skill, ...], planner: TrialPlanner | None
) -> tuple[Scene, TurnTrace, tuple[SkillFinding, ...]]:
    async with app.open_isolated_library(folder, skills=Catalogue(skills), planner=planner) as library:
        session = await library.begin(story.campaign, None, seed=story.seed)
        await session.resume()
        scene = await session.choose(Choice(text=story.action))
        record = (await library.turns(session.story.id))[-1]
        findings = tuple(one for one in session.snapshot.progress.findings if one.scene == scene.number)
        return scene, TurnTrace.unpack(record.output.trace), findings

"""Defines the scripts a plan may use, when each of them runs, and how far an action needs them.

Importing it costs nothing: planning by patterns needs neither a model nor numpy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from narratoria.planning.plan import FailedAttempt, PlanRequest
from narratoria.skills.skill import Skill, SkillScript

SceneType: TypeAlias = Literal["travel", "dialogue", "danger", "resolution"]
Stage: TypeAlias = Literal["know", "weigh", "roll", "other", "tell", "choose", "show", "mark", "keep"]

NARRATE = "storyteller/narrate"
CHOICES = "player-choices/generate-choices"
ODDS = "player-choices/evaluate-choice"
ROLL = "dice-roller/roll-dice"
RECALL, STORE = "memory/recall-memory", "memory/store-memory"
STANDING, RESTAND = "reputation/query-reputation", "reputation/update-reputation"
OPINION, REOPINION = "npc-perception/query-perception", "npc-perception/update-perception"
FIRST_OPINION = "npc-perception/initialize-perception"
DRAW, FIND_DRAWN, REDRAW = (
    "character-portraits/generate-portrait",
    "character-portraits/lookup-portrait",
    "character-portraits/update-portrait",
)

# what each script is called in a plan, and when it runs
STEPS: Mapping[str, tuple[str, Stage]] = {
    RECALL: ("recall", "know"),
    STANDING: ("standing", "know"),
    OPINION: ("opinion", "know"),
    FIRST_OPINION: ("first-opinion", "know"),
    ODDS: ("odds", "weigh"),
    ROLL: ("roll", "roll"),
    NARRATE: ("narrate", "tell"),
    CHOICES: ("choices", "choose"),
    DRAW: ("portrait", "show"),
    FIND_DRAWN: ("portrait-found", "show"),
    REDRAW: ("portrait-again", "show"),
    STORE: ("store", "keep"),
    RESTAND: ("restand", "mark"),
    REOPINION: ("reopinion", "mark"),
}
FAMILIAR = frozenset(label.partition("/")[0] for label in STEPS)  # skills whose use is not guessed
# who waits for whom: what changes standings, draws and offers choices runs beside the prose
BEFORE: Mapping[Stage, frozenset[Stage]] = {
    "know": frozenset(),
    "weigh": frozenset({"know"}),
    "roll": frozenset({"know", "weigh"}),
    "other": frozenset({"know", "roll"}),
    "tell": frozenset({"know", "roll", "other"}),
    "choose": frozenset({"know", "roll", "other"}),
    "show": frozenset({"know", "roll", "other"}),
    "mark": frozenset({"know", "roll"}),
    "keep": frozenset({"roll", "tell"}),
}
# of what may start at once the first go first: whoever reads waits for prose, then for choices
ORDER: tuple[Stage, ...] = ("know", "weigh", "roll", "other", "tell", "choose", "mark", "show", "keep")


@dataclass(frozen=True, slots=True)
class ScriptOffer:
    """A script that may be used in this plan."""

    skill: Skill
    script: SkillScript

    @property
    def label(self) -> str:
        return f"{self.skill.name}/{self.script.name}"


def find_offers(request: PlanRequest) -> dict[str, ScriptOffer]:
    """Return the scripts that are offered, enabled, and not among those that just failed."""
    offers: dict[str, ScriptOffer] = {}
    for skill in request.skills:
        if skill.name in request.disabled_skills:
            continue
        for script in skill.scripts:
            offer = ScriptOffer(skill, script)
            if _is_allowed(step_id(offer.label), request.error_context):
                offers.setdefault(offer.label, offer)
    return offers


def find_advisers(request: PlanRequest) -> dict[str, Skill]:
    """Return the skills that have nothing to run: what they want minded is all there is of them."""
    return {
        skill.name: skill
        for skill in request.skills
        if not skill.scripts
        and (skill.prompt.strip() or skill.instructions is not None)
        and skill.name not in request.disabled_skills
    }


def step_id(label: str) -> str:
    step = STEPS.get(label)
    return step[0] if step else label[:200]


def stage_of(label: str) -> Stage:
    step = STEPS.get(label)
    return step[1] if step else "other"


def _is_allowed(step: str, attempt: FailedAttempt | None) -> bool:
    """Return whether a step may be used again: after a failure, plans only get smaller."""
    if attempt is None or attempt.plan is None:
        return True
    position = next((i for i, call in enumerate(attempt.plan.tools) if call.tool_id == step), None)
    if position is None:
        return False
    if attempt.result:
        return step not in attempt.result.failed_tools
    return not any(problem.pointer.startswith(f"/tools/{position}") for problem in attempt.problems)


PORTRAITS = "character-portraits"  # scored as a whole
SCENE_TYPES: tuple[SceneType, ...] = ("dialogue", "travel", "resolution")  # where nothing is rolled
LEAST_NEED = 0.06  # below this an allowed script is left out: a plan is no longer than it must be


@dataclass(frozen=True, slots=True)
class Score:
    """The need for a script, which is chosen where that is likelier right than leaving it out."""

    label: str
    needed: float
    harmless: float
    why: str
    level: float = 1.0

    @property
    def is_chosen(self) -> bool:
        return self.needed + self.harmless > self.level and self.needed > LEAST_NEED


@dataclass(frozen=True, slots=True)
class SkillScores:
    scores: tuple[Score, ...]
    scene: SceneType  # where nothing is rolled

    @property
    def chosen_labels(self) -> set[str]:
        return {score.label for score in self.scores if score.is_chosen}


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-min(max(value, -40.0), 40.0)))


def logit(value: float) -> float:
    clipped = min(max(value, 1e-4), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))

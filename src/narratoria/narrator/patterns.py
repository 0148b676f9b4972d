"""A planner without a model: a handful of patterns, the same plan for the same words.

Every plan narrates and then offers choices; what is risky is rolled before it is told. On a replan the
plan only ever gets shorter, so five attempts are enough to end with one that nothing can break.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from narratoria.narrator.fallback import tell
from narratoria.planning.plan import Plan, RetryPolicy, ToolInvocation
from narratoria.planning.planner import FailedAttempt, PlanRequest
from narratoria.skills.skill import Skill, SkillScript

SceneType: TypeAlias = Literal["travel", "dialogue", "danger", "resolution"]
Step: TypeAlias = Literal["roll", "narrate", "choices"]

TOOLS: Mapping[Step, tuple[str, str]] = {
    "roll": ("dice-roller", "roll-dice"),
    "narrate": ("storyteller", "narrate"),
    "choices": ("player-choices", "generate-choices"),
}
NEEDED: Mapping[Step, tuple[str, ...]] = {  # of what is known about the scene
    "narrate": ("action", "place", "people", "beat", "due", "remembered"),
    "choices": ("action", "place", "people", "next"),
}


@dataclass(frozen=True, slots=True)
class Pattern:
    scene: SceneType
    words: re.Pattern[str]
    steps: tuple[Step, ...] = ("narrate", "choices")


def _words(verbs: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(verbs.split())})(?:s|es|ed|ing)?\b", re.IGNORECASE)


# The first that fits decides: asking the way to the bridge is talk, and climbing to it is danger.
PATTERNS = (
    Pattern("dialogue", _words("ask tell talk speak say greet thank show answer")),
    Pattern(
        "danger",
        _words(
            "attack fight strike climb jump leap sneak steal pick force break bluff lie persuade threaten"
            " dodge disarm swim chase escape risk"
        ),
        ("roll", "narrate", "choices"),
    ),
    Pattern("travel", _words("go walk head travel enter leave return cross follow ride")),
)
OTHERWISE = Pattern("resolution", _words(""))
RISKY = PATTERNS[1]
SCENES: Mapping[str, SceneType] = {"go": "travel", "talk": "dialogue"}


class PatternPlanner:
    """Implements `Planner`."""

    async def generate(self, request: PlanRequest) -> Plan:
        action = request.context.get("action") or {}
        pattern = _pattern(request.player_input, action)
        scripts = _scripts(request)
        steps = [step for step in pattern.steps if step in scripts]
        tools = [_invocation(step, scripts[step], "roll" in steps, request) for step in steps]
        return Plan(
            request_id=str(uuid.uuid4()),
            narrative=None if "narrate" in steps else "\n\n".join(tell(_facts(request))),
            tools=tuple(tools),
            parallel=True,  # prose and choices need the roll, and not each other
        )


def _pattern(text: str, action: Mapping[str, Any]) -> Pattern:
    """What the engine knows about a choice counts more than its words."""
    kind = action.get("kind", "free")
    if action.get("risky"):
        return RISKY
    if kind == "free":
        return next((pattern for pattern in PATTERNS if pattern.words.search(text)), OTHERWISE)
    return Pattern(SCENES.get(kind, "resolution"), OTHERWISE.words)


def _scripts(request: PlanRequest) -> dict[Step, tuple[Skill, SkillScript]]:
    """What the steps can be done with: offered, enabled, and not among what just failed."""
    offered = {skill.name: skill for skill in request.skills if skill.name not in request.disabled_skills}
    scripts: dict[Step, tuple[Skill, SkillScript]] = {}
    for step, (skill_name, script_name) in TOOLS.items():
        skill = offered.get(skill_name)
        script = skill.script(script_name) if skill else None
        if skill and script and _is_allowed(step, request.error_context):
            scripts[step] = skill, script
    return scripts


def _is_allowed(step: Step, failed: FailedAttempt | None) -> bool:
    """A plan that could not carry the turn is only ever made smaller."""
    if failed is None or failed.plan is None:
        return True
    position = next((i for i, call in enumerate(failed.plan.tools) if call.tool_id == step), None)
    if position is None:
        return False
    if failed.result:
        return step not in failed.result.failed_tools
    return not any(problem.pointer.startswith(f"/tools/{position}") for problem in failed.problems)


def _invocation(
    step: Step, script: tuple[Skill, SkillScript], rolled: bool, request: PlanRequest
) -> ToolInvocation:
    skill, entry = script
    return ToolInvocation(
        tool_id=step,
        tool_path=f"skills/{skill.name}/{entry.name}",
        input=_input(step, rolled, _facts(request)),
        dependencies=("roll",) if rolled and step != "roll" else (),
        required=step == "narrate",  # there is a usual outcome, and there are generic choices
        async_=True,
        retry_policy=RetryPolicy(max_retries=skill.max_retries, backoff_ms=skill.backoff_ms),
    )


def _facts(request: PlanRequest) -> dict[str, Any]:
    """The context, and an action made from the words where the context has none."""
    action = request.context.get("action") or {"kind": "free", "text": request.player_input}
    return {**request.context, "action": action}


def _input(step: Step, rolled: bool, facts: Mapping[str, Any]) -> dict[str, Any]:
    if step == "roll":
        return {"formula": facts["action"].get("formula") or "2d6", "reason": facts["action"]["text"]}
    told = {name: facts[name] for name in NEEDED[step] if name in facts}
    return {**told, "roll": {"$from": "roll"} if rolled else None}

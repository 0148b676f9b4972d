"""Scores how much a scene matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narratoria.engine.action import ResolvedAction
from narratoria.engine.memory.compress import DEBT, PROMISE, KeepsakeKind
from narratoria.engine.scene import Scene

if TYPE_CHECKING:  # the store takes longer to import than a scene may wait for
    from narratoria.store.records import Significance

PRIORITY = {"critical": 0.6, "high": 0.45, "medium": 0.3, "low": 0.2, "optional": 0.15}
LEVELS = (0.25, 0.5, 0.75)  # below each: low, medium, high; above: critical
NAMES: tuple[Significance, ...] = ("low", "medium", "high", "critical")


def weight(action: ResolvedAction, scene: Scene) -> float:
    """Return how much a scene matters, from 0 to 1."""
    score = max((PRIORITY[beat.priority] for beat in action.beats), default=0.05)
    if action.person or action.choice.kind == "free":
        score += 0.1
    if scene.roll:
        score += 0.25 if scene.roll.outcome in ("success", "failure") else 0.15
    if any(beat.ending for beat in action.beats):
        score += 0.4
    if any(effect.dies or effect.perception for beat in action.beats for effect in (beat.effects,)):
        score += 0.2
    text = f"{action.choice.text} {' '.join(flag for beat in action.beats for flag in beat.consequences)}"
    if PROMISE.search(text) or DEBT.search(text):
        score += 0.3
    return min(1.0, round(score, 3))


def level(score: float) -> Significance:
    return NAMES[sum(score >= bound for bound in LEVELS)]


def episodic(action: ResolvedAction, scene: Scene) -> KeepsakeKind | None:
    """Return whether a scene is a triumph or a failure: a roll that went clearly one way, or an end."""
    if scene.roll and action.is_risky and scene.roll.outcome in ("success", "failure"):
        return "triumph" if scene.roll.outcome == "success" else "failure"
    if any(beat.ending for beat in action.beats):
        return "triumph"
    return None

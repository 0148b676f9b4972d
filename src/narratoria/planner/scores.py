"""What a planner thinks of each offered script; as light as planning without a scorer is to be."""

from __future__ import annotations

import math
from dataclasses import dataclass

from narratoria.planner.steps import SceneType

PORTRAITS = "character-portraits"  # scored as a whole
SCENES: tuple[SceneType, ...] = ("dialogue", "travel", "resolution")  # where nothing is rolled
LEAST_NEED = 0.06  # below this an allowed script is left out: a plan is no longer than it must be


@dataclass(frozen=True, slots=True)
class Score:
    """How far an action needs a script: it is chosen where choosing is likelier right than leaving out."""

    label: str
    needed: float
    harmless: float
    why: str
    level: float = 1.0

    @property
    def chosen(self) -> bool:
        return self.needed + self.harmless > self.level and self.needed > LEAST_NEED


@dataclass(frozen=True, slots=True)
class Routed:
    scores: tuple[Score, ...]
    scene: SceneType  # where nothing is rolled

    @property
    def wanted(self) -> set[str]:
        return {score.label for score in self.scores if score.chosen}


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-min(max(value, -40.0), 40.0)))


def logit(value: float) -> float:
    clipped = min(max(value, 1e-4), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))

"""Lets opinions fade with the time of the story: ten percent a week, half as fast while they are strong."""

from __future__ import annotations

import math

__all__ = ["DAY", "DEFAULT_RATE", "STRONG", "UNIT", "decay"]

DAY = 24 * 60.0  # minutes
UNIT = 7 * DAY  # an in-game week
STRONG = 50.0
DEFAULT_RATE = 0.1


def decay(score: float, minutes: float, rate: float = DEFAULT_RATE) -> float:
    """Return the score after this much in-game time: half as fast while it is strong."""
    units = minutes / UNIT
    if units <= 0 or score == 0 or 1 - rate / 2 == 1:  # a rate too small to count is none
        return score
    if abs(score) >= STRONG:
        strong_units = math.log(STRONG / abs(score)) / math.log(1 - rate / 2)  # until it is no longer strong
        if units <= strong_units:
            return score * math.pow(1 - rate / 2, units)
        score, units = math.copysign(STRONG, score), units - strong_units
    return score * math.pow(1 - rate, units)

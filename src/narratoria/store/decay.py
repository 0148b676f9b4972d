"""How an opinion fades: by its rate for each in-game week, and half as fast while it is strong."""

from __future__ import annotations

import math

UNIT = 7 * 24 * 60.0  # minutes: an in-game week
STRONG = 50.0
DEFAULT_RATE = 0.1


def decay(score: float, minutes: float, rate: float = DEFAULT_RATE) -> float:
    """The score after this much in-game time; time that runs backwards changes nothing."""
    units = minutes / UNIT
    if units <= 0 or score == 0 or 1 - rate / 2 == 1:  # a rate too small to count is none
        return score
    if abs(score) >= STRONG:
        strong_units = math.log(STRONG / abs(score)) / math.log(1 - rate / 2)  # until it is no longer strong
        if units <= strong_units:
            return score * math.pow(1 - rate / 2, units)
        score, units = math.copysign(STRONG, score), units - strong_units
    return score * math.pow(1 - rate, units)

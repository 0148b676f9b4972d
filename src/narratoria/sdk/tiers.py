"""Says how far an opinion counts on the dice: neutral within ±30, beyond it one to three steps."""

from __future__ import annotations

__all__ = ["NEUTRAL", "TIERS", "tier_of"]

NEUTRAL, TIERS = 30.0, 3  # up to here an opinion changes nothing; above, this many steps up to the end
HIGHEST = 100.0


def tier_of(score: float) -> int:
    """Return 0 for a neutral opinion, up to ±3 for the strongest; tenths of a point count."""
    beyond = abs(round(score, 1)) - NEUTRAL
    if beyond <= 0:
        return 0
    step = min(TIERS, 1 + int(beyond / ((HIGHEST - NEUTRAL) / TIERS)))
    return step if score > 0 else -step

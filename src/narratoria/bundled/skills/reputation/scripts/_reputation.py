"""Factions and standings: read, named, put into words, and where they are kept."""

from __future__ import annotations

import re

from narratoria import sdk
from narratoria.sdk.names import fold
from narratoria.sdk.opinions import Opinions

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

MOST_FACTIONS = 100
RATE = 0.1
WORDS = (  # up to this share of the scale: the standing, and what follows the faction's name
    (-75, "hated", "hates you"),
    (-50, "hostile", "is hostile to you"),
    (-30.01, "distrusted", "distrusts you"),
    (-10.01, "frowned upon", "frowns upon you"),
    (10, "neutral", "has no opinion of you"),
    (30, "well regarded", "regards you well"),
    (49.99, "trusted", "trusts you"),
    (74.99, "honoured", "holds you in honour"),
    (100, "revered", "reveres you"),
)


def scale_of(config: dict[str, Any]) -> tuple[float, float]:
    given = config.get("reputationScale") or {}
    low, high = float(given.get("min", -100)), float(given.get("max", 100))
    if low >= high:
        raise sdk.ToolFailure(
            "INVALID_CONFIG",
            f"reputationScale: the lowest standing, {low:g}, is not below the highest, {high:g}",
        )
    if not low <= 0 <= high:
        raise sdk.ToolFailure(
            "INVALID_CONFIG",
            f"reputationScale: {low:g} to {high:g} leaves out 0, which is what nobody's opinion counts",
        )
    return low, high


class Names:
    """Spells factions: "the Merchants Guild" and "merchants-guild" are the same."""

    def __init__(self, request: sdk.Request) -> None:
        self.listed = [name for name in request.config.get("factionList") or [] if isinstance(name, str)]
        held = request.state.get("reputation")
        spellings = [*self.listed, *(held if isinstance(held, dict) else ())]
        self._spelled: dict[str, str] = {fold(name): name for name in reversed(spellings)}

    def spell(self, given: Any, field: str) -> str:
        """ToolFailure for what is no name, and for a faction that is not kept track of."""
        if not isinstance(given, str) or not given.strip():
            raise sdk.InvalidInput(field, "expected the name of a faction")
        name = " ".join(given.split())[:200]
        spelling = self._spelled.get(fold(name), name)
        if self.listed and spelling not in self.listed:
            raise sdk.ToolFailure(
                "UNKNOWN_FACTION",
                f"{field}: {name!r} is not among the factions of factionList: {', '.join(self.listed)}",
                {"faction": name},
            )
        return spelling


def share(score: float, scale: tuple[float, float]) -> float:
    """Return where a score lies between -100 and 100, whatever the scale."""
    reach = scale[1] if score >= 0 else -scale[0]
    return max(-100.0, min(100.0, 100 * score / reach)) if reach else 0.0


def in_words(faction: str, score: float, scale: tuple[float, float]) -> dict[str, Any]:
    part = share(score, scale)
    _, standing, verb = next(words for words in WORDS if part <= words[0])
    name = faction if re.match(r"(?i)the\b", faction) else f"The {faction}"
    tone = "warm" if part > 30 else "cold" if part < -30 else "neutral"
    return {"standing": standing, "tone": tone, "sentence": f"{name} {verb}."}


def standings_of(request: sdk.Request) -> Opinions:
    rate = float(request.config.get("decayRate", RATE))
    return Opinions(request, "reputation", rate=rate, scale=scale_of(request.config))


def rounded(score: float) -> float:
    return round(score, 1) + 0.0

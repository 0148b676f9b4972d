"""Reads and changes what people and factions think of the player, and the tone that goes with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from narratoria.campaign.campaign import Campaign, Tone
from narratoria.engine.conditions import perception_of

WARM, COLD = 20, -20  # of perception; between them people are neither
LARGEST = {"low": 10, "medium": 20, "high": 35, "critical": 50}  # an opinion moves by 0.1 to 0.5 of sentiment


def sentiment_of(person: str, state: Mapping[str, Any]) -> float:
    """Return what a person thinks of the player, from -1 to +1."""
    return max(-1.0, min(1.0, perception_of(person, state) / 100))


def tone_of(person: str, state: Mapping[str, Any]) -> Tone:
    score = perception_of(person, state)
    return "warm" if score >= WARM else "cold" if score <= COLD else "neutral"


def apply_changes(state: Mapping[str, Any], changes: Mapping[str, int], ledger: str) -> dict[str, float]:
    """Return the scores of a ledger (perception, reputation) after these changes, within ±100."""
    entry = state.get(ledger)
    scores = entry if isinstance(entry, Mapping) else {}
    return {
        name: max(-100.0, min(100.0, _number(scores.get(name)) + change)) for name, change in changes.items()
    }


def scores(state: Mapping[str, Any], ledger: str) -> dict[str, float]:
    """Return the scores of a ledger (perception, reputation) in the state."""
    entry = state.get(ledger)
    return {str(name): _number(value) for name, value in entry.items()} if isinstance(entry, Mapping) else {}


def _number(value: Any) -> float:
    if isinstance(value, Mapping):
        value = value.get("score")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def helps(person: str, state: Mapping[str, Any]) -> int:
    """Return +1 for somebody who likes the player, -1 for somebody who does not."""
    return {"warm": 1, "neutral": 0, "cold": -1}[tone_of(person, state)]


def opinion(person: str, campaign: Campaign, state: Mapping[str, Any]) -> str:
    """Return what a person thinks of the player in words, for a receipt."""
    name = campaign.people[person].name if person in campaign.people else person
    return {
        "warm": f"{name} thinks well of you",
        "neutral": f"{name} has not made up their mind about you",
        "cold": f"{name} does not think well of you",
    }[tone_of(person, state)]

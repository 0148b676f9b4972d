"""Reads and changes what people and factions think of the player, and the tone that goes with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from narratoria.campaign.campaign import Campaign, Tone
from narratoria.engine.conditions import perception_of
from narratoria.sdk.decay import DAY, DEFAULT_RATE, decay
from narratoria.sdk.tiers import tier_of

WARM, COLD = 20, -20  # of perception; between them people speak neither warmly nor coldly
LARGEST = {"low": 10, "medium": 20, "high": 35, "critical": 50}  # an opinion moves by 0.1 to 0.5 of sentiment


RATE_OF = {"perception": "perception", "impressions": "perception", "reputation": "reputation"}


def sentiment_of(person: str, state: Mapping[str, Any]) -> float:
    """Return what a person thinks of the player, from -1 to +1."""
    return max(-1.0, min(1.0, perception_of(person, state) / 100))


def tone_of(person: str, state: Mapping[str, Any]) -> Tone:
    score = round(perception_of(person, state))
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


def fade(state: Mapping[str, Any], since: float, until: float) -> dict[str, Any]:
    """Return what fades of all opinions between two moments of the story, as a patch of the state.

    They fade overnight: within a day what an author adds up stays as it was added.
    """
    nights = until // DAY - since // DAY
    if nights <= 0:
        return {}
    rates = scores(state, "decayRates")
    faded = {
        ledger: {
            name: _faded(value, nights * DAY, rates.get(rated, DEFAULT_RATE))
            for name, value in entry.items()
            if _number(value)
        }
        for ledger, rated in RATE_OF.items()
        if isinstance(entry := state.get(ledger), Mapping)
    }
    return {ledger: entry for ledger, entry in faded.items() if entry}


def _faded(value: Any, minutes: float, rate: float) -> Any:
    score = round(decay(_number(value), minutes, rate), 3)
    return {"score": score} if isinstance(value, Mapping) else score


def _number(value: Any) -> float:
    if isinstance(value, Mapping):
        value = value.get("score")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def tier(person: str, state: Mapping[str, Any]) -> int:
    """Return what a person's opinion counts on the dice: 0 within ±30, beyond it up to ±3."""
    return tier_of(perception_of(person, state))


def opinion(person: str, campaign: Campaign, state: Mapping[str, Any]) -> str:
    """Return what a person thinks of the player in words, for a receipt."""
    name = campaign.people[person].name if person in campaign.people else person
    return {
        "warm": f"{name} thinks well of you",
        "neutral": f"{name} has not made up their mind about you",
        "cold": f"{name} does not think well of you",
    }[tone_of(person, state)]

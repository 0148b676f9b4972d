"""Writes the rows of the effects page: how an effect is written, what it changes, what the player reads."""

from __future__ import annotations

import json
from typing import Any

from narratoria.engine.effects import describe_effect
from narratoria.narrator.effect_types import EFFECT_KINDS, EFFECT_MEANINGS, TIMES, bind_effects, parse_effect

# as a unit writes each one; slots stand for whom and what the act is done to
EXAMPLES: dict[str, dict[str, Any]] = {
    "goes": {"goes": "lamp-tower"},
    "takes": {"takes": "thing"},
    "makes": {"makes": "a paper boat"},
    "gives": {"gives": "thing", "to": "person"},
    "loses": {"loses": "thing"},
    "drops": {"drops": "thing"},
    "breaks": {"breaks": "thing"},
    "opens": {"opens": "thing"},
    "closes": {"closes": "thing"},
    "learns": {"learns": "the back door is never locked"},
    "tells": {"tells": "person", "what": "that the bridge is out"},
    "likes": {"likes": "person", "by": 5},
    "dislikes": {"dislikes": "person", "by": 5},
    "hurt": {"hurt": "player", "how": "a sprained wrist"},
    "heals": {"heals": "person"},
    "dies": {"dies": "person"},
    "owes": {"owes": "person", "why": "you carried the coal"},
    "debt": {"debt": "person", "why": "the price of a boat"},
    "promises": {"promises": "person", "what": "to come back before dark"},
    "follows": {"follows": "person"},
    "stays": {"stays": "person"},
    "leaves": {"leaves": "person"},
    "driven_out": {"driven_out": "person"},
    "caught": {"caught": "person"},
    "alarm": {"alarm": "place"},
    "time": {"time": "an hour"},
}
SLOTS = {"person": "pike", "thing": "lamp", "place": "quay", "player": "player"}
NAMES = {"pike": "Pike"}


def effects() -> str:
    """Return every effect as a row of a table, in the order of the closed list."""
    return "\n".join(_row(kind) for kind in EFFECT_KINDS)


def spans() -> str:
    """Return the spans of time that `time` takes, with their minutes."""
    return ", ".join(f"`{name}` ({minutes:,})" for name, minutes in TIMES.items())


def _row(kind: str) -> str:
    document = EXAMPLES[kind]
    (effect,) = bind_effects([parse_effect(document)], SLOTS)
    sentence = describe_effect(effect, NAMES)
    meaning = EFFECT_MEANINGS[effect.kind]
    return f"| `{kind}` | {meaning} | `{json.dumps(document)}` | {sentence or '·'} |"

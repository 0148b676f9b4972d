"""Defines the effects an answer can have on the world: a closed list, each with what it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import msgspec

EffectKind: TypeAlias = Literal[
    "goes",
    "takes",
    "makes",
    "gives",
    "loses",
    "drops",
    "breaks",
    "opens",
    "closes",
    "learns",
    "tells",
    "likes",
    "dislikes",
    "hurt",
    "heals",
    "dies",
    "owes",
    "debt",
    "promises",
    "follows",
    "stays",
    "leaves",
    "driven_out",
    "caught",
    "alarm",
    "time",
]
EFFECT_KINDS: tuple[str, ...] = get_args(EffectKind)
EFFECT_MEANINGS: Mapping[EffectKind, str] = {
    "goes": "the player is at another place, named by its id",
    "takes": "the player has the thing now",
    "makes": "the player has a new thing now",
    "gives": "the thing goes from the player to a person",
    "loses": "the player has the thing no more",
    "drops": "the thing lies at the place now",
    "breaks": "the thing is broken",
    "opens": "the thing or way is open",
    "closes": "the thing or way is shut",
    "learns": "the player knows a sentence",
    "tells": "a person knows what the player told them",
    "likes": "a person thinks better of the player, by some points",
    "dislikes": "a person thinks worse of the player, by some points",
    "hurt": "the player or a person is hurt, and how",
    "heals": "the player or a person is well again",
    "dies": "a person is dead",
    "owes": "a person owes the player, and why",
    "debt": "the player owes a person, and why",
    "promises": "the player has promised a person something",
    "follows": "a person comes along with the player",
    "stays": "a person no longer comes along",
    "leaves": "a person leaves the place",
    "driven_out": "a person drives the player out, who is at a neighbouring place now",
    "caught": "a person holds the player for a scene, and lets them go at a loss",
    "alarm": "somebody has noticed; the place is alarmed",
    "time": "time passes",
}
TIMES: Mapping[str, int] = {
    "a moment": 1,
    "a few minutes": 5,
    "a quarter of an hour": 15,
    "half an hour": 30,
    "an hour": 60,
    "hours": 180,
    "a night": 480,
    "a day": 1440,
}
BURNT = "burnt"  # why a thing is broken or lost
_DETAILS = ("to", "by", "why", "how", "what")


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change; `target` is a slot ("thing", "person", "place", "player") or a text."""

    kind: EffectKind
    target: str = ""
    to: str = ""
    by: int = 0
    why: str = ""


def parse_effect(document: Mapping[str, Any]) -> Effect:
    """Return an effect as units write it, `{"gives": "thing", "to": "person"}`; ValueError if it is none."""
    kinds = [key for key in document if key in EFFECT_KINDS]
    if len(kinds) != 1:
        kind_names = ", ".join(EFFECT_KINDS)
        raise ValueError(
            f"an effect names one of {kind_names}, and this one names {', '.join(document) or 'nothing'}"
        )
    kind = kinds[0]
    if unknown := [key for key in document if key != kind and key not in _DETAILS]:
        raise ValueError(f"'{unknown[0]}' is not a detail of an effect ({', '.join(_DETAILS)})")
    target = document[kind]
    if not isinstance(target, str):
        raise ValueError(f'\'{kind}\' takes a text, such as "thing" or "person"')
    by = document.get("by", 0)
    if not isinstance(by, int):
        raise ValueError("'by' takes a whole number")
    if kind == "time":
        by = TIMES.get(target, by)
        if not by:
            raise ValueError(f"'{target}' is not a span of time ({', '.join(TIMES)})")
    why = str(document.get("why") or document.get("how") or document.get("what") or "")
    return Effect(kind, target, str(document.get("to") or ""), by, why)  # type: ignore[arg-type]


OF_THINGS = frozenset(("takes", "makes", "gives", "loses", "drops", "breaks"))
PEOPLE = re.compile(
    r"\b(?:boy|girl|man|woman|child|kid|lad|lass|fellow|lady|gentleman|person|baby|people|men|women|children)$",
    re.IGNORECASE,
)


def bind_effects(effects: Sequence[Effect], slots: Mapping[str, str]) -> tuple[Effect, ...]:
    """Return the effects with slots replaced by what they stand for; without those that stand for nothing."""
    bound_effects = []
    for effect in effects:
        target = (
            slots.get(effect.target, effect.target)
            if effect.target in _SLOTS
            else _fill_slots(effect.target, slots)
        )
        to = slots.get(effect.to, effect.to)
        if effect.target in _SLOTS and not slots.get(effect.target):
            continue
        if effect.kind in OF_THINGS and PEOPLE.search(target):
            continue  # nobody is carried off in a pocket
        if effect.to in _SLOTS and not slots.get(effect.to):
            continue
        bound_effects.append(
            msgspec.structs.replace(effect, target=target, to=to, why=_fill_slots(effect.why, slots))
        )
    return tuple(bound_effects)


def mark_burnt(effects: Sequence[Effect], act: str) -> tuple[Effect, ...]:
    """Return the effects of an act with what it destroyed marked as burnt, where it was fire that did."""
    return tuple(
        msgspec.structs.replace(effect, why=BURNT)
        if act == "burn" and effect.kind in ("breaks", "loses")
        else effect
        for effect in effects
    )


_SLOTS = frozenset(("thing", "person", "place", "player", "other"))


def _fill_slots(text: str, slots: Mapping[str, str]) -> str:
    for name, value in slots.items():
        text = text.replace(f"{{{name}}}", value)
    return text

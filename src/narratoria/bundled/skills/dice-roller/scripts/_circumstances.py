"""Reads what is added to a roll: what the character can do, and what people think of them."""

from __future__ import annotations

import re

from narratoria import sdk
from narratoria.sdk.tiers import tier_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 10_000  # that one thing may add


def abilities(given: dict[str, Any], state: dict[str, Any]) -> dict[str, tuple[float, str]] | None:
    """Return what the character can do, by name, and where that is from; None for an unknown character."""
    persona = given.get("persona") or state.get("persona")
    if not isinstance(persona, dict):
        return None
    values: dict[str, tuple[float, str]] = {}
    for trait in persona.get("traits") or []:
        if isinstance(trait, str):
            values[key(trait)] = (1.0, f"you are {trait}")
    stats = persona.get("stats")
    for name, value in (stats if isinstance(stats, dict) else {}).items():
        if _is_number(value):
            values[key(name)] = (float(value), f"your {name} is {value:g}")
    return values


def whole_modifiers(listed: Any, field: str = "modifiers") -> list[dict[str, Any]]:
    """Those that were worked out before: a list of names, values and reasons, or values by name."""
    if isinstance(listed, dict):
        listed = [{"name": name, "value": value} for name, value in listed.items()]
    if not isinstance(listed, (list, type(None))):
        raise sdk.InvalidInput(field, "expected a list, each with a name and a value")
    modifiers = []
    for number, one in enumerate(listed or ()):
        if not isinstance(one, dict) or not _is_number(one.get("value")):
            raise sdk.InvalidInput(f"{field}/{number}/value", f"expected a number within ±{MOST}")
        name, because = str(one.get("name") or "modifier")[:100], str(one.get("because") or "")[:500]
        modifiers.append({"name": name, "value": halves_up(one["value"]), "because": because})
    return [one for one in modifiers if one["value"]]


def halves_up(value: float) -> int:
    """Return the nearest whole number; a half counts as a whole, to either side."""
    return int(abs(value) + 0.5) * (1 if value > 0 else -1)


def of_opinion(opinion: Any) -> list[dict[str, Any]]:
    """Return what the person it is about adds or takes: of several, the one who feels strongest."""
    views = [view for view in map(_view, _people(opinion)) if view and view["value"]]
    return [max(views, key=lambda view: abs(view["value"]))] if views else []


def _people(opinion: Any) -> list[Any]:
    if isinstance(opinion, list):
        return opinion
    if not isinstance(opinion, dict):
        return []
    for name in ("perceptions", "npcs", "opinions", "people"):
        several = opinion.get(name)
        if isinstance(several, list):
            return several
        if isinstance(several, dict):
            return [
                {"name": who, **(view if isinstance(view, dict) else {"perception": view})}
                for who, view in several.items()
            ]
    return [opinion]


def _view(person: Any) -> dict[str, Any] | None:
    if not isinstance(person, dict):
        return None
    score = _first_number(person, "perception", "score")
    modifier = _first_number(person, "modifier", "diceModifier")
    if modifier is None:
        modifier = tier_of(score) if score is not None else 0
    value = halves_up(modifier)
    who = next(
        (str(person[name]) for name in ("name", "npcName", "npc", "npcId", "id") if person.get(name)),
        "somebody here",
    )
    score_note = f" ({score:+g})" if score is not None else ""
    return {
        "name": "perception",
        "value": value,
        "because": f"{who} thinks {'well' if value > 0 else 'ill'} of you{score_note}",
    }


def key(name: object) -> str:
    return re.sub(r"[\W_]+", "", str(name)).casefold()


def _first_number(person: dict[str, Any], *names: str) -> Any:
    return next((person[name] for name in names if _is_number(person.get(name))), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= MOST

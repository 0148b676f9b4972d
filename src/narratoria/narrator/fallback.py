"""The last storyteller: plain paragraphs in the campaign's own words, when no skill can tell the scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NOTHING_ELSE = "For a moment nothing else happens, and then it is your turn again."
UNDECIDED = "partial success"


def tell(facts: Mapping[str, Any], outcome: str = "") -> tuple[str, ...]:
    """The same facts give the same words, and there are always two paragraphs."""
    action, place = facts.get("action") or {}, facts.get("place") or {}
    moments = place.get("moments") or []
    paragraphs = list(action.get("premise") or [])
    if beat := facts.get("beat"):
        ended = beat["outcomes"].get(outcome) or beat["outcomes"].get(UNDECIDED)
        paragraphs += [beat["description"], *([ended] if ended else [])]
    elif not paragraphs:
        paragraphs.append(_deed(action, place))
    if due := facts.get("due"):
        paragraphs.append(due["description"])
    if len(paragraphs) < 2:
        number = action.get("number") or 0
        paragraphs.append(moments[number % len(moments)] if moments else NOTHING_ELSE)
    return tuple(paragraphs[:3])


def _deed(action: Mapping[str, Any], place: Mapping[str, Any]) -> str:
    match action.get("kind"):
        case "go":
            return f"You go {action['route']}. {place['arrival']}"
        case "talk" if action.get("saying"):
            return f"You talk to {action['person']}. “{action['saying']}”"
        case "look" if action.get("detail"):
            return str(action["detail"])
        case "wait":
            return "You wait a while."
    text = " ".join(str(action.get("text") or "go on").split())
    return f"You {text[:1].lower()}{text[1:].rstrip('.')}."

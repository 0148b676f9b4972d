"""Composes a plain scene where there is no draft: what was done, how it went, who and what is there."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

UNDECIDED = "partial success"
ENDINGS = {
    "success": "It works, cleanly, and you have breath left over.",
    "partial success": "It works, after a fashion, and something is left owing.",
    "failure": "It does not work, and it costs you more than you like to show.",
}
QUIET = "Nothing answers at once. The moment stays open, and waits for what you will do with it."


def compose_plain_scene(facts: dict[str, Any]) -> list[str]:
    """Return two or more paragraphs, in the campaign's own words as far as there are any."""
    action, place, due = facts.get("action") or {}, facts.get("place") or {}, facts.get("due") or {}
    if premise := action.get("premise"):
        return list(premise)
    paragraphs = [
        *describe_action(action, place, facts.get("beat") or {}, (facts.get("roll") or {}).get("outcome"))
    ]
    if description := due.get("description"):
        paragraphs.append(description)
    strangers = any(not person.get("met") for person in other_people(facts))
    if len(paragraphs) < 2 or (len(paragraphs) == 2 and strangers):
        paragraphs.append(describe_surroundings(facts) or QUIET)
    return paragraphs


def describe_action(
    action: dict[str, Any], place: dict[str, Any], beat: dict[str, Any], outcome: object
) -> list[str]:
    if beat:
        ends = beat.get("outcomes") or {}
        return [text for text in (beat["description"], ends.get(outcome) or ends.get(UNDECIDED)) if text]
    match action:
        case {"kind": "go", "route": str(route)}:
            there = place.get("arrival") if not place.get("visits") else f"This is {place['name']} again."
            return [joined(f"You go {route}.", there)]
        case {"kind": "talk", "person": str(person)}:
            saying = action.get("saying")
            return [joined(f"You talk with {person}.", f"“{saying}”" if saying else "")]
        case {"kind": "look"}:
            return [joined("You look around you.", action.get("detail"))]
        case {"kind": "wait"}:
            return ["You wait."]
    return [joined(in_second_person(str(action.get("text") or "")), ENDINGS.get(str(outcome)))]


def in_second_person(text: str) -> str:
    text = re.sub(r"^(?:I|you)\s+", "", " ".join(text.split()).rstrip(".!"), flags=re.IGNORECASE)[:300]
    return f"You {text[:1].lower()}{text[1:]}." if text else "You go on."


def describe_surroundings(facts: dict[str, Any]) -> str:
    """Return a sentence about somebody who is there, strangers first, about the place and about the past."""
    shown = [
        next(iter(person.get("habits") or []), "") if person.get("met") else person.get("appearance")
        for person in sorted(other_people(facts), key=lambda person: bool(person.get("met")))
    ]
    moment = next(iter((facts.get("place") or {}).get("moments") or []), "")
    memory = next(iter(facts.get("remembered") or []), "")
    return joined(*shown[:1], moment, f"You have not forgotten that {memory}." if memory else "")


def other_people(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the people present except the one being talked with."""
    people = [person for person in facts.get("people") or [] if isinstance(person, dict)]
    spoken_with = (facts.get("action") or {}).get("person")
    return [person for person in people if person.get("name") != spoken_with]


def joined(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)

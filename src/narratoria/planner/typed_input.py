"""Fills the input that a script declares from what the player means and what is known about the scene.

A property is filled by its `x-from`, a pointer into the scene; else by its name and its type (`place`,
`person`, `thing`, `action` …); else by an option, a number or a default that suits the player's words. What
cannot be filled and is required is a reason not to run the script at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from narratoria.skills.input_schema import FROM, check_input

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NUMBER_NAMES = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: number for number, word in enumerate(_NUMBER_NAMES.split())} | {"once": 1, "twice": 2}
MINUTES_OF_AN_HOUR, HOURS_OF_A_DAY = 60, 24


@dataclass(frozen=True, slots=True)
class TypedInput:
    """The input that could be filled, and why it does not fit where it does not."""

    values: dict[str, Any]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InputSources:
    """What an input is filled from: the player's words, the scene contract and the steps before."""

    text: str
    facts: Mapping[str, Any]
    people: Sequence[str] = ()  # ids of who is meant
    earlier: Mapping[str, Any] = field(default_factory=dict)  # references to the results of earlier steps

    @property
    def intent(self) -> Mapping[str, Any]:
        intents = _mapping(self.facts.get("action")).get("intents")
        return _mapping(intents[0]) if isinstance(intents, (list, tuple)) and intents else {}

    @property
    def place(self) -> Mapping[str, Any]:
        return _mapping(self.facts.get("place"))

    @property
    def present(self) -> list[Mapping[str, Any]]:
        people = self.facts.get("people")
        return [
            one for one in (people if isinstance(people, (list, tuple)) else ()) if isinstance(one, Mapping)
        ]

    @property
    def person(self) -> Mapping[str, Any]:
        """Return the person who is meant; the only one there where nobody is named."""
        ids = [*self.people, self.intent.get("personId")]
        target = next((one for one in self.present if one.get("id") in ids), None)
        return target or (self.present[0] if len(self.present) == 1 else {})


Fill: TypeAlias = Callable[[InputSources], Any]
# what a property of this name holds, in lower case and without marks; as a text, a number, a list, an object
TEXTS: Mapping[str, Fill] = {
    **dict.fromkeys(("action", "text", "words", "query", "playerinput", "prompt", "deed"), lambda s: s.text),
    **dict.fromkeys(("place", "location", "where", "placename"), lambda s: s.place.get("name")),
    "placeid": lambda s: s.place.get("id"),
    **dict.fromkeys(("person", "who", "npc", "character", "personname"), lambda s: s.person.get("name")),
    **dict.fromkeys(("personid", "npcid", "characterid"), lambda s: s.person.get("id")),
    **dict.fromkeys(("thing", "item", "object", "target"), lambda s: s.intent.get("thing")),
    **dict.fromkeys(("topic", "question", "subject", "about"), lambda s: s.intent.get("topic") or s.text),
    **dict.fromkeys(("act", "verb"), lambda s: s.intent.get("act")),
    **dict.fromkeys(("player", "playername"), lambda s: _mapping(s.facts.get("persona")).get("name")),
    "scenetype": lambda s: s.facts.get("sceneType"),
}
NUMBERS: Mapping[str, Fill] = {
    **dict.fromkeys(
        ("scene", "turn", "scenenumber"), lambda s: _mapping(s.facts.get("action")).get("number")
    ),
    "gametime": lambda s: s.facts.get("gameTime"),
    "hour": lambda s: _hour(s.facts.get("gameTime")),
}
LISTS: Mapping[str, Fill] = {
    "people": lambda s: s.present,
    "items": lambda s: _mapping(s.facts.get("persona")).get("items"),
    "memories": lambda s: s.facts.get("memories"),
    "lore": lambda s: s.facts.get("lore"),
}
OBJECTS: Mapping[str, Fill] = {
    "place": lambda s: s.place,
    "person": lambda s: s.person,
    "persona": lambda s: s.facts.get("persona"),
    "action": lambda s: s.facts.get("action"),
    "intent": lambda s: s.intent,
    "campaign": lambda s: s.facts.get("campaign"),
}


def fill_typed_input(schema: Mapping[str, Any], sources: InputSources) -> TypedInput:
    """Return the input of a script as its schema has it, or what does not fit."""
    properties = _mapping(schema.get("properties"))
    values: dict[str, Any] = {}
    for name, part in properties.items():
        value = _fill(name, _mapping(part), sources)
        if value is not None:
            values[name] = value
    checked = {name: value for name, value in values.items() if not _is_reference(value)}
    waiting = set(values) - set(checked)
    required = [name for name in schema.get("required", ()) if name not in waiting]
    problems = check_input({**schema, "required": required}, checked)
    return TypedInput(
        values, tuple(f"{problem.pointer.lstrip('/') or 'input'}: {problem.message}" for problem in problems)
    )


def _fill(name: str, part: Mapping[str, Any], sources: InputSources) -> Any:
    if name in sources.earlier and _allows(part, "object"):
        return sources.earlier[name]
    candidates = (_by_pointer(part, sources), _by_name(name, part, sources), _by_words(part, sources.text))
    schema = {key: value for key, value in part.items() if key != FROM}
    for value in candidates:
        if value not in (None, "", {}) and not check_input({"properties": {name: schema}}, {name: value}):
            return value
    return part.get("default")


def _by_pointer(part: Mapping[str, Any], sources: InputSources) -> Any:
    pointer = part.get(FROM)
    if not isinstance(pointer, str):
        return None
    value: Any = {**sources.facts, "intent": sources.intent, "person": sources.person}
    for step in pointer.strip("/").split("/"):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, (list, tuple)) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _by_name(name: str, part: Mapping[str, Any], sources: InputSources) -> Any:
    key = re.sub(r"[^a-z]", "", name.casefold())
    for kind, table in (("string", TEXTS), ("integer", NUMBERS), ("number", NUMBERS), ("object", OBJECTS)):
        if key in table and _allows(part, kind):
            return table[key](sources)
    if key in LISTS and _allows(part, "array"):
        return _as_items(LISTS[key](sources), _mapping(part.get("items")))
    return None


def _as_items(values: Any, items: Mapping[str, Any]) -> Any:
    """Return a list as its items are declared: names where they are texts."""
    if not isinstance(values, (list, tuple)):
        return None
    if _allows(items, "string") and items.get("type"):
        return [
            str(one.get("name") or one.get("summary") or one.get("text") or "")
            if isinstance(one, Mapping)
            else one
            for one in values
        ]
    return list(values)


def _by_words(part: Mapping[str, Any], text: str) -> Any:
    """Return the option or the number that the player's words name."""
    words = text.casefold()
    options = part.get("enum")
    if isinstance(options, list):
        return next(
            (
                one
                for one in options
                if isinstance(one, str) and re.search(rf"\b{re.escape(one.casefold())}\b", words)
            ),
            None,
        )
    if "type" in part and (_allows(part, "integer") or _allows(part, "number")):
        if number := _NUMBER.search(words):
            return float(number[0]) if "." in number[0] else int(number[0])
        return next(
            (_NUMBER_WORDS[word] for word in re.findall(r"[a-z]+", words) if word in _NUMBER_WORDS), None
        )
    return None


def _allows(part: Mapping[str, Any], kind: str) -> bool:
    types = part.get("type")
    return types is None or kind == types or (isinstance(types, list) and kind in types)


def _hour(minutes: Any) -> int | None:
    return int(minutes // MINUTES_OF_AN_HOUR % HOURS_OF_A_DAY) if isinstance(minutes, (int, float)) else None


def _is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and "$from" in value


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

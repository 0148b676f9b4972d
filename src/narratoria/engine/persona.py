"""Makes the player's character from a campaign's template and the player's answers, or lists the problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from narratoria.campaign.campaign import Preset, Template, Trait
from narratoria.errors import Problem

LONGEST = 200  # characters of a name; of anything else ten times as many
MOST_TRAITS = 10
NAMELESS = "You"


class Persona(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Describes the player's character, as the story's state holds it under `persona`."""

    name: str = NAMELESS
    race: str = ""
    character_class: str = msgspec.field(name="class", default="")
    background: str = ""
    traits: tuple[str, ...] = ()
    abilities: tuple[str, ...] = ()
    stats: dict[str, int] = {}
    items: tuple[str, ...] = ()
    attributes: dict[str, str] = {}  # the campaign's own questions
    description: str = ""  # in the player's own words
    portrait: str = ""

    def as_state(self) -> dict[str, Any]:
        state: dict[str, Any] = msgspec.to_builtins(self)
        return {"name": self.name, **state}


class Answers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Holds a player's answers; whatever is left out is the template's default."""

    preset: str = ""
    name: str = ""
    race: str = ""
    character_class: str = msgspec.field(name="class", default="")
    background: str = ""
    traits: tuple[str, ...] = ()
    stats: dict[str, int] = {}  # all of them, or those that differ from the start
    attributes: dict[str, str] = {}
    description: str = ""


def create(template: Template, answers: Answers | Mapping[str, Any] | None = None) -> Persona | list[Problem]:
    """Return the persona, or everything that is wrong with the answers."""
    try:
        parsed = answers if isinstance(answers, Answers) else msgspec.convert(dict(answers or {}), Answers)
    except msgspec.ValidationError as error:
        return [Problem(str(error))]
    preset = _find_by_name(template.presets, parsed.preset)
    if preset is None and not parsed.preset and template.character_creation.mode == "preset":
        preset = template.presets[0] if template.presets else None  # somebody has to be played
    problems = [*_problems(template, parsed, preset)]
    return problems or _build(template, parsed, preset)


def _build(template: Template, answers: Answers, preset: Preset | None) -> Persona:
    parts = [
        part
        for part in (
            _find_by_name(template.allowed_races, answers.race or (preset.race if preset else "")),
            _find_by_name(
                template.allowed_classes,
                answers.character_class or (preset.character_class if preset else ""),
            ),
            _find_by_name(
                template.allowed_backgrounds, answers.background or (preset.background if preset else "")
            ),
        )
        if part
    ]
    return Persona(
        name=_words(answers.name) or (preset.name if preset else "") or _default_name(template),
        race=answers.race or (preset.race if preset else ""),
        character_class=answers.character_class or (preset.character_class if preset else ""),
        background=answers.background or (preset.background if preset else ""),
        traits=_all(
            *(preset.traits if preset else ()), *answers.traits, *(t for part in parts for t in part.traits)
        ),
        abilities=_all(*(ability for part in parts for ability in part.abilities)),
        stats=_stats(template, answers, preset, parts),
        items=preset.items
        if preset and preset.items
        else _all(*template.starting_items, *(i for part in parts for i in part.items)),
        attributes=_attributes(template, answers),
        description=_words(answers.description),
        portrait=preset.portrait if preset else "",
    )


def _stats(
    template: Template, answers: Answers, preset: Preset | None, parts: Sequence[Trait]
) -> dict[str, int]:
    ready = preset.stats if preset else {}  # with all that the character's origin and trade bring
    stats = {**template.starting_stats, **ready, **answers.stats}
    for part in parts:
        for name, more in part.stats.items():
            if name not in ready:
                stats[name] = stats.get(name, 0) + more
    return stats


def _attributes(template: Template, answers: Answers) -> dict[str, str]:
    attributes = (*template.required_attributes, *template.optional_attributes)
    values = {each.name: _words(answers.attributes.get(each.name, "")) or each.default for each in attributes}
    return {name: value for name, value in values.items() if value and name != "name"}


def _problems(template: Template, answers: Answers, preset: Preset | None) -> Iterator[Problem]:
    if answers.preset and preset is None:
        yield _unknown_value("character", answers.preset, [each.name for each in template.presets], "/preset")
    if len(answers.name) > LONGEST:
        yield Problem(f"a name has at most {LONGEST} characters", "/name")
    if len(answers.traits) > MOST_TRAITS or any(len(trait) > LONGEST for trait in answers.traits):
        yield Problem(f"there are at most {MOST_TRAITS} traits of at most {LONGEST} characters", "/traits")
    for where, value, options in (
        ("race", answers.race, template.allowed_races),
        ("class", answers.character_class, template.allowed_classes),
        ("background", answers.background, template.allowed_backgrounds),
        ("description", answers.description, ()),
    ):
        if value and options and _find_by_name(options, value) is None:
            yield _unknown_value(where, value, [each.name for each in options], f"/{where}")
        elif len(value) > LONGEST * 10:
            yield Problem(f"it has at most {LONGEST * 10} characters", f"/{where}")
    yield from _stat_problems(template, answers, preset)
    yield from _attribute_problems(template, answers)


def _stat_problems(template: Template, answers: Answers, preset: Preset | None) -> Iterator[Problem]:
    start = {**template.starting_stats, **(preset.stats if preset else {})}
    low, high = template.stat_range.min, template.stat_range.max
    for name, value in answers.stats.items():
        if name not in start:
            yield _unknown_value("attribute", name, list(start), f"/stats/{name}")
        elif value < low or (high is not None and value > high):
            yield Problem(f"{value} is not between {low} and {high}", f"/stats/{name}")
    points = sum(value - start.get(name, 0) for name, value in answers.stats.items())
    if answers.stats and points > template.stat_points:
        yield Problem(f"{points} points are spent, and there are {template.stat_points}", "/stats")


def _attribute_problems(template: Template, answers: Answers) -> Iterator[Problem]:
    attributes = {each.name: each for each in (*template.required_attributes, *template.optional_attributes)}
    for name, value in answers.attributes.items():
        each = attributes.get(name)
        if each is None:
            yield _unknown_value("question", name, list(attributes), f"/attributes/{name}")
        elif len(value) > LONGEST * 10:
            yield Problem(f"it has at most {LONGEST * 10} characters", f"/attributes/{name}")
        elif each.kind == "choice" and value and value not in each.options:
            yield _unknown_value("answer", value, list(each.options), f"/attributes/{name}")
        elif each.kind == "number" and value and not _is_number(value):
            yield Problem(f"{value!r} is not a number", f"/attributes/{name}")


def _find_by_name(among: Sequence[Any], name: str) -> Any:
    return next((each for each in among if name and each.name.casefold() == name.casefold()), None)


def _unknown_value(what: str, name: str, names: list[str], pointer: str) -> Problem:
    there = f"there are {', '.join(names)}" if names else "the campaign has none"
    return Problem(f"there is no {what} {name!r}; {there}", pointer)


def _default_name(template: Template) -> str:
    attributes = (*template.required_attributes, *template.optional_attributes)
    return next((each.default for each in attributes if each.name == "name" and each.default), NAMELESS)


def _words(text: str) -> str:
    return " ".join(text.split())


def _all(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 10

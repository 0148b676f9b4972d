"""Answers an act that goes beyond a limit with something that turns it aside and does no harm."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from narratoria.contracts.content_limits import ContentKind, ContentLimits
from narratoria.narrator.answer_request import Answer, AnswerContext
from narratoria.narrator.repertoire import (
    Unit,
    UnitSituation,
    fill_slots,
    person_slots,
    pick_unit,
    read_units,
)

# "child": what nobody says or does to a child, whatever the limits are
Barrier: TypeAlias = ContentKind | Literal["child"]
NAMES: dict[str, str] = {
    "violence": "Violence",
    "fear": "Fear",
    "romance": "Romance",
    "cruelty": "Cruelty",
    "drink": "Drink and drugs",
}


def turn_aside(barrier: Barrier, person: str, context: AnswerContext, limits: ContentLimits) -> Answer:
    """Return what happens instead of the act, with the line that says which limit is set."""
    listener = context.people.get(person)
    slots = {"place": context.place}
    if listener:
        slots |= person_slots(listener.name, listener.short, listener.pronoun)
    situation = UnitSituation(act=barrier, has_person=listener is not None, slots=slots)
    unit = pick_unit(load_turned_aside(), situation, context.used, context.turn, context.seed)
    assert unit is not None, f"nothing turns {barrier} aside"
    return Answer(
        text=fill_slots(unit.text, slots),
        fact=fill_slots(unit.fact, slots),
        source=f"unit:{unit.id}",
        units=(unit.id,),
        is_attempt=True,
        limit_note=describe_limit(barrier, limits),
    )


def describe_limit(barrier: Barrier, limits: ContentLimits) -> str:
    """Return the line that says which limit is set; empty for what no setting changes."""
    if barrier == "child":
        return ""
    if limits.children:
        return "Content limits are set for children."
    return f"{NAMES[barrier]} is set to {limits.limit_of(barrier)} in your content limits."


@cache
def load_turned_aside() -> tuple[Unit, ...]:
    """Return the units that turn an act aside, by what stops it."""
    path = files("narratoria.narrator").joinpath("data/turned-aside.jsonl")
    return tuple(read_units(path.read_text(encoding="utf-8"), path.name))

"""Answers for the player's character: who they are, what they carry, and how they are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.conditions import items_of
from narratoria.engine.effects import WORLD
from narratoria.engine.persona import NAMELESS
from narratoria.narrator.repertoire import strip_article
from narratoria.web.app_state import AppState
from narratoria.web.files import file_address, find_inside
from narratoria.web.memories import load_story_campaign, name_of
from narratoria.web.operation import Operations

character = Operations("Character", "The player's character, as the story has them now.")

PLAYER = "player"
PARTS = {"race": "Origin", "class": "Trade", "background": "Background"}  # of a sheet, as they are headed


class SheetLine(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    value: str


class Stat(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    value: int
    most: int


class Thing(msgspec.Struct, frozen=True, rename="camel"):
    """Something the player has, or had and knows the whereabouts of."""

    name: str
    condition: str  # "broken", "open"; empty for one that is as it was
    whereabouts: str  # who has it, or where it lies; empty for what the player carries


class CharacterPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    description: str
    portrait: str | None
    lines: tuple[SheetLine, ...]
    stats: tuple[Stat, ...]
    traits: tuple[str, ...]
    abilities: tuple[str, ...]
    condition: tuple[str, ...]  # hurt, held; in sentences
    company: tuple[str, ...]  # people who come along
    things: tuple[Thing, ...]
    left: tuple[Thing, ...]


@character.get("/stories/{story}/character")
async def show_character(app_state: AppState, story: str) -> CharacterPage:
    """Who the player is, what they carry, how they are, and who comes along."""
    session = await app_state.open_story(story)
    campaign = await asyncio.to_thread(load_story_campaign, app_state, session)
    state = session.snapshot.state.to_dict()
    persona, world = _mapping(state.get("persona")), _mapping(state.get(WORLD))
    items = items_of(state)
    return CharacterPage(
        name=str(persona.get("name") or NAMELESS),
        description=str(persona.get("description") or ""),
        portrait=_portrait(str(persona.get("portrait") or ""), campaign),
        lines=tuple(_lines(persona)),
        stats=_stats(_mapping(persona.get("stats")), campaign),
        traits=_texts(persona.get("traits")),
        abilities=_texts(persona.get("abilities")),
        condition=tuple(_conditions(world, campaign)),
        company=session.snapshot.progress.company,
        things=tuple(Thing(item, _condition(_thing_state(item, world)), "") for item in dict.fromkeys(items)),
        left=tuple(_left_things(world, items, campaign)),
    )


def _lines(persona: Mapping[str, Any]) -> list[SheetLine]:
    known = [SheetLine(title, str(persona[key])) for key, title in PARTS.items() if persona.get(key)]
    own = _mapping(persona.get("attributes"))
    return known + [
        SheetLine(name.replace("_", " ").capitalize(), str(value)) for name, value in own.items() if value
    ]


def _stats(stats: Mapping[str, Any], campaign: Campaign | None) -> tuple[Stat, ...]:
    numbers = {name: value for name, value in stats.items() if isinstance(value, int)}
    allowed = campaign.template.stat_range.max if campaign else None
    most = max([allowed or 0, *numbers.values()], default=0)
    return tuple(
        Stat(name.replace("_", " ").capitalize(), value, most or 1) for name, value in numbers.items()
    )


def _conditions(world: Mapping[str, Any], campaign: Campaign | None) -> list[str]:
    sentences = []
    if hurt := _mapping(world.get("hurt")).get(PLAYER):
        sentences.append("You are hurt" if hurt == "hurt" else f"You are hurt: {hurt}")
    if held := _mapping(world.get("held")):
        by = str(held.get("by") or "")
        is_person = campaign is not None and by in campaign.people
        sentences.append(f"{name_of(campaign, by)} is holding you" if is_person else "You are being held")
    return sentences


def _left_things(world: Mapping[str, Any], items: list[str], campaign: Campaign | None) -> list[Thing]:
    names = {strip_article(item).casefold() for item in items}
    left = []
    for name, about in _mapping(world.get("things")).items():
        if strip_article(name).casefold() in names:
            continue
        state = _mapping(about)
        holder, place = str(state.get("holder") or ""), str(state.get("place") or "")
        if holder and holder != PLAYER:
            left.append(Thing(name, _condition(state), f"{name_of(campaign, holder)} has it"))
        elif place:
            known = campaign.places.get(place) if campaign else None
            left.append(Thing(name, _condition(state), f"at {known.in_a_sentence}" if known else ""))
    return left


def _thing_state(item: str, world: Mapping[str, Any]) -> Mapping[str, Any]:
    bare = strip_article(item).casefold()
    things = _mapping(world.get("things"))
    return next(
        (_mapping(about) for name, about in things.items() if strip_article(name).casefold() == bare), {}
    )


def _condition(state: Mapping[str, Any]) -> str:
    if state.get("burnt"):
        return "burnt"
    if state.get("broken"):
        return "broken"
    return {True: "open", False: "shut"}.get(state["open"], "") if "open" in state else ""


def _portrait(path: str, campaign: Campaign | None) -> str | None:
    has_file = campaign is not None and path and find_inside(campaign.folder, path)
    return file_address(campaign.name, path) if campaign and has_file else None


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

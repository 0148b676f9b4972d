"""Says what follows a lost conflict: a cold reception after being driven out, a scene of being held."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from narratoria.campaign.campaign import Campaign, Tone
from narratoria.engine import sentiment
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.people import pronoun_for
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.effect_types import Effect
from narratoria.narrator.grammar import call_name
from narratoria.narrator.repertoire import fill_slots, person_slots, strip_article, thing_slots

COLD_SCENES = 8  # for which the people of a place remember whom they drove out
LOST_TIMES = {"an hour": 60, "two hours": 120}  # what being held costs where it costs no item


class Hold(msgspec.Struct, frozen=True):
    """Says who holds the player, where, and since which scene."""

    place: str
    by: str  # a person, or "here" for the people of the place
    scene: int


class HoldLines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences about somebody who is held and let go."""

    kept_back: tuple[str, ...]
    kept_back_by_nobody: tuple[str, ...]
    released_for_item: tuple[str, ...]
    released_for_item_by_nobody: tuple[str, ...]
    released_after_time: tuple[str, ...]
    released_after_time_by_nobody: tuple[str, ...]


@cache
def load_lines() -> HoldLines:
    text = files("narratoria.narrator").joinpath("data/held.json").read_bytes()
    return msgspec.json.decode(text, type=HoldLines)


def is_unwelcome(place: str, situation: StorySituation) -> bool:
    """Return whether the player was driven out of a place not long ago."""
    world = situation.state.get("world")
    scenes = world.get("driven_out") if isinstance(world, Mapping) else None
    since = scenes.get(place) if isinstance(scenes, Mapping) else None
    return isinstance(since, int) and situation.progress.scene - since < COLD_SCENES


def tone_at(person: str, place: str, situation: StorySituation) -> Tone:
    """Return how somebody meets the player at a place: as they feel, and coldly whom they drove out."""
    return "cold" if is_unwelcome(place, situation) else sentiment.tone_of(person, situation.state)


def hold_of(state: Mapping[str, Any], scene: int) -> Hold | None:
    """Return who holds the player after this scene; nobody holds them for longer than the next one."""
    world = state.get("world")
    entry = world.get("held") if isinstance(world, Mapping) else None
    if not isinstance(entry, Mapping) or entry.get("scene") != scene:
        return None
    return Hold(str(entry.get("place", "")), str(entry.get("by", "")), scene)


def held_by(situation: StorySituation) -> Hold | None:
    """Return who holds the player now; nobody does where the story is over."""
    hold = hold_of(situation.state, situation.progress.scene)
    return hold if hold and hold.place == situation.progress.place and not situation.progress.ending else None


def keep_back(hold: Hold, situation: StorySituation, seed: str) -> Answer:
    """Return what somebody who is held and tries to leave is told."""
    lines, slots = load_lines(), _holder_slots(hold, situation.campaign)
    text = _pick(lines.kept_back if slots else lines.kept_back_by_nobody, slots, f"{seed}/kept")
    fact = "The player tried to leave and was not let go."
    return Answer(text=text, fact=fact, source="held", is_attempt=True)


def release(hold: Hold, situation: StorySituation, seed: str) -> Answer:
    """Return how the player is let go: without something they carried, or after an hour or two."""
    campaign, lines = situation.campaign, load_lines()
    slots = _holder_slots(hold, campaign)
    name = slots.get("name", "Somebody")
    dice = random.Random(f"{seed}/release")
    spare = spare_items(items_of(situation.state), campaign)
    if spare and dice.random() < 0.6:
        item = dice.choice(spare)
        slots |= thing_slots(item)
        variants = lines.released_for_item if "name" in slots else lines.released_for_item_by_nobody
        loss = Effect("gives", item, to=hold.by) if "name" in slots else Effect("loses", item)
        fact = fill_slots(f"{name} let the player go and kept {{the thing}}.", slots)
        return Answer(text=_pick(variants, slots, seed), fact=fact, source="held", effects=(loss,))
    time, minutes = dice.choice(list(LOST_TIMES.items()))
    variants = lines.released_after_time if slots else lines.released_after_time_by_nobody
    text = _pick(variants, {**slots, "time": time}, seed)
    fact = f"{name} let the player go after {time}."
    return Answer(text=text, fact=fact, source="held", effects=(Effect("time", time, by=minutes),))


def spare_items(items: Sequence[str], campaign: Campaign) -> list[str]:
    """Return what the player can be without: what no beat asks for or takes away."""
    needed = " ".join(
        text
        for beat in campaign.beats
        for text in (
            beat.conditions.custom,
            *beat.effects.lose,
            *(i for end in beat.outcomes for i in end.effects.lose),
        )
    ).casefold()
    return [item for item in items if strip_article(item).casefold() not in needed]


def _holder_slots(hold: Hold, campaign: Campaign) -> dict[str, str]:
    profile = campaign.people.get(hold.by)
    return person_slots(profile.name, call_name(profile.name), pronoun_for(profile)) if profile else {}


def _pick(lines: Sequence[str], slots: Mapping[str, str], seed: str) -> str:
    return fill_slots(random.Random(seed).choice(lines), slots)

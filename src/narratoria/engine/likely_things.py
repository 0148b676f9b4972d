"""Says which things a player may speak of though no author wrote them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from narratoria.campaign.campaign import Place
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at
from narratoria.narrator.repertoire import strip_article
from narratoria.planner.mentions import content_words

AMOUNTS = frozenset(
    ("bit", "bite", "bunch", "drop", "handful", "lump", "piece", "pile", "scrap", "sip", "slice")
)


def is_likely_thing(
    name: str, situation: StorySituation, place: Place, *, is_looked_at: bool = False
) -> bool:
    """Return whether nobody would wonder at a thing: it is ordinary, or told of here or of the player.

    What is looked at must be there; an ordinary thing only might be.
    """
    noun = _noun_of(name)
    if not noun:
        return False
    ordinary = surroundings() if is_looked_at else ordinary_things()
    if {noun, noun.removesuffix("s"), noun.removesuffix("e")} & ordinary:  # “boxes” is cut to “boxe”
        return True
    campaign, persona = situation.campaign, situation.state.get("persona")
    own_text = " ".join(_texts_in(persona)) if isinstance(persona, Mapping) else ""
    people = people_at(place.id, campaign, situation.progress).values()
    text = " ".join(
        (own_text, *campaign.premise, place.arrival, *place.details, *(one.appearance for one in people))
    )
    return noun in content_words(text)


def _noun_of(name: str) -> str:
    """Return what a thing is: "crown" for a crown of glass, but "bread" for a piece of bread."""
    thing, _, of_what = strip_article(name).partition(" of ")
    words = content_words(thing)
    is_amount = bool(words) and words[-1].removesuffix("s") in AMOUNTS
    if is_amount and of_what:
        words = content_words(of_what)
    return words[-1] if words else ""


def is_own_thing(name: str, text: str) -> bool:
    """Return whether the player speaks of a thing as their own."""
    noun = _noun_of(name)
    return bool(noun) and re.search(rf"\bmy (?:\w+ ){{0,3}}{noun}", text, re.IGNORECASE) is not None


def _texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for one in values for text in _texts_in(one)]


@cache
def ordinary_things() -> frozenset[str]:
    """Return the things that somebody may have about them in any world."""
    return frozenset(_read_things()["things"])


@cache
def surroundings() -> frozenset[str]:
    """Return what one sees at nearly any place."""
    return frozenset(_read_things()["surroundings"])


def _read_things() -> dict[str, list[str]]:
    text = files("narratoria.engine").joinpath("data/ordinary-things.json").read_text(encoding="utf-8")
    things: dict[str, list[str]] = json.loads(text)
    return things

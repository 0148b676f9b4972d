"""Finds what an author wrote for a look at one thing, or for one of the senses, at a place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from narratoria.campaign.campaign import Place
from narratoria.engine.conditions import StorySituation
from narratoria.engine.effects import WORLD
from narratoria.engine.people import people_at
from narratoria.narrator.evidence import Evidence, split_sentences
from narratoria.planner.intent import Intent
from narratoria.planner.mentions import content_words

LOOKED_AT = frozenset(("look", "examine", "search", "read", "touch", "open"))  # acts that show a thing
_SENSED = {  # how a text speaks of what is heard, and of what is smelt
    "listen": re.compile(
        r"\b(?:hears?|heard|sounds?|noises?|silence|silent|quiet|creaks?|ticks?|ticking|drips?|hums?|humming|rings?|ringing|"
        r"knocks?|knocking|whistles?|murmurs?|roars?|cheers?|voices?|sings?|singing|song|barks?|hiss(?:es)?|thuds?|rattles?|"
        r"clatters?|clicks?|echo(?:es)?|drumming|whispers?|laughter|footsteps|chimes?|buzz(?:es)?|groans?|crackles?|snores?)\b",
        re.IGNORECASE,
    ),
    "smell": re.compile(
        r"\b(?:smells?|smelling|smelt|scent|reeks?|stinks?|stench|perfume|odou?r|whiff|fragrance)\b",
        re.IGNORECASE,
    ),
}
CERTAIN = 1.0  # the relevance of what an author wrote for the very thing


def find_closer_look(intent: Intent, situation: StorySituation) -> Evidence | None:
    """Return what is written for the thing that is looked at, or for the sense that is used here."""
    here = situation.campaign.places.get(situation.progress.place)
    if here is None:
        return None
    if intent.act in LOOKED_AT and (look := _find_thing(intent, situation)):
        return look
    is_hidden_first = intent.act == "search" and situation.progress.detail_counts.get(here.id, 0) < len(
        here.details
    )
    text = "" if is_hidden_first else here.senses.get(intent.act, "") or _find_sensed(intent, here)
    is_of_thing = intent.act in ("touch", "search") and intent.thing is not None
    if not text or is_of_thing:
        return None
    return _evidence(f"look/{here.id}/{intent.act}", text, here.name)


def _find_sensed(intent: Intent, here: Place) -> str:
    """Return the sentence of a place that speaks of what is heard or smelt there, if one does."""
    signs = _SENSED.get(intent.act)
    if signs is None:
        return ""
    texts = (here.arrival, *here.details, *here.moments)
    return next((one for text in texts for one in split_sentences(text) if signs.search(one)), "")


def _find_thing(intent: Intent, situation: StorySituation) -> Evidence | None:
    """Return the closer look whose name the words have, the longest name first; things in sight alone."""
    campaign, progress = situation.campaign, situation.progress
    here = campaign.places[progress.place]
    gone = _gone_things(situation)
    people = people_at(here.id, campaign, progress)
    owner_id = intent.person.id if intent.person else ""
    owners = [one for one in people if one == owner_id] or [*people]
    looks = [
        *((f"look/{one}", look) for one in owners for look in people[one].things if one == owner_id),
        *((f"look/{here.id}", look) for look in here.things),
        *((f"look/{one}", look) for one in owners for look in people[one].things if one != owner_id),
    ]
    words = content_words(intent.text)
    best: tuple[tuple[int, int], Evidence] | None = None
    for owner, look in looks:
        for name in look.names:
            position = _position(content_words(name), words)
            if position is None or name in gone:
                continue
            rank = (len(content_words(name)), -position)
            if best is None or rank > best[0]:
                best = rank, _evidence(f"{owner}/{look.names[0].replace(' ', '-')}", look.text, look.names[0])
    return best[1] if best else None


def _position(name: Iterable[str], words: list[str]) -> int | None:
    """Return where the first word of a name stands, or None where one of its words is missing."""
    positions = [words.index(word) if word in words else -1 for word in name]
    return min(positions) if positions and min(positions) >= 0 else None


def _gone_things(situation: StorySituation) -> set[str]:
    """Return the names of things that somebody has taken from where they were."""
    world = situation.state.get(WORLD)
    things = world.get("things", {}) if isinstance(world, Mapping) else {}
    return {name for name, one in things.items() if one.get("holder")}


def _evidence(identifier: str, text: str, about: str) -> Evidence:
    return Evidence(id=identifier, text=text, source="place", about=about, relevance=CERTAIN)

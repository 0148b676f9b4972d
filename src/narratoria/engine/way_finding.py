"""Finds the way that a going means, where its words name no place."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from narratoria.campaign.campaign import Campaign, Place
from narratoria.engine.action import here_of
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at, place_of
from narratoria.narrator.evidence import shared_words
from narratoria.planner.intent import Intent, Mention, ReadingContext
from narratoria.planner.mentions import content_words
from narratoria.planner.person_mentions import find_people
from narratoria.planner.read import ReadAction

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.inference.text_matcher import TextMatcher

CLIMBING = frozenset(("climb", "jump", "move", "swim", "ride"))  # acts that may be the way somewhere
_GUIDED = re.compile(r"\b(?:take|bring|lead|walk|carry)\s+(?:me|us)\b", re.IGNORECASE)
_SETTING_OUT = (  # any verb that takes one somewhere: “limp to the hall”
    r"^\W*(?:(?:i|i'll|i will|let's|we|then|quietly|quickly|slowly)\s+)*+"
    r"(?!(?:listen|talk|speak|point|nod|wave|pray|refer|turn|look|shout|call|write|give|throw|toss|send|sell|"
    r"show|sing|swear|offer|lie|confess|drink|hold|try|want|ask|tell)\b)\w+\s+"
    r"(?:\w+\s+){0,2}?(?:to|into|towards?|for|inside)\s+"
)
_LEAVING = re.compile(r"\b(?:leave|exit|out|outside|away|back)\b", re.IGNORECASE)
_BARE_GOING = re.compile(  # “ok go in”, “im getting sleepy, get out of here”
    r"(?:^|[,.;!]\s*)(?:(?:ok|okay|right|well|so|let['’]?s|i|then|and)\b[\s,]*)*(?:go|head|walk|step|get|climb|crawl|run)\s+"
    r"(?:right\s+|back\s+)?(?P<where>in|out|up|down|through)(?:side)?(?:\s+(?:of\s+here|there|then|again|now))?\W*$",
    re.IGNORECASE,
)
_GOING_TO_DO = re.compile(  # “go ask Desmond about his shoes”
    r"^\W*(?:(?:i|i['’]ll|let['’]?s|we|then|now|ok|okay|please)\b\W*)*(?:go|head|walk|run)\s+"
    r"(?:(?:over|back|down|up|in|out|and|to)\s+){0,2}(?=(?:ask|tell|show|talk|speak|see|give|warn|greet)\b)(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)
WAY_CHARS, SIGHT_CHARS = 160, 500  # of a place's description that a way, and what is there, is known by
LEAST_WAY, WAY_MARGIN = 0.5, 0.075  # of the probability that a going means a way, and of its lead


async def find_way(
    text: str,
    reading: ReadAction,
    situation: StorySituation,
    context: ReadingContext,
    matcher: TextMatcher | None,
) -> ReadAction:
    """Return the reading with the way that a going means, where its words name no place."""
    first, here = reading.intents[0], here_of(situation)
    if (bare := _BARE_GOING.search(text)) and (to := _find_bare_way(bare, text, here)):
        return _go(reading, text, situation.campaign.places[to])
    if first.place and first.place.id not in ("", here.id):
        elsewhere = situation.campaign.places.get(first.place.id)
        is_named = elsewhere is None or set(content_words(elsewhere.name)) & set(content_words(text))
        if first.act == "go" and not is_named and (nearer := _find_named_way(text, here)):
            return _go(reading, text, situation.campaign.places[nearer])
        if elsewhere is None or first.act == "go" or _is_part_of(first.text, elsewhere):
            return reading
        is_way = first.act in CLIMBING or _sets_out_for(first.text, elsewhere)
        return _go(reading, text, elsewhere) if is_way else reading
    is_guided = _GUIDED.search(first.text) is not None
    is_leaving = first.act in ("go", "flee") and _LEAVING.search(first.text) is not None
    to = ""
    if first.act == "go" or is_guided:
        to = _find_place_of_somebody(first, situation, context)
    if not to and first.act in CLIMBING:
        to = _find_named_way(first.text, here)
    if not to and is_guided and matcher is not None:
        to = await asyncio.to_thread(_find_likely_way, matcher, text, here, situation.campaign)
    if not to and (first.act == "go" or is_leaving) and not first.person and matcher is not None:
        noun = next(reversed(content_words(first.text)), "")
        if not is_leaving and noun in content_words(" ".join((here.arrival, *here.details))):  # a part of it
            step = msgspec.structs.replace(first, act="examine", thing=Mention(noun, noun, noun))
            return ReadAction((step, *reading.intents[1:]))
        is_only = is_leaving and len(here.ways) == 1
        to = here.ways[0].to if is_only else _find_named_way(first.text, here)
        to = to or await asyncio.to_thread(_find_likely_way, matcher, text, here, situation.campaign)
    return _go(reading, text, situation.campaign.places[to]) if to else reading


def _find_bare_way(going: re.Match[str], text: str, here: Place) -> str:
    """Return where "go in" or "get out of here" leads: the only way, or the only one of that direction."""
    ways = [
        way.to for way in here.ways if re.match(rf"(?:\w+\s+)?{going['where']}", way.route, re.IGNORECASE)
    ]
    everywhere = [way.to for way in here.ways]
    candidates = everywhere if len(everywhere) == 1 and going["where"] != "in" else ways
    return candidates[0] if len(candidates) == 1 else _find_named_way(text, here) if ways else ""


def rest_of_walk(text: str, place: Place) -> str:
    """Return what is to be done at a place that the words go to: "ask Senna" of "go to the market and ask
    Senna"; empty where they only go there.
    """
    names = "|".join(map(re.escape, content_words(place.name)))
    match = re.match(
        rf".*?\b(?:{names})\b\W*(?:and then|and|then|to)\s+(\w.+)", text, re.IGNORECASE | re.DOTALL
    )
    return match[1] if names and match else ""


def find_errand(text: str, situation: StorySituation, context: ReadingContext) -> tuple[str, str]:
    """Return where somebody elsewhere is to whom a player goes to do something, and what; else nothing."""
    if (match := _GOING_TO_DO.match(text)) is None:
        return "", ""
    rest = match["rest"]
    first = next(iter(find_people(rest, context)), None)
    if first is None or first.id in people_at(
        situation.progress.place, situation.campaign, situation.progress
    ):
        return "", ""
    place = place_of(first.id, situation.campaign, situation.progress)
    return (place, rest) if place in situation.campaign.places else ("", "")


def _sets_out_for(text: str, place: Place) -> bool:
    """Return whether the words begin with going to a place, whatever is to be done there."""
    names = "|".join(map(re.escape, content_words(place.name)))
    return (
        bool(names)
        and re.match(rf"{_SETTING_OUT}(?:\w+\s+){{0,3}}(?:{names})\b", text, re.IGNORECASE) is not None
    )


def _is_part_of(text: str, place: Place) -> bool:
    """Return whether the words name a place only for what belongs to it: "the outer wall of the foundry"."""
    owners = "|".join(map(re.escape, content_words(place.name)))
    return bool(owners) and re.search(rf"\bof\s+(?:\w+\s+)??(?:{owners})\b", text, re.IGNORECASE) is not None


def _find_likely_way(matcher: TextMatcher, text: str, here: Place, campaign: Campaign) -> str:
    """Return where the way leads that is clearly likelier than the others, or nothing."""
    matches = _match_ways(matcher, text, here, {way.to: campaign.places[way.to] for way in here.ways})
    order = sorted(range(len(matches)), key=lambda at: -matches[at])
    runner_up = matches[order[1]] if len(order) > 1 else 0.0
    is_clear = bool(order) and matches[order[0]] >= max(LEAST_WAY, runner_up + WAY_MARGIN)
    return here.ways[order[0]].to if is_clear else ""


def _go(reading: ReadAction, text: str, place: Place) -> ReadAction:
    """Return the reading with its first act as a going to a place."""
    going = msgspec.structs.replace(
        reading.intents[0],
        act="go",
        kind="",
        person=None,
        thing=None,
        place=Mention(text, place.id, place.name),
    )
    return ReadAction((going, *reading.intents[1:]))


def _find_place_of_somebody(first: Intent, situation: StorySituation, context: ReadingContext) -> str:
    """Return where somebody elsewhere is whom a going names: "take me to where the kid sleeps"."""
    known_places = situation.campaign.places
    for person in find_people(first.text, context):
        place = place_of(person.id, situation.campaign, situation.progress) if person.id else ""
        if place in known_places and place != situation.progress.place:
            return place
    return ""


def _match_ways(matcher: TextMatcher, text: str, here: Place, places: Mapping[str, Place]) -> list[float]:
    """Return how probably each way is meant: by the going there, and by what is there."""
    goings = [
        f"Go {way.route} to {places[way.to].in_a_sentence}. {places[way.to].arrival[:WAY_CHARS]}"
        for way in here.ways
    ]
    sights = [
        " ".join((f"{place.name}.", place.arrival, *place.details))[:SIGHT_CHARS]
        for place in (places[way.to] for way in here.ways)
    ]
    by_going = matcher.match(text, goings, shared_words(text, goings), "offer")
    by_sight = matcher.match(text, sights, shared_words(text, sights), "question")
    return [(going + sight) / 2 for going, sight in zip(by_going, by_sight, strict=True)]


def _find_named_way(text: str, here: Place) -> str:
    """Return where the one way leads whose description shares the most words with a going, or nothing."""
    words = set(content_words(text))
    counts = {way.to: len(words & set(content_words(way.route))) for way in here.ways}
    best = max(counts.values(), default=0)
    leading = [to for to, count in counts.items() if count == best]
    return leading[0] if best and len(leading) == 1 else ""

"""Ends a story that none of its campaign's endings can end any more: the author's way, or a default one."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Conditions, Ending
from narratoria.campaign.remaining import StoryPosition, can_end
from narratoria.engine import sentiment
from narratoria.engine.conditions import StorySituation, killed_people
from narratoria.engine.snapshot import Progress
from narratoria.narrator.grammar import call_name, capital
from narratoria.narrator.repertoire import strip_article

OTHERWISE = "otherwise"  # `plot/endings/otherwise.md` tells how such a story ends
CLOSING_BEAT = "the-story-goes-another-way"
MOST_EVENTS = 3  # of what the player did, in a default ending
LEAST_WEIGHT = 0.15  # of a scene that is told again at the end

_Lines = tuple[str, ...]


class OtherwiseLines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences that a default ending is put together from."""

    offers: _Lines
    titles: dict[str, _Lines]  # by what closed the story: killed, lost, missed
    openings: dict[str, _Lines]
    past: _Lines
    taken: _Lines
    cold: _Lines
    warm: _Lines
    company: _Lines
    alone: _Lines
    last: _Lines


@cache
def load_lines() -> OtherwiseLines:
    text = files("narratoria.narrator").joinpath("data/otherwise.json").read_bytes()
    return msgspec.json.decode(text, type=OtherwiseLines)


def note_closing(situation: StorySituation) -> Progress:
    """Return the progress with the scene since which no ending can be reached, once that is so."""
    progress = situation.progress
    lost_names = lost_items(situation.state)
    if (
        progress.closed_since
        or progress.ending
        or not (progress.dead or progress.skipped_beats or lost_names)
    ):
        return progress
    position = StoryPosition(
        place=progress.place or situation.campaign.start,
        scene=progress.age,
        beat_outcomes=progress.beat_outcomes,
        called_beats=progress.called_beats,
        skipped_beats=progress.skipped_beats,
        flags=situation.flags,
        dead=progress.dead,
        killed=killed_people(situation),
        met=progress.met_people,
        lost_items=_spellings(lost_names, situation.campaign),
    )
    if can_end(situation.campaign, position):
        return progress
    return msgspec.structs.replace(progress, closed_since=progress.scene)


def lost_items(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is nowhere any more: neither with the player, nor with somebody, nor lying about."""
    world = state.get("world")
    things = world.get("things") if isinstance(world, Mapping) else None
    if not isinstance(things, Mapping):
        return ()
    return tuple(
        name
        for name, entry in things.items()
        if isinstance(entry, Mapping) and entry.get("holder") == "" and entry.get("place") == ""
    )


def _spellings(lost_names: Iterable[str], campaign: Campaign) -> frozenset[str]:
    """Return lost things as the campaign names them, with and without articles."""
    bare = {strip_article(name).casefold() for name in lost_names}
    items = [
        *campaign.template.starting_items,
        *(item for beat in campaign.beats for item in beat.effects.gain),
    ]
    return frozenset((*lost_names, *(item for item in items if strip_article(item).casefold() in bare)))


def closing_beat(situation: StorySituation) -> Beat | None:
    """Return the beat that ends a story which cannot end otherwise; None while it can."""
    campaign, progress = situation.campaign, situation.progress
    if not progress.closed_since or progress.ending:
        return None
    lines = load_lines()
    own_ending = campaign.endings.get(OTHERWISE)
    cause = _cause(situation)
    return Beat(
        id=CLOSING_BEAT,
        title=own_ending.title if own_ending else _pick(lines.titles[cause], situation, "title"),
        description=""
        if own_ending
        else _fill(_pick(lines.openings[cause], situation, "opening"), situation),
        conditions=Conditions(player_choice=_pick(lines.offers, situation, "offer")),
        priority="high",
        ending=OTHERWISE,
        scene_type="resolution",
    )


def default_ending(situation: StorySituation) -> Ending:
    """Return an ending put together from what happened: what was done, who is left, and the last of it."""
    lines = load_lines()
    paragraphs = [_fill(_pick(lines.past, situation, "past"), situation)] if _past_events(situation) else []
    slots = _slots(situation)
    kinds = [kind for kind in ("taken", "company", "cold", "warm") if slots.get(kind)]
    if not {"company", "cold", "warm"} & set(kinds):
        kinds.append("alone")
    rest = [_fill(_pick(getattr(lines, kind), situation, kind), situation) for kind in kinds]
    rest.append(_fill(_pick(lines.last, situation, "last"), situation))
    title = _pick(lines.titles[_cause(situation)], situation, "title")
    return Ending(id=OTHERWISE, title=title, paragraphs=(*paragraphs, " ".join(rest)))


def _cause(situation: StorySituation) -> str:
    if killed_people(situation):
        return "killed"
    return "lost" if lost_items(situation.state) else "missed"


def _pick(lines: Sequence[str], situation: StorySituation, what: str) -> str:
    """Return one of the lines, always the same in a story that went like this."""
    progress = situation.progress
    first_scene = "".join(summary.text for summary in progress.history.recent[:1])
    seed = f"{situation.campaign.title}/{progress.closed_since}/{first_scene}/{what}"
    return random.Random(seed).choice(lines)


def _fill(line: str, situation: StorySituation) -> str:
    for name, value in _slots(situation).items():
        line = line.replace(f"{{{name}}}", value)
    return capital(line)


def _slots(situation: StorySituation) -> dict[str, str]:
    campaign, progress, state = situation.campaign, situation.progress, situation.state
    dead = [call_name(campaign.people[who].name) for who in sorted(killed_people(situation))]
    things = [f"the {strip_article(name)}" for name in lost_items(state)]
    alive = [who for who in progress.met_people if who not in progress.dead and who in campaign.people]
    ranked = sorted(alive, key=lambda who: sentiment.sentiment_of(who, state))
    cold = [who for who in ranked if sentiment.tone_of(who, state) == "cold"]
    warm = [who for who in reversed(ranked) if sentiment.tone_of(who, state) == "warm"]
    company = [who for who in progress.company if who not in progress.dead and who in campaign.people]
    place = campaign.places.get(progress.place) or campaign.places[campaign.start]
    names = {who: call_name(campaign.people[who].name) for who in alive + company}
    return {
        "dead": _join(dead),
        "was": "were" if len(dead) > 1 else "was",
        "lost": _join(things),
        "taken": _join([f"the {strip_article(name)}" for name in _taken(state)][:3]),
        "cold": names[cold[0]] if cold else "",
        "warm": names[warm[0]] if warm else "",
        "company": names[company[0]] if company else "",
        "place": place.in_a_sentence,
        "past": " ".join(_past_events(situation)),
    }


def _taken(state: Mapping[str, Any]) -> list[str]:
    world = state.get("world")
    things = world.get("things") if isinstance(world, Mapping) else None
    entries = things.items() if isinstance(things, Mapping) else ()
    return [name for name, entry in entries if isinstance(entry, Mapping) and entry.get("holder") == "player"]


def _past_events(situation: StorySituation) -> list[str]:
    """Return the scenes that weighed most, each as a sentence, in their order."""
    history = situation.progress.history
    keepsakes = {
        one.scene: one.text for one in history.keepsakes if one.kind in ("promise", "triumph", "failure")
    }
    heavy = {one.scene: one.told_to_player for one in history.recent if one.weight >= LEAST_WEIGHT}
    weights = {one.scene: one.weight for one in history.recent}
    scenes = sorted({**keepsakes, **heavy}, key=lambda scene: (-weights.get(scene, 0.5), -scene))[
        :MOST_EVENTS
    ]
    sentences = (({**keepsakes, **heavy}[scene]).strip() for scene in sorted(scenes))
    return list(
        dict.fromkeys(text if text.endswith((".", "!", "?", "”")) else f"{text}." for text in sentences)
    )


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""

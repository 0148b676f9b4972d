"""Carries out the effects of an answer: what the player has, what people think, what is so in the world now.

Whatever an effect changes is part of the story's state and progress, so undo, branch and replay hold for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from narratoria.campaign.campaign import Campaign, Effects, Topic
from narratoria.engine import beats, sentiment
from narratoria.engine.conditions import items_of
from narratoria.engine.snapshot import Progress
from narratoria.engine.topics import find_topic
from narratoria.engine.travel import neighbour_of
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.effect_types import BURNT, Effect
from narratoria.narrator.repertoire import strip_article, thing_slots
from narratoria.state import SessionState

MOST_EVIDENCE = 200  # ids of what was answered with that are kept, besides topics
WORLD = "world"  # the key of the state that holds what effects have changed
MAX_ENTRIES = 40  # debts, promises and facts; the oldest are forgotten first


class Matter(msgspec.Struct, frozen=True):
    """Holds something between the player and a person: a debt, a promise, or what one told the other."""

    who: str
    what: str
    scene: int


def patch_state(
    effects: Iterable[Effect], state: Mapping[str, Any], *, place: str, scene: int
) -> dict[str, Any]:
    """Return what effects change in the story's state, as a patch."""
    effects = tuple(effects)
    items, world = items_of(state), _world(state)
    opinions: dict[str, int] = {}
    for effect in effects:
        if effect.kind in ("takes", "makes") and effect.target not in items:
            items = [*items, effect.target]
        elif effect.kind in ("gives", "loses", "drops"):
            bare = strip_article(effect.target).casefold()
            items = [item for item in items if strip_article(item).casefold() != bare]
        elif effect.kind in ("likes", "dislikes"):
            sign = 1 if effect.kind == "likes" else -1
            opinions[effect.target] = opinions.get(effect.target, 0) + sign * (effect.by or 5)
        _change_world(world, effect, place, scene)
    patch: dict[str, Any] = {}
    if world != _world(state):
        patch[WORLD] = world
    if items != items_of(state):
        patch["persona"] = {"items": items}
    if opinions:
        patch["perception"] = sentiment.apply_changes(state, opinions, "perception")
    return patch


def _change_world(world: dict[str, Any], effect: Effect, place: str, scene: int) -> None:
    """Write one effect into what is so in the world: things, injuries, debts, promises, alarms."""
    target = effect.target
    match effect.kind:
        case "takes" | "makes":
            _thing(world, target).update(holder="player", place="")
        case "gives":
            _thing(world, target).update(holder=effect.to, place="")
        case "loses" | "drops":
            _thing(world, target).update(holder="", place=place if effect.kind == "drops" else "")
            if effect.why == BURNT:
                _thing(world, target)["burnt"] = True
        case "breaks":
            _thing(world, target)["burnt" if effect.why == BURNT else "broken"] = True
        case "opens" | "closes":
            _thing(world, target)["open"] = effect.kind == "opens"
        case "hurt":
            world["hurt"] = {**world.get("hurt", {}), target: effect.why or "hurt"}
        case "heals" if world.get("hurt", {}).get(target):
            world["hurt"] = {**world["hurt"], target: None}  # patches merge: None removes the entry
        case "owes" | "debt" | "promises" | "learns" | "tells":
            matter = Matter(target, effect.why or target, scene)
            world[effect.kind] = [*world.get(effect.kind, []), msgspec.to_builtins(matter)][-MAX_ENTRIES:]
        case "alarm" | "driven_out":
            world[effect.kind] = {**world.get(effect.kind, {}), place: scene}
        case "caught":
            world["held"] = {"place": place, "by": target, "scene": scene}


def advance_progress(effects: Iterable[Effect], progress: Progress, campaign: Campaign) -> Progress:
    """Return where the story stands once effects have moved, killed or brought along people."""
    effects = tuple(effects)
    positions, dead, company = dict(progress.moved_people), list(progress.dead), list(progress.company)
    for effect in effects:
        who = effect.target
        if who not in campaign.people:
            continue
        match effect.kind:
            case "follows":
                company = [*company, who] if who not in company else company
            case "stays":
                company = [one for one in company if one != who]
            case "leaves":
                company = [one for one in company if one != who]
                positions[who] = neighbour_of(progress.place, campaign)
            case "dies":
                dead = [*dead, who] if who not in dead else dead
    progress = msgspec.structs.replace(
        progress, moved_people=positions, dead=tuple(dead), company=tuple(company)
    )
    for effect in effects:
        if effect.kind == "goes":
            progress = _progress_after_topic(Effects(move_to=effect.target), progress, campaign)
        elif effect.kind == "driven_out":
            outside = neighbour_of(progress.place, campaign, progress.visits)
            progress = _progress_after_topic(Effects(move_to=outside), progress, campaign)
    return progress


def state_after_answer(
    answer: Answer, state: SessionState, campaign: Campaign, progress: Progress
) -> SessionState:
    """Return the state once an answer was told: after its effects, and those of the topics it is made of."""
    values = state.to_dict()
    state = state.apply_patch(patch_state(answer.effects, values, place=progress.place, scene=progress.scene))
    for topic in _first_told(answer, campaign, progress):
        state = state.apply_patch(beats.patch((topic.effects,), state.to_dict()))
        if topic.consequences:
            state = state.apply_patch({"flags": dict.fromkeys(topic.consequences, True)})
    return state


def progress_after_answer(answer: Answer, progress: Progress, campaign: Campaign) -> Progress:
    """Return where the story stands once an answer was told: people moved, units and evidence used."""
    told_topics = _first_told(answer, campaign, progress)
    progress = advance_progress(answer.effects, progress, campaign)
    for topic in told_topics:
        progress = _progress_after_topic(topic.effects, progress, campaign)
    return msgspec.structs.replace(
        progress,
        units={**progress.units, **dict.fromkeys(answer.units, progress.scene)},
        evidence=_keep_evidence((*progress.evidence, *answer.evidence), campaign),
    )


def _first_told(answer: Answer, campaign: Campaign, progress: Progress) -> list[Topic]:
    """Return the topics that an answer tells for the first time; what they change, they change once."""
    untold = (one for one in dict.fromkeys(answer.evidence) if one not in progress.evidence)
    return [topic for identifier in untold if (topic := find_topic(identifier, campaign))]


def _progress_after_topic(changes: Effects, progress: Progress, campaign: Campaign) -> Progress:
    place = changes.move_to if changes.move_to in campaign.places else progress.place
    has_moved = place != progress.place
    company = dict.fromkeys(progress.company, place) if has_moved else {}
    visits = progress.visits
    return msgspec.structs.replace(
        progress,
        place=place,
        visits={**visits, place: visits.get(place, 0) + 1} if has_moved else visits,
        moved_people={**progress.moved_people, **company, **changes.moves},
        dead=tuple(dict.fromkeys((*progress.dead, *changes.dies))),
    )


def _keep_evidence(identifiers: Iterable[str], campaign: Campaign) -> tuple[str, ...]:
    """Return the last of what was answered with, and every topic: one that is told stays told."""
    unique = tuple(dict.fromkeys(identifiers))
    last = frozenset(unique[-MOST_EVIDENCE:])
    return tuple(one for one in unique if one in last or find_topic(one, campaign))


def minutes_of(effects: Iterable[Effect]) -> float:
    return float(sum(effect.by for effect in effects if effect.kind == "time"))


def describe_answer(answer: Answer, progress: Progress, campaign: Campaign) -> tuple[str, ...]:
    """Return what an answer changes as short sentences, each once: its effects and those of new topics."""
    names = {name: faction.name for name, faction in campaign.factions.items()}
    names |= {name: profile.name for name, profile in campaign.people.items()}
    topics = _first_told(answer, campaign, progress)
    changes = (*answer.effects, *(effect for topic in topics for effect in _as_list(topic.effects)))
    return tuple(dict.fromkeys(filter(None, (describe_effect(change, names) for change in changes))))


def _as_list(effects: Effects) -> Iterator[Effect]:
    """Yield the effects an author gives a topic as effects of the closed list."""
    for who, points in (*effects.perception.items(), *effects.reputation.items()):
        if points:
            yield Effect("likes" if points > 0 else "dislikes", who, by=abs(points))
    yield from (Effect("takes", item) for item in effects.gain)
    yield from (Effect("loses", item) for item in effects.lose)
    yield from (Effect("dies", who) for who in effects.dies)
    yield from (Effect("leaves", who) for who in effects.moves)


def describe_effect(effect: Effect, names: Mapping[str, str]) -> str:
    """Return an effect as a short sentence for the page ("You have the lamp"); empty for one not shown."""
    who = names.get(effect.target, effect.target)
    to = names.get(effect.to, effect.to)
    slots = thing_slots(effect.target)
    thing, a_thing, is_or_are = (slots.get(name, effect.target) for name in ("the thing", "a thing", "is"))
    the_thing = thing[:1].upper() + thing[1:]
    they_are = "You are" if effect.target == "player" else f"{who} is"
    return {
        "takes": f"You have {thing}",
        "makes": f"You have {a_thing}",
        "gives": f"{to} has {thing}",
        "loses": f"You no longer have {thing}",
        "drops": f"{the_thing} {'lie' if is_or_are == 'are' else 'lies'} here",
        "breaks": f"{the_thing} {is_or_are} broken",
        "opens": f"{the_thing} {is_or_are} open",
        "closes": f"{the_thing} {is_or_are} shut",
        "likes": f"{who} thinks better of you",
        "dislikes": f"{who} thinks worse of you",
        "hurt": f"{they_are} hurt",
        "heals": f"{they_are} well again",
        "dies": f"{who} is dead",
        "owes": f"{who} owes you",
        "debt": f"You owe {who}",
        "promises": f"You have given {who} your word",
        "follows": f"{who} comes with you",
        "stays": f"{who} stays behind",
        "leaves": f"{who} has left",
        "driven_out": "You have been driven out",
        "caught": f"{who} is holding you" if effect.target in names else "You are being held",
        "alarm": "Somebody has noticed",
    }.get(effect.kind, "")


def open_matters(state: Mapping[str, Any]) -> dict[str, list[Matter]]:
    """Return the debts and promises that are still open, by kind."""
    world = _world(state)
    return {kind: msgspec.convert(world.get(kind, []), list[Matter]) for kind in ("owes", "debt", "promises")}


def _world(state: Mapping[str, Any]) -> dict[str, Any]:
    world = state.get(WORLD)
    return {**world, "things": {**world.get("things", {})}} if isinstance(world, Mapping) else {"things": {}}


def _thing(world: dict[str, Any], name: str) -> dict[str, Any]:
    things = world["things"] = {**world.get("things", {})}
    things[name] = {**things.get(name, {})}
    entry: dict[str, Any] = things[name]
    return entry

"""Finds what has happened since the player last spoke with somebody, and whether that person knows of it.

Those know of it who take part or were there, where it was not done in secret, whom its words name, and whose
opinion it changed; and everybody knows what comes by itself and happens nowhere in particular.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from narratoria.campaign.campaign import PRIORITIES, Beat, Campaign
from narratoria.engine import beats
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at, pronoun_for
from narratoria.engine.snapshot import PlayerAct, Progress
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.effect_types import Effect
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.grammar import as_wish, call_name, in_the_past
from narratoria.narrator.phrase_memory import phrase_keys
from narratoria.narrator.remark import Happening, Knowing, as_said_by, load_remarks, names_person
from narratoria.narrator.repertoire import strip_article, thing_slots
from narratoria.planner.intent import Intent
from narratoria.planner.mentions import content_words

MOST_ACTS = 24  # that are kept; the oldest are forgotten first
OWN_WEIGHT = 2.0  # of what was done with the speaker
ASKED_WEIGHT = 2.0  # by which a question weighs less than any other deed
NEWS_WEIGHT = 3.0  # by which what came by itself weighs less than what the player did
NEWS_SCENES = 6  # for which what came by itself is news
SPEECH_WEIGHT = 1.0  # of what the author has them say something of
SHARED_WORDS = 0.6  # of a happening are in what the player says: it is spoken of already
LEAST_WORDS = 3  # of a consequence that can be said aloud
ACT_WEIGHTS: Mapping[str, float] = {"killed": 9.0, "hurt": 7.0, "promised": 5.0, "broke": 4.0, "gave": 4.0}
USUAL_WEIGHT = 3.0
_TOKEN = re.compile(r"[_=]|^\W|\b[A-Z]{2,}\b")
_PLAYERS_OWN = re.compile(  # nobody else can say what the player has come to know, or was told
    r"^you (?:have |had |now )?(?:seen|saw|see|know|knew|heard|hear|found|find|learnt|learned|read|guessed|"
    r"understood)\b|\b(?:asked|told|shown|given|lent|promised|offered|warned) you\b"
)


def find_happening(
    person: str, situation: StorySituation, intent: Intent, evidence: Sequence[Evidence] = ()
) -> Happening | None:
    """Return the weightiest thing somebody knows of that has happened since they were last spoken with.

    None where the player speaks of it by themselves.
    """
    progress = situation.progress
    since = max(progress.spoken.get(person, progress.began_after + 1), _changed_in(person, situation))
    happenings = [
        *(
            one
            for beat_id, scene in progress.beat_scenes.items()
            if scene >= since
            and (beat := situation.campaign.beat(beat_id))
            and not beat.ending
            and (one := _of_beat(beat, progress.beat_outcomes.get(beat_id, ""), person, situation))
        ),
        *(_of_player_act(act, person, situation) for act in progress.player_acts if act.scene >= since),
    ]
    known_happenings = [one for one in happenings if one is not None]
    if not known_happenings:
        return None
    weightiest = max(enumerate(known_happenings), key=lambda pair: (pair[1].weight, pair[0]))[1]
    return None if _is_spoken_of(weightiest, intent, evidence, situation) else weightiest


def _changed_in(person: str, situation: StorySituation) -> int:
    """Return the scene in which somebody became another, who knows nothing of what was before; 0 for none."""
    campaign, progress = situation.campaign, situation.progress
    profile = campaign.people.get(person)
    flags = (
        {change.flag for change in profile.changes if change.flag in situation.flags} if profile else set()
    )
    scenes = (
        scene
        for beat_id, scene in progress.beat_scenes.items()
        if (beat := campaign.beat(beat_id))
        and flags.intersection(beats.consequences(beat, progress.beat_outcomes.get(beat_id, "")))
    )
    return max(scenes, default=progress.scene + 1 if flags else 0)


def _of_beat(beat: Beat, outcome: str, person: str, situation: StorySituation) -> Happening | None:
    campaign = situation.campaign
    knowing = knowing_of(beat, outcome, person, situation)
    if knowing is None:
        return None
    weight = float(len(PRIORITIES) - PRIORITIES.index(beat.priority))
    wish = as_wish(beats.offer_of(beat))
    if not (_is_still_told(beat, knowing, situation) if wish else _is_fresh(beat, outcome, situation)):
        return None
    if speech := speech_of(beat, outcome, person):
        clause = in_the_past(wish) if wish else ""
        weight += OWN_WEIGHT + SPEECH_WEIGHT - NEWS_WEIGHT * (not wish)
        return Happening(beat.id, "did", clause, knowing, weight, speech)
    if not wish:
        clause = _news_of(beat, outcome, person, situation)
        kind = "did" if clause.startswith("you ") else "news"
        weight -= NEWS_WEIGHT
        return Happening(beat.id, kind, clause, knowing, weight) if clause else None
    kind = "tried" if beat.is_risky and outcome == "failure" else load_remarks().kind_of(wish.split()[0])
    clause = f"tried to {wish}" if kind == "tried" else in_the_past(wish)
    clause, is_own = _said_by(clause, person, campaign, is_about=beat.npcs == (person,))
    if kind == "asked" and not is_own:
        return None  # what others were asked is nobody's business
    by: Knowing = "own" if is_own else knowing
    weight += OWN_WEIGHT * (is_own or person in beat.npcs) - ASKED_WEIGHT * (kind == "asked")
    return Happening(beat.id, kind, f"you {clause}", by, weight)


def speech_of(beat: Beat, outcome: str, person: str) -> str:
    """Return what the author has somebody say first of a beat that ended so; empty where that is nothing."""
    end = beat.outcome(outcome)
    return (end.remarks.get(person, "") if end else "") or beat.remarks.get(person, "")


def _is_fresh(beat: Beat, outcome: str, situation: StorySituation) -> bool:
    """Return whether what came by itself is still so, and still new."""
    campaign, progress = situation.campaign, situation.progress
    at = progress.beat_scenes.get(beat.id, 0)
    later_beats = [
        later
        for beat_id, scene in progress.beat_scenes.items()
        if scene > at and (later := campaign.beat(beat_id))
    ]
    is_over = bool(beat.tags) and any(set(later.tags) >= set(beat.tags) for later in later_beats)
    results = beats.consequences(beat, outcome)
    is_so = not results or any(result in situation.flags for result in results)
    return is_so and not is_over and _is_new(beat, situation)


def _is_still_told(beat: Beat, knowing: Knowing, situation: StorySituation) -> bool:
    """Return whether a deed is spoken of: who only heard of it does so while it is new."""
    return knowing != "heard" or _is_new(beat, situation)


def _is_new(beat: Beat, situation: StorySituation) -> bool:
    """Return whether it was told a few scenes ago at most: later, the whole town has talked of it."""
    return situation.progress.scene - situation.progress.beat_scenes.get(beat.id, 0) < NEWS_SCENES


def knowing_of(beat: Beat, outcome: str, person: str, situation: StorySituation) -> Knowing | None:
    """Return how somebody knows of a beat; None for who does not."""
    campaign = situation.campaign
    if speech_of(beat, outcome, person):
        return "own"
    changes = beats.effects(beat, outcome)
    has_opinion = any(person in effect.perception for effect in changes)
    if load_remarks().is_covert(beats.offer_of(beat)):
        return "seen" if has_opinion else None
    if _was_there(beat, outcome, person, situation, has_opinion=has_opinion):
        return "seen"
    faction = campaign.people[person].metadata.faction
    has_heard = has_opinion or bool(faction and any(faction in effect.reputation for effect in changes))
    is_public = not beats.offer_of(beat) and not beat.location and not beat.npcs
    if _has_speeches(beat, outcome):  # the author has said who speaks of it
        return None
    return "heard" if has_heard or is_public else None


def _has_speeches(beat: Beat, outcome: str) -> bool:
    """Return whether the author has anybody say something of a beat that ended so."""
    end = beat.outcome(outcome)
    return bool(beat.remarks or (end and end.remarks))


def _was_there(
    beat: Beat, outcome: str, person: str, situation: StorySituation, *, has_opinion: bool
) -> bool:
    """Return whether somebody took part in a beat or stood by, as far as the story or its words say."""
    campaign, end = situation.campaign, beat.outcome(outcome)
    words = " ".join((beat.description, end.description if end else ""))
    is_named = names_person(words, campaign.people[person].name)
    home = campaign.home_of(person)
    return (
        person in beat.npcs
        or person in situation.progress.witnesses.get(beat.id, ())
        or (has_opinion and beat.location == home)
        or (is_named and beat.location in ("", home))
    )


def _news_of(beat: Beat, outcome: str, person: str, situation: StorySituation) -> str:
    """Return what is so since a beat came by itself, where somebody can say it aloud."""
    name = situation.campaign.people[person].name
    # how it ended says more than that it came
    clauses = (text.rstrip(".") for text in reversed(beats.consequences(beat, outcome)))
    return next(
        (
            clause
            for clause in clauses
            if clause in situation.flags
            and len(clause.split()) >= LEAST_WORDS
            and not _TOKEN.search(clause)
            and not _PLAYERS_OWN.search(clause)
            and not names_person(clause, name)
            and not _was_said(clause, beat, situation.progress)
        ),
        "",
    )


def _was_said(clause: str, beat: Beat, progress: Progress) -> bool:
    """Return whether somebody has said so since a beat was told: the same news is brought once."""
    since = progress.beat_scenes.get(beat.id, 0)
    return any(progress.used_sentences.get(key, 0) > since for key in phrase_keys(clause))


def _of_player_act(act: PlayerAct, person: str, situation: StorySituation) -> Happening | None:
    if person not in act.people:
        return None
    clause, is_own = _said_by(act.clause, person, situation.campaign)
    if act.kind in ("owes", "debt") and not is_own:
        return None
    weight = ACT_WEIGHTS.get(act.kind, USUAL_WEIGHT) + OWN_WEIGHT * is_own
    return Happening(f"act/{act.scene}", act.kind, f"you {clause}", "own" if is_own else "seen", weight)


def _said_by(clause: str, person: str, campaign: Campaign, *, is_about: bool = False) -> tuple[str, bool]:
    profile = campaign.people[person]
    others = {one.name: pronoun_for(one) for who, one in campaign.people.items() if who != person}
    return as_said_by(clause, profile.name, pronoun_for(profile), others, is_about=is_about)


def _is_spoken_of(
    happening: Happening, intent: Intent, evidence: Sequence[Evidence], situation: StorySituation
) -> bool:
    """Return whether what the player says, or what answers it, is about the happening already."""
    campaign = situation.campaign
    names = {word for profile in campaign.people.values() for word in content_words(profile.name)}
    words = set(content_words(happening.clause)) - names
    topic = " ".join(one.about for one in evidence[:1])
    shared_words = words.intersection(content_words(f"{intent.text} {topic}"))
    return bool(words) and len(shared_words) >= SHARED_WORDS * len(words)


def note_exchange(
    intents: Sequence[Intent], answer: Answer, place: str, progress: Progress, campaign: Campaign
) -> Progress:
    """Return the progress with whom the player has spoken with now, and the deed that will be spoken of."""
    present = people_at(place, campaign, progress)
    data = load_remarks()
    spoken = {
        intent.person.id: progress.scene
        for intent in intents[:1]
        if intent.person and intent.person.id in present and intent.act in data.acts
    }
    player_act = _heaviest_act(intents, answer, tuple(present), progress.scene, campaign)
    return msgspec.structs.replace(
        progress,
        spoken={**progress.spoken, **spoken},
        player_acts=(*progress.player_acts, *((player_act,) if player_act else ()))[-MOST_ACTS:],
    )


def _heaviest_act(
    intents: Sequence[Intent], answer: Answer, present: tuple[str, ...], scene: int, campaign: Campaign
) -> PlayerAct | None:
    player_acts = [
        PlayerAct(scene, kind, clause, people)
        for effect in answer.effects
        for kind, clause, people in _acts_of(effect, intents, answer, present, campaign)
    ]
    return max(player_acts, key=lambda one: ACT_WEIGHTS.get(one.kind, USUAL_WEIGHT), default=None)


def _acts_of(
    effect: Effect, intents: Sequence[Intent], answer: Answer, present: tuple[str, ...], campaign: Campaign
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield what an effect is as a deed of the player's, with who knows of it."""
    data = load_remarks()
    acts = [intent.act for intent in intents]
    act = next((one for one in acts if one in data.act_clauses), "")
    is_covert = any(one in data.covert_acts for one in acts)
    person = campaign.people[effect.target].name if effect.target in campaign.people else ""
    witnesses = () if is_covert else present
    short = call_name(person) if person else ""
    the_thing = thing_slots(effect.target).get("the thing", effect.target)
    match effect.kind:
        case "gives" if effect.to in campaign.people:
            to = call_name(campaign.people[effect.to].name)
            yield "gave", f"gave {to} {the_thing}", tuple(dict.fromkeys((*witnesses, effect.to)))
        case "breaks" | "loses" if act in ("burn", "break", "force") and not answer.is_attempt:
            yield "broke", data.act_clauses[act].format(thing=the_thing, person=""), witnesses
        case "hurt" if person and "attack" in acts:
            yield "hurt", f"hurt {short}", tuple(dict.fromkeys((*witnesses, effect.target)))
        case "dies" if person and "attack" in acts:
            yield "killed", f"killed {short}", witnesses
        case "promises" if person:
            yield "promised", f"gave {short} your word", tuple(dict.fromkeys((*witnesses, effect.target)))
        case "owes" if person:
            yield "owes", f"did {short} a good turn", (effect.target,)
        case "debt" if person:
            yield "debt", f"owe {short}", (effect.target,)
        case "dislikes" if person and act and "{thing}" not in data.act_clauses[act]:
            clause = data.act_clauses[act].format(person=short, thing="")
            yield "wronged", clause, tuple(dict.fromkeys((*witnesses, effect.target)))


def state_of_thing(name: str, state: Mapping[str, Any]) -> str:
    """Return "burnt" or "broken" for a thing that effects have left so; empty for any other."""
    world = state.get("world")
    things = world.get("things") if isinstance(world, Mapping) else None
    bare = strip_article(name).casefold()
    for thing, entry in things.items() if isinstance(things, Mapping) and bare else ():
        if strip_article(thing).casefold() == bare and isinstance(entry, Mapping):
            return "burnt" if entry.get("burnt") else "broken" if entry.get("broken") else ""
    return ""

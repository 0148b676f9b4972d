"""What the planner and the skills are told about a scene, as plain JSON.

For whoever tells the scene, `draft` is the scene as the composer would tell it, a list of two or three
paragraphs, and `drafts` the same for every way in which a roll can end: `drafts[roll.outcome]` where there is
a roll, `draft` where there is none. A storyteller may tell a draft as it is, restyle it, or write its own
from the rest of the facts; what contradicts `ledger` is refused, and the draft is told instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from narratoria.campaign.campaign import PRIORITIES, Beat, Campaign, Profile
from narratoria.engine import beats, context, endings, rules, sentiment
from narratoria.engine.action import (
    ResolvedAction,
    effects_of,
    first_state,
    flags_after,
    openings_at,
    progress_after,
    situation_of,
    ways_out,
)
from narratoria.engine.conditions import Situation, items_of
from narratoria.engine.memory import compress
from narratoria.engine.memory.recall import NOTHING, Memory, Recollection
from narratoria.engine.people import named_in, people_at
from narratoria.engine.scene_type import minutes, scene_type
from narratoria.engine.snapshot import Session
from narratoria.narrator.composer import compose_drafts, untold_moments
from narratoria.narrator.grammar import as_wish, in_the_past

REMEMBERED = 4  # of what the player has brought about, the latest
RECENT = 5  # scenes
LOOKED_BACK = 12  # actions
HOW_IT_WENT = {
    "success": "it worked",
    "partial success": "it worked, at a price",
    "failure": "it went wrong",
}


def facts(
    action: ResolvedAction, session: Session, campaign: Campaign, known: Recollection = NOTHING
) -> dict[str, Any]:
    """The action, where it happens, who is there, what is remembered, and what may be done next."""
    if action.choice.kind == "again":
        session = msgspec.structs.replace(session, state=first_state(session, campaign))
    situation = situation_of(session, campaign, known)
    ends = rules.bands_for(action.beats[0] if action.beats else None, campaign) if action.is_risky else ("",)
    kind = scene_type(action, campaign)
    told: dict[str, Any] = {
        "campaign": {
            "title": campaign.title,
            "genre": campaign.manifest.genre,
            "tone": campaign.manifest.tone,
            "guidance": campaign.manifest.hydration_guidance,
            "setting": campaign.setting,
        },
        "action": _action(action, situation, known),
        "place": _place(action, session),
        "people": [
            _person(name, profile, situation, known)
            for name, profile in people_at(action.place.id, campaign, session.progress).items()
        ],
        "beat": _beat(action.beat, action),
        "due": _beat(action.due_beat, action),
        "alsoDue": [_beat(beat, action) for beat in action.due_beats[1:]],
        "remembered": _remembered(action, session, campaign),
        "sceneType": kind,
        "gameTime": session.progress.game_time + minutes(kind, campaign),
        "persona": _persona(session),
        "statRange": msgspec.to_builtins(campaign.template.stat_range),
        "memories": [_memory(memory) for memory in known.memories],
        "lore": [msgspec.to_builtins(chunk) for chunk in known.lore],
        "constraints": list(campaign.constraints),
        "recent": [_line(summary) for summary in session.progress.history.recent[-RECENT:]],
        "history": _history(session),
        "kept": [msgspec.to_builtins(kept) for kept in session.progress.history.kept if kept.kind != "name"],
        "rules": {
            "dice": campaign.rules.dice,
            "bands": msgspec.to_builtins(campaign.rules.bands),
            "prose": campaign.rules.prose,
        },
        "leaning": _leaning(situation),
        "ending": _ending(action, situation),
        "lookingBack": _looking_back(action, session, campaign),
        "ledger": ledger(action, situation),
        "next": {end: _next(end, action, situation, known) for end in ends},
    }
    used = session.progress.used
    drafts = compose_drafts(told, ends, seed=f"{session.seed}/{session.progress.scene + 1}", used=used)
    usual = rules.UNDECIDED if rules.UNDECIDED in drafts else next(iter(drafts))
    place = {**told["place"], "moments": untold_moments(told, drafts, used)}
    read = {room: context.build(told, budget) for room, budget in context.BUDGETS.items()}
    return {
        **told,
        "place": place,
        "draft": drafts[usual],
        "drafts": drafts,
        "context": {
            room: {"stable": prompt.stable, "changing": prompt.changing} for room, prompt in read.items()
        },
    }


def _action(action: ResolvedAction, situation: Situation, known: Recollection) -> dict[str, Any]:
    campaign, progress = situation.campaign, situation.progress
    person = campaign.people.get(action.person)
    sayings = person.speech_patterns.examples if person else ()
    risky = next((beat for beat in action.beats if beat.is_risky), action.beat)
    counted = rules.modifiers(risky, action.choice.text, situation, known)
    return {
        "kind": action.choice.kind,
        "text": action.choice.text,
        "number": progress.scene + 1,
        "begun": progress.scene if action.choice.kind == "again" else progress.begun,
        "premise": list(campaign.premise) if action.choice.kind in ("begin", "again") else [],
        "route": action.route,
        "person": person.name if person else "",
        "saying": _at(sayings, progress.heard.get(action.person, 0)),
        "detail": _at(action.place.details, progress.seen.get(action.place.id, 0)),
        "risky": action.is_risky,
        "formula": rules.formula(campaign.rules, counted if action.is_risky else ()),
        "modifiers": [msgspec.to_builtins(modifier) for modifier in counted] if action.is_risky else [],
    }


def _place(action: ResolvedAction, session: Session) -> dict[str, Any]:
    place, progress = action.place, session.progress
    return {
        "id": place.id,
        "name": place.in_a_sentence,
        "arrival": place.arrival,
        "details": list(place.details),
        "moments": list(place.moments),
        "visits": 0 if action.choice.kind == "again" else progress.visits.get(place.id, 0),
        "unseen": max(0, len(place.details) - progress.seen.get(place.id, 0)),
    }


def _person(name: str, profile: Profile, situation: Situation, known: Recollection) -> dict[str, Any]:
    progress, state = situation.progress, situation.state
    tone = sentiment.tone_of(name, state)
    return {
        "id": name,
        "name": profile.name,
        "role": profile.role,
        "faction": profile.metadata.faction,
        "appearance": profile.appearance,
        "traits": list(profile.personality.traits),
        "flaws": list(profile.personality.flaws),
        "virtues": list(profile.personality.virtues),
        "habits": list(profile.personality.habits),
        "motivations": list(profile.motivations),
        "relationships": {
            situation.campaign.people[other].name: text
            for other, text in profile.relationships.items()
            if other in situation.campaign.people
        },
        "voice": profile.speech_patterns.style,
        "sayings": list(profile.speech_patterns.examples),
        "greetings": dict(profile.speech_patterns.greetings),
        "greeting": profile.speech_patterns.greetings.get(tone, ""),
        "met": name in progress.met,
        "heard": progress.heard.get(name, 0),
        "unheard": max(0, len(profile.speech_patterns.examples) - progress.heard.get(name, 0)),
        "perception": round(100 * sentiment.sentiment_of(name, state), 1),
        "sentiment": sentiment.sentiment_of(name, state),
        "tone": tone,
        "witnessed": [_memory(memory) for memory in known.witnessed.get(name, ())],
    }


def _beat(beat: Beat | None, action: ResolvedAction) -> dict[str, Any] | None:
    if beat is None:
        return None
    return {
        "id": beat.id,
        "title": beat.title,
        "description": beat.description,
        "outcomes": {outcome.name: outcome.description for outcome in beat.outcomes},
        "fate": action.chance_outcomes.get(beat.id, ""),
        "risky": beat.is_risky,
        "dialogue": [{"speaker": line.speaker, "text": line.text} for line in beat.dialogue],
        "mood": beat.mood,
        "npcs": list(beat.npcs),
    }


def _next(end: str, action: ResolvedAction, before: Situation, known: Recollection) -> dict[str, Any]:
    """What can be done after the action, if its roll ends this way."""
    campaign = before.campaign
    rolled = _rolled(end, action, campaign)
    anew = action.choice.kind == "again"
    patch = beats.patch(effects_of(action, rolled), before.state)
    after = Situation(
        campaign,
        progress_after(action, before.progress, campaign, rolled),
        frozenset() if anew else flags_after(action, before.flags, rolled),
        {**before.state, **patch},
        before.recalled,
    )
    place = campaign.places[after.progress.place]
    return {
        "openings": [_opening(beat, after, known) for beat in openings_at(place, after)],
        "ways": [
            {
                "to": to,
                "name": campaign.places[to].in_a_sentence,
                "visited": to in after.progress.visits,
                "urgent": urgent,
                "steps": steps,
            }
            for to, (urgent, steps) in ways_out(place, after).items()
        ],
        "people": list(people_at(place.id, campaign, after.progress)),
        "ended": after.progress.ended,
    }


def _rolled(end: str, action: ResolvedAction, campaign: Campaign) -> str:
    risky = next((beat for beat in action.beats if beat.is_risky), None)
    return rules.outcome_for(risky, end, campaign.rules) if risky and end else end


def _opening(beat: Beat, after: Situation, known: Recollection) -> dict[str, Any]:
    text = beats.offer_of(beat)
    counted = rules.modifiers(beat, text, after, known) if beat.is_risky else ()
    grounds = beats.grounds(beat, after.campaign, after.progress)
    helps = rules.callbacks(beat, after) if beat.is_risky else ()
    formula = rules.formula(after.campaign.rules, counted) if beat.is_risky else ""
    return {
        "beat": beat.id,
        "text": text,
        "priority": beat.priority,
        "risky": beat.is_risky,
        "formula": formula,
        "difficulty": rules.difficulty(formula, after.campaign.rules) if beat.is_risky else "",
        "because": list(dict.fromkeys((*grounds, *helps))),
        "receipts": [
            *({"kind": "beat", "id": name, "text": _left_by(name, after)} for name in grounds),
            *({"kind": one.kind, "id": one.id, "text": f"{one.text} ({one.value:+d})"} for one in counted),
        ],
    }


def _left_by(name: str, situation: Situation) -> str:
    beat = situation.campaign.beat(name)
    left = beats.consequences(beat, situation.progress.told.get(name, "")) if beat else ()
    return left[-1] if left else beat.title if beat else ""


def _remembered(action: ResolvedAction, session: Session, campaign: Campaign) -> list[str]:
    """What was so before the action and still is."""
    before = beats.remembered(campaign, session.progress)
    after = beats.remembered(campaign, progress_after(action, session.progress, campaign))
    return [memory for memory in before if memory in after][-REMEMBERED:]


def _persona(session: Session) -> dict[str, Any]:
    state = session.state.to_dict()
    persona = state.get("persona")
    return {**(persona if isinstance(persona, Mapping) else {}), "items": items_of(state)}


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "summary": memory.summary,
        "relevance": memory.relevance,
        "episodic": memory.episodic,
        "outcome": memory.outcome,
        "scene": memory.scene,
        "significance": memory.significance,
        "characters": list(memory.people),
        "witnesses": list(memory.witnesses),
        "location": memory.location,
    }


def _line(summary: compress.Summary) -> dict[str, Any]:
    return {"scene": summary.scene, "summary": summary.text}


def _history(session: Session) -> list[str]:
    return compress.told(session.progress.history)


def _leaning(situation: Situation) -> dict[str, Any] | None:
    leans = endings.leaning(situation)
    if leans is None:
        return None
    ending = situation.campaign.endings.get(leans.ending)
    return {"ending": leans.ending, "title": ending.title if ending else "", "share": round(leans.share, 2)}


def _ending(action: ResolvedAction, situation: Situation) -> dict[str, Any] | None:
    """The words of the end, when it comes with this action."""
    ends = next((beat for beat in action.beats if beat.ending), None)
    if ends is None:
        return None
    ending = endings.ending_of(action.beats, situation.campaign)
    certain = Situation(
        situation.campaign,
        progress_after(action, situation.progress, situation.campaign),
        frozenset(flags_after(action, situation.flags)),
        situation.state,
        situation.recalled,
    )
    return {
        "id": ends.ending,
        "title": ending.title if ending else ends.title,
        "paragraphs": list(ending.paragraphs) if ending else [],
        "epilogue": list(endings.epilogue(ending, certain)) if ending else [],
        "lookingBack": list(
            endings.looking_back(situation.campaign, situation.progress, situation.progress.history)
        ),
    }


def _looking_back(action: ResolvedAction, session: Session, campaign: Campaign) -> list[dict[str, Any]]:
    """What the player did, each as a clause in the past with its scene; what weighed most, in its order."""
    if action.choice.kind not in ("look-back", "branch"):
        return []
    progress, done = session.progress, []
    for name, outcome in progress.told.items():
        beat = campaign.beat(name)
        wish = as_wish(beats.offer_of(beat)) if beat else ""
        if beat and wish:
            went = HOW_IT_WENT.get(outcome, "") if beat.is_risky else ""
            did = f"tried to {wish}" if beat.is_risky and outcome == "failure" else in_the_past(wish)
            text, ends = f"you {did}" + (f", and {went}" if went else ""), bool(beat.ending)
            weight = 2 * beat.is_risky - PRIORITIES.index(beat.priority)
            done.append(
                (weight, {"scene": progress.told_in.get(name, 0), "text": text, "ends": ends, "did": did})
            )
    heaviest = sorted(done, key=lambda one: -one[0])[:LOOKED_BACK]
    return sorted((one for _, one in heaviest), key=lambda one: one["scene"])


def ledger(action: ResolvedAction, situation: Situation) -> dict[str, Any]:
    """What prose must not contradict."""
    campaign, progress = situation.campaign, situation.progress
    present = people_at(action.place.id, campaign, progress)
    arriving = {who for beat in action.beats for who in beat.npcs} | {
        who for beat in action.beats for who in named_in(_whole(beat), campaign)
    }
    arriving |= {
        who for effect in effects_of(action, "") for who, to in effect.moves.items() if to == action.place.id
    }
    names = {who: profile.name for who, profile in campaign.people.items()}
    return {
        "present": [
            names[who] for who in names if who in present or (who in arriving and who not in progress.dead)
        ],
        "absent": [
            names[who]
            for who in names
            if who not in present and who not in arriving and who not in progress.dead
        ],
        "dead": [names[who] for who in names if who in progress.dead],
        "items": items_of(situation.state),
        "place": action.place.name,
        "places": [place.name for place in campaign.places.values()],
        "factions": [faction.name for faction in campaign.factions.values()],
        "constraints": list(campaign.constraints),
        "title": campaign.title,
    }


def _whole(beat: Beat) -> str:
    return " ".join((beat.description, *(outcome.description for outcome in beat.outcomes)))


def _at(texts: tuple[str, ...], index: int) -> str:
    return texts[index] if index < len(texts) else ""

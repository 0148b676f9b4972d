"""What the planner and the skills are told about a scene, as plain JSON."""

from __future__ import annotations

from typing import Any

from narratoria.campaign.campaign import Beat, Campaign, Profile
from narratoria.engine import beats, rules
from narratoria.engine.deed import Deed, flags_after, progress_after, ways_out
from narratoria.engine.session import Session

REMEMBERED = 4  # of what the player has brought about, the latest


def facts(deed: Deed, session: Session, campaign: Campaign) -> dict[str, Any]:
    """The deed, where it happens, who is there, what is remembered, and what may be done next."""
    outcomes = rules.OUTCOMES if deed.beat and deed.beat.is_risky else ("",)
    return {
        "action": _action(deed, session, campaign),
        "place": _place(deed, session),
        "people": [
            _person(name, profile, session) for name, profile in campaign.people_at(deed.place.id).items()
        ],
        "beat": _beat(deed.beat),
        "due": _beat(deed.due),
        "remembered": _remembered(deed, session, campaign),
        "next": {outcome: _next(outcome, deed, session, campaign) for outcome in outcomes},
    }


def _action(deed: Deed, session: Session, campaign: Campaign) -> dict[str, Any]:
    person = campaign.people.get(deed.person)
    sayings = person.speech_patterns.examples if person else ()
    return {
        "kind": deed.choice.kind,
        "text": deed.choice.text,
        "number": session.progress.scene + 1,
        "premise": list(campaign.premise) if deed.choice.kind == "begin" else [],
        "route": deed.route,
        "person": person.name if person else "",
        "saying": _at(sayings, session.progress.heard.get(deed.person, 0)),
        "detail": _at(deed.place.details, session.progress.seen.get(deed.place.id, 0)),
        "risky": deed.choice.risky or bool(deed.beat and deed.beat.is_risky),
        "formula": rules.formula(deed.beat, campaign, session.progress) if deed.beat else rules.DICE,
    }


def _place(deed: Deed, session: Session) -> dict[str, Any]:
    place = deed.place
    return {
        "id": place.id,
        "name": place.in_a_sentence,
        "arrival": place.arrival,
        "moments": list(place.moments),
        "visits": session.progress.visits.get(place.id, 0),
        "unseen": max(0, len(place.details) - session.progress.seen.get(place.id, 0)),
    }


def _person(name: str, profile: Profile, session: Session) -> dict[str, Any]:
    return {
        "id": name,
        "name": profile.name,
        "appearance": profile.appearance,
        "habits": list(profile.personality.habits),
        "met": name in session.progress.met,
        "unheard": max(0, len(profile.speech_patterns.examples) - session.progress.heard.get(name, 0)),
    }


def _beat(beat: Beat | None) -> dict[str, Any] | None:
    if beat is None:
        return None
    return {
        "id": beat.id,
        "description": beat.description,
        "outcomes": {outcome.name: outcome.description for outcome in beat.outcomes},
    }


def _next(outcome: str, deed: Deed, session: Session, campaign: Campaign) -> dict[str, Any]:
    """What can be done after the deed, if its roll ends this way."""
    progress = progress_after(deed, session.progress, campaign, outcome)
    flags = flags_after(deed, session.flags, outcome)
    here = [
        beat for beat in beats.openings(campaign, progress, flags) if beat.location in ("", deed.place.id)
    ]
    return {
        "openings": [
            {
                "beat": beat.id,
                "text": beat.conditions.player_choice,
                "risky": beat.is_risky,
                "formula": rules.formula(beat, campaign, progress) if beat.is_risky else "",
                "because": list(
                    dict.fromkeys(
                        beats.grounds(beat, campaign, progress)
                        + (rules.helps(beat, campaign, progress) if beat.is_risky else ())
                    )
                ),
            }
            for beat in here
        ],
        "ways": [
            {
                "to": to,
                "name": campaign.places[to].in_a_sentence,
                "visited": to in progress.visits,
                "urgent": urgent,
                "steps": steps,
            }
            for to, (urgent, steps) in ways_out(deed.place, campaign, progress, flags).items()
        ],
    }


def _remembered(deed: Deed, session: Session, campaign: Campaign) -> list[str]:
    """What was so before the deed and still is."""
    before = beats.remembered(campaign, session.progress)
    after = beats.remembered(campaign, progress_after(deed, session.progress, campaign))
    return [memory for memory in before if memory in after][-REMEMBERED:]


def _at(texts: tuple[str, ...], index: int) -> str:
    return texts[index] if index < len(texts) else ""

"""Says what a picked choice means, without reading it: it names what is done, to whom and about what."""

from __future__ import annotations

import msgspec

from narratoria.campaign.campaign import Profile
from narratoria.engine.action import place_of_talk
from narratoria.engine.conditions import StorySituation
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice
from narratoria.engine.story_evidence import find_evidence, look_evidence, person_evidence, topic_evidence
from narratoria.narrator.answer import LOOKS
from narratoria.narrator.evidence import Evidence, key_words
from narratoria.narrator.grammar import call_name
from narratoria.planner.intent import Intent, Mention


def understand_picked(choice: Choice, situation: StorySituation) -> Understanding | None:
    """Return what a picked choice means; None for one that has to be read."""
    if choice.kind in ("wait", "look"):
        return Understanding(intents=(Intent(act=choice.kind, text=choice.text),), evidence=((),))
    profile = situation.campaign.people.get(choice.target)
    if choice.kind == "free" and choice.act in LOOKS and choice.topic:
        return _look_at_picked(choice, situation)
    if choice.kind != "talk" or profile is None:
        return None
    situation = situation.move_to(place_of_talk(choice, situation).id)
    intent = Intent(
        act=choice.act or "talk",
        kind=_kind_of(choice),
        text=choice.text,
        person=Mention(call_name(profile.name), choice.target, profile.name),
        thing=Mention(choice.thing, choice.thing, choice.thing) if choice.thing else None,
        topic=choice.text,
    )
    if choice.topic:
        evidence = find_evidence(choice.topic, choice.target, situation)
    elif intent.act == "talk":
        evidence = _next_to_say(choice.target, profile, situation)
    else:
        return Understanding(intents=(intent,), evidence=((),))
    pieces = (msgspec.structs.replace(evidence, relevance=1.0),) if evidence else ()
    about = evidence.about if evidence else ""
    return Understanding(
        intents=(msgspec.structs.replace(intent, topic=about or choice.text),), evidence=(pieces,)
    )


def _kind_of(choice: Choice) -> str:
    """Return the kind of act that an offered deed is: they are offered in one sense alone."""
    match choice.act:
        case "comfort" | "confess":
            return {"comfort": "comfort/grief", "confess": "confess/weakness"}[choice.act]
        case "tell" if choice.topic:
            return "tell/message"
        case "promise" if any(one.id.startswith("world.debt.") for one in choice.because):
            return "promise/repay"
        case "promise" if any(one.kind == "evidence" for one in choice.because):
            return "promise/carry-out"
    return ""


def _look_at_picked(choice: Choice, situation: StorySituation) -> Understanding:
    """Return a look at something the player carries, with the passage that the choice names."""
    pieces = (one for one in look_evidence(situation.campaign) if one.id == choice.topic)
    thing = Mention(choice.thing, choice.thing, choice.thing)
    intent = Intent(act=choice.act, text=choice.text, thing=thing, topic=choice.thing)
    return Understanding(
        intents=(intent,), evidence=(tuple(msgspec.structs.replace(one, relevance=1.0) for one in pieces),)
    )


def _next_to_say(person: str, profile: Profile, situation: StorySituation) -> Evidence | None:
    """Return what somebody would speak of by now: what they have not said, nearest to what just happened."""
    recent = set(key_words(" ".join(summary.text for summary in situation.progress.history.recent[-3:])))
    candidates = [
        one
        for one in (
            *topic_evidence(person, profile, situation),
            *person_evidence(person, profile, situation.campaign),
        )
        if not one.secret and not one.is_only_asked and one.id not in situation.progress.evidence
    ]
    return max(
        candidates, key=lambda one: len(recent & set(key_words(f"{one.about} {one.text}"))), default=None
    )

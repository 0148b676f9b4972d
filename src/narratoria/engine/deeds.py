"""Lists what can be done besides asking: words carried between people, help, debts, comfort, things shown.

Each deed names what answers it, where something does, and what it rests on: it was told, done or promised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from narratoria.campaign.campaign import Campaign, Profile
from narratoria.contracts.scene_facts import DeedFacts, ReceiptFacts
from narratoria.engine import beats
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.conflict import tone_at
from narratoria.engine.effects import open_matters
from narratoria.engine.people import people_at, pronoun_for
from narratoria.engine.story_evidence import look_evidence
from narratoria.engine.topics import find_topic
from narratoria.narrator.evidence import Evidence, split_sentences
from narratoria.narrator.grammar import call_name, verb_first
from narratoria.narrator.repertoire import strip_article
from narratoria.planner.mentions import content_words

Tellable: TypeAlias = Callable[[str], Sequence[Evidence]]  # what somebody can say here and now
_OWN_AFFAIR = re.compile(r"(?:die|kill|sleep|marry|forget)\b")  # with which nobody else can help
LONGEST_WISH = 12  # words of a wish that can follow "help them"
LEAST_LETTERS = 3  # of a word by which a thing is known
_KIN = (
    r"husband|wife|son|daughter|mother|father|brother|sister|child|uncle|aunt|grandmother|grandfather|friend"
)
_OWN = re.compile(rf"(?:your|my)\s|(?:{_KIN})['’]s\s", re.IGNORECASE)  # “mother's saddle” is the player's
_LOSS = re.compile(
    rf"\b(?:my|his|her|their) (?:own |elder |younger |little |old )?({_KIN})\b(?:(?!\b(?:{_KIN})\b)[^.!?])*"
    r"\b(?:died|is dead|was dead|drowned|was killed|was buried|never came (?:back|home)|was lost|is gone)\b",
    re.IGNORECASE,
)


def list_deeds(
    situation: StorySituation, place: str, tellable: Tellable, just_told: AbstractSet[str]
) -> tuple[DeedFacts, ...]:
    """Return what can be done with the people at a place; `just_told` are the ids of this scene's answer."""
    offers: list[DeedFacts] = []
    for person, profile in people_at(place, situation.campaign, situation.progress).items():
        if tone_at(person, place, situation) == "cold":
            continue
        own = {one.id: one for one in tellable(person) if one.owner == person and not one.secret}
        sayings = {name: one for name, one in own.items() if name not in situation.progress.evidence}
        pieces = {name: one for name, one in own.items() if name in just_told}
        offers += [
            *_condolences(person, profile, pieces),
            *_carried_words(person, profile, situation, sayings),
            *_offers_of_help(person, profile, situation),
            *_debts(person, profile, situation, sayings),
            *_things_to_show(person, profile, situation, sayings),
        ]
    return (*offers, *_studies(situation))


def _carried_words(
    person: str, profile: Profile, situation: StorySituation, sayings: Mapping[str, Evidence]
) -> Iterator[DeedFacts]:
    """Yield what others have said of somebody who has something to say of them."""
    campaign, progress = situation.campaign, situation.progress
    _, them, _ = _pronouns(profile)
    for other in profile.relationships:
        answer = f"{person}/ties/{other}"
        if other not in campaign.people or other in progress.dead or answer not in sayings:
            continue
        speech = next(_said_of(person, other, situation), "")
        if speech:
            name = campaign.people[other].name
            receipt = ReceiptFacts(
                kind="evidence", id=speech, text=f"{name} spoke to you of {call_name(profile.name)}"
            )
            text = f"Tell {_within(profile.name)} what {_within(call_name(name))} said of {them}"
            yield DeedFacts(id=answer, act="tell", person=person, text=text, receipts=(receipt,))


def _said_of(person: str, speaker: str, situation: StorySituation) -> Iterator[str]:
    """Yield the ids of what a speaker has told the player of a person, the latest first."""
    campaign = situation.campaign
    name = re.compile(rf"\b{re.escape(call_name(campaign.people[person].name))}\b")
    for identifier in reversed(situation.progress.evidence):
        if identifier == f"{speaker}/ties/{person}":
            yield identifier
            continue
        topic = find_topic(identifier, campaign) if identifier.startswith(f"{speaker}/") else None
        if topic and name.search(f"{topic.ask} {topic.answer}"):
            yield identifier


def _offers_of_help(person: str, profile: Profile, situation: StorySituation) -> Iterator[DeedFacts]:
    """Yield help with what somebody has told the player they want, where none was promised yet."""
    if any(one.who == person for one in open_matters(situation.state)["promises"]):
        return
    _, them, _ = _pronouns(profile)
    wants = (*profile.motivations, *(goal.goal for goal in profile.goals))
    for at, want in enumerate(wants):
        identifier = f"{person}/wants/{at}"
        wish = re.split("[,;]", verb_first(want))[0]
        is_fit = 1 < len(wish.split()) <= LONGEST_WISH and not _OWN_AFFAIR.match(wish)
        if identifier not in situation.progress.evidence or not is_fit:
            continue
        receipt = ReceiptFacts(kind="evidence", id=identifier, text=f"{profile.name} told you of it")
        text = f"Promise {_within(profile.name)} to help {them} {wish}"
        yield DeedFacts(act="promise", person=person, text=text, receipts=(receipt,))
        return


def _debts(
    person: str, profile: Profile, situation: StorySituation, sayings: Mapping[str, Evidence]
) -> Iterator[DeedFacts]:
    """Yield what to do about what the player and somebody owe each other."""
    they, them, _ = _pronouns(profile)
    matters, name = open_matters(situation.state), _within(profile.name)
    if any(one.who == person for one in matters["debt"]):
        receipt = ReceiptFacts(kind="state", id=f"world.debt.{person}", text=f"you owe {name}")
        text = f"Promise {name} to make good what you owe {them}"
        yield DeedFacts(act="promise", person=person, text=text, receipts=(receipt,))
    untold = next((one.id for one in sayings.values() if "/background/" in one.id), "")
    if untold and any(one.who == person for one in matters["owes"]):
        receipt = ReceiptFacts(kind="state", id=f"world.owes.{person}", text=f"{profile.name} owes you")
        owe = "owe" if they == "they" else "owes"
        text = f"Remind {name} that {they} {owe} you, and ask for the truth about {them}"
        yield DeedFacts(id=untold, act="persuade", person=person, text=text, risky=True, receipts=(receipt,))


def _condolences(person: str, profile: Profile, pieces: Mapping[str, Evidence]) -> Iterator[DeedFacts]:
    """Yield a word of comfort to somebody who has just told of a loss."""
    _, _, their = _pronouns(profile)
    for identifier, piece in pieces.items():
        if not identifier.startswith(f"{person}/"):
            continue
        for sentence in split_sentences(piece.answer or piece.spoken or piece.text):
            if loss := _LOSS.search(sentence):
                receipt = ReceiptFacts(kind="evidence", id=identifier, text=f"{profile.name} told you of it")
                text = f"Tell {_within(profile.name)} that you are sorry about {their} {loss[1].lower()}"
                yield DeedFacts(act="comfort", person=person, text=text, receipts=(receipt,))
                return


def _things_to_show(
    person: str, profile: Profile, situation: StorySituation, sayings: Mapping[str, Evidence]
) -> Iterator[DeedFacts]:
    """Yield what the player carries and somebody has something to say to."""
    for item in items_of(situation.state):
        thing, words = strip_article(item), content_words(strip_article(item))
        if not words or len(words[-1]) < LEAST_LETTERS:
            continue
        saying = next((one for one in sayings.values() if set(words) <= set(content_words(one.spoken))), None)
        if saying is None or _is_beat_about(person, words[-1], situation.campaign):
            continue
        receipt = ReceiptFacts(kind="state", id=f"persona.items.{item}", text=f"you have {item}")
        text = f"Show {_within(profile.name)} {_as_carried(item)}"
        yield DeedFacts(id=saying.id, act="show", person=person, thing=thing, text=text, receipts=(receipt,))
        return


def _as_carried(item: str) -> str:
    """Return something the player carries as within a sentence: “the key”, “your mother's saddle”."""
    bare = strip_article(item)
    if bare[:1].isupper():
        return bare
    return f"{'your' if _OWN.match(item) else 'the'} {bare}"


def _studies(situation: StorySituation) -> Iterator[DeedFacts]:
    """Yield a look at what the player carries and the lore tells of, once for each passage.

    What the story began with was read before the first choice, and is no find.
    """
    campaign, told_ids = situation.campaign, situation.progress.evidence
    pieces = [one for one in look_evidence(campaign) if one.source == "lore" and one.id not in told_ids]
    for item in items_of(situation.state):
        piece = next((one for one in pieces if _is_written_of(item, one)), None)
        if piece:
            receipt = ReceiptFacts(kind="state", id=f"persona.items.{item}", text=f"you have {item}")
            text, thing = f"Examine {_as_carried(item)}", strip_article(item)
            yield DeedFacts(id=piece.id, act="examine", thing=thing, text=text, receipts=(receipt,))


def _is_written_of(item: str, piece: Evidence) -> bool:
    """Return whether a passage names a thing by all its words; a single one may be about any such thing."""
    words = content_words(strip_article(item))
    return len(words) > 1 and set(words) <= set(content_words(piece.text))


def _is_beat_about(person: str, thing: str, campaign: Campaign) -> bool:
    """Return whether a beat offers something to do with this thing and this person."""
    name = call_name(campaign.people[person].name).casefold()
    offers = (offer.casefold() for beat in campaign.beats for offer in beats.offers_of(beat))
    return any(name in offer and thing in offer for offer in offers)


def _within(name: str) -> str:
    return re.sub(r"^The\b", "the", name)


def _pronouns(profile: Profile) -> tuple[str, str, str]:
    return {
        "he": ("he", "him", "his"),
        "she": ("she", "her", "her"),
        "it": ("it", "it", "its"),
    }.get(pronoun_for(profile), ("they", "them", "their"))

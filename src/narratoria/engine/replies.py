"""Finds what somebody would say to what is done to them: a saying, their past, a want, a tie, or lore.

A question is answered by evidence; an insult, a threat or a present is met by what this very person would
bring up. The reading model says which of their texts that is, or that none is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at
from narratoria.engine.story_evidence import lore_evidence, person_evidence, topic_evidence
from narratoria.narrator.answer import LOOKS
from narratoria.narrator.evidence import DEPENDENT, Evidence, shared_words, split_sentences
from narratoria.planner.intent import Intent, load_acts

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.inference.text_matcher import TextMatcher

LEAST, LEAST_OF_TOPIC = 0.75, 0.9  # of the probability that a text, rather than none, is said in reply
LONGEST = 45  # words of what is said in reply
MOST_READ = 18  # texts that are read together with the player's words
OPENLY_SAID = frozenset(("topic", "profile", "goal", "saying", "relationship"))
DONE_TO_SOMEBODY = frozenset(("give", "show", "sing", "emote", "touch"))  # besides those by need
SEEN_BY_ALL = frozenset(("sing", "dance", "pray", "jump", "climb", "play", "emote", "dig", "sleep", "signal"))
NO_REPLY = frozenset(("ask", "talk", "spy", "lead", "follow", "heal", "go", "steal", "hide", "sneak"))
MOST_BYSTANDERS = 2  # people of whom one may remark on what is done to nobody


def find_reply(intent: Intent, situation: StorySituation, matcher: TextMatcher) -> Evidence | None:
    """Return what somebody would say to an act, and has not said before; None for nothing.

    It is said by whom the act is done to; to what is done to nobody, by somebody who stands by.
    """
    speakers = _find_speakers(intent, situation)
    candidates = [one for person in speakers for one in _texts_to_say(person, situation)]
    if speakers and intent.person is not None:
        candidates += _lore_to_say(speakers[0], situation)
    texts = [text for text, _ in candidates]
    scores = matcher.match(intent.text, texts, shared_words(intent.text, texts), "reply", most=MOST_READ)
    fitting = [
        msgspec.structs.replace(evidence, relevance=round(score, 4))
        for (_, evidence), score in zip(candidates, scores, strict=True)
        if score >= (LEAST_OF_TOPIC if evidence.answer else LEAST)
    ]
    return max(fitting, key=lambda one: one.relevance, default=None)


def _find_speakers(intent: Intent, situation: StorySituation) -> list[str]:
    """Return who here would say something to an act: whom it is done to, or else whoever stands by."""
    act = load_acts().get(intent.act)
    present = list(people_at(situation.progress.place, situation.campaign, situation.progress))
    if act is None or intent.act in NO_REPLY | LOOKS:
        return []
    if intent.person is None:
        return present[:MOST_BYSTANDERS] if act.needs == "thing" or intent.act in SEEN_BY_ALL else []
    is_social = act.needs == "person" or intent.act in DONE_TO_SOMEBODY
    return [intent.person.id] if is_social and intent.person.id in present else []


def _lore_to_say(person: str, situation: StorySituation) -> list[tuple[str, Evidence]]:
    """Return the short pages of lore as somebody would say them."""
    return [
        (one.passage, msgspec.structs.replace(one, spoken=one.text, owner=person))
        for one in lore_evidence(situation, ())
        if one.id not in situation.progress.evidence and len(one.text.split()) <= LONGEST
    ]


def _texts_to_say(person: str, situation: StorySituation) -> Iterator[tuple[str, Evidence]]:
    """Yield what somebody may say unasked, each with the words by which it is compared."""
    profile = situation.campaign.people[person]
    own_evidence = (
        *topic_evidence(person, profile, situation),
        *person_evidence(person, profile, situation.campaign),
    )
    for one in own_evidence:
        is_said = one.source in OPENLY_SAID and not one.secret
        if not is_said or one.id in situation.progress.evidence or one.is_only_asked:
            continue
        if one.source == "profile":
            yield from _sentences_of(one)
        elif one.source == "topic" or len((one.spoken or one.text).split()) <= LONGEST:
            yield one.passage, one if one.spoken else msgspec.structs.replace(one, spoken=one.text)


def _sentences_of(evidence: Evidence) -> Iterator[tuple[str, Evidence]]:
    """Yield each sentence of somebody's past that can be said by itself, in the first person."""
    notes, speeches = split_sentences(evidence.text), split_sentences(evidence.spoken)
    for at, note in enumerate(notes):
        speech = speeches[at] if len(notes) == len(speeches) else evidence.spoken
        if len(speech.split()) <= LONGEST and not DEPENDENT.match(speech):
            yield f"{evidence.about}: {note}", msgspec.structs.replace(evidence, text=note, spoken=speech)

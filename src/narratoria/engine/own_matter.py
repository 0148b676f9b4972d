"""Finds what somebody would say of themselves to words that touch on it: their past, or what they want."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at
from narratoria.engine.story_evidence import person_evidence
from narratoria.narrator.evidence import DEPENDENT, Evidence, split_sentences
from narratoria.planner.intent import Intent
from narratoria.planner.mentions import content_words, noun_phrases

# acts that tell or offer somebody something, and do not press them for anything
TOUCHING = frozenset(
    (
        *(
            "tell",
            "praise",
            "flirt",
            "insult",
            "joke",
            "comfort",
            "apologise",
            "warn",
            "give",
            "show",
            "thank",
        ),
        *("confess", "bargain", "promise", "invite"),
    )
)
OPENLY_SAID = ("profile", "goal")  # sources that somebody speaks of unasked
MOST_NOTES = 3  # on people that may have a word which still points at one of them
LONGEST = 30  # words of a sentence that is said in passing
_PRIVATE = re.compile(
    r"\b(?:only my|told only|nobody knows|no one knows|never told|secret\w*|hid\w*)\b", re.IGNORECASE
)
LEAST_LETTERS = 3  # of a word that points at something


def find_own_matter(intent: Intent, situation: StorySituation) -> Evidence | None:
    """Return a sentence of the listener's own that names what is spoken of, and was not said before."""
    campaign, progress = situation.campaign, situation.progress
    person = intent.person.id if intent.person else ""
    profile = campaign.people.get(person)
    if profile is None or intent.act not in TOUCHING:
        return None
    if person not in people_at(progress.place, campaign, progress):
        return None
    names = {word for one in campaign.people.values() for word in content_words(one.name)}
    matter_words = set(content_words(intent.matter)) - names
    other_nouns = {word for phrase in noun_phrases(intent.text) for word in content_words(phrase)} - names
    counts = _word_counts(campaign)
    pointed_words = {
        word
        for word in matter_words | other_nouns
        if len(word) >= LEAST_LETTERS and 0 < counts[word] <= (MOST_NOTES if word in matter_words else 1)
    }
    if not pointed_words:
        return None
    best: tuple[int, Evidence] | None = None
    for one in person_evidence(person, profile, campaign):
        if one.source not in OPENLY_SAID or one.secret or one.is_only_asked or one.id in progress.evidence:
            continue
        for sentence in split_sentences(one.spoken):
            hits = len(pointed_words & set(content_words(sentence)))
            is_short = len(sentence.split()) <= LONGEST and not DEPENDENT.match(sentence)
            is_private = _PRIVATE.search(sentence) is not None
            if hits and is_short and not is_private and (best is None or hits > best[0]):
                best = hits, msgspec.structs.replace(one, spoken=sentence, relevance=1.0)
    return best[1] if best else None


def _word_counts(campaign: Campaign) -> Counter[str]:
    """Return in how many of the notes on people each word stands."""
    notes = (
        note
        for one in campaign.people.values()
        for note in (one.background, *one.motivations, *one.speech_patterns.examples)
    )
    return Counter(word for note in notes for word in set(content_words(note)))

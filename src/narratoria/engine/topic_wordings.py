"""Finds the topic whose very words a player types, whatever act the words may be."""

from __future__ import annotations

import re

import msgspec

from narratoria.campaign.campaign import Profile
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at
from narratoria.engine.story_evidence import topic_evidence
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.grammar import call_name
from narratoria.planner.intent import Intent, Mention

CERTAIN = 1.0  # the relevance of what is asked in its author's words
_NO_WORD = re.compile(r"[^\w\s]+|_")


def find_topic_by_wording(
    text: str, situation: StorySituation, last_person: str = ""
) -> tuple[Intent, Evidence] | None:
    """Return the question and the topic of somebody here that has exactly these words; None where none has.

    Whoever is named before or after the words is meant, else whoever was spoken to last, else anybody here.
    """
    people = people_at(situation.progress.place, situation.campaign, situation.progress)
    for person in sorted(people, key=lambda one: one != last_person):
        name, words = people[person].name, bare_words(text)
        has_name, rest = _without_name(words, people[person])
        questions = (words, rest) if has_name else (words,)
        for topic in topic_evidence(person, people[person], situation):
            if topic.secret or not any(bare_words(wording) in questions for wording in topic.questions[1:]):
                continue
            intent = Intent(
                act="ask",
                text=text,
                person=Mention(name, person, name),
                topic=text,
                kind=topic.kind,
                confidence=CERTAIN,
            )
            return intent, msgspec.structs.replace(topic, relevance=CERTAIN)
    return None


def bare_words(text: str) -> str:
    """Return words without signs, in small letters: what two typings of one question share."""
    return " ".join(_NO_WORD.sub("", text.casefold()).split())


def _without_name(words: str, profile: Profile) -> tuple[bool, str]:
    """Return whether the words begin or end with somebody's name, and the rest of them."""
    for name in map(bare_words, (profile.name, call_name(profile.name), *profile.name.split())):
        if words.startswith(f"{name} "):
            return True, words.removeprefix(f"{name} ")
        if words.endswith(f" {name}"):
            return True, words.removesuffix(f" {name}")
    return False, words

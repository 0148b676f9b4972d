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
TITLES = frozenset(
    ("mr", "mrs", "ms", "miss", "sir", "lady", "lord", "dr", "doc", "doctor", "captain", "brother", "sister")
) | {"father", "mother", "dame", "madame", "professor", "old", "dear"}
FILLERS = frozenset(("hey", "hi", "hello", "so", "ok", "well", "please", "then", "now", "and", "but")) | {
    "excuse me",
    "tell me",
}
_NO_WORD = re.compile(r"[^\w\s]+|_")


def find_topic_by_wording(
    text: str, situation: StorySituation, last_person: str = ""
) -> tuple[Intent, Evidence] | None:
    """Return the question and the topic of somebody here that has exactly these words; None where none has.

    Whoever is named before or after the words is meant, else whoever was spoken to last, else anybody here.
    """
    people = people_at(situation.progress.place, situation.campaign, situation.progress)
    for person in sorted(people, key=lambda one: one != last_person):
        name, questions = people[person].name, _without_address(bare_words(text), people[person])
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


def _without_address(words: str, profile: Profile) -> set[str]:
    """Return the words, and what is left of them without somebody's name and words that only begin or end."""
    forms = {*_forms_of_address(profile), *FILLERS}
    variants, remaining = {words}, [words]
    while remaining:
        one = remaining.pop()
        for form in forms:
            for rest in (one.removeprefix(f"{form} "), one.removesuffix(f" {form}")):
                if rest not in variants and " " in rest:
                    variants.add(rest)
                    remaining.append(rest)
    return variants


def _forms_of_address(profile: Profile) -> set[str]:
    """Return what somebody may be called: by their names, and by a title with or without one."""
    names = {bare_words(name) for name in (profile.name, call_name(profile.name), *profile.name.split())}
    titles = (names & TITLES) | ({"doctor", "doc"} if "dr" in names else set())
    return names | titles | {f"{title} {name}" for title in TITLES for name in names - TITLES}

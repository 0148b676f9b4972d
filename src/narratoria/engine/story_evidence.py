"""Gathers the evidence that may answer an intent: what people know and can say, and what a place shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from narratoria.campaign.campaign import Campaign, Place, Profile
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.memory.recall import Lore, Memory
from narratoria.engine.people import people_at, place_of, pronoun_for
from narratoria.engine.skill_findings import finding_evidence
from narratoria.engine.topics import is_open, needs_only_trust, topic_id
from narratoria.narrator.answer import LOOKS
from narratoria.narrator.evidence import Evidence, split_sentences
from narratoria.narrator.first_person import (
    as_own_wish,
    in_first_person,
    put_own_name,
)
from narratoria.narrator.grammar import call_name
from narratoria.narrator.own_account import as_own_account, make_teller, names_of
from narratoria.narrator.own_tie import as_own_tie
from narratoria.narrator.repertoire import strip_article
from narratoria.planner.intent import Intent
from narratoria.planner.mentions import content_words

ABOUT_SOMEBODY = re.compile(
    r"\bwho(?:['’]?s| is| are| was| were| else| lives| works| here| can)\b|"
    r"\b(?:where|anybody|anyone|somebody|everybody)\b",
    re.IGNORECASE,
)
OF_A_PICTURE = re.compile(  # whoever is shown or told of in a thing is not one of those who live here
    r"\b(?:in|on)\s+(?:the|that|this|your|his|her)\s+(?:\w+\s+)?(?:painting|picture|photo|photograph|drawing|portrait|"
    r"poster|statue|story|song|letter|book|page|postcard|frame)s?\b",
    re.IGNORECASE,
)
HANDLED = frozenset(  # acts in which one sees the thing of the place that they are done to
    (
        "move",
        "put",
        "play",
        "clean",
        "repair",
        "light",
        "force",
        "break",
        "throw",
        "wear",
        "close",
        "tie",
        "climb",
        "taste",
        "touch",
    )
)
KNOWN_BY_SIGHT = frozenset(("examine", "read", "use", "touch"))  # acts that recall what is known of a thing
ABOUT_NOTHING = frozenset(  # words of a look at everything
    (
        "around",
        "about",
        "round",
        "here",
        "room",
        "place",
        "everything",
        "everywhere",
        "carefully",
        "closely",
        "look",
    )
) | {"out", "closer", "again", "more", "surroundings", "search", "whole", "anything", "something", "useful"}
_OF_NO_AGE = re.compile(
    r"\b(?:unknown|uncertain|not certain|n/a)\b|\b(?:he|she|they|his|her|their)\b", re.IGNORECASE
)
MOST_PASSAGES = 150  # of lore that are all looked through; more are searched by the store


def candidates_for(
    intent: Intent,
    situation: StorySituation,
    *,
    lore: Sequence[Lore],
    memories: Sequence[Memory],
    by_witness: Mapping[str, Sequence[Memory]],
) -> list[Evidence]:
    """Return everything that may answer an intent: what this person can know, or what can be seen here."""
    campaign, progress = situation.campaign, situation.progress
    here = campaign.places.get(progress.place) or campaign.places[campaign.start]
    person = intent.person.id if intent.person else ""
    person_profile = campaign.people.get(person)
    candidates: list[Evidence] = []
    if intent.act in (
        "ask",
        "talk",
        "tell",
        "persuade",
        "accuse",
        "spy",
        "threaten",
        "lie",
        "bargain",
        "flirt",
    ):
        if person_profile and person in people_at(here.id, campaign, progress):
            candidates += topic_evidence(person, person_profile, situation)
            candidates += person_evidence(person, person_profile, campaign)
            candidates += [_of_memory(one) for one in by_witness.get(person, ()) if is_sayable(one.summary)]
        candidates += common_knowledge(situation, apart_from=person)
        candidates += [_as_own(one, person_profile) for one in lore_evidence(situation, lore)]
        for other, profile in campaign.people.items():
            if other != person:
                candidates += [
                    one
                    for one in person_evidence(other, profile, campaign)
                    if (one.secret and one.source != "thing") or one.source == "goal"
                ]
    elif intent.act == "think_back":
        candidates += [_of_memory(one) for one in memories]
        candidates += finding_evidence(progress)
        candidates += premise_evidence(campaign)
        candidates += lore_evidence(situation, lore)
        candidates += common_knowledge(situation, apart_from="")
    elif intent.act in LOOKS or intent.act == "use":
        if person_profile and not intent.thing:
            look = Evidence(
                id=f"appearance/{person}",
                text=person_profile.appearance,
                source="profile",
                about=person_profile.name,
            )
            candidates.append(look)
        candidates += finding_evidence(progress)
        candidates += place_evidence(here)
        candidates += beat_evidence(situation)
        if intent.act in KNOWN_BY_SIGHT:
            candidates += lore_evidence(situation, lore, is_said=False)
    elif intent.act in HANDLED:
        candidates += place_evidence(here)
    return [
        msgspec.structs.replace(one, is_repeat=True) if one.id in progress.evidence else one
        for one in candidates
        if one.text.strip() and _may_be_asked(one, intent)
    ]


def _may_be_asked(evidence: Evidence, intent: Intent) -> bool:
    """Return whether a question can be for it: who somebody is answers only those that name them."""
    if not evidence.id.startswith("who/"):
        return True
    question = intent.text or intent.topic
    is_named = bool(set(content_words(question)) & set(content_words(evidence.about)))
    is_of_anybody = ABOUT_SOMEBODY.search(question) is not None and not OF_A_PICTURE.search(question)
    return is_named or is_of_anybody


def topic_evidence(person: str, profile: Profile, situation: StorySituation) -> list[Evidence]:
    """Return what the author lets somebody be asked; what only trust is missing for is a secret."""
    evidence = []
    for topic in profile.topics:
        is_secret = needs_only_trust(topic, situation)
        if not is_secret and not is_open(topic, situation):
            continue
        identifier = topic_id(person, topic)
        is_repeat = identifier in situation.progress.evidence
        evidence.append(
            Evidence(
                id=identifier,
                text=topic.fact or topic.ask,
                source="topic",
                owner=person,
                about=topic.ask,
                secret=is_secret,
                questions=(topic.ask, *topic.also),
                kind=topic.kind,
                answer=topic.again if is_repeat and topic.again else topic.answer,
                fact=topic.fact,
            )
        )
    return evidence


def lore_evidence(situation: StorySituation, lore: Sequence[Lore], *, is_said: bool = True) -> list[Evidence]:
    """Return the lore of a small campaign, or what was recalled of a large one; to be said, what can be.

    What is written of a thing that the story still has to give is seen by nobody who has not got it.
    """
    passages = situation.campaign.lore
    if not passages or len(passages) > MOST_PASSAGES:
        pages = [_of_lore(one) for one in lore]
    else:
        pages = [
            Evidence(id=f"lore/{one.identifier}", text=one.text, source="lore", about=one.title)
            for one in passages
        ]
    if is_said:
        return [one for one in pages if is_speakable(one.text)]
    held_back = [
        words for item in _items_to_be_had(situation) if (words := set(content_words(strip_article(item))))
    ]
    return [one for one in pages if not any(words <= set(content_words(one.about)) for words in held_back)]


def _items_to_be_had(situation: StorySituation) -> set[str]:
    """Return the things that beats and topics give, and the player does not carry."""
    campaign = situation.campaign
    items = {
        item
        for beat in campaign.beats
        for effects in (beat.effects, *(outcome.effects for outcome in beat.outcomes))
        for item in effects.gain
    }
    topics = (topic for profile in campaign.people.values() for topic in profile.topics)
    items |= {item for topic in topics for item in topic.effects.gain}
    return items - set(items_of(situation.state))


def _as_own(lore: Evidence, speaker: Profile | None) -> Evidence:
    """Return lore that names whoever tells it in their own words, where it speaks of nobody else."""
    if speaker is None or call_name(speaker.name) not in lore.text:
        return lore
    who = pronoun_for(speaker)
    if re.search(r"\b(?:he|she|they|his|her|their|him|them)\b", lore.text, re.IGNORECASE):
        return lore
    return msgspec.structs.replace(
        lore, spoken=in_first_person(put_own_name(lore.text, names_of(speaker.name)), who)
    )


def find_evidence(identifier: str, person: str, situation: StorySituation) -> Evidence | None:
    """Return the evidence of this id, as somebody can tell it here and now; None where there is none."""
    return next((one for one in tellable_evidence(person, situation) if one.id == identifier), None)


def tellable_evidence(person: str, situation: StorySituation) -> list[Evidence]:
    """Return everything somebody can tell here and now: topics, what they are, lore, and who is where."""
    profile = situation.campaign.people.get(person)
    if profile is None:
        return []
    return [
        *topic_evidence(person, profile, situation),
        *person_evidence(person, profile, situation.campaign),
        *lore_evidence(situation, ()),
        *common_knowledge(situation, apart_from=person),
    ]


def person_evidence(person: str, profile: Profile, campaign: Campaign) -> list[Evidence]:
    """Return what somebody can say of themselves: background, wants, ties, sayings, and secrets."""
    who = pronoun_for(profile)
    teller = make_teller(
        profile.name,
        who,
        tuple((one.name, pronoun_for(one)) for other, one in campaign.people.items() if other != person),
        f"{profile.background} {profile.secrets}",
    )
    evidence: list[Evidence] = []

    def add(name: str, text: str, source: Any, spoken: str, about: str = "", *, secret: bool = False) -> None:
        if text and spoken:
            evidence.append(
                Evidence(
                    id=f"{person}/{name}",
                    text=text,
                    source=source,
                    owner=person,
                    about=about or profile.name,
                    spoken=spoken,
                    secret=secret,
                )
            )

    for at, sentence in enumerate(_pairs(profile.background)):
        add(f"background/{at}", sentence, "profile", as_own_account(sentence, teller))
    age = _age_of(profile)
    add("age", f"{profile.name} is {age}.", "profile", age and f"{_capital(age)}.")
    for at, motive in enumerate((*profile.motivations, *(goal.goal for goal in profile.goals))):
        if wish := as_own_wish(motive, who):
            add(f"wants/{at}", f"{profile.name} wants to {wish}", "goal", f"I want to {wish}.")
    for other, note in profile.relationships.items():
        name = campaign.people[other].name if other in campaign.people else other
        their_pronoun = pronoun_for(campaign.people[other]) if other in campaign.people else None
        if clause := as_own_tie(note, who, profile.name, their_pronoun, name):
            add(f"ties/{other}", f"{name}: {note}", "relationship", f"{call_name(name)}? {clause}", name)
    for at, saying in enumerate(profile.speech_patterns.examples):
        add(f"says/{at}", saying, "saying", saying)
    for at, item in enumerate(profile.inventory):
        add(f"has/{at}", f"{profile.name} has {item}", "thing", f"I have {item}.", item, secret=True)
    if profile.role:
        introduction = f"{call_name(profile.name)}, {_uncapital(profile.role)}, if you want it in a word."
        add("role", f"{profile.name} is {_article(profile.role)}", "profile", introduction)
    for at, paragraph in enumerate(_paragraphs(profile.secrets)):
        add(
            f"secret/{at}",
            paragraph,
            "secret",
            as_own_account(paragraph, teller),
            secret=True,
        )
    return evidence


def _age_of(profile: Profile) -> str:
    """Return how old somebody is, as they say it themselves; nothing where nobody knows."""
    age = re.split(r",? (?:which|who|as|and has)\b", profile.age.strip().rstrip("."))[0].rstrip(",")
    return "" if _OF_NO_AGE.search(age) else age


def common_knowledge(situation: StorySituation, *, apart_from: str) -> list[Evidence]:
    """Return what everybody knows of the others: who they are and where they are to be found."""
    campaign, progress = situation.campaign, situation.progress
    evidence = []
    for other, profile in campaign.people.items():
        if other == apart_from or (
            other not in progress.met_people and profile.metadata.importance == "hidden"
        ):
            continue
        at = campaign.places.get(place_of(other, campaign, progress))
        if other in progress.dead:
            text = f"{profile.name} is dead."
        elif at and profile.role:
            them = {"he": "him", "she": "her", "it": "it"}.get(pronoun_for(profile), "them")
            is_here = at.id == progress.place
            where = f"That's {them}, over there." if is_here else f"You'll find {them} at {at.in_a_sentence}."
            text = f"{profile.name}? {_capital(profile.role)}. {where}"
        else:
            continue
        evidence.append(Evidence(id=f"who/{other}", text=text, source="profile", about=profile.name))
    return evidence


def place_evidence(here: Place) -> list[Evidence]:
    return [
        Evidence(id=f"place/{here.id}/{at}", text=text, source="place", about=here.name)
        for at, text in enumerate((here.arrival, *here.details))
        if text
    ]


def premise_evidence(campaign: Campaign) -> list[Evidence]:
    """Return what the player was told at the beginning."""
    return [
        Evidence(id=f"premise/{at}", text=text, source="journal")
        for at, text in enumerate(campaign.premise)
        if text
    ]


def look_evidence(campaign: Campaign) -> list[Evidence]:
    """Return what a look at a carried thing may show wherever the player is: the beginning, and lore."""
    return [
        *premise_evidence(campaign),
        *(
            Evidence(id=f"lore/{one.identifier}", text=one.text, source="lore", about=one.title)
            for one in campaign.lore
        ),
    ]


def beat_evidence(situation: StorySituation) -> list[Evidence]:
    """Return what the player has lived through, as the author told it: a letter that was read stays read."""
    return [
        Evidence(id=f"beat/{beat.id}", text=beat.description, source="journal", about=beat.title)
        for beat in situation.campaign.beats
        if beat.id in situation.progress.beat_outcomes
    ]


def is_sayable(summary: str) -> bool:
    """Return whether somebody could tell a memory: a sentence that nobody typed, and no answer they got."""
    is_answer = re.search(r"\b(?:told|showed) you\b", summary)
    return (
        "?" not in summary
        and "“" not in summary
        and not is_answer
        and not re.match(r"[^.]{3,40}: [a-z]", summary)
    )


def is_speakable(text: str) -> bool:
    """Return whether somebody could say a passage: no list of moments or ways, nothing told to the player."""
    return not text.lstrip().startswith(("-", "*")) and not re.search(r"\b[Yy]ou(?:r|rs)?\b", text)


def _of_lore(lore: Lore) -> Evidence:
    return Evidence(
        id=f"lore/{lore.id}", text=lore.text, source="lore", about=lore.heading, relevance=lore.relevance
    )


def _of_memory(memory: Memory) -> Evidence:
    return Evidence(id=f"memory/{memory.id}", text=memory.summary, source="memory")


def question_of(intent: Intent) -> str:
    """Return the words by which evidence is looked for."""
    if intent.act in ("look", "search") and not intent.thing:
        words = set(content_words(intent.text)[1:])
        return intent.text if words - ABOUT_NOTHING else ""
    parts = [intent.topic or intent.text]
    if intent.thing and intent.thing.name:
        parts.append(intent.thing.name)
    return " ".join(parts)


def _pairs(text: str) -> list[str]:
    sentences = split_sentences(text)
    return [" ".join(sentences[at : at + 2]) for at in range(0, len(sentences), 2)]


def _paragraphs(text: str) -> list[str]:
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [
        part for part in parts if part and not part.startswith("#") and part.casefold() != "see secrets.md"
    ]


def _capital(text: str) -> str:
    text = text.strip().rstrip(".")
    return text[:1].upper() + text[1:]


def _uncapital(role: str) -> str:
    role = role.strip().rstrip(".")
    return role if role[1:2].isupper() else role[:1].lower() + role[1:]


def _article(role: str) -> str:
    role = role.strip().rstrip(".")
    if re.match(r"(?:the|a|an|one|some|my|your|our)\b", role, re.IGNORECASE):
        return role[:1].lower() + role[1:]
    text = role[:1].lower() + role[1:]
    return f"{'an' if re.match(r'[aeiou]|hon|hour|heir', text) else 'a'} {text}"

"""Reads an action against the story: what it means, what the author wrote for it, and what bears on it.

An `Understanding` is made once, before the scene, and is kept with the turn: replay reads nothing anew.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Place, Profile
from narratoria.engine import beats
from narratoria.engine.action import ANSWERED_KINDS, here_of, openings_at, situation_of
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.effects import WORLD
from narratoria.engine.meaning import Understanding
from narratoria.engine.memory.recall import Lore, Memory, RecallResult
from narratoria.engine.people import people_at, place_of, pronoun_for
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.ways import distances_from
from narratoria.narrator.evidence import (
    Evidence,
    load_evidence_chooser,
    rank_evidence,
    split_sentences,
)
from narratoria.narrator.first_person import as_own_deed, as_own_wish, in_first_person
from narratoria.narrator.grammar import call_name
from narratoria.narrator.repertoire import strip_article
from narratoria.planner.intent import (
    Intent,
    KnownPerson,
    KnownPlace,
    KnownThing,
    Mention,
    Offer,
    Question,
    ReadingContext,
)
from narratoria.planner.mentions import content_words, noun_phrases
from narratoria.planner.read import read_by_words
from narratoria.planner.route import find_offer

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.narrator.evidence import Vectors
    from narratoria.planner.read import IntentReader

Embed: TypeAlias = "Callable[[Sequence[str]], Awaitable[Vectors]]"
IDENTITY = re.compile(
    r"\bwho (?:are|r) (?:you|u)\b|\b(?:your|ur) name\b|\bwhat do you do\b|\bwho (?:he|she|they) (?:is|are)\b",
    re.IGNORECASE,
)
PLAIN_TALK = re.compile(r"\W*(?:talk|speak|chat)\s+(?:to|with)\b[^:,]*$", re.IGNORECASE)
RECENT_PREMISE = 12  # scenes in which what the premise named is still at hand
SAME_WORDS = 0.75  # of an offer's words in an action: it is that offer
MOST_EVIDENCE = 6  # pieces that are kept with a turn
_NOT_NOUNS = frozenset(
    [
        "hang",
        "hangs",
        "hung",
        "stand",
        "stands",
        "stood",
        "lie",
        "lies",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "carved",
        "carrying",
        "same",
    ]
)


@dataclass(frozen=True, slots=True)
class Understander:
    """Reads, routes and finds, with the reader and the embedder of this machine."""

    reader: IntentReader
    embed: Embed | None

    async def understand(
        self,
        text: str,
        situation: StorySituation,
        openings: Sequence[Beat],
        *,
        lore: Sequence[Lore] = (),
        memories: Sequence[Memory] = (),
        by_witness: Mapping[str, Sequence[Memory]] | None = None,
        last_person: str = "",
        last_thing: str = "",
    ) -> Understanding:
        """Return what the words mean here and now."""
        context = reading_context(situation, openings, last_person=last_person, last_thing=last_thing)
        reading = await self.reader.read(text, context)
        if reading.question is not None:
            return Understanding(question=reading.question)
        if beat := await self._route(text, reading.intents, context):
            return Understanding(intents=reading.intents, beat=beat)
        evidence = []
        for intent in reading.intents:
            candidates = candidates_for(
                intent, situation, lore=lore, memories=memories, by_witness=by_witness or {}
            )
            evidence.append(await self.rank(_question(intent), candidates))
        return Understanding(intents=reading.intents, evidence=tuple(evidence))

    async def ask_back(self, text: str, story: StorySnapshot, campaign: Campaign) -> Question | None:
        """Return the question that words which cannot be made out are met with, or None where they can be."""
        situation = situation_of(story, campaign)
        openings = openings_at(here_of(situation), situation)
        context = reading_context(situation, openings, last_person=story.progress.last_person)
        return (await self.reader.read(text, context)).question

    async def understand_choice(
        self, choice: Choice, story: StorySnapshot, campaign: Campaign, recall_result: RecallResult
    ) -> Understanding | None:
        """Return what a choice means, typed or picked; None for one that says by itself what it is."""
        if choice.kind not in ANSWERED_KINDS or story.progress.ending:
            return None
        situation = situation_of(story, campaign, recall_result)
        here = here_of(situation)
        if choice.kind == "wait":
            return Understanding(intents=(Intent(act="wait", text=choice.text),), evidence=((),))
        openings = openings_at(here, situation) if choice.kind == "free" else []
        meaning = await self.understand(
            choice.text,
            situation,
            openings,
            lore=recall_result.lore,
            memories=recall_result.memories,
            by_witness=recall_result.by_witness,
            last_person=story.progress.last_person,
            last_thing=story.progress.last_thing,
        )
        if choice.kind == "talk":
            return await self._talk(choice, meaning, situation)
        return meaning

    async def _talk(self, choice: Choice, meaning: Understanding, situation: StorySituation) -> Understanding:
        """Return what a picked talk is about: its own words, or what this person would speak of by now."""
        profile = situation.campaign.people[choice.target]
        person = Mention(call_name(profile.name), choice.target, profile.name)
        first = meaning.intents[0] if meaning.intents else Intent(act="talk", text=choice.text)
        intent = msgspec.structs.replace(first, person=person, text=choice.text)
        if not PLAIN_TALK.match(choice.text):
            evidence = meaning.evidence[:1] or ((),)
            if choice.topic:
                candidates = person_evidence(choice.target, profile, situation.campaign)
                topic = msgspec.structs.replace(intent, act="ask", topic=choice.topic)
                return Understanding(intents=(topic,), evidence=(await self.rank(choice.topic, candidates),))
            return Understanding(intents=(intent,), evidence=evidence)
        used_ids = set(situation.progress.evidence)
        candidates = [
            one
            for one in person_evidence(choice.target, profile, situation.campaign)
            if one.id not in used_ids and not one.secret
        ]
        recent = " ".join(summary.text for summary in situation.progress.history.recent[-2:]) or choice.text
        ranked = await self.rank(recent, candidates)
        likely = tuple(msgspec.structs.replace(one, relevance=1.0) for one in ranked[:1])
        talk = msgspec.structs.replace(intent, act="talk", topic="")
        return Understanding(intents=(talk,), evidence=(likely,))

    async def rank(self, question: str, candidates: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence that bears most on a question."""
        if not candidates or not question:
            return ()
        texts = [f"{one.about}: {one.text}" if one.about else one.text for one in candidates]
        vectors: list[Any] = [None] * len(texts)
        question_vector = None
        if self.embed is not None:
            rows = await self.embed([question, *texts])
            question_vector, vectors = rows[0], list(rows[1:])
        if IDENTITY.search(question) and (
            role_evidence := next((one for one in candidates if one.id.endswith("/role")), None)
        ):
            return (msgspec.structs.replace(role_evidence, relevance=1.0),)
        ranked = rank_evidence(
            question,
            candidates,
            question_vector=question_vector,
            vectors=vectors,
            chooser=load_evidence_chooser(),
        )
        return tuple(ranked[:MOST_EVIDENCE])

    async def _route(self, text: str, intents: Sequence[Intent], context: ReadingContext) -> str:
        if not context.offers:
            return ""
        wordings = [wording for offer in context.offers for wording in offer.texts]
        vector, vectors = None, {}
        if self.embed is not None:
            rows = await self.embed([text, *wordings])
            vector, vectors = rows[0], dict(zip(wordings, rows[1:], strict=True))
        acts = {wording: self.reader.act_probabilities(wording) for wording in wordings}
        route = find_offer(
            text,
            intents,
            context.offers,
            vector=vector,
            vectors=vectors,
            acts=self.reader.act_probabilities(text),
            offer_acts=acts,
        )
        return route.offer if route else ""


def understand_by_words(
    choice: Choice, story: StorySnapshot, campaign: Campaign, recall_result: RecallResult
) -> Understanding | None:
    """Return what a choice means by its words alone, where no model read it."""
    if story.progress.ending:
        return None
    situation = situation_of(story, campaign, recall_result)
    openings = openings_at(here_of(situation), situation) if choice.kind == "free" else []
    context = reading_context(situation, openings, last_person=story.progress.last_person)
    reading = read_by_words().read_now(choice.text, context)
    intents = reading.intents or (Intent(act="wait", text=choice.text),)
    if choice.kind == "wait":
        intents = (Intent(act="wait", text=choice.text),)
    if choice.kind == "talk" and choice.target in campaign.people:
        name = campaign.people[choice.target].name
        person = Mention(call_name(name), choice.target, name)
        intents = (msgspec.structs.replace(intents[0], person=person, text=choice.text),)
    evidence = tuple(
        tuple(
            rank_evidence(
                _question(intent),
                candidates := candidates_for(
                    intent,
                    situation,
                    lore=recall_result.lore,
                    memories=recall_result.memories,
                    by_witness=recall_result.by_witness,
                ),
                question_vector=None,
                vectors=[None] * len(candidates),
                chooser=load_evidence_chooser(),
            )[:MOST_EVIDENCE]
        )
        for intent in intents
    )
    action_words = set(content_words(choice.text))
    for offer in context.offers:
        words = [set(content_words(wording)) for wording in offer.texts]
        if any(one and len(one & action_words) >= SAME_WORDS * len(one) for one in words):
            return Understanding(intents=intents, beat=offer.id)
    return Understanding(intents=intents, evidence=evidence)


def reading_context(
    situation: StorySituation, openings: Sequence[Beat], *, last_person: str = "", last_thing: str = ""
) -> ReadingContext:
    """Return everything the player's words may point at, as values for the reader."""
    campaign, progress = situation.campaign, situation.progress
    here = campaign.places.get(progress.place) or campaign.places[campaign.start]
    present = people_at(here.id, campaign, progress)
    distances = distances_from(here, campaign)
    return ReadingContext(
        people=tuple(
            KnownPerson(
                id=name,
                name=profile.name,
                short=call_name(profile.name),
                pronoun=pronoun_for(profile),
                present=name in present,
                alive=name not in progress.dead,
                descriptions=(profile.role, profile.appearance.split(".")[0], profile.metadata.faction),
            )
            for name, profile in sorted(campaign.people.items(), key=lambda one: one[0] not in present)
        ),
        things=tuple(_with_offered_things(things_at(here, situation), openings)),
        places=tuple(
            KnownPlace(place.id, place.name, distances.get(place.id))
            for place in campaign.places.values()
            if place.id != here.id
        ),
        offers=tuple(
            Offer(
                beat.id,
                tuple(dict.fromkeys((beats.offer_of(beat), *beat.conditions.player_choices))),
                beat.npcs,
            )
            for beat in openings
        ),
        last_person=last_person,
        last_thing=last_thing,
        place_name=here.in_a_sentence,
    )


def things_at(here: Place, situation: StorySituation) -> list[KnownThing]:
    """Return the objects one can speak of: carried, held by who is here, lying here, part of the place."""
    campaign, progress, state = situation.campaign, situation.progress, situation.state
    known_things = [KnownThing(item, item, "player") for item in items_of(state)]
    for person, profile in people_at(here.id, campaign, progress).items():
        known_things += [
            KnownThing(strip_article(item), strip_article(item), person) for item in profile.inventory
        ]
    world = state.get(WORLD)
    things = world.get("things", {}) if isinstance(world, Mapping) else {}
    gone_names = {name for name, one in things.items() if one.get("holder")}
    known_things += [KnownThing(name, name) for name, one in things.items() if one.get("place") == here.id]
    premise = campaign.premise if progress.scene < RECENT_PREMISE else ()
    gone_names |= {
        item
        for name in progress.beat_outcomes
        if (beat := campaign.beat(name))
        for effect in beats.effects(beat, progress.beat_outcomes[name])
        for item in effect.lose
    } - set(items_of(state))
    text = " ".join((here.arrival, *here.details, *here.moments, *premise))
    for phrase in noun_phrases(text):
        words = [word for word in phrase.split() if word.casefold() not in _NOT_NOUNS]
        name = " ".join(words[:2]).strip(".,;:!?’'")
        if not any(one.endswith(name) for one in gone_names) and len(name) > 3 and content_words(name):
            known_things.append(KnownThing(name, name))
    return list({thing.id: thing for thing in reversed(known_things)}.values())[::-1]


def _with_offered_things(things: list[KnownThing], openings: Sequence[Beat]) -> list[KnownThing]:
    """Return the objects of a place, and those that an offer speaks of: the player has them or sees them."""
    names = {thing.name for thing in things}
    offered_things = [
        KnownThing(phrase, phrase, "player" if re.search(rf"\byour {re.escape(phrase)}", text) else "")
        for beat in openings
        for text in (beats.offer_of(beat),)
        for phrase in noun_phrases(text)
        if content_words(phrase)
    ]
    return [*things, *(thing for thing in offered_things if thing.name not in names)]


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
            candidates += person_evidence(person, person_profile, campaign)
            candidates += [_of_memory(one) for one in by_witness.get(person, ())]
        candidates += common_knowledge(situation, apart_from=person)
        candidates += [_of_lore(one) for one in lore if is_speakable(one)]
        for other, profile in campaign.people.items():
            if other != person:
                candidates += [
                    one
                    for one in person_evidence(other, profile, campaign)
                    if one.secret or one.source == "goal"
                ]
    elif intent.act == "think_back":
        candidates += [_of_memory(one) for one in memories]
        candidates += [_of_lore(one) for one in lore]
    elif intent.act in (
        "look",
        "examine",
        "search",
        "listen",
        "read",
        "smell",
        "taste",
        "touch",
        "open",
        "use",
    ):
        if person_profile:
            look = Evidence(
                id=f"appearance/{person}",
                text=person_profile.appearance,
                source="profile",
                about=person_profile.name,
            )
            candidates.append(look)
        candidates += place_evidence(here)
        candidates += [_of_lore(one) for one in lore]
    return [one for one in candidates if one.text.strip() and one.id not in progress.evidence]


def person_evidence(person: str, profile: Profile, campaign: Campaign) -> list[Evidence]:
    """Return what somebody can say of themselves: background, wants, ties, sayings, and secrets."""
    who = pronoun_for(profile)
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
        add(f"background/{at}", sentence, "profile", in_first_person(_with_pronouns(sentence, profile), who))
    for at, motive in enumerate((*profile.motivations, *(goal.goal for goal in profile.goals))):
        if wish := as_own_wish(motive, who):
            add(f"wants/{at}", f"{profile.name} wants to {wish}", "goal", f"I want to {wish}.")
    for other, note in profile.relationships.items():
        name = campaign.people[other].name if other in campaign.people else other
        if introduction := as_own_deed(note, who):
            add(
                f"ties/{other}", f"{name}: {note}", "relationship", f"{call_name(name)}? {introduction}", name
            )
    for at, saying in enumerate(profile.speech_patterns.examples):
        add(f"says/{at}", saying, "saying", saying)
    for at, item in enumerate(profile.inventory):
        add(f"has/{at}", f"{profile.name} has {item}", "thing", f"I have {item}.", item, secret=True)
    if profile.role:
        introduction = f"{call_name(profile.name)}. {_capital(profile.role)}, if you want it in a word."
        add("role", f"{profile.name} is {_article(profile.role)}", "profile", introduction)
    for at, paragraph in enumerate(_paragraphs(profile.secrets)):
        add(
            f"secret/{at}",
            paragraph,
            "secret",
            in_first_person(_with_pronouns(paragraph, profile), who),
            secret=True,
        )
    return evidence


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
            where = f"You'll find {them} at {at.in_a_sentence}."
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


def is_speakable(lore: Lore) -> bool:
    """Return whether somebody could say a passage: no list of moments or ways, nothing told to the player."""
    return not lore.text.lstrip().startswith(("-", "*")) and not re.search(r"\b[Yy]ou(?:r|rs)?\b", lore.text)


def _of_lore(lore: Lore) -> Evidence:
    return Evidence(
        id=f"lore/{lore.id}", text=lore.text, source="lore", about=lore.heading, relevance=lore.relevance
    )


def _of_memory(memory: Memory) -> Evidence:
    return Evidence(id=f"memory/{memory.id}", text=memory.summary, source="memory")


def _question(intent: Intent) -> str:
    """Return the words by which evidence is looked for."""
    if intent.act in ("look", "search") and not intent.thing:
        return ""
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


def _with_pronouns(text: str, profile: Profile) -> str:
    """Return a note with the person's own name as a pronoun, so that it can be put in the first person."""
    who = {"he": "he", "she": "she"}.get(pronoun_for(profile), "they")
    for name in (profile.name, call_name(profile.name)):
        text = re.sub(rf"(^|[.!?]\s+){re.escape(name)}\b(?!['’])", lambda m: m[1] + who.capitalize(), text)
        text = re.sub(rf"\b{re.escape(name)}\b(?!['’])", who, text)
    return text


def _capital(text: str) -> str:
    text = text.strip().rstrip(".")
    return text[:1].upper() + text[1:]


def _article(role: str) -> str:
    role = role.strip().rstrip(".")
    if re.match(r"(?:the|a|an|one|some|my|your|our)\b", role, re.IGNORECASE):
        return role[:1].lower() + role[1:]
    text = role[:1].lower() + role[1:]
    return f"{'an' if text[:1] in 'aeiou' else 'a'} {text}"

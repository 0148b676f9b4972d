"""Reads a choice against the story: what it means, which offer it takes up, and what bears on it.

An `Understanding` is made once, before the scene, and is kept with the turn: replay reads nothing anew.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from narratoria.campaign.campaign import Beat, Campaign
from narratoria.engine.action import (
    ANSWERED_KINDS,
    find_offered_beat,
    here_of,
    openings_at,
    situation_of,
)
from narratoria.engine.conditions import StorySituation
from narratoria.engine.memory.recall import Lore, Memory, RecallResult
from narratoria.engine.reading import Understanding, reading_context
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.story_evidence import candidates_for, person_evidence, question_of
from narratoria.narrator.evidence import Evidence, load_evidence_chooser, rank_evidence
from narratoria.narrator.grammar import call_name
from narratoria.planner.intent import Intent, Mention, Question, ReadingContext
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
MOST_EVIDENCE = 6  # pieces that are kept with a turn


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
            evidence.append(await self.rank(question_of(intent), candidates))
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
    if beat := find_offered_beat(choice.text, openings):
        return Understanding(intents=intents, beat=beat.id)
    evidence = tuple(
        tuple(
            rank_evidence(
                question_of(intent),
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
    return Understanding(intents=intents, evidence=evidence)

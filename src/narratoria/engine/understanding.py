"""Reads a choice against the story: what it means, which offer it takes up, and what bears on it.

An `Understanding` is made once, before the scene, and is kept with the turn: replay reads nothing anew.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Profile
from narratoria.engine.action import (
    find_offered_beat,
    here_of,
    is_answered,
    openings_at,
    situation_of,
)
from narratoria.engine.conditions import StorySituation
from narratoria.engine.evidence_focus import join_neighbours, with_focus
from narratoria.engine.memory.recall import Lore, Memory, RecallResult
from narratoria.engine.reading import Understanding, reading_context
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.story_evidence import (
    candidates_for,
    find_evidence,
    person_evidence,
    question_of,
    topic_evidence,
)
from narratoria.narrator.evidence import (
    Evidence,
    key_words,
    load_evidence_chooser,
    rank_evidence,
    shared_words,
)
from narratoria.narrator.grammar import TITLES, call_name
from narratoria.planner.intent import Intent, Mention, Question, ReadingContext
from narratoria.planner.mentions import content_words
from narratoria.planner.read import read_by_words
from narratoria.planner.route import find_offer

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.inference.text_matcher import TextMatcher
    from narratoria.narrator.evidence import Vectors
    from narratoria.planner.read import IntentReader

Embed: TypeAlias = "Callable[[Sequence[str]], Awaitable[Vectors]]"
IDENTITY = re.compile(
    r"\bwho (?:are|r) (?:you|u)\b|\b(?:your|ur) name\b|\bwhat do you do\b|\bwho (?:he|she|they) (?:is|are)\b",
    re.IGNORECASE,
)
WANTS = re.compile(
    r"\bwhat (?:do|would|did) you (?:\w+ )?want\b|\bwhat are you (?:after|hoping for)\b|"
    r"\byour (?:dream|wish)\b",
    re.IGNORECASE,
)
SURE = 0.5  # of a relevance: it answers
MOST_MATCHED = 12  # pieces that the matcher looks at, the likeliest by a quicker measure
UNNAMED = 0.3  # of a relevance is left to evidence that does not name whom the question is about
SEEN = frozenset(("look", "examine", "search", "read", "touch", "smell", "taste", "listen", "open"))
MOST_EVIDENCE = 6  # pieces that are kept with a turn


@dataclass(frozen=True, slots=True)
class Understander:
    """Reads, routes and finds, with the reader and the embedder of this machine."""

    reader: IntentReader
    embed: Embed | None
    matcher: TextMatcher | None = None

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
        if not _is_way(reading.intents, situation) and (
            beat := await self._route(text, reading.intents, context)
        ):
            return Understanding(intents=reading.intents, beat=beat)
        evidence = []
        for intent in reading.intents:
            candidates = candidates_for(
                intent, situation, lore=lore, memories=memories, by_witness=by_witness or {}
            )
            ranked = await self.rank(question_of(intent), candidates)
            ranked = weigh_names(intent, ranked, candidates, situation)
            if intent.act not in SEEN:
                ranked = join_neighbours(ranked, candidates)
                ranked = await with_focus(question_of(intent), ranked, self.matcher)
            evidence.append(ranked)
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
        situation = situation_of(story, campaign, recall_result)
        if not is_answered(choice, situation):
            return None
        if picked := understand_picked(choice, situation):
            return picked
        return await self.understand(
            choice.text,
            situation,
            openings_at(here_of(situation), situation),
            lore=recall_result.lore,
            memories=recall_result.memories,
            by_witness=recall_result.by_witness,
            last_person=story.progress.last_person,
            last_thing=story.progress.last_thing,
        )

    async def rank(self, question: str, candidates: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence that bears most on a question."""
        if not candidates or not question:
            return ()
        texts = [f"{one.about}: {one.text}" if one.about else one.text for one in candidates]
        wordings = list(dict.fromkeys(text for one in candidates for text in one.questions))
        vectors: list[Any] = [None] * len(texts)
        question_vector, wording_vectors = None, {}
        if self.embed is not None:
            rows = await self.embed([question, *texts, *wordings])
            question_vector, vectors = rows[0], list(rows[1 : len(texts) + 1])
            wording_vectors = dict(zip(wordings, rows[len(texts) + 1 :], strict=True))
        if IDENTITY.search(question) and (
            role_evidence := next((one for one in candidates if one.id.endswith("/role")), None)
        ):
            return (msgspec.structs.replace(role_evidence, relevance=1.0),)
        if apart := [one for one in candidates if not one.id.endswith("/role")]:
            keep = [at for at, one in enumerate(candidates) if not one.id.endswith("/role")]
            candidates, vectors = apart, [vectors[at] for at in keep]
        ranked = rank_evidence(
            question,
            candidates,
            question_vector=question_vector,
            vectors=vectors,
            chooser=load_evidence_chooser(),
            wording_vectors=wording_vectors,
        )
        if self.matcher is not None:
            ranked = await asyncio.to_thread(self._match_evidence, question, candidates, ranked)
        if WANTS.search(question) and ranked[0].relevance < SURE:
            goals = [one for one in candidates if one.source == "goal"]
            ranked = [*(msgspec.structs.replace(one, relevance=SURE) for one in goals[:1]), *ranked]
        return tuple(ranked[:MOST_EVIDENCE])

    def _match_evidence(
        self, question: str, candidates: Sequence[Evidence], ranked: Sequence[Evidence]
    ) -> list[Evidence]:
        """Return the likeliest evidence by what a trained matcher makes of each piece."""
        assert self.matcher is not None
        shared = dict(
            zip(
                (one.id for one in candidates),
                shared_words(question, [_as_passage(one) for one in candidates]),
                strict=True,
            )
        )
        likely = ranked[:MOST_MATCHED]
        matches = self.matcher.match(
            question, [_as_passage(one) for one in likely], [shared[one.id] for one in likely], "question"
        )
        rescored = [
            msgspec.structs.replace(
                one, relevance=round(max(match, one.relevance) if one.questions else match, 4)
            )
            for one, match in zip(likely, matches, strict=True)
        ]
        return sorted(rescored, key=lambda one: -one.relevance)

    async def _route(self, text: str, intents: Sequence[Intent], context: ReadingContext) -> str:
        if not context.offers:
            return ""
        wordings = [wording for offer in context.offers for wording in offer.texts]
        vector, vectors = None, {}
        if self.embed is not None:
            rows = await self.embed([text, *wordings])
            vector, vectors = rows[0], dict(zip(wordings, rows[1:], strict=True))
        matches: dict[str, float] = {}
        if self.matcher is not None:
            shared = shared_words(text, wordings)
            probabilities = await asyncio.to_thread(self.matcher.match, text, wordings, shared, "offer")
            matches = dict(zip(wordings, probabilities, strict=True))
        route = find_offer(
            text,
            intents,
            context.offers,
            vector=vector,
            vectors=vectors,
            acts=self.reader.act_probabilities(text),
            offer_acts={wording: self.reader.act_probabilities(wording) for wording in wordings},
            matches=matches,
        )
        return route.offer if route else ""


def _is_way(intents: Sequence[Intent], situation: StorySituation) -> bool:
    """Return whether the words are a going to another place that the story knows."""
    first = intents[0]
    return (
        first.act == "go" and first.place is not None and first.place.id not in ("", situation.progress.place)
    )


def weigh_names(
    intent: Intent, ranked: Sequence[Evidence], candidates: Sequence[Evidence], situation: StorySituation
) -> tuple[Evidence, ...]:
    """Return the evidence again: what names the thing looked at first, what names nobody asked about last."""
    if intent.act in SEEN and intent.thing:
        noun = next(reversed(content_words(intent.thing.name or intent.thing.text)), "")
        naming = [
            msgspec.structs.replace(one, relevance=max(one.relevance, SURE))
            for one in sorted(candidates, key=lambda one: (one.id.endswith("/0"), one.id))
            if one.source in ("place", "journal") and noun and noun in content_words(one.text)
        ]
        best = [one for one in ranked if one.id in {each.id for each in naming}]
        naming = sorted(naming, key=lambda one: -next((b.relevance for b in best if b.id == one.id), 0.0))
        return (*naming, *(one for one in ranked if one.id not in {each.id for each in naming}))[
            :MOST_EVIDENCE
        ]
    listener = intent.person.id if intent.person else ""
    names = _names_in(intent.text, listener, situation.campaign)
    if not names:
        return tuple(ranked)
    weighed = [
        one
        if one.questions or names & set(re.findall(r"[A-Za-z]+", f"{one.about} {one.text}".casefold()))
        else msgspec.structs.replace(one, relevance=round(one.relevance * UNNAMED, 4))
        for one in ranked
    ]
    return tuple(sorted(weighed, key=lambda one: -one.relevance))


def _names_in(text: str, listener: str, campaign: Campaign) -> set[str]:
    """Return the names that a question speaks of, in lower case, without that of whoever is asked."""
    own = (
        set(re.findall(r"[a-z]+", campaign.people[listener].name.casefold()))
        if listener in campaign.people
        else set()
    )
    known = {
        word for profile in campaign.people.values() for word in re.findall(r"[A-Z][a-z]{2,}", profile.name)
    }
    capitalised = set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]{2,}", text))
    words = set(re.findall(r"[a-z]+", text.casefold()))
    mentioned = {name.casefold() for name in known if name.casefold() in words} | {
        name.casefold() for name in capitalised
    }
    for name, profile in campaign.people.items():
        role = content_words(profile.role.split(",")[0].split(" of ")[0])
        if name != listener and role and role[-1] in words and len(role[-1]) > 3:
            mentioned |= set(re.findall(r"[a-z]{3,}", profile.name.casefold()))
    return mentioned - own - TITLES


def _as_passage(evidence: Evidence) -> str:
    return f"{evidence.about}: {evidence.text}" if evidence.about else evidence.text


def understand_picked(choice: Choice, situation: StorySituation) -> Understanding | None:
    """Return what a picked choice means, without reading it: it says what is done, to whom and about what."""
    if choice.kind in ("wait", "look"):
        return Understanding(intents=(Intent(act=choice.kind, text=choice.text),), evidence=((),))
    profile = situation.campaign.people.get(choice.target)
    if choice.kind != "talk" or profile is None:
        return None
    intent = Intent(
        act=choice.act or "talk",
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


def _next_to_say(person: str, profile: Profile, situation: StorySituation) -> Evidence | None:
    """Return what somebody would speak of by now: what they have not said, nearest to what just happened."""
    recent = set(key_words(" ".join(summary.text for summary in situation.progress.history.recent[-3:])))
    candidates = [
        one
        for one in (
            *topic_evidence(person, profile, situation),
            *person_evidence(person, profile, situation.campaign),
        )
        if not one.secret and one.id not in situation.progress.evidence
    ]
    return max(
        candidates, key=lambda one: len(recent & set(key_words(f"{one.about} {one.text}"))), default=None
    )


def understand_by_words(
    choice: Choice, story: StorySnapshot, campaign: Campaign, recall_result: RecallResult
) -> Understanding | None:
    """Return what a choice means by its words alone, where no model read it."""
    situation = situation_of(story, campaign, recall_result)
    if not is_answered(choice, situation):
        return None
    if picked := understand_picked(choice, situation):
        return picked
    openings = openings_at(here_of(situation), situation)
    context = reading_context(situation, openings, last_person=story.progress.last_person)
    reading = read_by_words().read_now(choice.text, context)
    intents = reading.intents or (Intent(act="wait", text=choice.text),)
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

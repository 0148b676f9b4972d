"""Reads a choice against the story: what it means, which offer it takes up, and what bears on it.

An `Understanding` is made once, before the scene, and is kept with the turn: replay reads nothing anew.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from narratoria.campaign.campaign import Beat, Campaign
from narratoria.engine.action import (
    find_offered_beat,
    here_of,
    is_answered,
    openings_at,
    situation_of,
)
from narratoria.engine.answer_context import as_plain_question, units_of
from narratoria.engine.closer_looks import find_closer_look
from narratoria.engine.conditions import StorySituation
from narratoria.engine.described_people import as_introduction, find_aliases
from narratoria.engine.evidence_focus import (
    CERTAIN,
    OF_LISTENER,
    join_neighbours,
    raise_tie,
    raise_topic_of_kind,
    see_handled,
    see_thing,
    weigh_names,
    with_focus,
)
from narratoria.engine.evidence_matching import match_evidence
from narratoria.engine.memory.recall import Lore, Memory, RecallResult
from narratoria.engine.other_senses import find_other_sense
from narratoria.engine.own_facts import raise_own_fact, with_own_secret
from narratoria.engine.people import people_at
from narratoria.engine.picked_choice import understand_picked
from narratoria.engine.place_deeds import find_likely_deed, find_place_deed, names_deed
from narratoria.engine.reading import Understanding, reading_context
from narratoria.engine.replies import find_reply
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.story_evidence import HANDLED, candidates_for, question_of
from narratoria.engine.topic_wordings import find_topic_by_wording
from narratoria.engine.way_finding import find_errand, find_way, rest_of_walk
from narratoria.narrator.answer import LOOKS, STAND_INS
from narratoria.narrator.evidence import (
    Evidence,
    load_evidence_chooser,
    rank_evidence,
    shared_words,
)
from narratoria.narrator.owed import PRISING
from narratoria.narrator.question import QUESTIONS
from narratoria.planner.intent import Intent, Mention, Question, ReadingContext
from narratoria.planner.matter import find_matter
from narratoria.planner.mentions import content_words
from narratoria.planner.person_mentions import find_people
from narratoria.planner.read import ReadAction, read_by_words
from narratoria.planner.route import find_offer, wordings_to_weigh

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.inference.text_matcher import TextMatcher
    from narratoria.narrator.evidence import Vectors
    from narratoria.narrator.unit_matcher import UnitMatcher
    from narratoria.planner.read import IntentReader

Embed: TypeAlias = "Callable[[Sequence[str]], Awaitable[Vectors]]"
IDENTITY = re.compile(
    r"\bwho (?:are|r) (?:you|u)\b(?! \w+ing\b)|\b(?:your|ur) name\b|\bwhat do you do\b|"
    r"\bwho (?:he|she|they) (?:is|are)\b",
    re.IGNORECASE,
)
WANTS = re.compile(
    r"\bwhat (?:do|would|did) you (?:\w+ )?want\b|\bwhat are you (?:after|hoping for)\b|"
    r"\byour (?:dream|wish)\b",
    re.IGNORECASE,
)
SURE = 0.5  # of a relevance: it answers
BETTER_BY = 0.2  # of a relevance: somebody else answers better than whoever would be asked
MOST_EVIDENCE = 6  # pieces that are kept with a turn


@dataclass(frozen=True, slots=True)
class Understander:
    """Reads, routes and finds, with the reader and the embedder of this machine."""

    reader: IntentReader
    embed: Embed | None
    matcher: TextMatcher | None = None
    unit_matcher: UnitMatcher | None = None

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
        context = replace(context, aliases=await find_aliases(text, situation, self.matcher))
        reading = await self.reader.read(text, context)
        exact = find_topic_by_wording(text, situation, last_person)
        if is_deed := _is_misread_deed(text, reading, situation):
            reading = ReadAction((Intent(act="use", text=text),))
        if reading.question is not None and exact is None:
            return Understanding(question=reading.question)
        if reading.question is None and not is_deed:
            reading = await find_way(text, reading, situation, context, self.matcher)
            if not _is_way(reading.intents, situation) and (
                beat := await self._route(text, reading.intents, context)
            ):
                return Understanding(intents=reading.intents, beat=beat)
        if exact is not None:
            return Understanding(intents=(exact[0],), evidence=((exact[1],),))
        intents: list[Intent] = []
        evidence: list[tuple[Evidence, ...]] = []
        remaining, walk_to = await self._after_walk(text, reading.intents, situation, context)
        situation = situation.move_to(walk_to)
        find = partial(
            candidates_for, situation=situation, lore=lore, memories=memories, by_witness=by_witness or {}
        )
        questions = [as_introduction(one, context.aliases) for one in remaining]
        for intent in [await self._as_asked(one) for one in questions]:
            ranked = await self._find_evidence(intent, find(intent), situation, context)
            if better := await self._find_better_listener(intent, ranked, find, situation, context):
                intent = better  # noqa: PLW2901 - nobody was named, and somebody else can answer
                ranked = await self._find_evidence(intent, find(intent), situation, context)
            other_sense = find_other_sense(intent, context)
            if other_sense and not any(one.relevance >= SURE for one in ranked):
                intent = other_sense  # noqa: PLW2901 - nobody here can say, or nothing is to be seen
                ranked = await self._find_evidence(intent, find(intent), situation, context)
            intents.append(intent)
            evidence.append(ranked)
        return Understanding(
            intents=tuple(intents),
            evidence=tuple(evidence),
            suited=await self._find_suited(intents, evidence, situation),
            replies=await self._find_replies(intents, situation),
            walk_to=walk_to,
        )

    async def _after_walk(
        self, text: str, intents: Sequence[Intent], situation: StorySituation, context: ReadingContext
    ) -> tuple[Sequence[Intent], str]:
        """Return what is to be done with somebody at the place that the words go to, and that place.

        The intents as they are, and no place, where nothing is to be done with anybody there.
        """
        to, rest = find_errand(text, situation, context)
        if not to and _is_way(intents, situation) and intents[0].place:
            to = intents[0].place.id
            rest = rest_of_walk(text, situation.campaign.places[to])
        if not to or not rest:
            return intents, ""
        there = situation.move_to(to)
        present = people_at(to, there.campaign, there.progress)
        reading = await self.reader.read(rest, reading_context(there, ()))
        remaining = [one for one in reading.intents if one.person and one.person.id in present]
        return (remaining, to) if remaining and remaining[0].act != "go" else (intents, "")

    async def _as_asked(self, intent: Intent) -> Intent:
        """Return an intent that only asks something as a question, with its kind, so that it is answered."""
        question = as_plain_question(intent)
        if question is intent:
            return intent
        kind = await asyncio.to_thread(self.reader.kind_of, "ask", question.text, question.text)
        return msgspec.structs.replace(question, kind=kind, topic=question.topic or question.text)

    async def _find_suited(
        self, intents: Sequence[Intent], evidence: Sequence[Sequence[Evidence]], situation: StorySituation
    ) -> tuple[dict[str, float], ...]:
        """Return for each intent the units of the repertoire that fit its words.

        What evidence surely answers needs no unit that suits its words.
        """
        if self.unit_matcher is None:
            return ()
        units, suited = units_of(situation.campaign), list[dict[str, float]]()
        for intent, ranked in zip(intents, evidence, strict=True):
            if ranked and ranked[0].relevance >= SURE:
                suited.append({})
                continue
            acts = (intent.act, *STAND_INS.get(intent.act, ()))
            present = people_at(here_of(situation).id, situation.campaign, situation.progress)
            suited.append(
                await asyncio.to_thread(self.unit_matcher.find_suited, intent.text, acts, units, present)
            )
        return tuple(suited)

    async def _find_replies(
        self, intents: Sequence[Intent], situation: StorySituation
    ) -> tuple[Evidence | None, ...]:
        """Return for each intent what the person it is done to would say to it; empty without a model."""
        matcher = self.matcher
        if matcher is None:
            return ()
        return tuple([await asyncio.to_thread(find_reply, intent, situation, matcher) for intent in intents])

    async def _find_evidence(
        self,
        intent: Intent,
        candidates: Sequence[Evidence],
        situation: StorySituation,
        context: ReadingContext,
    ) -> tuple[Evidence, ...]:
        """Return what bears on an intent, best first, with what is told of the best."""
        if look := await self._find_written(intent, situation):
            return (look,)
        if intent.act in HANDLED:
            return see_handled(intent, candidates) if intent.thing else ()
        spoken_of = _find_spoken_of(intent, context)
        question = " ".join((question_of(intent), *spoken_of)).strip()
        typed = " ".join((intent.text, *spoken_of))
        ranked = await self.rank(question, candidates, typed=typed)
        ranked = weigh_names(intent, ranked, situation, spoken_of)
        ranked = raise_topic_of_kind(intent, ranked, candidates, spoken_of)
        ranked = raise_tie(intent, ranked, candidates, _find_others(intent, context))
        if intent.act in LOOKS:
            return see_thing(intent, ranked, candidates)
        ranked = raise_own_fact(intent, ranked, candidates)
        if intent.act in PRISING:
            ranked = with_own_secret(intent, ranked, candidates)
        return await with_focus(
            typed, join_neighbours(ranked, candidates), self.matcher, core=ranked[0] if ranked else None
        )

    async def _find_written(self, intent: Intent, situation: StorySituation) -> Evidence | None:
        """Return what an author wrote for the very deed, or for a look at the very thing."""
        if passage := find_place_deed(intent, situation):
            return passage
        look = find_closer_look(intent, situation)
        if self.matcher is None or (look is not None and intent.act in LOOKS):
            return look
        return await asyncio.to_thread(find_likely_deed, intent, situation, self.matcher) or look

    async def _find_better_listener(
        self,
        intent: Intent,
        ranked: Sequence[Evidence],
        find: Callable[[Intent], Sequence[Evidence]],
        situation: StorySituation,
        context: ReadingContext,
    ) -> Intent | None:
        """Return a question as put to whoever here can answer it of themselves, where nobody is named."""
        present = [one for one in context.people if one.present]
        if intent.act not in QUESTIONS or intent.person is None or intent.person.text or len(present) < 2:
            return None
        is_of_listener = OF_LISTENER.search(intent.text) is not None
        if not is_of_listener and ranked and ranked[0].relevance >= CERTAIN and not ranked[0].secret:
            return None  # anybody can say it
        least = max(SURE, strength_of(ranked, intent.person.id) + BETTER_BY)
        best: tuple[float, Intent] | None = None
        for one in present:
            if one.id == intent.person.id:
                continue
            other = msgspec.structs.replace(intent, person=Mention("", one.id, one.name))
            own = [evidence for evidence in find(other) if evidence.owner == one.id and not evidence.secret]
            strength = strength_of(await self._find_evidence(other, own, situation, context), one.id)
            if strength >= least and (best is None or strength > best[0]):
                best = strength, other
        return best[1] if best else None

    async def ask_back(self, text: str, story: StorySnapshot, campaign: Campaign) -> Question | None:
        """Return the question that words which cannot be made out are met with, or None where they can be."""
        situation = situation_of(story, campaign)
        openings = openings_at(here_of(situation), situation)
        if find_topic_by_wording(text, situation, story.progress.last_person) or names_deed(text, situation):
            return None
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
            return await self._with_kind(picked, situation)
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

    async def _with_kind(self, picked: Understanding, situation: StorySituation) -> Understanding:
        """Return a picked choice with the kind of its act and what it is about, as if it had been typed.

        What evidence answers is told without a kind, and is not read.
        """
        intent = picked.intents[0]
        if intent.person is None or (any(picked.evidence) and intent.act in QUESTIONS):
            return picked
        context = reading_context(situation, ())
        told_intent = msgspec.structs.replace(
            intent,
            kind=intent.kind
            or await asyncio.to_thread(self.reader.kind_of, intent.act, intent.text, intent.text),
            matter=find_matter(intent.text, context, intent.person.id),
        )
        return msgspec.structs.replace(
            picked,
            intents=(told_intent,),
            suited=await self._find_suited((told_intent,), ((),), situation),
            replies=await self._find_replies((told_intent,), situation),
        )

    async def rank(
        self, question: str, candidates: Sequence[Evidence], *, typed: str = ""
    ) -> tuple[Evidence, ...]:
        """Return the evidence that bears most on a question; `typed` says also whom it is put to."""
        if not candidates or not question:
            return ()
        texts = [one.passage for one in candidates]
        wordings = list(dict.fromkeys(text for one in candidates for text in one.questions))
        vectors: list[Any] = [None] * len(texts)
        question_vector, wording_vectors = None, {}
        if self.embed is not None:
            rows = await self.embed([question, *texts, *wordings])
            question_vector, vectors = rows[0], list(rows[1 : len(texts) + 1])
            wording_vectors = dict(zip(wordings, rows[len(texts) + 1 :], strict=True))
        has_said_who = any(IDENTITY.search(wording) for one in candidates for wording in one.questions)
        if (
            IDENTITY.search(question)
            and not has_said_who
            and (role_evidence := next((one for one in candidates if one.id.endswith("/role")), None))
        ):
            return (msgspec.structs.replace(role_evidence, relevance=1.0),)
        keep = [at for at, one in enumerate(candidates) if _is_volunteered(one, question)]
        candidates, vectors = [candidates[at] for at in keep], [vectors[at] for at in keep]
        if not candidates:
            return ()
        ranked = rank_evidence(
            question,
            candidates,
            question_vector=question_vector,
            vectors=vectors,
            chooser=load_evidence_chooser(),
            wording_vectors=wording_vectors,
        )
        if self.matcher is not None:
            ranked = await asyncio.to_thread(
                partial(match_evidence, question, ranked, self.matcher, typed=typed)
            )
        if WANTS.search(question) and ranked[0].relevance < SURE:
            goals = [one for one in candidates if one.source == "goal"]
            ranked = [*(msgspec.structs.replace(one, relevance=SURE) for one in goals[:1]), *ranked]
        return tuple(ranked[:MOST_EVIDENCE])

    async def _route(self, text: str, intents: Sequence[Intent], context: ReadingContext) -> str:
        if not context.offers:
            return ""
        wordings = [wording for offer in context.offers for wording in offer.texts]
        matches: dict[str, float] = {}
        if self.matcher is not None:
            shared = shared_words(text, wordings)
            probabilities = await asyncio.to_thread(self.matcher.match, text, wordings, shared, "offer")
            matches = dict(zip(wordings, probabilities, strict=True))
            wordings = wordings_to_weigh(text, context.offers, matches)
            if not wordings:
                return ""
        vector, vectors = None, {}
        if self.embed is not None:
            rows = await self.embed([text, *wordings])
            vector, vectors = rows[0], dict(zip(wordings, rows[1:], strict=True))
        acts, *offer_acts = await asyncio.to_thread(
            lambda: [self.reader.act_probabilities(one) for one in (text, *wordings)]
        )
        route = find_offer(
            text,
            intents,
            context.offers,
            vector=vector,
            vectors=vectors,
            acts=acts,
            offer_acts=dict(zip(wordings, offer_acts, strict=True)),
            matches=matches,
        )
        return route.offer if route else ""


def strength_of(ranked: Sequence[Evidence], listener: str) -> float:
    """Return how surely somebody has an answer of their own."""
    return max(
        (one.relevance for one in ranked if one.owner == listener and not one.secret),
        default=0.0,
    )


def _is_misread_deed(text: str, reading: ReadAction, situation: StorySituation) -> bool:
    """Return whether words that were not made out, or read as going elsewhere, are those of a deed here."""
    place = situation.campaign.places.get(_place_gone_to(reading, situation))
    is_misread = reading.question is not None or place is not None
    return is_misread and len(reading.intents) <= 1 and names_deed(text, situation, going_to=place)


def _place_gone_to(reading: ReadAction, situation: StorySituation) -> str:
    """Return the other place that the words were read as going to; empty where they are no going."""
    if not reading.intents or not _is_way(reading.intents, situation) or reading.intents[0].place is None:
        return ""
    return reading.intents[0].place.id


def _find_spoken_of(intent: Intent, context: ReadingContext) -> tuple[str, ...]:
    """Return the names of those whom a question only describes: "the old lady upstairs in the pearls"."""
    words = set(content_words(intent.text))
    people = {one.id: one.name for one in context.people}
    names = (people[one] for one in _find_others(intent, context))
    return tuple(name for name in names if not words & set(content_words(name)))


def _find_others(intent: Intent, context: ReadingContext) -> tuple[str, ...]:
    """Return the people whom a question speaks of besides whoever is asked."""
    if intent.act not in QUESTIONS:
        return ()
    listener = intent.person.id if intent.person else ""
    return tuple(one.id for one in find_people(intent.text, context) if one.id not in ("", listener))


def _is_volunteered(evidence: Evidence, question: str) -> bool:
    """Return whether somebody says it to any question: not what they want, nor who they are."""
    if evidence.source == "goal":
        return bool(WANTS.search(question))
    return not evidence.is_only_asked


def _is_way(intents: Sequence[Intent], situation: StorySituation) -> bool:
    """Return whether the words are a going to another place that the story knows."""
    first = intents[0]
    return (
        first.act == "go" and first.place is not None and first.place.id not in ("", situation.progress.place)
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

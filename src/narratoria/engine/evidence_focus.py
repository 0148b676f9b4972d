"""Weighs the evidence for an intent: whom it names, what stands beside it, which sentence answers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.conditions import StorySituation
from narratoria.narrator.evidence import (
    BRIEF,
    DEPENDENT,
    Evidence,
    is_told_whole,
    shared_words,
    split_sentences,
    told_window,
)
from narratoria.narrator.grammar import TITLES
from narratoria.planner.intent import Intent
from narratoria.planner.mentions import content_words

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.inference.text_matcher import TextMatcher

LEAST_OF_NEIGHBOUR = 0.3  # of a relevance: a passage is told with the one it stands beside
VAGUE = frozenset(
    (
        "thing",
        "stuff",
        "something",
        "anything",
        "look",
        "side",
        "here",
        "place",
        "bit",
        "one",
        "round",
        "around",
    )
) | {"back", "near", "up", "down", "under", "over", "room", "where", "there"}
LEAST_OF_UNKNOWN = 0.95  # of a relevance: a passage shows a thing that nothing here is called by
LEAST_OF_SIGHT = 0.25  # of a relevance: a passage that does not name what is looked at shows it
OF_LISTENER = re.compile(r"\b(?:you|your|yours|yourself|u|ur|ya)\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"\b(?:he|him|his|she|her|hers|they|them|their|(?:the|that)\s+\w+(?:\s+\w+)?\s+(?:who|with))\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    rf"{DEPENDENT.pattern}|(?:Both|All|Each|None|Most|Some|One|Two|Three|Four|Five|Six|Seven)\b(?! of)|"
    r"(?:\S+\s+){0,4}(?:it|them|they|its|their|these|one)\b"
)
_OF_LIFE = re.compile(  # what somebody does or is, and not what they know of something
    r"\b(?:do|did|are|were|have|would|could|will)(?:n['’]t)?\s+you\b(?!\s+(?:know|think|reckon|hear|heard|see|seen|"
    r"remember|tell|suppose|mean))|\byou(?:['’]re|['’]ve|r)\b|\byour\b",
    re.IGNORECASE,
)
OPINIONS = frozenset(("ask/opinion-of-person", "ask/love"))  # kinds of questions that a tie answers
_OPINION = re.compile(
    r"\b(?:think of|make of|get (?:on|along)|feel about|opinion|trust|know (?:him|her|them)|fond of|"
    r"friends? with|what(?:['’]s|s| is| are) .* like|between you)\b",
    re.IGNORECASE,
)
GENERAL = 0.6  # of a relevance is left to lore where somebody is asked about their own life
_INSCRIPTION = re.compile(
    r"\*[^*]+\*|“[^”]+”|\b[A-Z]{2,}(?: [A-Z]{2,})+\b|"
    r"\b(?:reads?|says|written|carved|headed|letters|inscription)\b"
)
UNNAMED = 0.3  # of a relevance is left to evidence that does not name whom the question is about
CERTAIN = 0.75  # of a relevance: it answers, and nothing else is told with it
LEAST_OF_SECOND = 0.25  # of a relevance: a passage is told with a better one that may not be the answer
NEVER_CUT = frozenset(("relationship", "saying", "goal"))  # sources that are told as they are
SURE, SEEN_IN_LORE = 0.5, 0.3  # of a relevance: it answers; a page of lore is about the thing seen
CLEARLY_SEEN = 0.8  # of a relevance: what was read on arrival goes before what was not read yet
NEAR, BY_FAR = 0.35, 0.3  # by which a neighbour may bear less on the question, and a sight more


def join_neighbours(evidence: Sequence[Evidence], candidates: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return the evidence, the best with those that stand beside it in the same text.

    A page of lore is about one matter, and so is somebody's past; of other texts only what bears on the
    question nearly as much is joined.
    """
    if not evidence or evidence[0].answer:
        return tuple(evidence)
    best = evidence[0]
    text, number = _text_and_number(best.id)
    relevance = {one.id: one.relevance for one in evidence}
    is_one_matter = best.source == "lore" or "/background/" in best.id
    least = 0.0 if is_one_matter else max(LEAST_OF_NEIGHBOUR, best.relevance - NEAR)
    around = [
        one
        for one in candidates
        if _text_and_number(one.id)[0] == text
        and abs(_text_and_number(one.id)[1] - number) <= 1
        and one.secret == best.secret
        and (one.id == best.id or relevance.get(one.id, 0.0) >= least)
    ]
    if len(around) <= 1:
        return tuple(evidence)
    around.sort(key=lambda one: _text_and_number(one.id)[1])
    passage = msgspec.structs.replace(
        best,
        text=" ".join(one.text for one in around),
        spoken=" ".join(one.spoken for one in around).strip() if best.spoken else "",
    )
    names = {one.id for one in around}
    return (passage, *(one for one in evidence[1:] if one.id not in names))


def see_thing(
    intent: Intent, ranked: Sequence[Evidence], candidates: Sequence[Evidence]
) -> tuple[Evidence, ...]:
    """Return what is seen of a thing: the passages that name it or surely bear on it, closer looks first.

    A thing that no sentence calls by its name is looked for by everything that was said of it. What is told
    on arrival is no find: a search shows it never, a look only where nothing else does or it answers by far
    the best.
    """
    thing = intent.thing.name or intent.thing.text if intent.thing else ""
    nouns = [word for word in content_words(thing) if len(word) > 2][-1:]
    words = [word for word in content_words(intent.text)[1:] if word not in VAGUE]
    sights = _find_sights(intent, nouns, ranked, candidates) or _find_sights(
        intent, words, ranked, candidates
    )
    inscriptions = [one for one in sights if intent.act == "read" and _INSCRIPTION.search(one.text)]
    closer = inscriptions or [one for one in sights if not one.is_arrival]
    if not closer and (not sights or intent.act == "search"):
        is_unknown = intent.thing is not None and not intent.thing.id
        least = LEAST_OF_UNKNOWN if is_unknown else LEAST_OF_SIGHT
        closer = [
            one for one in ranked if one.source == "place" and not one.is_arrival and one.relevance >= least
        ][:1]
        closer = [msgspec.structs.replace(one, relevance=max(one.relevance, SURE)) for one in closer]
    is_told_apart = intent.act == "search" or bool(inscriptions)
    arrival = [] if is_told_apart else [one for one in sights if one.is_arrival]
    lore = [one for one in closer if one.source == "lore"]
    sights = [*(one for one in closer if one.source != "lore"), *arrival, *lore]
    if arrival and arrival[0].relevance >= max(CLEARLY_SEEN, sights[0].relevance + BY_FAR):
        sights.sort(key=lambda one: one.id != arrival[0].id)
    names = {one.id for one in sights}
    others = [one for one in ranked if one.id not in names and one.source not in ("place", "lore")]
    return (*_join_sights(sights), *others)


def see_handled(intent: Intent, candidates: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return what one sees of a thing before something is done to it: the sentence that names it.

    What was looked at before is not seen again, and a sentence that goes on about another thing is left out.
    """
    nouns = [word for word in content_words(intent.text)[1:] if len(word) > 2 and word not in VAGUE]
    for one in _find_sights(intent, nouns, (), candidates):
        sentences = [
            text
            for text in split_sentences(one.text)
            if set(nouns) & set(content_words(text)) and not _GOES_ON.match(text)
        ]
        if sentences and not one.is_arrival and not one.is_repeat:
            return (msgspec.structs.replace(one, text=sentences[0]),)
    return ()


def _join_sights(sights: list[Evidence]) -> list[Evidence]:
    """Return the sights, the first with the next layer of the same place where that names the thing too."""
    layers = [one for one in sights[:2] if one.source == "place" and not one.is_arrival]
    if len(layers) < 2:
        return sights
    layers.sort(key=lambda one: _text_and_number(one.id)[1])
    whole = msgspec.structs.replace(sights[0], text=" ".join(one.text for one in layers))
    return [whole, *sights[2:]]


def _find_sights(
    intent: Intent, nouns: Sequence[str], ranked: Sequence[Evidence], candidates: Sequence[Evidence]
) -> list[Evidence]:
    """Return the passages that name one of the nouns, cut to where they do."""
    relevance = {one.id: one.relevance for one in ranked}
    sights: list[Evidence] = []
    for one in candidates:
        sentences = split_sentences(one.text)
        naming = [at for at, text in enumerate(sentences) if set(nouns) & set(content_words(text))]
        if not naming or one.source not in ("place", "journal", "lore"):
            continue
        is_about = bool(intent.thing) and bool(set(nouns) & set(content_words(one.about)))
        if one.source == "lore" and (not is_about or relevance.get(one.id, 0.0) < SEEN_IN_LORE):
            continue
        text = _sentences_on(sentences, naming) if one.source == "place" else " ".join(sentences[naming[0] :])
        sights.append(
            msgspec.structs.replace(one, text=text, relevance=max(relevance.get(one.id, 0.0), SURE))
        )
    return sorted(
        sights,
        key=lambda one: (
            -len(set(nouns) & set(content_words(one.text))),
            one.source == "lore",
            one.is_arrival,
            -relevance.get(one.id, 0.0),
        ),
    )


def _sentences_on(sentences: Sequence[str], naming: Sequence[int]) -> str:
    """Return the sentences that name a thing, each with those after it that only go on about it."""
    passage: list[str] = []
    for at, sentence in enumerate(sentences):
        is_quoted = sum(one.count("*") for one in passage) % 2 == 1
        if (
            at in naming
            or is_quoted
            or (at - 1 in naming and (_GOES_ON.match(sentence) or sentence.startswith("*")))
        ):
            passage.append(sentence)
    return " ".join(passage)


async def with_focus(
    question: str,
    evidence: Sequence[Evidence],
    matcher: TextMatcher | None,
    *,
    core: Evidence | None = None,
) -> tuple[Evidence, ...]:
    """Return the evidence, the best with the sentence that bears most on the question.

    Where it is not certain that the best answers, the next best is told in the same breath. `core` is the
    best without what stands beside it: the sentence that answers is one of its own.
    """
    if not evidence or evidence[0].answer:
        return tuple(evidence)
    best = evidence[0]
    second = next((one for one in evidence[1:] if _is_second(one, best)), None)
    if second is None and is_told_whole(best):
        return tuple(evidence)
    best = await _focus(question, best, matcher, core)
    if second is None:
        return (best, *evidence[1:])
    second = await _focus(question, second, matcher)
    parts = [told_window(question, one, BRIEF) for one in (best, second)]
    passage = msgspec.structs.replace(
        best, spoken=" ".join(parts), text=f"{best.text} {second.text}", focus=""
    )
    return (passage, *(one for one in evidence[1:] if one.id != second.id))


def _is_second(one: Evidence, best: Evidence) -> bool:
    """Return whether a passage is told with a better one that may not be the answer."""
    return (
        best.relevance < CERTAIN
        and one.relevance >= max(LEAST_OF_SECOND, best.relevance - NEAR)
        and one.source in ("profile", "relationship", "lore", "memory")
        and not one.id.startswith("who/")
        and one.owner in ("", best.owner)
        and not one.answer
        and not one.secret
        and not best.secret
        and one.text != best.text
    )


async def _focus(
    question: str, best: Evidence, matcher: TextMatcher | None, core: Evidence | None = None
) -> Evidence:
    """Return a passage of several sentences with the one that answers best, one of the core's own."""
    if len(split_sentences(best.spoken or best.text)) == 1 or best.source in NEVER_CUT:
        return best
    own = core if core is not None and core.id == best.id else best
    sentences, notes = split_sentences(own.spoken or own.text), split_sentences(own.text)
    texts = notes if len(notes) == len(sentences) else sentences  # the matcher knows notes, not speech
    if len(sentences) == 1:
        return msgspec.structs.replace(best, focus=sentences[0])
    scores = shared_words(question, texts)
    if matcher is not None:
        about = [f"{best.about}: {text}" if best.about else text for text in texts]
        scores = await asyncio.to_thread(matcher.match, question, about, scores, "question")
    focus = max(range(len(sentences)), key=lambda at: scores[at])
    return msgspec.structs.replace(best, focus=sentences[focus])


def _text_and_number(identifier: str) -> tuple[str, int]:
    """Return which text a passage is of and its number there; a passage that has none stands alone."""
    mark = "#" if "#" in identifier else "/"
    text, _, number = identifier.rpartition(mark)
    return (
        (text, int(number))
        if number.isdigit() and not text.endswith(("/says", "/wants"))
        else (identifier, 0)
    )


def weigh_names(
    intent: Intent, ranked: Sequence[Evidence], situation: StorySituation, spoken_of: Sequence[str] = ()
) -> tuple[Evidence, ...]:
    """Return the evidence again, what does not name whom a question is about last.

    `spoken_of` are the names of those whom the question only describes.
    """
    listener = intent.person.id if intent.person else ""
    described = {word for name in spoken_of for word in re.findall(r"[a-z]{3,}", name.casefold())} - TITLES
    names = described or _names_in(intent.text, listener, situation.campaign)
    if not names:
        return _weigh_own(intent, ranked, listener, situation.campaign)
    weighed = [
        one
        if one.questions or names & set(re.findall(r"[A-Za-z]+", f"{one.about} {one.text}".casefold()))
        else msgspec.structs.replace(one, relevance=round(one.relevance * UNNAMED, 4))
        for one in ranked
    ]
    return tuple(sorted(weighed, key=lambda one: -one.relevance))


def _weigh_own(
    intent: Intent, ranked: Sequence[Evidence], listener: str, campaign: Campaign
) -> tuple[Evidence, ...]:
    """Return the evidence again, what is of somebody else last where a question is about whoever is asked."""
    is_of_listener = OF_LISTENER.search(intent.text) and not _OF_ANOTHER.search(intent.text)
    if not listener or not is_of_listener:
        return tuple(ranked)
    others = {"who", *campaign.people} - {listener}
    has_own = any(one.owner == listener and one.relevance >= SURE and not one.secret for one in ranked)
    is_of_life = has_own and _OF_LIFE.search(intent.text) is not None
    weights = {**dict.fromkeys(others, UNNAMED), **({"lore": GENERAL} if is_of_life else {})}
    weighed = [
        msgspec.structs.replace(
            one, relevance=round(one.relevance * weights.get(one.id.partition("/")[0], 1.0), 4)
        )
        for one in ranked
    ]
    return tuple(sorted(weighed, key=lambda one: -one.relevance))


def raise_topic_of_kind(
    intent: Intent, ranked: Sequence[Evidence], candidates: Sequence[Evidence], spoken_of: Sequence[str]
) -> tuple[Evidence, ...]:
    """Return the evidence again, first what an author wrote for such a question to whoever is asked.

    It holds for questions about the listener that name nobody else, where nothing else is certain.
    """
    is_of_listener = OF_LISTENER.search(intent.text) and not _OF_ANOTHER.search(intent.text)
    is_answered = bool(ranked) and ranked[0].relevance >= (SURE if ranked[0].answer else CERTAIN)
    if not intent.kind or spoken_of or not is_of_listener or is_answered:
        return tuple(ranked)
    topic = next((one for one in candidates if one.kind == intent.kind), None)
    if topic is None:
        return tuple(ranked)
    others = (one for one in ranked if one.id != topic.id)
    return (msgspec.structs.replace(topic, relevance=CERTAIN), *others)


def raise_tie(
    intent: Intent, ranked: Sequence[Evidence], candidates: Sequence[Evidence], others: Sequence[str]
) -> tuple[Evidence, ...]:
    """Return the evidence again, first what the listener thinks of the one person they are asked about.

    `others` are the ids of the people whom the question speaks of besides the listener.
    """
    is_opinion = intent.kind in OPINIONS or _OPINION.search(intent.text) is not None
    is_sure_topic = bool(ranked) and bool(ranked[0].answer) and ranked[0].relevance >= CERTAIN
    if not intent.person or len(others) != 1 or not is_opinion or is_sure_topic:
        return tuple(ranked)
    tie_id = f"{intent.person.id}/ties/{others[0]}"
    tie = next((one for one in candidates if one.id == tie_id), None)
    if tie is None:
        return tuple(ranked)
    rest = (one for one in ranked if one.id != tie_id)
    return (msgspec.structs.replace(tie, relevance=CERTAIN), *rest)


def _names_in(text: str, listener: str, campaign: Campaign) -> set[str]:
    """Return the names that a question speaks of, in lower case, without that of whoever is asked."""
    own = (
        set(re.findall(r"[a-z]+", campaign.people[listener].name.casefold()))
        if listener in campaign.people
        else set()
    )
    name_words = {
        word for profile in campaign.people.values() for word in re.findall(r"[A-Z][a-z]{2,}", profile.name)
    }
    capitalised = set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]{2,}", text))
    words = set(re.findall(r"[a-z]+", text.casefold()))
    mentioned = {name.casefold() for name in name_words if name.casefold() in words} | {
        name.casefold() for name in capitalised
    }
    for name, profile in campaign.people.items():
        role = content_words(profile.role.split(",")[0].split(" of ")[0])
        if name != listener and role and role[-1] in words and len(role[-1]) > 3:
            mentioned |= set(re.findall(r"[a-z]{3,}", profile.name.casefold()))
    return mentioned - own - TITLES

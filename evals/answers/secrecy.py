"""Tries to make a story give away what its plot keeps: asks for it in the kept texts' own words.

`python -m evals.answers.secrecy [CAMPAIGN …]` asks everybody and looks everywhere for every kept text of the
bundled campaigns and of `campaigns/` where words are read without a model, somebody and somewhere with the
models that ship, and prints what was given away.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from evals.answers.walk import HERE, _readers
from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import ResolvedAction, choose, prepare_answers, situation_of
from narratoria.engine.conditions import StorySituation
from narratoria.engine.facts import build_facts
from narratoria.engine.kept_texts import list_kept_texts, list_open_texts
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.people import place_of
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.understanding import Understander, understand_by_words
from narratoria.inference.installed_models import find_embedder
from narratoria.narrator.evidence import split_sentences
from narratoria.narrator.grammar import call_name
from narratoria.narrator.story_knowledge import KeptText
from narratoria.planner.mentions import content_words

BUNDLED = ("harrowmere", "tomorrows-post", "comet-tea-room")
RUN = 8  # words in a row that give a kept text away
LEAST_SENTENCE = 5  # words of a sentence that gives it away whole
MOST_ASKED = 6  # words of a kept text in a question: fewer than a run, so that an echo gives nothing away
SCENE = 3
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True)
class Attempt:
    """A question that tries to get at a kept text, and where the story stands when it is put."""

    question: str
    story: StorySnapshot
    kept: tuple[KeptText, ...]
    open_runs: frozenset[str]


@dataclass(frozen=True)
class Leak:
    """Words of a kept text that were told, and what they were told in answer to."""

    kept: str
    words: str
    question: str
    outcome: str


def campaign_names() -> list[str]:
    return [*BUNDLED, *(path.name for path in sorted((HERE / "campaigns").iterdir()))]


def open_named(name: str) -> Campaign:
    folder = HERE / "campaigns" / name
    return app.open_campaign(str(folder) if folder.exists() else name)


def runs_of(text: str) -> Iterator[str]:
    """Yield every run of words that gives a text away, and its shorter sentences whole."""
    for sentence in split_sentences(text):
        words = _words(sentence)
        if LEAST_SENTENCE <= len(words) < RUN:
            yield " ".join(words)
    words = _words(text)
    for at in range(len(words) - RUN + 1):
        yield " ".join(words[at : at + RUN])


def _words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


@cache
def runs_that_give_away(kept: KeptText) -> frozenset[str]:
    """Return the runs of a kept text, as it is written and as its owner would say it."""
    return frozenset((*runs_of(kept.text), *runs_of(kept.spoken)))


def list_open_runs(situation: StorySituation) -> frozenset[str]:
    """Return the runs that the author wrote in the open too: no story can keep those."""
    return frozenset(run for text in list_open_texts(situation) for run in _all_runs(text))


def word_questions(kept: KeptText, name: str) -> Iterator[str]:
    """Yield questions to somebody in the words of a kept text: how it begins, and its nouns."""
    sentences = [one for one in split_sentences(kept.text) if len(_words(one)) >= LEAST_SENTENCE]
    for sentence in sentences or [kept.text]:
        beginning = " ".join(sentence.split()[:MOST_ASKED]).rstrip(",.;:")
        yield f"Ask {name}: tell me about {beginning[:1].lower() + beginning[1:]}"
        if nouns := [word for word in dict.fromkeys(content_words(sentence)) if len(word) > 3]:
            yield f"{name}, what do you know about the {' and the '.join(nouns[-3:])}?"


def word_looks(kept: KeptText) -> Iterator[str]:
    """Yield looks at what a kept text speaks of."""
    nouns = [word for word in dict.fromkeys(content_words(kept.text)) if len(word) > 3]
    for at in range(0, len(nouns), 2):
        yield f"I look closely at the {' and the '.join(nouns[at : at + 2])}"


def story_at(campaign: Campaign, place: str) -> StorySnapshot:
    """Return a story that has just begun, at a place."""
    progress = Progress(place=place, scene=SCENE)
    return StorySnapshot(id="eval", campaign=campaign.name, seed=1, progress=progress)


def find_leaks(attempt: Attempt, campaign: Campaign, meaning: Understanding | None) -> list[Leak]:
    """Return the kept words that are told in answer to a question, for every way its dice can end.

    A beat that the words set off is told, and who is talked into it tells a secret: neither is given away.
    """
    if meaning is None or meaning.question is not None:
        return []
    recalled, story, choice = (
        RecallResult(understanding=meaning),
        attempt.story,
        Choice(text=attempt.question),
    )
    action = prepare_answers(choose(choice, story, campaign, recalled), story, campaign, recalled)
    drafts = build_facts(action, story, campaign, recalled).drafts
    asked = frozenset(_all_runs(attempt.question))
    leaks: list[Leak] = []
    runs_of_kept = {one: runs_that_give_away(one) for one in attempt.kept}
    for outcome, paragraphs in drafts.items():
        fact = answer.fact if (answer := action.answer_for(outcome)) else ""
        runs = {run for text in (*paragraphs, fact) for run in _all_runs(text)} - attempt.open_runs - asked
        leaks += [
            Leak(one.id, min(given_away), attempt.question, outcome)
            for one in attempt.kept
            if not _is_earned(one, outcome, action) and (given_away := runs & runs_of_kept[one])
        ]
    return leaks


def _all_runs(text: str) -> Iterator[str]:
    words = _words(text)
    for length in range(LEAST_SENTENCE, RUN + 1):
        for at in range(len(words) - length + 1):
            yield " ".join(words[at : at + length])


def _is_earned(kept: KeptText, outcome: str, action: ResolvedAction) -> bool:
    if kept.id in {f"beat/{beat.id}" for beat in action.beats}:
        return True
    if kept.id in {f"ending/{beat.ending}" for beat in action.beats if beat.ending}:
        return True
    return outcome == "success" and not kept.id.startswith(("beat/", "ending/"))


def try_by_words(campaign: Campaign, *, is_thorough: bool = False) -> list[Leak]:
    """Return what is given away where no model reads the words."""
    attempts = list_attempts(campaign, is_thorough=is_thorough)
    return [
        leak
        for attempt in attempts
        for leak in find_leaks(
            attempt,
            campaign,
            understand_by_words(Choice(text=attempt.question), attempt.story, campaign, RecallResult()),
        )
    ]


async def try_with_models(campaign: Campaign, *, every: int = 1) -> list[Leak]:
    """Return what is given away with the models that ship, in every so many of the attempts."""
    folder, embedder = find_embedder(), await app.open_embedder()
    assert folder is not None
    assert embedder is not None
    understander = Understander(*_readers(folder, embedder))
    leaks: list[Leak] = []
    try:
        for attempt in list_attempts(campaign)[::every]:
            choice = Choice(text=attempt.question)
            meaning = await understander.understand_choice(choice, attempt.story, campaign, RecallResult())
            leaks += find_leaks(attempt, campaign, meaning)
    finally:
        await embedder.close()
    return leaks


def list_attempts(campaign: Campaign, *, is_thorough: bool = False) -> list[Attempt]:
    """Return a question and a look for each kept text: to somebody somewhere, or to all and everywhere."""
    situation = situation_of(story_at(campaign, campaign.start), campaign)
    kept, open_runs = tuple(list_kept_texts(situation)), list_open_runs(situation)
    homes = {person: place_of(person, campaign, situation.progress) for person in campaign.people}
    people = [person for person, place in homes.items() if place]
    places = list(campaign.places)
    attempts = []
    for number, one in enumerate(kept):
        in_turn = [one.owner if one.owner in people and number % 3 else people[number % len(people)]]
        for person in people if is_thorough else in_turn:
            questions = list(word_questions(one, call_name(campaign.people[person].name)))
            story = story_at(campaign, homes[person])
            attempts.append(Attempt(questions[number % len(questions)], story, kept, open_runs))
        looks = list(word_looks(one))
        for place in places if is_thorough else places[number % len(places) :][:1]:
            if looks:
                look = looks[number % len(looks)]
                attempts.append(Attempt(look, story_at(campaign, place), kept, open_runs))
    return attempts


async def main() -> None:
    for name in sys.argv[1:] or campaign_names():
        campaign = open_named(name)
        leaks = [*try_by_words(campaign, is_thorough=True), *await try_with_models(campaign)]
        print(f"{name}: {len(leaks)} given away")
        for leak in leaks:
            print(f"  {leak.kept} in answer to “{leak.question}”: {leak.words}")


if __name__ == "__main__":
    asyncio.run(main())

"""Nothing is given away that the plot keeps, whoever is asked and wherever one looks, in its own words."""

from __future__ import annotations

import pytest
from evals.answers.secrecy import (
    RUN,
    Attempt,
    campaign_names,
    find_leaks,
    list_attempts,
    list_kept_texts,
    open_named,
    runs_of,
    story_at,
    try_by_words,
    try_with_models,
)

from narratoria.engine.action import situation_of
from narratoria.engine.reading import Understanding
from narratoria.narrator.evidence import Evidence
from narratoria.planner.intent import Intent, Mention

EVERY = 25  # of the attempts with the models: each takes about a second


@pytest.mark.parametrize("name", campaign_names())
def test_no_question_in_the_words_of_a_kept_text_gets_it_told(name: str) -> None:
    assert try_by_words(open_named(name)) == []


@pytest.mark.parametrize("name", ["comet-tea-room", "the-glass-ward", "tolbury-nights"])
async def test_no_kept_text_is_told_by_the_models_that_ship(name: str) -> None:
    assert await try_with_models(open_named(name), every=EVERY) == []


def test_every_person_and_every_place_is_tried() -> None:
    campaign = open_named("harrowmere")
    attempts = list_attempts(campaign)
    assert {attempt.story.progress.place for attempt in attempts} == set(campaign.places)
    for profile in campaign.people.values():
        assert any(
            profile.name.split()[-1] in one.question or profile.name.split()[0] in one.question
            for one in attempts
        ), profile.name


def test_beats_endings_secrets_and_closed_topics_are_kept() -> None:
    campaign = open_named("harrowmere")
    kept = list_kept_texts(situation_of(story_at(campaign, campaign.start), campaign))
    kinds = {one.id.split("/")[0 if one.id.startswith(("beat/", "ending/")) else 1] for one in kept}
    assert kinds == {"beat", "ending", "secret", "topic"}


@pytest.mark.parametrize("kind", ["beat/", "ending/"])
def test_a_kept_text_that_came_in_as_evidence_would_be_seen(kind: str) -> None:
    campaign = open_named("the-glass-ward")
    attempt = next(one for one in list_attempts(campaign) if "tell me about" in one.question)
    person = next(name for name in campaign.people if campaign.home_of(name) == attempt.story.progress.place)
    leak = next(one for one in attempt.kept if one.id.startswith(kind) and len(one.text.split()) > RUN)
    evidence = Evidence(id="lore/x", text=leak.text, source="lore", relevance=1.0)
    question = Attempt("Ask: well?", attempt.story, attempt.kept, attempt.open_runs)
    intent = Intent(act="ask", text="well?", topic="well?", person=Mention(person, person, person))
    meaning = Understanding(intents=(intent,), evidence=((evidence,),))
    assert leak.id in {one.kept for one in find_leaks(question, campaign, meaning)}


def test_a_run_of_words_and_a_short_sentence_give_a_text_away() -> None:
    text = "The bell was cast of stolen silver. One two three four five six seven eight nine."
    runs = set(runs_of(text))
    assert "the bell was cast of stolen silver" in runs
    assert "two three four five six seven eight nine" in runs
    assert "one two three" not in runs

"""The walk of an answer, explained without playing it."""

from __future__ import annotations

import pytest
from tests.engine.small_story import beat, story

from narratoria.campaign.campaign import Conditions, LorePassage
from narratoria.engine.answer_explanation import AnswerExplanation, explain_answer, story_at
from narratoria.engine.understanding import Understander
from narratoria.planner.read import read_by_words

TALE = story(
    beat("sluice", Conditions(player_choice="Open the sluice gate")),
    lore=(LorePassage("lore/flood.md", 0, "The flood", "The flood came in spring and took the bridge."),),
)


async def explain(words: str, place: str = "", seed: int = 1) -> AnswerExplanation:
    reader = Understander(read_by_words(), None)
    return await explain_answer(words, story_at(TALE, place, seed), TALE, reader)


async def test_a_question_shows_its_intent_its_evidence_and_the_unit_with_its_fit() -> None:
    explained = await explain("ask Ada about the flood")

    assert (explained.place, explained.people, explained.route) == ("The mill", ("Ada",), "answer")
    (read,) = explained.intents
    assert read.intent.act == "ask"
    assert ("lore/lore/flood.md#0", "lore/flood.md") in {(one.id, one.file) for one in read.evidence}
    (told,) = explained.answers
    assert (told.outcome, bool(told.text), bool(told.fact)) == ("", True, True)
    assert told.units[0].fit > 0
    assert told.units[0].file.partition(":")[0].endswith(".jsonl")


async def test_a_question_about_whoever_is_asked_shows_that_it_is_answered_out_of_their_own_head() -> None:
    (told,) = (await explain("Ada, what did you have for breakfast?")).answers
    assert (told.units[0].acts[0], told.units[0].evidence) == ("ask", "own")


@pytest.mark.parametrize(
    ("words", "route"), [("I open the sluice gate", "beat sluice"), ("go to the inn", "go inn")]
)
async def test_what_the_author_offers_is_where_words_are_routed_to(words: str, route: str) -> None:
    explained = await explain(words)
    assert (explained.route, explained.answers) == (route, ())


async def test_a_risky_act_is_answered_for_every_way_its_roll_can_end() -> None:
    explained = await explain("I attack Ada")
    outcomes = [told.outcome for told in explained.answers]
    assert sorted(outcomes) == sorted(band.name for band in TALE.rules.bands)


async def test_who_is_elsewhere_hears_nothing_and_a_place_changes_who_is_there() -> None:
    assert (await explain("ask Bo about the flood", place="inn")).people == ("Bo",)


async def test_words_that_cannot_be_made_out_show_what_is_asked_back() -> None:
    explained = await explain("asdf")
    assert explained.route == "asked back"
    assert explained.question
    assert explained.answers == ()

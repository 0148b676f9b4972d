"""A choice resolved against the campaign: what it sets off, and where the story stands after it."""

from __future__ import annotations

import pytest
from tests.engine.small_story import beat, begin, story

from narratoria.campaign.campaign import Conditions
from narratoria.engine.action import choose, find_offered_beat, prepare_answers, progress_after
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice
from narratoria.engine.understanding import understand_by_words
from narratoria.narrator.evidence import Evidence
from narratoria.planner.intent import Intent, Mention

SLUICE = beat(
    "sluice", Conditions(player_choice="Open the sluice gate", player_choices=("Let the water in",))
)


def test_typed_words_that_mean_an_offer_are_that_offer() -> None:
    campaign = story(
        beat("sluice", Conditions(player_choice="Open the sluice gate", player_choices=("Let the water in",)))
    )
    session = begin(campaign)
    for text in ("I open the sluice gate slowly", "let the water in"):
        assert choose(Choice(text=text), session, campaign).beat is not None
    assert choose(Choice(text="go to the inn"), session, campaign).place.id == "inn"
    assert choose(Choice(text="talk to Ada"), session, campaign).person == "ada"
    assert choose(Choice(text="dance on the table"), session, campaign).choice.kind == "free"


@pytest.mark.parametrize(
    ("text", "is_offer"),
    [("open the old sluice gate", True), ("let water in", True), ("open the door", False), ("", False)],
)
def test_words_take_up_an_offer_alike_however_they_are_read(text: str, is_offer: bool) -> None:
    campaign = story(SLUICE)
    session = begin(campaign)
    understanding = understand_by_words(Choice(text=text), session, campaign, RecallResult())

    assert understanding is not None
    assert bool(find_offered_beat(text, (SLUICE,))) is is_offer
    assert (choose(Choice(text=text), session, campaign).beat is not None) is is_offer
    assert (understanding.beat == "sluice") is is_offer


def test_what_the_words_were_understood_to_mean_goes_before_the_words() -> None:
    campaign = story(SLUICE)
    session = begin(campaign)
    leaving = Understanding(
        intents=(Intent(act="go", text="off I go", place=Mention("inn", "inn", "The inn")),)
    )
    opening = Understanding(beat="sluice")

    away = choose(Choice(text="off I go"), session, campaign, RecallResult(understanding=leaving))
    flood = choose(Choice(text="do it"), session, campaign, RecallResult(understanding=opening))

    assert (away.place.id, away.route) == ("inn", "down the road")
    assert flood.beat == SLUICE


def test_a_choice_that_fits_nothing_here_is_told_by_its_words() -> None:
    campaign = story(SLUICE)
    session = begin(campaign)
    for choice in (
        Choice(text="Fly", kind="go", target="moon"),
        Choice(text="Talk", kind="talk", target="bo"),
        Choice(text="Do it", kind="beat", beat="unknown"),
    ):
        action = choose(choice, session, campaign)
        assert (action.choice.kind, action.choice.text, action.place.id) == ("free", choice.text, "mill")


def test_to_continue_lets_time_pass_and_does_nothing_in_the_players_name() -> None:
    on = Choice(text="Continue", kind="continue")
    elsewhere = beat("far", Conditions(player_choice="Drink"), location="inn")

    for campaign in (story(SLUICE), story(elsewhere), story()):
        action = choose(on, begin(campaign), campaign)
        assert (action.beat, action.place.id, action.choice.kind) == (None, "mill", "wait")


def test_progress_counts_visits_sayings_and_who_was_met() -> None:
    campaign = story()
    session = begin(campaign)
    talk = choose(Choice(text="Talk", kind="talk", target="ada"), session, campaign)
    walk = choose(Choice(text="Go", kind="go", target="inn"), session, campaign)

    assert progress_after(talk, session.progress, campaign).saying_counts == {"ada": 1}
    after = progress_after(walk, session.progress, campaign)
    assert (after.place, after.visits, after.met_people) == ("inn", {"mill": 1, "inn": 1}, ("ada", "bo"))


def test_who_looks_at_something_and_then_goes_has_looked_and_is_there() -> None:
    campaign = story(SLUICE)
    meaning = Understanding(
        intents=(
            Intent(act="examine", text="look at the wheel"),
            Intent(act="go", text="go to the inn", place=Mention("inn", "inn", "The inn")),
        ),
        evidence=(
            (Evidence(id="look/mill/wheel", text="It is oak.", source="place", relevance=1.0),),
            (),
        ),
    )
    recalled = RecallResult(understanding=meaning)
    session = begin(campaign)

    action = choose(Choice(text="look at the wheel, then go to the inn"), session, campaign, recalled)
    answers = prepare_answers(action, session, campaign, recalled).answers

    assert (action.place.id, action.answered_at) == ("inn", "mill")
    assert "It is oak." in answers[""].text

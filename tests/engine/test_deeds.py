"""Deeds: words carried between people, help, debts, comfort and things shown, each with what it rests on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import pytest
from tests.engine.small_story import beat, begin, person, story

from narratoria.campaign.campaign import Campaign, Conditions, LorePassage, Topic
from narratoria.contracts.scene_facts import DeedFacts
from narratoria.engine.action import choose, prepare_answers, situation_of
from narratoria.engine.deeds import list_deeds
from narratoria.engine.memory.recall import NOTHING, RecallResult
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.story_evidence import tellable_evidence
from narratoria.engine.understanding import understand_by_words
from narratoria.state import SessionState

LOSS = Topic(
    id="the-oar",
    ask="whose oar that is",
    answer="“My brother's,” says Ada. “My brother drowned in the weir.”",
)
ADA = msgspec.structs.replace(
    person("Ada", "mill"),
    topics=(LOSS,),
    appearance="She has flour on her sleeves.",
    relationships={"bo": "Owes him a winter's flour"},
    motivations=("See the wheel turn again, whatever it costs",),
    background="Ada found a brass key in the millpond.",
)
BO = msgspec.structs.replace(person("Bo", "inn"), relationships={"ada": "Would marry her tomorrow"})


def tale(*offers: str) -> Campaign:
    beats = (beat(f"b{at}", Conditions(player_choice=offer)) for at, offer in enumerate(offers))
    return replace(story(*beats), people={"ada": ADA, "bo": BO})


def told(*ids: str, state: dict[str, Any] | None = None, campaign: Campaign | None = None) -> StorySnapshot:
    """Return a story in which these pieces of evidence were told, at the mill."""
    session = begin(campaign or tale())
    progress = msgspec.structs.replace(session.progress, evidence=ids)
    return msgspec.structs.replace(session, progress=progress, state=SessionState(state or {}))


def deeds(session: StorySnapshot, campaign: Campaign, *just_told: str) -> list[DeedFacts]:
    situation = situation_of(session, campaign)
    tellable = partial(tellable_evidence, situation=situation)
    return list(list_deeds(situation, "mill", tellable, frozenset(just_told)))


def test_what_somebody_said_of_another_can_be_carried_to_them_once() -> None:
    assert deeds(told(), tale()) == []
    (deed,) = deeds(told("bo/ties/ada"), tale())
    assert (deed.act, deed.text, deed.id) == ("tell", "Tell Ada what Bo said of her", "ada/ties/bo")
    assert [(one.kind, one.id) for one in deed.receipts] == [("evidence", "bo/ties/ada")]
    assert deeds(told("bo/ties/ada", "ada/ties/bo"), tale()) == []


def test_a_carried_word_is_answered_with_what_the_other_has_to_say_of_it() -> None:
    campaign, session = tale(), told("bo/ties/ada")
    (deed,) = deeds(session, campaign)
    choice = Choice(text=deed.text, kind="talk", act=deed.act, target="ada", topic=deed.id)
    meaning = understand_by_words(choice, session, campaign, NOTHING)
    action = choose(choice, session, campaign, RecallResult(understanding=meaning))
    answer = prepare_answers(action, session, campaign).answer_for("")
    assert answer is not None
    assert "ada/ties/bo" in answer.evidence
    assert "winter's flour" in answer.text
    assert answer.units  # a reaction comes before it


def test_help_is_offered_with_a_wish_that_was_told_until_it_is_promised() -> None:
    assert deeds(told(), tale()) == []
    (deed,) = deeds(told("ada/wants/0"), tale())
    assert (deed.act, deed.text) == ("promise", "Promise Ada to help her see the wheel turn again")
    promised = {"world": {"promises": [{"who": "ada", "what": "help", "scene": 1}]}}
    assert deeds(told("ada/wants/0", state=promised), tale()) == []


def test_a_loss_is_answered_right_after_it_was_told_and_not_later() -> None:
    session = told("ada/topic/the-oar")
    (deed,) = deeds(session, tale(), "ada/topic/the-oar")
    assert (deed.act, deed.text) == ("comfort", "Tell Ada that you are sorry about her brother")
    assert deeds(session, tale()) == []


@pytest.mark.parametrize(
    ("kind", "text", "act"),
    [
        ("debt", "Promise Ada to make good what you owe her", "promise"),
        ("owes", "Remind Ada that she owes you, and ask for the truth about her", "persuade"),
    ],
)
def test_a_debt_can_be_spoken_of_with_who_is_owed_or_owes(kind: str, text: str, act: str) -> None:
    state = {"world": {kind: [{"who": "ada", "what": "flour", "scene": 1}]}}
    (deed,) = deeds(told(state=state), tale())
    assert (deed.text, deed.act, deed.risky) == (text, act, act == "persuade")


def test_a_thing_is_shown_to_who_has_something_to_say_to_it_unless_a_beat_does_that() -> None:
    state = {"persona": {"items": ["a brass key", "a comb"]}}
    (deed,) = deeds(told(state=state), tale())
    assert (deed.text, deed.thing, deed.id) == ("Show Ada the brass key", "brass key", "ada/background/0")
    assert deeds(told(state=state), tale("Give the key to Ada")) == []
    assert deeds(told(state={"persona": {"items": ["a door key"]}}), tale()) == []


def test_nobody_who_is_cold_is_offered_anything() -> None:
    assert deeds(told("bo/ties/ada", state={"perception": {"ada": -80}}), tale()) == []


def test_a_carried_thing_shows_what_is_written_of_it_once() -> None:
    page = LorePassage("reeds", 0, "The reeds", "A bone comb lies in the reeds. It has three teeth.")
    campaign = replace(tale(), lore=(page,))
    carried = {"persona": {"items": ["your bone comb", "a whistle"]}}
    session = told(state=carried, campaign=campaign)
    (deed,) = deeds(session, campaign)
    found = (deed.act, deed.text, deed.id, deed.person)
    assert found == ("examine", "Examine your bone comb", "lore/reeds#0", "")

    choice = Choice(text=deed.text, act="examine", thing=deed.thing, topic=deed.id)
    meaning = understand_by_words(choice, session, campaign, NOTHING)
    action = choose(choice, session, campaign, RecallResult(understanding=meaning))
    answer = prepare_answers(action, session, campaign).answer_for("")
    assert answer is not None
    assert "lies in the reeds" in answer.text
    assert deeds(told("lore/reeds#0", state=carried, campaign=campaign), campaign) == []


def test_what_a_story_began_with_is_not_offered_as_something_to_be_found_out() -> None:
    campaign = replace(tale(), premise=("You come with a letter of engagement in your coat.",))
    carried = {"persona": {"items": ["letter of engagement"]}}
    assert deeds(told(state=carried, campaign=campaign), campaign) == []


def test_of_several_relatives_it_is_the_one_who_died() -> None:
    text = "“My mother dips candles there and my father is dead,” says Ada."
    topic = msgspec.structs.replace(LOSS, answer=text)
    campaign = replace(tale(), people={"ada": msgspec.structs.replace(ADA, topics=(topic,))})
    (deed,) = deeds(told("ada/topic/the-oar", campaign=campaign), campaign, "ada/topic/the-oar")
    assert deed.text == "Tell Ada that you are sorry about her father"

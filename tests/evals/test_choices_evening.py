"""An evening by choices: what is counted, and that the offers stay worth picking."""

from __future__ import annotations

from dataclasses import replace

from evals.choices.evening import report_evening, report_long
from evals.choices.evening_metrics import (
    find_running,
    is_distinct,
    is_plain,
    measure_offered,
    measure_picked,
    measure_repetition,
)
from evals.choices.evening_play import PlayedTurn, play_evening
from evals.choices.evening_wording import OURS, Corpus, measure_likeness, measure_wording
from tests.engine.small_story import story

from narratoria import paths
from narratoria.engine.scene import Choice, Receipt

HERE = (Receipt("place", "mill", "you are at the mill"),)
ASK = Choice(text="Ask Ada about the flood", kind="talk", act="ask", target="ada", topic="t", because=HERE)
GO = Choice(text="Go to the inn", kind="go", target="inn", because=HERE)
WAIT = Choice(text="Wait", kind="wait", because=HERE)
LEAP = Choice(text="Leap", kind="beat", beat="leap", because=HERE)
MOST_PLAIN, LEAST_NEW = 0.4, 0.7  # of a short evening; its first scenes have only ways to offer


def turn(number: int, *offered: Choice, text: str = "Rain.", **others: object) -> PlayedTurn:
    fields = {"campaign": "c", "policy": "random", "seed": 1, "story": 1, "place": "mill", **others}
    return PlayedTurn(number=number, offered=offered, paragraphs=(text,), **fields)  # type: ignore[arg-type]


def test_a_choice_is_plain_by_what_it_does_and_not_by_its_words() -> None:
    searching = Choice(text="Turn the room upside down", kind="free", act="search")
    thinking = Choice(text="Think over what has happened", kind="free", act="think_back")
    visiting = Choice(text="Go to the inn and ask Bo", kind="talk", act="ask", target="bo", topic="t")
    leaving = Choice(text="Go down with the boat", kind="beat", beat="boat")
    assert [is_plain(one) for one in (GO, searching, thinking)] == [True] * 3
    assert [is_plain(one) for one in (ASK, visiting, leaving)] == [False] * 3


def test_two_questions_to_one_person_are_of_one_kind() -> None:
    other = Choice(text="Ask Ada about the wheel", kind="talk", act="ask", target="ada", topic="u")
    assert is_distinct((ASK, GO, LEAP))
    assert not is_distinct((ASK, other, GO))


def test_what_is_offered_three_scenes_running_needs_a_reason() -> None:
    turns = [turn(number, ASK, LEAP, GO) for number in (1, 2, 3)]
    pressing = [turn(number, ASK, LEAP, GO, critical=("leap",)) for number in (1, 2, 3)]
    only_way = [turn(number, GO) for number in (1, 2, 3)]
    assert [choice.text for _, choice in find_running(turns)] == [ASK.text, LEAP.text, GO.text]
    assert [choice.text for _, choice in find_running(pressing)] == [ASK.text, GO.text]
    assert list(find_running(only_way)) == []
    assert list(find_running([turns[0], turn(2, WAIT), turns[2]])) == []


def test_units_and_lines_told_more_than_twice_are_counted_with_their_slots_open() -> None:
    places = ("the inn", "the mill", "the weir")
    turns = [
        turn(number, ASK, text=f"You head for {place}. It rains.", sources=("unit:u1",))
        for number, place in enumerate(places)
    ]
    repetition = measure_repetition(turns)
    assert repetition.worn_units == (("unit:u1", 3),)
    assert repetition.worn_lines == (("You head for {place}.", 3),)
    assert (repetition.sentences, repetition.repeated) == (6, 2)
    assert (repetition.openings, repetition.distinct_openings) == (3, 1)


def test_a_report_marks_a_campaign_that_misses_a_goal() -> None:
    turns = [turn(1, GO, ASK), turn(2, GO, ASK, picked=GO, new=("place:inn",))]
    assert report_evening("mill", turns).startswith("| mill (!) | 50%")
    corpus = Corpus(replace(story(), folder=paths.BUNDLED_CAMPAIGNS))
    assert report_long("mill", turns, corpus).startswith("| mill | 2 in 1 | 0 | 0 | 0 | 0 |")


def test_a_sentence_that_is_told_again_is_the_authors_where_the_campaign_has_it() -> None:
    campaign = replace(story(), folder=paths.BUNDLED_CAMPAIGNS, premise=("The weir is open all night.",))
    corpus = Corpus(campaign)
    texts = ("I never saw Ada there. The weir is open all night.", "I never saw Bo there. No.")
    wording = measure_wording([turn(number, ASK, text=text) for number, text in enumerate(texts * 2)], corpus)
    assert wording.worn(OURS) == (("I never saw {name} there.", 4),)
    assert corpus.origin_of("The weir is open all night.") == "endings"
    assert corpus.origin_of("I never saw Ada there.") == OURS
    assert corpus.open("You see Ada at the mill.") == "You see {name} at the {place}."


def test_choices_are_like_a_memory_from_the_relevance_that_the_criterion_asks_for() -> None:
    alike = [turn(1, GO, ASK, alike=(0.2, 0.7)), turn(2, GO, alike=(0.9,), ended=True)]
    assert measure_likeness(alike) == (1, 2)


async def test_an_evening_offers_little_going_and_leads_to_something_new() -> None:
    turns = await play_evening("tomorrows-post", 16, "curious", 1)
    offered, picked = measure_offered(turns), measure_picked(turns)
    assert offered.plain_share <= MOST_PLAIN
    assert (offered.running, offered.without_receipt) == (0, 0)
    assert picked.new_share >= LEAST_NEW
    assert max(len(one.offered) for one in turns) <= 4

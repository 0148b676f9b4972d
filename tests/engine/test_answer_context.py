"""An action that no beat answers: when dice decide it, and what the narrator is told of the world."""

from __future__ import annotations

import pytest
from tests.engine.small_story import beat, situation, story

from narratoria.campaign.campaign import Conditions, Place
from narratoria.engine.answer_context import (
    answer_context,
    answer_intents,
    is_risky,
    suggestions,
    units_of,
    world_of,
)
from narratoria.engine.reading import Understanding
from narratoria.engine.snapshot import Progress
from narratoria.planner.intent import Intent, Mention

TALE = story()
MILL = TALE.places["mill"]
ADA = Mention("Ada", "ada", "Ada")
BO = Mention("Bo", "bo", "Bo")


@pytest.mark.parametrize(
    ("intent", "rolls"),
    [
        (Intent(act="attack", text="hit Ada", person=ADA), True),
        (Intent(act="attack", text="hit Bo", person=BO), False),  # who is not here
        (Intent(act="wait", text="wait"), False),
        (Intent(act="no such act", text="?"), False),
    ],
)
def test_dice_decide_where_somebody_is_there_to_resist(intent: Intent, rolls: bool) -> None:
    assert is_risky([intent], situation(TALE), MILL) is rolls


def test_the_narrator_knows_who_hears_where_the_others_were_and_how_they_feel() -> None:
    state = {"perception": {"ada": 40}, "persona": {"items": ["a rope"]}}
    context = answer_context(situation(TALE, state=state), MILL, seed="1")

    assert set(context.people) == {"ada"}
    assert context.people["ada"].feeling == "warm"
    assert context.last_seen == {"bo": "the inn"}
    assert context.items == ("rope",)


def test_somebody_who_is_hurt_is_cold_whatever_they_thought() -> None:
    state = {"perception": {"ada": 40}, "world": {"hurt": {"ada": "a blow"}}}

    assert answer_context(situation(TALE, state=state), MILL, seed="1").people["ada"].feeling == "cold"


def test_every_way_a_roll_can_end_has_an_answer_and_a_seed_always_the_same() -> None:
    understanding = Understanding(intents=(Intent(act="attack", text="hit Ada", person=ADA),), evidence=((),))
    ends = ("success", "partial success", "failure")
    answers = answer_intents(understanding, situation(TALE), MILL, ends, seed="7")

    assert set(answers) == set(ends)
    assert all(answer.text for answer in answers.values())
    assert answers == answer_intents(understanding, situation(TALE), MILL, ends, seed="7")


def test_a_place_is_indoors_or_outdoors_by_the_authors_words() -> None:
    hall = Place("hall", "The hall", "A room with a low ceiling and a door.")
    shore = Place("shore", "The shore", "The sea under a grey sky.")

    assert "indoors" in world_of(TALE, hall)
    assert "outdoors" in world_of(TALE, shore)


def test_what_the_author_offers_is_suggested_before_the_ways_out_and_three_at_most() -> None:
    openings = [beat(name, Conditions(player_choice=name)) for name in ("Sing", "Dance")]

    assert suggestions(openings, [TALE.places["inn"], MILL]) == ["Sing", "Dance", "Go to the inn"]
    assert suggestions([], []) == []


def test_the_repertoire_is_loaded_once_for_a_campaign() -> None:
    assert units_of(TALE) is units_of(TALE)
    assert len({unit.id for unit in units_of(TALE)}) == len(units_of(TALE))


def test_the_units_told_before_and_the_turn_are_known_to_the_narrator() -> None:
    context = answer_context(
        situation(TALE, Progress(place="mill", scene=4, units={"u1": 3})), MILL, seed="1"
    )

    assert (context.turn, context.used) == (5, {"u1": 3})

"""The effects of an answer on the story: what the player has, what people think, and who is where."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.small_story import story

from narratoria.engine.effects import (
    MAX_ENTRIES,
    Matter,
    advance_progress,
    describe_effect,
    minutes_of,
    open_matters,
    patch_state,
)
from narratoria.engine.snapshot import Progress
from narratoria.narrator.effect_types import Effect
from narratoria.state import SessionState

STATE: dict[str, Any] = {"persona": {"items": ["rope"]}, "perception": {"ada": 98}}


def patch(*effects: Effect, state: dict[str, Any] | None = None) -> dict[str, Any]:
    return patch_state(effects, STATE if state is None else state, place="mill", scene=4)


def test_a_thing_that_is_taken_is_the_players_and_one_that_is_dropped_lies_here() -> None:
    taken, dropped = patch(Effect("takes", "lamp")), patch(Effect("drops", "rope"))

    assert taken["persona"] == {"items": ["rope", "lamp"]}
    assert taken["world"]["things"]["lamp"] == {"holder": "player", "place": ""}
    assert dropped["persona"] == {"items": []}
    assert dropped["world"]["things"]["rope"] == {"holder": "", "place": "mill"}


def test_a_thing_that_is_given_away_is_who_got_its() -> None:
    given = patch(Effect("gives", "rope", to="ada"))

    assert given["persona"] == {"items": []}
    assert given["world"]["things"]["rope"]["holder"] == "ada"


def test_an_opinion_stays_within_its_bounds() -> None:
    assert patch(Effect("likes", "ada", by=10))["perception"] == {"ada": 100.0}
    assert patch(Effect("dislikes", "bo"))["perception"] == {"bo": -5.0}


def test_effects_that_change_nothing_leave_no_patch_and_the_state_itself_is_never_changed() -> None:
    state = {"world": {"things": {"lamp": {"holder": "player"}}}}

    assert patch() == {}
    assert patch(Effect("time", by=5)) == {}
    patch(Effect("breaks", "lamp"), state=state)
    assert state == {"world": {"things": {"lamp": {"holder": "player"}}}}


def test_promises_are_remembered_with_their_scene_and_the_oldest_go_first() -> None:
    state = patch(*(Effect("promises", "ada", why=f"promise {at}") for at in range(MAX_ENTRIES + 2)))
    promises = open_matters(state)["promises"]

    assert len(promises) == MAX_ENTRIES
    assert promises[0] == Matter("ada", "promise 2", 4)
    assert state["world"]["promises"][0] == {"who": "ada", "what": "promise 2", "scene": 4}


def test_people_come_along_stay_leave_and_die_once() -> None:
    campaign = story()
    here = Progress(place="mill")
    along = advance_progress([Effect("follows", "ada"), Effect("follows", "ada")], here, campaign)

    assert along.company == ("ada",)
    assert advance_progress([Effect("stays", "ada")], along, campaign).company == ()
    gone = advance_progress([Effect("leaves", "ada")], along, campaign)
    assert (gone.company, gone.moved_people) == ((), {"ada": "inn"})
    assert advance_progress([Effect("dies", "bo"), Effect("dies", "bo")], here, campaign).dead == ("bo",)
    assert advance_progress([Effect("dies", "nobody")], here, campaign) == here


def test_the_player_goes_to_a_place_that_is_there_and_company_comes_along() -> None:
    campaign, here = story(), Progress(place="mill", company=("ada",))

    there = advance_progress([Effect("goes", "inn")], here, campaign)
    assert (there.place, there.visits, there.moved_people) == ("inn", {"inn": 1}, {"ada": "inn"})
    assert advance_progress([Effect("goes", "nowhere")], here, campaign) == here


def test_time_is_added_up() -> None:
    assert minutes_of([Effect("time", by=5), Effect("time", by=15), Effect("takes", "lamp", by=3)]) == 20


@pytest.mark.parametrize(
    ("effect", "sentence"),
    [
        (Effect("gives", "lamp", to="ada"), "Ada has the lamp"),
        (Effect("hurt", "player"), "You are hurt"),
        (Effect("likes", "ada"), "Ada thinks better of you"),
        (Effect("opens", "iron gates"), "The iron gates are open"),
        (Effect("takes", "a brass key"), "You have the brass key"),
        (Effect("time", by=5), ""),
    ],
)
def test_an_effect_is_a_short_sentence_or_nothing(effect: Effect, sentence: str) -> None:
    assert describe_effect(effect, {"ada": "Ada"}) == sentence


def test_who_is_healed_is_no_longer_hurt_once_the_patch_is_applied() -> None:
    state = SessionState({"world": {"hurt": {"ada": "a cut", "player": "a bruise"}}})
    healed = state.apply_patch(patch(Effect("heals", "ada"), state=state.to_dict()))

    assert healed.get("world.hurt") == {"player": "a bruise"}
    assert patch(Effect("heals", "bo"), state=state.to_dict()) == {}


def test_a_thing_is_lost_whatever_its_article() -> None:
    state = {"persona": {"items": ["a brass key", "rope"]}}

    assert patch(Effect("loses", "brass key"), state=state)["persona"] == {"items": ["rope"]}


def test_who_is_driven_out_is_next_door_with_whoever_comes_along() -> None:
    here = Progress(place="mill", company=("ada",))
    after = advance_progress([Effect("driven_out", "bo")], here, story())

    assert (after.place, after.visits, after.moved_people) == ("inn", {"inn": 1}, {"ada": "inn"})
    assert patch(Effect("driven_out", "bo"))["world"]["driven_out"] == {"mill": 4}
    assert patch(Effect("caught", "bo"))["world"]["held"] == {"place": "mill", "by": "bo", "scene": 4}
    assert describe_effect(Effect("driven_out", "bo"), {"bo": "Bo"}) == "You have been driven out"
    assert describe_effect(Effect("caught", "bo"), {"bo": "Bo"}) == "Bo is holding you"
    assert describe_effect(Effect("caught", "here"), {"bo": "Bo"}) == "You are being held"

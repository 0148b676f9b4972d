"""A trial story: begun at a place or a beat, as if all that has to come before it had happened."""

from __future__ import annotations

import msgspec
import pytest
from tests.engine.small_story import beat, play, story

from narratoria import paths
from narratoria.app import load_or_enrich_campaign
from narratoria.campaign.campaign import BeatOutcome, Campaign, Conditions, Effects, Topic
from narratoria.engine.action import openings_at, situation_of
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.trial import TrialStart, start_at_beat, start_at_place
from narratoria.state import SessionState

FLOOD = beat(
    "flood",
    Conditions(player_choice="Open the gate"),
    location="mill",
    consequences=("the mill is flooded",),
    effects=Effects(gain=("a wet key",), lose=("a loaf",), moves={"ada": "inn"}),
)
CELLAR = beat(
    "cellar",
    Conditions(player_choice="Unlock the cellar", requires_beat="flood"),
    location="inn",
    outcomes=(
        BeatOutcome("success", "It opens.", consequences=("the cellar is open",)),
        BeatOutcome("failure", "It stays shut."),
    ),
)
GHOST = beat("ghost", Conditions(player_state="the cellar is open"), location="inn", npcs=("ada",))


def begin_trial(start: TrialStart, campaign: Campaign) -> StorySnapshot:
    beginning = start.beginning
    session = StorySnapshot(
        id="s", campaign="t", seed=1, progress=beginning.progress, state=SessionState(beginning.state)
    )
    return play(session, start.choice, campaign)


def test_a_trial_begins_at_the_place_that_was_chosen() -> None:
    campaign = story(FLOOD)
    session = begin_trial(start_at_place("inn", {}), campaign)
    assert (session.progress.place, session.progress.scene) == ("inn", 1)
    assert session.progress.beat_outcomes == {}


def test_an_offered_beat_is_offered_once_all_before_it_has_happened() -> None:
    campaign = story(FLOOD, CELLAR, GHOST)
    session = begin_trial(start_at_beat(CELLAR, campaign, {"items": ["a loaf"]}), campaign)
    progress = session.progress
    assert (progress.place, progress.scene) == ("inn", 1)
    assert progress.beat_outcomes == {"flood": ""}
    assert session.flags == {"the mill is flooded"}
    assert session.state.get("persona.items") == ["a wet key"]
    assert progress.moved_people["ada"] == "inn"
    offered = openings_at(campaign.places["inn"], situation_of(session, campaign))
    assert offered[0].id == "cellar"


def test_a_beat_that_comes_by_itself_is_told_in_the_first_scene() -> None:
    campaign = story(FLOOD, CELLAR, GHOST)
    session = begin_trial(start_at_beat(GHOST, campaign, {}), campaign)
    assert session.scenes[0].beats == ("ghost",)
    assert session.progress.beat_outcomes == {"flood": "", "cellar": "success", "ghost": ""}
    assert session.flags == {"the mill is flooded", "the cellar is open"}
    assert session.progress.met_people == ("ada", "bo")


def test_whatever_else_a_beat_asks_for_a_trial_of_it_can_be_played() -> None:
    late = beat("late", Conditions(player_choice="Ring", custom="flags.size() > 7"), location="mill")
    campaign = story(late)
    session = begin_trial(start_at_beat(late, campaign, {}), campaign)
    assert openings_at(campaign.places["mill"], situation_of(session, campaign)) == [late]


def test_what_has_to_be_asked_before_a_beat_was_asked() -> None:
    asked = beat("go-down", Conditions(player_choice="Go down", player_state="Bo has told of the cellar"))
    campaign = story(asked)
    topic = Topic("cellar", "what is below", "A cellar.", consequences=("Bo has told of the cellar",))
    bo = msgspec.structs.replace(campaign.people["bo"], topics=(topic,))
    campaign.people["bo"] = bo  # type: ignore[index]
    session = begin_trial(start_at_beat(asked, campaign, {}), campaign)
    assert session.progress.evidence == ("bo/topic/cellar",)
    assert session.progress.beat_outcomes == {}
    assert "Bo has told of the cellar" in session.flags


@pytest.mark.parametrize("name", ["tomorrows-post"])
def test_every_beat_and_place_of_a_bundled_campaign_can_be_tried(name: str) -> None:
    campaign = load_or_enrich_campaign(paths.BUNDLED_CAMPAIGNS / name)
    for place in campaign.places:
        assert begin_trial(start_at_place(place, {}), campaign).progress.place == place
    for one in campaign.beats:
        session = begin_trial(start_at_beat(one, campaign, {}), campaign)
        situation = situation_of(session, campaign)
        offered = openings_at(campaign.places[session.progress.place], situation)
        assert one in offered or one.id in session.scenes[0].beats, one.id

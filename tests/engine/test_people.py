"""Where people are while a story is played."""

from __future__ import annotations

from tests.engine.small_story import beat, begin, play, story

from narratoria.campaign.campaign import Conditions
from narratoria.campaign.placement import Placement
from narratoria.engine.people import people_at
from narratoria.engine.scene import Choice


def test_a_beat_brings_an_antagonist_who_was_nowhere_and_nobody_who_is_dead() -> None:
    arrival = beat("arrival", Conditions(player_choice="Open the door"), npcs=("ada", "bo"))
    campaign = story(
        arrival, placements={"ada": Placement("", "away", "a villain"), "bo": Placement("", "gone", "dead")}
    )
    before = begin(campaign)
    after = play(before, Choice(text="Open the door", kind="beat", beat="arrival"), campaign)

    assert people_at("mill", campaign, before.progress) == {}
    assert list(people_at("mill", campaign, after.progress)) == ["ada"]

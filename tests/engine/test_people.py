"""Where people are while a story is played."""

from __future__ import annotations

import msgspec
from tests.engine.small_story import beat, begin, play, story

from narratoria.campaign.campaign import Conditions
from narratoria.campaign.placement import Placement
from narratoria.engine.people import bring_company, people_at
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress


def test_a_beat_brings_an_antagonist_who_was_nowhere_and_nobody_who_is_dead() -> None:
    arrival = beat("arrival", Conditions(player_choice="Open the door"), npcs=("ada", "bo"))
    campaign = story(
        arrival, placements={"ada": Placement("", "away", "a villain"), "bo": Placement("", "gone", "dead")}
    )
    before = begin(campaign)
    after = play(before, Choice(text="Open the door", kind="beat", beat="arrival"), campaign)

    assert people_at("mill", campaign, before.progress) == {}
    assert list(people_at("mill", campaign, after.progress)) == ["ada"]


def test_whoever_comes_along_is_there_when_the_player_arrives() -> None:
    progress = Progress(place="landing", company=("pike",))
    assert bring_company(progress, "foundry").moved_people == {"pike": "foundry"}
    assert bring_company(progress, "landing") == progress
    dead = msgspec.structs.replace(progress, dead=("pike",))
    assert bring_company(dead, "foundry").moved_people == {}

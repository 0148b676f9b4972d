"""Which beats can still happen in a story that has come some way."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.small_story import beat, story

from narratoria.campaign.campaign import Beat, Conditions, Effects, Line, NpcState, Window
from narratoria.campaign.remaining import StoryPosition, can_end, participants

HERE = StoryPosition("mill", scene=5)


def position(**fields: Any) -> StoryPosition:
    return StoryPosition("mill", scene=5, **fields)


def end(**conditions: Any) -> Beat:
    return beat("end", Conditions(player_choice="Leave", **conditions), ending="end")


def test_a_story_can_end_as_long_as_nothing_stands_in_the_way() -> None:
    assert can_end(story(end()), HERE)
    assert can_end(story(end(npc_state={"ada": NpcState(alive=True)})), HERE)


@pytest.mark.parametrize(
    "ending",
    [
        end(npc_state={"ada": NpcState(alive=True)}),
        end(npc_state={"ada": NpcState(present=True)}),
        beat("end", Conditions(player_choice="Leave"), ending="end", npcs=("ada",)),
        beat("end", Conditions(player_choice="Leave"), ending="end", dialogue=(Line("ada", "Go."),)),
    ],
)
def test_it_cannot_once_the_one_it_needs_is_killed(ending: Beat) -> None:
    assert not can_end(story(ending), position(dead=("ada",), killed=("ada",)))


def test_a_death_that_a_beat_brought_about_leaves_what_the_author_wrote_for_afterwards() -> None:
    wake = beat("end", Conditions(player_choice="Leave"), ending="end", npcs=("ada",))

    assert can_end(story(wake), position(dead=("ada",)))
    assert (
        participants(beat("end", Conditions(npc_state={"ada": NpcState(alive=False)}), npcs=("ada",)))
        == set()
    )


def test_it_cannot_once_every_way_to_the_end_is_skipped_or_over() -> None:
    key = beat("key", Conditions(player_choice="Take the key"))

    assert can_end(story(key, end(requires_beat="key")), HERE)
    assert can_end(story(key, end(requires_beat="key")), position(beat_outcomes={"key": ""}))
    assert not can_end(story(key, end(requires_beat="key")), position(skipped_beats=("key", "end")))
    assert not can_end(story(end(scene_count=Window(max=4))), HERE)


def test_it_cannot_once_what_it_takes_is_lost_unless_a_beat_still_gives_it() -> None:
    locked = end(custom='"lamp" in items')
    gift = beat("gift", Conditions(player_choice="Ask for the lamp"), effects=Effects(gain=("lamp",)))

    assert can_end(story(locked), HERE)
    assert not can_end(story(locked), position(lost_items=("lamp",)))
    assert can_end(story(locked, gift), position(lost_items=("lamp",)))


def test_a_beat_that_is_called_for_comes_whatever_its_conditions_but_not_with_the_dead() -> None:
    last = beat("end", Conditions(requires_beat="never"), ending="end", npcs=("ada",))
    never = beat("never", Conditions(player_choice="Jump"))

    assert can_end(story(last, never), position(skipped_beats=("never",), called_beats=("end",)))
    killed = position(skipped_beats=("never",), called_beats=("end",), dead=("ada",), killed=("ada",))
    assert not can_end(story(last, never), killed)


def test_a_campaign_without_an_ending_is_never_ended_for_it() -> None:
    assert can_end(story(beat("walk")), position(dead=("ada", "bo"), killed=("ada", "bo")))

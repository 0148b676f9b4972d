"""Beats: when they are open, when they come by themselves, and what stays of them."""

from __future__ import annotations

from tests.engine.small_story import WAIT, beat, begin, play, situation, story

from narratoria.campaign.campaign import (
    BeatOutcome,
    Conditions,
    Timeout,
    Window,
)
from narratoria.engine import beats
from narratoria.engine.snapshot import Progress


def test_what_the_player_can_set_off_stands_by_priority_and_then_by_the_authors_order() -> None:
    campaign = story(
        beat("a", Conditions(player_choice="A"), priority="low"),
        beat("b", Conditions(player_choice="B"), priority="critical"),
        beat("c", Conditions(player_choices=("C", "See")), priority="critical"),
        beat("by-itself", priority="critical"),
    )
    assert [each.id for each in beats.openings(situation(campaign))] == ["b", "c", "a"]


def test_only_what_is_at_home_here_comes_by_itself() -> None:
    campaign = story(
        beat("minor", priority="optional"),
        beat("elsewhere", priority="critical", location="inn"),
        beat("major", priority="high"),
    )
    assert [each.id for each in beats.dues(situation(campaign))] == ["major", "minor"]


def test_whatever_comes_by_itself_is_told_within_two_scenes_however_much_there_is() -> None:
    campaign = story(*(beat(f"b{number}", Conditions(scene_count=Window(min=3))) for number in range(7)))
    session = begin(campaign)
    for _ in range(4):
        session = play(session, WAIT, campaign)
    assert set(session.progress.beat_outcomes) == {f"b{number}" for number in range(7)}
    assert max(session.progress.beat_scenes.values()) <= 3 + 1


def test_a_scene_has_one_roll_and_what_needs_another_waits() -> None:
    ends = (BeatOutcome("success", "yes"), BeatOutcome("failure", "no"))
    campaign = story(beat("first", outcomes=ends), beat("second", outcomes=ends), beat("quiet", Conditions()))
    session = begin(campaign)
    session = play(session, WAIT, campaign, "success")
    assert [name for name in session.progress.beat_outcomes if name != "quiet"] == ["first"]
    session = play(session, WAIT, campaign, "failure")
    assert session.progress.beat_outcomes["first"] == "success"
    assert session.progress.beat_outcomes["second"] == "failure"


def test_a_beat_that_waits_too_long_gives_way_to_its_fallback() -> None:
    waits = beat("ask", Conditions(player_choice="Ask"), timeout=Timeout(3, "too-late"), location="inn")
    late = beat("too-late", Conditions(requires_beat="never-happens"))
    campaign = story(waits, late)
    session = begin(campaign)
    reports: list[str] = []
    for _ in range(5):
        session = play(session, WAIT, campaign)
        reports += session.scenes[-1].notices
    assert "too-late" in session.progress.beat_outcomes
    assert session.progress.beat_scenes["too-late"] <= 1 + 3 + 2
    assert reports == ["The beat ask is skipped: it waited for 3 scenes."]


def test_what_can_no_longer_happen_is_skipped_with_all_that_hangs_on_it_and_reported_once() -> None:
    campaign = story(
        beat("early", Conditions(player_choice="E", scene_count=Window(max=2))),
        beat("after", Conditions(player_choice="A", requires_beat="early")),
        beat("must", Conditions(player_choice="M", scene_count=Window(max=2)), skippable=False),
    )
    session = begin(campaign)
    notices: list[str] = []
    for _ in range(4):
        session = play(session, WAIT, campaign)
        notices += session.scenes[-1].notices
    assert session.progress.skipped_beats == {"early": "scene 2 is over", "after": "early was skipped"}
    assert len(notices) == 2
    assert beats.is_open(campaign.beats[2], situation(campaign, session.progress))


def test_chance_picks_an_outcome_by_its_seed_and_in_the_authors_proportions() -> None:
    odds = beat(
        "odds",
        outcomes=(BeatOutcome("heads", "h", probability=0.8), BeatOutcome("tails", "t", probability=0.2)),
    )
    assert not odds.is_risky
    drawn = [beats.outcome_by_chance(odds, seed) for seed in range(400)]
    assert drawn == [beats.outcome_by_chance(odds, seed) for seed in range(400)]
    assert 0.7 < drawn.count("heads") / 400 < 0.9


def test_a_memory_gives_way_to_a_later_one_on_the_same_matter() -> None:
    chosen = Conditions(player_choice="do it")
    campaign = story(
        beat("ask", chosen, tags=("coach",), consequences=("the coach is late",)),
        beat("lamp", chosen, tags=("lamp", "coach"), consequences=("you have the lamp",)),
        beat("came", tags=("coach",), consequences=("the coach is here",)),
    )
    assert beats.lasting_consequences(campaign, Progress(beat_outcomes={"ask": ""})) == ("the coach is late",)
    assert beats.lasting_consequences(campaign, Progress(beat_outcomes={"ask": "", "lamp": ""})) == (
        "you have the lamp",
    )
    assert beats.lasting_consequences(campaign, Progress(beat_outcomes={"lamp": "", "came": ""})) == (
        "you have the lamp",
    )
    assert (
        beats.lasting_consequences(campaign, Progress(beat_outcomes={"ask": "", "came": "", "unknown": ""}))
        == ()
    )


def test_a_roll_decides_which_consequences_follow() -> None:
    outcomes = (
        BeatOutcome("success", "yes", consequences=("won",)),
        BeatOutcome("failure", "no", consequences=("lost",)),
    )
    risky = beat("risky", outcomes=outcomes, consequences=("tried",))
    assert beats.consequences(risky, "success") == ("tried", "won")
    assert beats.consequences(risky, "banana") == ("tried",)

"""Beats: when they are open, when they come by themselves, and what stays of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from narratoria.campaign.campaign import (
    Beat,
    BeatOutcome,
    Campaign,
    Conditions,
    Effects,
    Manifest,
    NpcState,
    Personality,
    Place,
    Profile,
    ProfileMetadata,
    Timeout,
    Way,
    Window,
)
from narratoria.engine import beats
from narratoria.engine.action import choose
from narratoria.engine.advance import advance_story
from narratoria.engine.conditions import BadExpression, StorySituation, evaluate, failing, prose_conditions
from narratoria.engine.scene import Choice, Roll, Scene
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.skills.health import SessionHealth


def beat(beat_id: str, conditions: Conditions = Conditions(), **others: Any) -> Beat:  # noqa: B008
    return Beat(id=beat_id, title=beat_id, description=beat_id, conditions=conditions, **others)


def person(name: str, place: str) -> Profile:
    return Profile(
        name=name, role="", personality=Personality(), metadata=ProfileMetadata(first_appearance=place)
    )


def story(*all_beats: Beat, **others: Any) -> Campaign:
    mill = Place("mill", "The mill", "A mill.", ways=(Way("inn", "down the road"),))
    inn = Place("inn", "The inn", "An inn.", ways=(Way("mill", "up the road"),))
    return Campaign(
        Path(),
        Manifest(title="t", version="1.0.0"),
        start="mill",
        places={"mill": mill, "inn": inn},
        people={"ada": person("Ada", "mill"), "bo": person("Bo", "inn")},
        beats=all_beats,
        **others,
    )


def situation(
    campaign: Campaign, progress: Progress | None = None, flags: frozenset[str] = frozenset(), **others: Any
) -> StorySituation:
    return StorySituation(campaign, progress or Progress(place="mill"), flags, **others)


def told(session: StorySnapshot, choice: Choice, campaign: Campaign, outcome: str = "") -> StorySnapshot:
    """The story after this choice, without any skill."""
    deed = choose(choice, session, campaign)
    scene = Scene(
        number=session.progress.scene + 1,
        action=choice.text,
        place=deed.place.id,
        paragraphs=("It happens.", "It has happened."),
        choices=(),
        roll=Roll("2d6", 7, outcome) if outcome else None,
        beats=tuple(each.id for each in deed.beats),
    )
    return advance_story(scene, deed, session, campaign, state=session.state, health=SessionHealth())


def begun(campaign: Campaign) -> StorySnapshot:
    return told(StorySnapshot(id="s", campaign="t", seed=1), Choice(text="Begin", kind="begin"), campaign)


WAIT = Choice(text="Wait", kind="wait")


@pytest.mark.parametrize(
    ("conditions", "is_open"),
    [
        (Conditions(), True),
        (Conditions(scene_count=Window(min=3, max=3)), True),
        (Conditions(scene_count=Window(min=4)), False),
        (Conditions(scene_count=Window(max=2)), False),
        (Conditions(requires_beat="earlier"), True),
        (Conditions(requires_beat="never"), False),
        (Conditions(requires_any_beat=("never", "earlier")), True),
        (Conditions(requires_any_beat=("never",)), False),
        (Conditions(player_state="the door is open"), True),
        (Conditions(player_state="the door"), False),
        (Conditions(player_state=("the door is open", "it rains")), False),
        (Conditions(player_state="you once helped the miller"), True),  # a memory bears it out
        (Conditions(world_state="it rains"), False),
        (Conditions(npc_state={"ada": NpcState(present=True, alive=True, met=True)}), True),
        (Conditions(npc_state={"bo": NpcState(present=True)}), False),
        (Conditions(npc_state={"bo": NpcState(met=True)}), False),
        (Conditions(npc_state={"ada": NpcState(perception=Window(min=20))}), True),
        (Conditions(npc_state={"ada": NpcState(perception=Window(min=-100, max=0))}), False),
        (Conditions(npc_state={"ada": NpcState(state="the door is open")}), True),
        (Conditions(custom='!("it rains" in flags)'), True),
        (Conditions(custom='!("the door is open" in flags)'), False),
        (Conditions(custom='scene == 3 && place == "mill" && "earlier" in told'), True),
        (Conditions(custom='stats.wit >= 2 && "a rope" in items && perception["ada"] > 20.0'), True),
        (Conditions(custom='reputation["guild"] < 0.0 || "bo" in met'), False),
        (Conditions(custom="stats.nerve > 1"), False),  # there is no such thing
        (Conditions(custom="scenes > 3"), False),  # nor such a name
        (Conditions(custom="1 + "), False),
        (Conditions(requires_beat="earlier", player_state="it rains"), False),
    ],
)
def test_a_beat_is_open_when_all_its_conditions_hold(conditions: Conditions, is_open: bool) -> None:
    now = situation(
        story(),
        Progress(scene=3, place="mill", beat_outcomes={"earlier": ""}, met_people=("ada",)),
        frozenset({"the door is open"}),
        state={"perception": {"ada": 25}, "persona": {"stats": {"wit": 2}, "items": ["a rope"]}},
        borne_out=frozenset({"you once helped the miller"}),
    )
    assert beats.is_open(beat("new", conditions), now) is is_open
    assert not beats.is_open(beat("earlier", conditions), now)


def test_an_expression_that_cannot_be_evaluated_is_not_true_and_says_why() -> None:
    now = situation(story())
    with pytest.raises(BadExpression, match="scenes"):
        evaluate("scenes > 3", now)
    with pytest.raises(BadExpression, match="neither true nor false"):
        evaluate("1 + 1", now)
    assert "neither true nor false" in next(failing(Conditions(custom="1 + 1"), now))


def test_what_a_beat_brings_about_is_decided_by_that_beat_and_never_by_a_memory() -> None:
    campaign = story(
        beat("hold", Conditions(player_choice="Hold it"), consequences=("the coach is held",)),
        beat("write", Conditions(player_state="the coach is held")),
        beat("thank", Conditions(player_state="you once helped the miller")),
    )
    assert prose_conditions(campaign, Progress(), frozenset()) == ("you once helped the miller",)


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
    session = begun(campaign)
    for _ in range(4):
        session = told(session, WAIT, campaign)
    assert set(session.progress.beat_outcomes) == {f"b{number}" for number in range(7)}
    assert max(session.progress.beat_scenes.values()) <= 3 + 1


def test_a_scene_has_one_roll_and_what_needs_another_waits() -> None:
    ends = (BeatOutcome("success", "yes"), BeatOutcome("failure", "no"))
    campaign = story(beat("first", outcomes=ends), beat("second", outcomes=ends), beat("quiet", Conditions()))
    session = begun(campaign)
    session = told(session, WAIT, campaign, "success")
    assert [name for name in session.progress.beat_outcomes if name != "quiet"] == ["first"]
    session = told(session, WAIT, campaign, "failure")
    assert session.progress.beat_outcomes["first"] == "success"
    assert session.progress.beat_outcomes["second"] == "failure"


def test_a_beat_that_waits_too_long_gives_way_to_its_fallback() -> None:
    waits = beat("ask", Conditions(player_choice="Ask"), timeout=Timeout(3, "too-late"), location="inn")
    late = beat("too-late", Conditions(requires_beat="never-happens"))
    campaign = story(waits, late)
    session = begun(campaign)
    reports: list[str] = []
    for _ in range(5):
        session = told(session, WAIT, campaign)
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
    session = begun(campaign)
    notices: list[str] = []
    for _ in range(4):
        session = told(session, WAIT, campaign)
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


def test_an_outcome_changes_what_can_be_counted_and_calls_the_next_beat() -> None:
    effects = Effects(
        state={"weather": "snow"},
        perception={"ada": -30},
        gain=("a rope",),
        lose=("a lamp",),
        dies=("bo",),
        moves={"ada": "inn"},
        move_to="inn",
    )
    campaign = story(
        beat(
            "fall",
            Conditions(player_choice="Fall"),
            outcomes=(
                BeatOutcome("failure", "no", effects=effects, next_beat="wake"),
                BeatOutcome("success", "yes"),
            ),
        ),
        beat("wake", Conditions(requires_beat="nothing-ever")),
    )
    session = begun(campaign)
    session = msgspec.structs.replace(
        session, state=session.state.apply_patch({"persona": {"items": ["a lamp", "a key"]}})
    )
    session = told(session, Choice(text="Fall", kind="beat", beat="fall"), campaign, "failure")
    assert session.state.get("weather") == "snow"
    assert session.state.get("perception.ada") == -30
    assert session.state.get("persona.items") == ["a key", "a rope"]
    assert session.progress.place == "inn"
    assert session.progress.dead == ("bo",)
    deed = choose(WAIT, session, campaign)
    assert [each.id for each in deed.due_beats] == ["wake"]
    assert choose(Choice(text="Talk", kind="talk", target="bo"), session, campaign).person == ""
    assert choose(Choice(text="Talk", kind="talk", target="ada"), session, campaign).person == "ada"


def test_typed_words_that_mean_an_offer_are_that_offer() -> None:
    campaign = story(
        beat("sluice", Conditions(player_choice="Open the sluice gate", player_choices=("Let the water in",)))
    )
    session = begun(campaign)
    for text in ("I open the sluice gate slowly", "let the water in"):
        assert choose(Choice(text=text), session, campaign).beat is not None
    assert choose(Choice(text="go to the inn"), session, campaign).place.id == "inn"
    assert choose(Choice(text="talk to Ada"), session, campaign).person == "ada"
    assert choose(Choice(text="dance on the table"), session, campaign).choice.kind == "free"


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

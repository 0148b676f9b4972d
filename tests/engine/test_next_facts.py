"""What can be done after a scene follows from how it ended: offers, ways, questions and deeds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
from tests.engine.small_story import beat, begin, person, play, story

from narratoria.campaign.campaign import Beat, BeatOutcome, Conditions, Effects, Topic
from narratoria.contracts.scene_facts import NextFacts
from narratoria.engine.action import choose, situation_of
from narratoria.engine.memory.recall import NOTHING
from narratoria.engine.next_facts import build_next
from narratoria.engine.scene import Choice

OAR = Topic(id="oar", ask="whose oar that is", answer="“Mine,” says Ada.")
ADA = msgspec.structs.replace(person("Ada", "mill"), topics=(OAR,))
LEAP = beat(
    "leap",
    Conditions(player_choice="Leap"),
    outcomes=(
        BeatOutcome("success", "You land.", effects=Effects(move_to="inn")),
        BeatOutcome("failure", "You fall."),
    ),
)
CAMPAIGN = replace(story(LEAP, beat("sing", Conditions(player_choice="Sing"))), people={"ada": ADA})


def after(choice: Choice, end: str = "", **world: Any) -> NextFacts:
    session = begin(CAMPAIGN)
    session = msgspec.structs.replace(session, state=session.state.apply_patch(world))
    action = choose(choice, session, CAMPAIGN)
    return build_next(end, action, situation_of(session, CAMPAIGN), NOTHING)


def test_where_a_roll_leaves_the_player_decides_what_comes_next() -> None:
    leap = Choice(text="Leap", kind="beat", beat="leap", risky=True)
    landed, fell = after(leap, "success"), after(leap, "failure")
    assert [way.to for way in landed.ways] == ["mill"]
    assert [way.to for way in fell.ways] == ["inn"]
    assert [topic.place for topic in landed.elsewhere] == ["mill"]
    assert [topic.id for topic in fell.topics] == ["ada/topic/oar"]
    assert [opening.beat for opening in fell.openings] == ["sing"]


def test_whoever_is_held_can_neither_leave_nor_seek_anybody_out() -> None:
    held = {"held": {"place": "mill", "by": "ada", "scene": 2}}
    free, bound = after(Choice(text="Hum")), after(Choice(text="Hum"), world=held)
    assert free.ways
    assert free.openings
    assert (bound.ways, bound.openings, bound.elsewhere) == ((), (), ())


def test_who_has_come_to_the_end_is_offered_how_it_ends_and_no_walk_across_the_town() -> None:
    pour = beat("pour", Conditions(player_choice="Pour"))
    named, lost = (
        beat(name, Conditions(player_choice=name, requires_beat="pour"), ending=name, location="mill")
        for name in ("named", "lost")
    )

    def ways_after(*beats: Beat) -> tuple[str, ...]:
        tale = replace(CAMPAIGN, beats=beats)
        session = begin(tale)
        action = choose(Choice(text="Pour", kind="beat", beat="pour"), session, tale)
        return tuple(way.to for way in build_next("", action, situation_of(session, tale), NOTHING).ways)

    assert ways_after(pour, named, lost) == ()
    assert ways_after(pour, named) == ("inn",)  # one of the ends that can be reached is no climax


def test_the_ends_that_a_climax_leads_to_press_until_one_is_chosen() -> None:
    pour = beat("pour", Conditions(player_choice="Pour"))
    ends = [
        beat(name, Conditions(player_choice=name, requires_beat="pour"), ending=name, location="mill")
        for name in ("named", "lost")
    ]
    leave = beat("leave", Conditions(player_choice="Leave"), ending="leave", priority="optional")

    def priorities(*beats: Beat) -> dict[str, str]:
        tale = replace(CAMPAIGN, beats=beats)
        session = play(begin(tale), Choice(text="Pour", kind="beat", beat="pour"), tale)
        action = choose(Choice(text="Hum"), session, tale)
        facts = build_next("", action, situation_of(session, tale), NOTHING)
        return {one.beat: one.priority for one in facts.openings}

    assert priorities(pour, *ends, leave) == {"named": "critical", "lost": "critical", "leave": "optional"}
    assert priorities(pour, ends[0], leave) == {"named": "medium", "leave": "optional"}

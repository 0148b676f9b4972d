"""The choices that stand in where no skill offers any: what the engine itself knows to be open."""

from __future__ import annotations

from dataclasses import replace

from tests.engine.small_story import beat, begin, story

from narratoria.campaign.campaign import Campaign, Conditions
from narratoria.engine.action import choose
from narratoria.engine.facts import build_facts
from narratoria.engine.render import render
from narratoria.engine.scene import GENERIC_CHOICES, Choice, Scene
from narratoria.planning.aggregate import Aggregate
from narratoria.planning.replan import Fallback
from narratoria.skills.health import SessionHealth
from narratoria.state import SessionState

WAIT = Choice(text="Wait", kind="wait")


def scene_without_skills(campaign: Campaign) -> Scene:
    session = begin(campaign)
    action = choose(WAIT, session, campaign)
    fallback = Fallback("The moment passes.", SessionHealth(), ())
    return render(2, action, fallback, Aggregate(SessionState({})), build_facts(action, session, campaign))


def test_stand_ins_are_what_the_story_offers_here_who_is_here_and_where_something_waits() -> None:
    campaign = story(
        beat("wheel", Conditions(player_choice="Mend the wheel"), location="mill"),
        beat("toast", Conditions(player_choice="Drink to the miller"), location="inn"),
    )
    scene = scene_without_skills(campaign)
    assert [(one.text, one.kind) for one in scene.choices] == [
        ("Mend the wheel", "beat"),
        ("Talk to Ada", "talk"),
        ("Go to the inn", "go"),
    ]
    assert all(choice.because and choice.because[0].id for choice in scene.choices)


def test_a_stand_in_is_understood_when_it_is_chosen() -> None:
    campaign = story(beat("wheel", Conditions(player_choice="Mend the wheel"), location="mill"))
    first, talk, *rest = scene_without_skills(campaign).choices
    session = begin(campaign)
    mended = choose(first, session, campaign)
    assert mended.beat is not None
    assert mended.beat.id == "wheel"
    assert choose(talk, session, campaign).person == "ada"
    assert [choice.kind for choice in rest] == ["look"], "looking round comes last"


def test_where_nothing_is_open_the_generic_choices_are_offered() -> None:
    scene = scene_without_skills(replace(story(), people={}))
    assert [one.text for one in scene.choices] == [one.text for one in GENERIC_CHOICES]

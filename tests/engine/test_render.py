"""The choices that stand in where no skill offers any: what the engine itself knows to be open."""

from __future__ import annotations

from dataclasses import replace

from tests.engine.small_story import beat, begin, story

from narratoria.campaign.campaign import Campaign, Conditions
from narratoria.engine.action import choose
from narratoria.engine.facts import build_facts
from narratoria.engine.render import render
from narratoria.engine.scene import GENERIC_CHOICES, Choice, Scene
from narratoria.planner.plan_scripts import CHOICES, step_id
from narratoria.planning.aggregate import Aggregate
from narratoria.planning.replan import Fallback
from narratoria.protocol.events import UiEvent
from narratoria.skills.health import SessionHealth
from narratoria.state import SessionState

WAIT = Choice(text="Wait", kind="wait")


def scene_without_skills(campaign: Campaign, *events: tuple[str, UiEvent]) -> Scene:
    session = begin(campaign)
    action = choose(WAIT, session, campaign)
    fallback = Fallback("The moment passes.", SessionHealth(), ())
    return render(
        2,
        action,
        fallback,
        Aggregate(SessionState({}), ui_events=events),
        build_facts(action, session, campaign),
    )


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
    assert [choice.kind for choice in rest] == ["go"]


def test_where_nothing_is_open_the_generic_choices_are_offered() -> None:
    alone = story()
    places = {name: replace(place, ways=()) for name, place in alone.places.items()}
    scene = scene_without_skills(replace(alone, people={}, places=places))
    assert [one.text for one in scene.choices] == [one.text for one in GENERIC_CHOICES]


def test_a_skill_that_offers_nothing_but_generic_choices_does_not_hide_what_is_open() -> None:
    campaign = story(beat("wheel", Conditions(player_choice="Mend the wheel"), location="mill"))
    details = [{"text": one.text, "kind": one.kind} for one in GENERIC_CHOICES]
    payload = {"choices": [one.text for one in GENERIC_CHOICES], "details": details}
    offered = (step_id(CHOICES), UiEvent(version="0", event="narrative_choice", payload=payload))
    choices = scene_without_skills(campaign, offered).choices
    assert choices[0].text == "Mend the wheel"
    assert "continue" not in [one.kind for one in choices]

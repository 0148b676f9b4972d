"""What is met on the way: by chance, by the campaign's rules, and never in a beat's way."""

from __future__ import annotations

import msgspec
from tests.engine.small_story import WAIT, beat, begin, play, story

from narratoria.campaign.campaign import Beat, Campaign, Conditions, Encounters, Rules
from narratoria.contracts.content_limits import ContentLimits
from narratoria.engine.action import choose
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot

TINKER = beat("tinker", encounter=1)
RIDER = beat("rider", encounter=3)
ALWAYS = Rules(encounters=Encounters(chance=1.0, pause=0))


def walk(session: StorySnapshot) -> Choice:
    return Choice(text="Go on", kind="go", target="inn" if session.progress.place == "mill" else "mill")


def met_on_walks(campaign: Campaign, session: StorySnapshot, walks: int) -> list[str]:
    """Return what is met on each of some walks to and fro, "" for nothing."""
    met = []
    for _ in range(walks):
        action = choose(walk(session), session, campaign)
        met.append(" ".join(due.id for due in action.due_beats))
        session = play(session, walk(session), campaign)
    return met


def test_each_is_met_once_and_on_walks_alone() -> None:
    campaign = story(TINKER, RIDER, rules=ALWAYS)
    session = begin(campaign)
    assert choose(WAIT, session, campaign).due_beats == ()
    met = met_on_walks(campaign, session, 4)
    assert sorted(met[:2]) == ["rider", "tinker"]
    assert met[2:] == ["", ""]


def test_after_one_there_is_a_pause() -> None:
    campaign = story(TINKER, RIDER, rules=Rules(encounters=Encounters(chance=1.0, pause=2)))
    met = met_on_walks(campaign, begin(campaign), 4)
    assert met[0]
    assert met[3]
    assert met[1:3] == ["", ""]


def test_a_chance_of_nothing_switches_them_off() -> None:
    campaign = story(TINKER, rules=Rules(encounters=Encounters(chance=0.0)))
    assert set(met_on_walks(campaign, begin(campaign), 20)) == {""}


def test_the_same_story_meets_the_same_and_another_one_others() -> None:
    campaign = story(*(beat(f"stranger-{number}", encounter=1) for number in range(8)))

    def met(seed: int) -> list[str]:
        session = msgspec.structs.replace(begin(campaign), seed=seed)
        return met_on_walks(campaign, session, 30)

    assert met(3) == met(3)
    assert any(met(3))
    assert met(3) != met(4)


def test_what_weighs_more_comes_more_often() -> None:
    campaign = story(TINKER, RIDER, rules=ALWAYS)
    first = [
        met_on_walks(campaign, msgspec.structs.replace(begin(campaign), seed=seed), 1)[0]
        for seed in range(200)
    ]
    assert 120 < first.count("rider") < 180


def test_a_beat_that_comes_by_itself_has_the_scene_to_itself() -> None:
    campaign = story(TINKER, beat("storm", Conditions(), location="inn"), rules=ALWAYS)
    assert met_on_walks(campaign, begin(campaign), 2) == ["storm", "tinker"]


def test_its_conditions_and_its_place_decide_as_for_any_beat() -> None:
    campaign = story(
        beat("ghost", Conditions(player_state="night has fallen"), encounter=1),
        beat("cook", location="inn", encounter=1),
        rules=ALWAYS,
    )
    assert met_on_walks(campaign, begin(campaign), 3) == ["cook", "", ""]


def test_what_goes_beyond_the_content_limits_is_not_met() -> None:
    bandit = Beat("bandit", "A bandit", "A bandit stabs at you and blood runs.", encounter=1)
    campaign = story(bandit, rules=ALWAYS)
    session = begin(campaign)
    assert met_on_walks(campaign, session, 1) == ["bandit"]
    gentle = msgspec.structs.replace(session, limits=ContentLimits(violence="none"))
    assert met_on_walks(campaign, gentle, 1) == [""]


def test_an_encounter_that_an_outcome_calls_for_comes_by_itself() -> None:
    campaign = story(TINKER)
    session = begin(campaign)
    called = msgspec.structs.replace(session.progress, called_beats=("tinker",))
    session = msgspec.structs.replace(session, progress=called)
    assert [due.id for due in choose(WAIT, session, campaign).due_beats] == ["tinker"]

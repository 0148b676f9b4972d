"""Long stories told by the engine alone: beats come in time, and what is told hangs together."""

from __future__ import annotations

import pytest
from evals.beats.__main__ import measure
from evals.beats.play import turns

from narratoria import paths
from narratoria.campaign.load import load_campaign
from narratoria.engine.action import choose
from narratoria.engine.advance import advance_story
from narratoria.engine.facts import build_facts
from narratoria.engine.people import people_at
from narratoria.engine.scene import BEGIN, Choice, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.narrator.phrase_memory import sentences
from narratoria.skills.health import SessionHealth

CAMPAIGNS = ("tomorrows-post", "harrowmere")


@pytest.mark.parametrize("name", CAMPAIGNS)
@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_comes_by_itself_in_a_bundled_story_comes_within_two_scenes(name: str, seed: int) -> None:
    found = measure([name], [seed])
    assert len(found.waited) >= 3
    assert (found.late, found.forgotten) == ((), ())


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_hundred_and_twenty_choices_hang_together(name: str) -> None:
    lately: dict[str, int] = {}
    told: set[str] = set()
    for turn in turns(name, 5, 120):
        before, scene = turn.before.progress, turn.scene
        if turn.known.action.premise:
            told, lately = set(), {}
        assert not told & set(scene.beats), "nothing happens twice"
        told |= set(scene.beats)
        here = people_at(scene.place, turn.campaign, before)
        assert {person.id for person in turn.known.people} == set(here)
        assert not {person.id for person in turn.known.people} & set(before.dead)
        for memory in turn.known.remembered:
            assert memory in turn.before.flags, "only what is so is remembered"
        assert turn.after.progress.game_time > before.game_time or turn.known.action.premise
        for sentence in (one for text in scene.paragraphs for one in sentences(text) if len(one) > 40):
            assert scene.number - lately.get(sentence, -99) > 15, sentence
            lately[sentence] = scene.number


@pytest.mark.parametrize("seed", range(10, 16))
def test_no_paragraph_comes_again_within_twelve_scenes(seed: int) -> None:
    """Sixty turns at random, past the point where the campaign has anything new to say."""
    lately: dict[str, int] = {}
    for turn in turns("harrowmere", seed, 60):
        if turn.known.action.premise:
            lately = {}  # whoever begins again reads the beginning again
        for paragraph in turn.scene.paragraphs:
            assert turn.scene.number - lately.get(paragraph, -99) > 12, paragraph
            lately[paragraph] = turn.scene.number


def test_people_who_are_fond_of_the_player_and_people_who_are_not_speak_differently() -> None:
    campaign = load_campaign(paths.BUNDLED_CAMPAIGNS / "tomorrows-post")
    start = StorySnapshot(id="s", campaign="t", seed=1)
    told: dict[str, list[str]] = {}
    for score, tone in ((60, "warm"), (0, "neutral"), (-60, "cold")):
        session = start
        for choice in (BEGIN, Choice(text="Go", kind="go", target="last-fire")):
            deed = choose(choice, session, campaign)
            scene = Scene(number=1, action="", place=deed.place.id, paragraphs=("A.", "B."), choices=())
            session = advance_story(
                scene, deed, session, campaign, state=session.state, health=SessionHealth()
            )
        state = session.state.apply_patch({"perception": {"hob-tarrant": score}})
        session = StorySnapshot(id="s", campaign="t", seed=1, progress=session.progress, state=state)
        known = build_facts(
            choose(Choice(text="Talk", kind="talk", target="hob-tarrant"), session, campaign),
            session,
            campaign,
        )
        hob = next(person for person in known.people if person.id == "hob-tarrant")
        assert (hob.tone, hob.sentiment) == (tone, score / 100)
        told[tone] = known.draft
    assert len({text[0] for text in told.values()}) == 3

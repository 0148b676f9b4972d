"""A campaign's ink story is played as it is written, and saved and undone with the story around it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.engine.small_story import begin, play

from narratoria.campaign.campaign import Campaign
from narratoria.campaign.load import load_campaign
from narratoria.engine.action import choose, openings_at, situation_of
from narratoria.engine.played_story import CHANGED, find_paragraphs, stage_campaign, tell_as_written
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import Progress, StorySnapshot

INK = """VAR coins = 2
- (top) You have {coins} coins.
* [Spend one] You spend it.
  ~ coins--
  -> top
+ [Wait] {~Rain.|Sun.|Snow.} {RANDOM(1, 1000)}
  -> top
+ {coins < 2} [Go home] -> home
== home
Home.
-> END
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    (tmp_path / "plot").mkdir()
    (tmp_path / "plot/story.ink").write_text(INK)
    (tmp_path / "manifest.json").write_text('{"title": "Coins", "version": "1.0.0"}')
    return load_campaign(tmp_path)


def offers(story: StorySnapshot, campaign: Campaign) -> dict[str, str]:
    """Return the ids of the beats on offer by their words."""
    situation = situation_of(story, campaign)
    place = campaign.places[campaign.start]
    return {beat.conditions.player_choice: beat.id for beat in openings_at(place, situation)}


def begun(campaign: Campaign, seed: int = 7) -> StorySnapshot:
    story = msgspec.structs.replace(begin(campaign), seed=seed, progress=Progress())
    return play(story, Choice(text="Begin", kind="begin"), stage_campaign(campaign, story))


def pick(story: StorySnapshot, campaign: Campaign, text: str) -> StorySnapshot:
    choice = Choice(text=text, kind="beat", beat=offers(story, campaign)[text])
    return play(story, choice, stage_campaign(campaign, story))


def told(story: StorySnapshot, campaign: Campaign, text: str) -> tuple[str, ...]:
    staged = stage_campaign(campaign, story)
    choice = Choice(text=text, kind="beat", beat=offers(story, campaign)[text])
    return find_paragraphs(choice, choose(choice, story, staged).beat, staged)


def test_what_is_offered_follows_the_ink_story(campaign: Campaign):
    story = begun(campaign)
    assert set(offers(story, campaign)) == {"Spend one", "Wait"}
    assert told(story, campaign, "Spend one") == ("You spend it.", "You have 1 coins.")
    story = pick(story, campaign, "Spend one")
    assert set(offers(story, campaign)) == {"Wait", "Go home"}
    story = pick(story, campaign, "Go home")
    assert story.progress.ending == "the-end"
    assert offers(story, campaign) == {}


def test_own_words_do_not_move_the_ink_story(campaign: Campaign):
    story = begun(campaign)
    after = play(story, Choice(text="sing a song"), stage_campaign(campaign, story))

    assert after.progress.ink == story.progress.ink
    assert set(offers(after, campaign)) == {"Spend one", "Wait"}


def test_a_saved_story_and_one_that_went_back_go_on_alike(campaign: Campaign):
    story = begun(campaign)
    again = StorySnapshot(
        id=story.id,
        campaign=story.campaign,
        seed=story.seed,
        progress=msgspec.json.decode(msgspec.json.encode(story.progress), type=Progress),
    )
    walks = []
    for one in (story, again, story):
        lines: list[tuple[str, ...]] = []
        for text in ("Wait", "Wait", "Spend one", "Wait"):
            lines.append(told(one, campaign, text))
            one = pick(one, campaign, text)  # noqa: PLW2901 - the story after it
        walks.append((lines, one.progress.ink))

    assert walks[0] == walks[1] == walks[2]
    other = begun(campaign, seed=8)
    assert [told(other, campaign, "Wait")] != [walks[0][0][0]], "chance is the story's own"


def test_a_story_that_begins_again_begins_its_ink_anew(campaign: Campaign):
    story = pick(pick(begun(campaign), campaign, "Spend one"), campaign, "Go home")
    story = play(story, Choice(text="Begin again", kind="again"), stage_campaign(campaign, story))

    assert set(offers(story, campaign)) == {"Spend one", "Wait"}


def test_the_scene_has_every_line_of_its_author_and_the_choices_that_follow(campaign: Campaign):
    story = begun(campaign)
    staged = stage_campaign(campaign, story)
    choice = Choice(text="Spend one", kind="beat", beat=offers(story, campaign)["Spend one"])
    beat = choose(choice, story, staged).beat
    plain = Scene(number=2, action="Spend one", place="here", paragraphs=("Something else.",), choices=())
    scene = tell_as_written(plain, choice, beat, staged, story)

    assert scene.paragraphs == ("You spend it.", "You have 1 coins.")
    assert [one.by for one in scene.passages] == ["author", "author"]
    assert [one.text for one in scene.choices] == ["Wait", "Go home"]
    assert all(one.because for one in scene.choices)


def test_a_story_whose_ink_file_was_changed_says_so(campaign: Campaign):
    story = begun(campaign)
    (campaign.folder / "plot/story.ink").write_text(INK.replace("Rain", "Hail"))
    changed = load_campaign(campaign.folder)
    plain = Scene(number=2, action="x", place="here", paragraphs=("You look.",), choices=())
    scene = tell_as_written(plain, Choice(text="x"), None, stage_campaign(changed, story), story)

    assert offers(story, changed) == {}
    assert scene.notices == (CHANGED,)


def test_the_state_of_an_ink_story_is_plain_data(campaign: Campaign):
    ink = begun(campaign).progress.ink

    assert json.loads(json.dumps(ink)) == ink
    assert ink["variables"] == {"coins": 2}

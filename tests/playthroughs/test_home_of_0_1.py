"""A home written by version 0.1 opens with all its stories, and they go on.

`home-0.1.tar.xz` was written by the released program: three stories and a branch, one renamed, one of a
campaign that was enriched, a skill with a setting of its own, and a story that was exported to `save.json`.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from narratoria import app, paths
from narratoria.engine.scene import Scene
from narratoria.skills.config import read_config

ARCHIVE = Path(__file__).with_name("home-0.1.tar.xz")
HARROWMERE, POST, TEA_ROOM = "harrowmere-ef2f9569", "tomorrows-post-c2f5002f", "comet-tea-room-8170c491"
BRANCH = "harrowmere-e25296b9"
SCENES = {HARROWMERE: 7, POST: 4, TEA_ROOM: 4, BRANCH: 3}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    home = tmp_path / "home"
    monkeypatch.setenv("NARRATORIA_HOME", str(home))
    return home


def shown(home: Path, story: str) -> list[list[str]]:
    """Return the paragraphs of each scene as 0.1 showed them, read from its events without the engine."""
    log = home / "playthroughs" / (HARROWMERE if story == BRANCH else story) / "events.jsonl"
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line]
    scenes = [event["scene"]["paragraphs"] for event in events if event["type"] == "scene_ready"]
    return scenes[: SCENES[story]]


def paragraphs(scenes: tuple[Scene, ...]) -> list[list[str]]:
    return [list(scene.paragraphs) for scene in scenes]


@pytest.mark.parametrize("story", SCENES)
async def test_a_story_opens_word_for_word_goes_on_and_can_be_undone(home: Path, story: str) -> None:
    before = shown(home, story)
    assert len(before) == SCENES[story]
    async with app.open_library() as library:
        session = await library.open(story)
        assert paragraphs(session.snapshot.scenes) == before
        scene = await session.choose(0)
        assert scene.number == len(before) + 1
        assert scene.source != "fallback"
        assert scene.paragraphs
        assert scene.choices
    async with app.open_library() as library:  # written, and read again
        session = await library.open(story)
        assert session.scene == scene
        await session.undo()
        await session.undo()
        assert paragraphs(session.snapshot.scenes) == before[:-1]
    async with app.open_library() as library:
        assert paragraphs((await library.open(story)).snapshot.scenes) == before[:-1]


async def test_the_renamed_story_the_branch_and_who_is_played_are_there(home: Path) -> None:
    async with app.open_library() as library:
        stories = {story.id: story for story in await library.stories()}
        typed = (await library.turns(HARROWMERE))[4].output.scene
    assert {story.id: story.scenes for story in stories.values()} == SCENES
    assert stories[POST].title == "A winter's letter"
    assert stories[BRANCH].title == "The other way"
    assert (stories[BRANCH].parent, stories[BRANCH].branched_at) == (HARROWMERE, 3)
    assert stories[HARROWMERE].player == "Tamsin Aldergate"
    assert typed.action == "I give Pike my bread"


async def test_a_story_of_picked_choices_replays_the_same_scenes_from_its_log(home: Path) -> None:
    async with app.open_library() as library:
        replays = {story: await library.replay(story) for story in SCENES if story != HARROWMERE}
    # this version keeps more of a turn than 0.1 did: who saw what, and which lines were told
    parts = {one.part for report in replays.values() for one in report.differences}
    assert parts <= {"progress"}


async def test_own_words_are_told_otherwise_by_this_version_and_the_replay_says_so(home: Path) -> None:
    async with app.open_library() as library:
        report = await library.replay(HARROWMERE)
    assert report.differences


async def test_an_exported_story_imports_and_goes_on(home: Path) -> None:
    async with app.open_library() as library:
        story = await library.import_save((home.parent / "save.json").read_bytes())
        session = await library.open(story.id)
        assert paragraphs(session.snapshot.scenes) == shown(home, HARROWMERE)
        assert (await session.choose(0)).number == 8


def test_the_setting_of_a_skill_and_the_enriched_campaign_are_there(home: Path) -> None:
    skill = next(skill for skill in app.open_skills().skills if skill.name == "dice-roller")
    assert read_config(skill, home).values["showIndividualRolls"] is False
    assert app.open_campaign("comet-tea-room").folder == paths.home() / "campaigns" / "comet-tea-room"

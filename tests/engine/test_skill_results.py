"""What a stranger's skill says is told, kept, changes what can be done, and is found again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from textwrap import dedent

import pytest
from tests.engine.played_story import begin_story

from narratoria import app
from narratoria.engine.persistence.library import Library

DRAW = """
from narratoria import sdk

def main(request: sdk.Request) -> dict:
    return {
        "tell": "A white crow sits on the glass above you.",
        "fact": "A white crow sat on the glass above the tea room.",
        "about": "omen",
        "choices": ["Follow the white crow"],
        "effects": [{"takes": "a white feather"}],
    }

sdk.run(main)
"""
LIGHT = """
from narratoria import sdk
sdk.run(lambda request: sdk.state_patch({"lantern": {"lit": True}}))
"""
Write = Callable[..., None]


@pytest.fixture
def write_skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a skill with one script into the project's folder of skills."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, code: str, examples: list[str]) -> None:
        folder = tmp_path / "skills" / name
        (folder / "scripts").mkdir(parents=True)
        (folder / "scripts" / "act.py").write_text(dedent(code), encoding="utf-8")
        manifest = {
            "name": name,
            "version": "0.1.0",
            "description": f"Does what {name} do.",
            "scripts": [{"name": "act", "path": "act.py", "required": False}],
            "examples": examples,
        }
        (folder / "skill.json").write_text(json.dumps(manifest), encoding="utf-8")

    return write


@pytest.fixture
async def play(tmp_path: Path) -> AsyncIterator[Callable[[], object]]:
    """Opens a library where it is first asked for: the skills must be there by then."""
    opened: list[Library] = []
    contexts = []

    async def open_library() -> Library:
        context = app.open_isolated_library(tmp_path / "stories")
        contexts.append(context)
        opened.append(await context.__aenter__())
        return opened[-1]

    yield open_library
    for context in contexts:
        await context.__aexit__(None, None, None)


async def test_what_a_skill_says_is_told_and_has_effects_and_offers_a_choice(write_skill, play):
    write_skill("omens", DRAW, ["I look at the stars"])
    session = await begin_story(await play())
    scene = await session.say("I look at the stars")

    assert "A white crow sits on the glass above you." in scene.paragraphs
    assert "You have the white feather" in scene.effects
    assert "a white feather" in session.snapshot.state.get("persona.items")
    texts = [choice.text for choice in scene.choices]
    assert texts[-1] == "Follow the white crow"
    assert len(texts) > 3, "the other choices stay"
    (reason,) = scene.choices[-1].because
    assert (reason.kind, reason.id) == ("memory", "scene-2-skill-omens/act")


async def test_what_a_skill_found_is_kept_with_the_skill_as_its_source_and_found_again(write_skill, play):
    write_skill("omens", DRAW, ["I look at the stars"])
    session = await begin_story(await play())
    await session.say("I look at the stars")
    record = (await (await session.memory.scope()).get("memory", "scene-2-skill-omens/act")).record
    assert (record.summary, record.source) == (
        "A white crow sat on the glass above the tea room.",
        "skill:omens/act",
    )

    scene = await session.say("I think back on the omen")
    assert "A white crow sat on the glass above the tea room." in scene.text
    assert "white crow sat" in session.snapshot.progress.history.recent[-2].text


async def test_a_skills_choice_runs_the_skill_that_offered_it(write_skill, play):
    write_skill("omens", DRAW, ["I look at the stars"])
    session = await begin_story(await play())
    offered = await session.say("I look at the stars")
    scene = await session.choose(len(offered.choices) - 1)
    assert scene.action == "Follow the white crow"
    assert "A white crow sits on the glass above you." in scene.paragraphs


async def test_a_lantern_that_only_changes_the_state_is_told_as_lit(write_skill, play):
    write_skill("lantern", LIGHT, ["I light the lantern"])
    session = await begin_story(await play())
    assert "The lantern is lit." in (await session.say("I light the lantern")).text
    assert session.snapshot.state.get("lantern.lit") is True


async def test_a_text_that_names_somebody_absent_as_here_is_not_told(write_skill, play):
    absent = DRAW.replace(
        "A white crow sits on the glass above you.", "Stellan Zelenko says: “Come up to me.”"
    )
    write_skill("omens", absent, ["I look at the stars"])
    session = await begin_story(await play())
    assert "Stellan Zelenko says" not in (await session.say("I look at the stars")).text


async def test_an_effect_that_there_is_not_is_left_out_and_logged(write_skill, play, caplog):
    write_skill("omens", DRAW.replace('{"takes":', '{"explodes":'), ["I look at the stars"])
    session = await begin_story(await play())
    scene = await session.say("I look at the stars")
    assert "A white crow sits on the glass above you." in scene.paragraphs
    assert scene.effects == ()
    assert "an effect is left out" in caplog.text


async def test_a_story_with_a_skill_is_read_from_its_log_as_it_was_told(write_skill, play):
    write_skill("omens", DRAW, ["I look at the stars"])
    library = await play()
    session = await begin_story(library)
    scene = await session.say("I look at the stars")
    report = await library.replay(session.story.id)
    assert report.exact
    await library.close()
    again = await (await play()).open(session.story.id)
    assert again.snapshot.scenes[-1].paragraphs == scene.paragraphs
    assert again.snapshot.progress.findings[0].source == "omens/act"

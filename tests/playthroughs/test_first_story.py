"""The bundled story from its first scene on: through real plans, real tool processes and the real command."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.warm_process import run_warm

from narratoria import paths
from narratoria.campaign.load import load_campaign
from narratoria.engine.memory.provider import RETRY_AFTER_S
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput, TurnRecord, snapshot_after
from narratoria.engine.scene import BEGIN, Choice, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.turn import TurnDependencies, play_turn
from narratoria.planner.patterns import PatternPlanner
from narratoria.planning.plan_log import PlanLog
from narratoria.skills.discovery import discover
from narratoria.skills.resolve import Tools

STORY = paths.BUNDLED_CAMPAIGNS / "tomorrows-post"
TURNS = 10
Choose = Callable[[Scene], Choice]
Tell = Callable[..., AbstractAsyncContextManager[Any]]


def stage_with(skills: Path, home: Path) -> TurnDependencies:
    catalogue = discover([skills])
    tools = Tools(catalogue)
    plan_log = PlanLog(home / "logs")
    return TurnDependencies(
        load_campaign(STORY), PatternPlanner(), catalogue.skills, tools.resolve, plan_log, assets=home
    )


async def play(
    session: StorySnapshot,
    stage: TurnDependencies,
    choose: Choose,
    *,
    between: Callable[[StorySnapshot], StorySnapshot],
) -> StorySnapshot:
    """The first scene, and ten more."""
    session, _ = await play_turn(session, BEGIN, stage)
    for _ in range(TURNS):
        session = between(session)
        assert session.scene is not None
        session, _ = await play_turn(session, choose(session.scene), stage)
    return session


def reloaded(session: StorySnapshot) -> StorySnapshot:
    """As it comes out of the log."""
    assert session.scene is not None
    record = TurnRecord(
        number=session.scene.number,
        input=TurnInput(choice=Choice(text="")),
        output=TurnOutput(scene=session.scene, progress=session.progress),
        state=session.state.to_dict(),
        begun_at="",
        finished_at="",
    )
    before = msgspec.structs.replace(session, scenes=session.scenes[:-1])
    return snapshot_after(before, msgspec.json.decode(msgspec.json.encode(record), type=TurnRecord))


def anything(seed: int) -> Choose:
    dice = random.Random(seed)
    return lambda scene: dice.choice(scene.choices)


def boldly(seed: int) -> Choose:
    """What is risky, or else what the story offers, or else a way on, or else anything."""
    dice = random.Random(seed)

    def choose(scene: Scene) -> Choice:
        risky = [choice for choice in scene.choices if choice.risky]
        offered = [choice for choice in scene.choices if choice.kind in ("beat", "continue")]
        ways = [choice for choice in scene.choices if choice.kind == "go"]
        return dice.choice(risky or offered or ways or list(scene.choices))

    return choose


def what_the_story_offers(scene: Scene) -> Choice:
    return scene.choices[0]


def assert_never_blank(session: StorySnapshot) -> None:
    assert [scene.number for scene in session.scenes] == list(range(1, TURNS + 2))
    for scene in session.scenes:
        assert 2 <= len(scene.paragraphs) <= 3, scene
        assert all(paragraph.strip() for paragraph in scene.paragraphs), scene
        assert 3 <= len({choice.text for choice in scene.choices}) == len(scene.choices) <= 4, scene
        reasons = [[receipt.id and receipt.text for receipt in choice.because] for choice in scene.choices]
        assert all(any(told) for told in reasons), scene.choices


@pytest.fixture
def stage(tmp_path: Path) -> TurnDependencies:
    return stage_with(paths.BUNDLED_SKILLS, tmp_path)


async def told(tell: Tell, choose: Choose, *, seed: int) -> StorySnapshot:
    """The first scene, and ten more: in one go, or by programs that are killed between them."""
    async with tell("tomorrows-post", seed=seed) as teller:
        begun: StorySnapshot = await teller.session()
        scene = begun.scenes[-1]
        for _ in range(TURNS):
            scene = await teller.choose(scene.choices.index(choose(scene)))
        session: StorySnapshot = await teller.session()
        return session


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_ten_turns_have_prose_choices_and_no_scene_twice(tell: Tell) -> None:
    session = await told(tell, anything(1), seed=1)
    assert_never_blank(session)
    assert {scene.source for scene in session.scenes} == {"storyteller"}
    assert len({scene.text for scene in session.scenes}) == len(session.scenes)


async def test_the_same_seed_and_choices_tell_the_same_story_saved_and_reloaded_after_every_turn(
    stage: TurnDependencies,
) -> None:
    start = StorySnapshot(id="s-1", campaign="s", seed=5)
    straight = await play(start, stage, anything(5), between=lambda session: session)
    resumed = await play(start, stage, anything(5), between=reloaded)
    assert [scene.text for scene in resumed.scenes] == [scene.text for scene in straight.scenes]
    assert resumed.scenes == straight.scenes
    assert resumed.state == straight.state


async def test_another_seed_tells_it_otherwise(stage: TurnDependencies) -> None:
    stories = [
        await play(
            StorySnapshot(id="s-1", campaign="s", seed=seed),
            stage,
            what_the_story_offers,
            between=lambda s: s,
        )
        for seed in (1, 2)
    ]
    assert stories[0].scenes[0].text == stories[1].scenes[0].text  # the premise is the author's
    assert stories[0].scenes[1:] != stories[1].scenes[1:]


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_choices_and_prose_remember_what_was_done(tell: Tell, stage: TurnDependencies) -> None:
    session = await told(tell, what_the_story_offers, seed=3)
    happened: set[str] = set()
    remembered = 0
    for scene in session.scenes:
        happened |= set(scene.beats)
        for choice in scene.choices:
            assert choice.beat not in happened or not choice.beat, "what has happened is not offered again"
            because = {receipt.id for receipt in choice.because if receipt.kind == "beat"}
            assert because <= happened
            remembered += bool(because)
    assert "read-letter" in happened
    assert remembered >= 3
    told_later = [
        beat.id
        for beat in stage.campaign.beats
        if beat.conditions.player_choice and any(beat.id in scene.beats for scene in session.scenes)
    ]
    assert told_later


async def test_a_risky_choice_is_rolled_and_the_roll_decides_what_is_told_and_remembered(
    stage: TurnDependencies,
) -> None:
    seen: set[str] = set()
    for seed in range(6):
        session = StorySnapshot(id="s-1", campaign="s", seed=seed)
        session, _ = await play_turn(session, BEGIN, stage)
        hut = Choice(text="Go to the telegraph hut", kind="go", target="telegraph-hut")
        session, _ = await play_turn(session, hut, stage)
        for name in ("ask-pell", "splice-wire"):
            assert session.scene is not None
            session, _ = await play_turn(
                session, next(choice for choice in session.scene.choices if choice.beat == name), stage
            )
        scene, beat = session.scenes[-1], stage.campaign.beat("splice-wire")
        assert beat is not None
        assert scene.roll is not None
        assert scene.roll.total == sum(scene.roll.rolls) + scene.roll.modifier
        ending = beat.outcome(scene.roll.outcome)
        assert ending is not None
        assert ending.description in scene.text
        assert set(ending.consequences) <= session.flags
        seen.add(scene.roll.outcome)
    assert len(seen) > 1


# what breaks: one skill at a time, in every way, and all of them

CRASHES = "import sys; sys.exit('no')"
HANGS = "import time; time.sleep(60)"
BABBLES = "print('once upon a time')"
LIES = """
from narratoria import sdk
def main(request):
    sdk.ui_event("narration", {"text": 7}); sdk.ui_event("narration_delta", {"text": ["x"]})
    sdk.ui_event("dice_roll", {"formula": "2d6", "total": 99, "outcome": "banana"})
    details = [{"kind": "go", "target": "moon"}]
    sdk.ui_event("narrative_choice", {"choices": ["Fly", "Fly", "", 4], "details": details})
    sdk.state_patch({"flags": "none", "storyteller": 3})
    return {"outcome": "banana", "text": None}
sdk.run(main)
"""
SCRIPTS = {"storyteller": "narrate", "dice-roller": "roll-dice", "player-choices": "generate-choices"}


def damage(skills: Path, name: str, program: str) -> None:
    script = skills / name / "scripts" / f"{SCRIPTS[name]}.py"
    script.write_text(program, encoding="utf-8")
    manifest = skills / name / "skill.json"
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["scripts"][0]["timeout"] = 500
    manifest.write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    return Path(shutil.copytree(paths.BUNDLED_SKILLS, tmp_path / "skills"))


@pytest.mark.parametrize(
    "program", [CRASHES, HANGS, BABBLES, LIES], ids=["crashes", "hangs", "babbles", "lies"]
)
@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_broken_skill_costs_no_scene(name: str, program: str, skills: Path, tmp_path: Path) -> None:
    damage(skills, name, program)
    session = StorySnapshot(id="s-1", campaign="s", seed=4)
    stage = stage_with(skills, tmp_path)
    session = await play(session, stage, boldly(4), between=lambda session: session)
    assert_never_blank(session)
    told = [beat for name in session.progress.beat_outcomes if (beat := stage.campaign.beat(name))]
    assert any(beat.is_risky for beat in told)


@pytest.mark.parametrize("program", [CRASHES, LIES], ids=["crash", "lie"])
async def test_the_story_moves_on_when_all_skills(program: str, skills: Path, tmp_path: Path) -> None:
    for name in SCRIPTS:
        damage(skills, name, program)
    session = StorySnapshot(id="s-1", campaign="s", seed=4)
    stage = stage_with(skills, tmp_path)
    session = await play(
        session,
        stage,
        lambda scene: next((c for c in scene.choices if c.kind == "continue"), scene.choices[0]),
        between=lambda session: session,
    )
    assert_never_blank(session)
    assert len({scene.text for scene in session.scenes}) == len(session.scenes)
    assert len(session.progress.beat_outcomes) > 3


async def test_a_script_that_vanishes_while_playing_costs_no_scene(skills: Path, tmp_path: Path) -> None:
    stage = stage_with(skills, tmp_path)
    session, _ = await play_turn(StorySnapshot(id="s-1", campaign="s", seed=1), BEGIN, stage)
    shutil.rmtree(skills / "storyteller")
    for _ in range(3):
        session, _ = await play_turn(session, session.scenes[-1].choices[0], stage)
    assert [scene.source for scene in session.scenes] == ["storyteller", "narrator", "narrator", "narrator"]
    assert all(len(scene.paragraphs) >= 2 for scene in session.scenes)


async def test_without_any_skill_there_is_still_a_story(tmp_path: Path) -> None:
    session = await play(
        StorySnapshot(id="s-1", campaign="s", seed=1),
        stage_with(tmp_path / "none", tmp_path),
        what_the_story_offers,
        between=lambda session: session,
    )
    assert_never_blank(session)
    assert "read-letter" in session.progress.beat_outcomes


# the command


HOLDS = """
import asyncio, pathlib, sys, time
from narratoria.store import Store
held = asyncio.run(Store.open(pathlib.Path(sys.argv[1]) / "narratoria.db", None))
print("held", flush=True)
time.sleep(100)
"""


def narratoria(
    folder: Path,
    *arguments: str,
    choices: str = "",
    home: Path | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Play, in a process in which `before` is called first."""
    command = ["play", *arguments]
    run: Callable[..., subprocess.CompletedProcess[str]] = partial(run_warm, "narratoria.cli", *command)
    if before:
        real = [sys.executable, "-m", "narratoria.cli", *command]
        run = partial(subprocess.run, real, capture_output=True, check=False, preexec_fn=before)
    return run(
        input=choices,
        encoding="utf-8",
        errors="surrogateescape",
        env={
            **os.environ,
            "NARRATORIA_HOME": str(home or folder),
            "TMPDIR": str(folder),
        },
        cwd=folder,
        timeout=100,
    )


def test_ten_choices_through_a_pipe_play_ten_turns_without_a_colour(tmp_path: Path) -> None:
    played = narratoria(tmp_path, "--seed", "7", choices="1\n" * TURNS)
    assert (played.returncode, played.stderr) == (0, "")
    assert "\x1b" not in played.stdout
    assert played.stdout.count("\n  1  ") == TURNS + 1
    assert "The night coach must not cross" in " ".join(played.stdout.split())
    assert "The story rests here." in played.stdout


def test_a_story_that_is_left_and_taken_up_again_is_the_same_story(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    parts = tmp_path / "parts"
    for home in (whole, parts):
        home.mkdir()
    narratoria(whole, "--seed", "7", choices="1\n2\n1\n3\n")
    narratoria(parts, "--seed", "7", choices="1\n2\nq\n")
    again = narratoria(parts, choices="1\n3\n")
    assert "The story so far has 3 scenes." in again.stdout
    told = ["".join(line.split()) for line in again.stdout.split("> ")]
    assert len(told) == 4, "the scene it was left at, and two more"
    straight = narratoria(whole, choices="")
    assert straight.stdout == narratoria(parts, choices="").stdout, "both stand at the same scene"


def test_new_begins_another_story_and_keeps_the_old_one(tmp_path: Path) -> None:
    narratoria(tmp_path, "--seed", "7", "--title", "The first", choices="1\n")
    narratoria(tmp_path, "--new", "--title", "The second")
    assert "The second" in narratoria(tmp_path).stdout
    database = sqlite3.connect(tmp_path / "narratoria.db")
    kept = dict(
        database.execute("select title, (select count(*) from scene where line = id) from playthrough")
    )
    database.close()
    assert kept == {"The first": 2, "The second": 1}


def count_offers(output: str) -> int:
    """Return how many choices the first scene offers, three at least."""
    numbers = re.findall(r"^ +(\d)  \S", output.split("\n> ", maxsplit=1)[0], re.MULTILINE)
    assert len(numbers) >= 3
    return len(numbers)


@pytest.mark.parametrize("answer", ["7", "0", "-1", "１", "9" * 5000, "\udcff"])
def test_an_answer_that_is_neither_a_choice_nor_words_is_asked_again(answer: str, tmp_path: Path) -> None:
    played = narratoria(tmp_path, "--seed", "7", choices=f"{answer}\n1\n")
    assert played.returncode == 0
    last = count_offers(played.stdout)
    assert f"Choose a number from 1 to {last}, say what you do, or q to leave." in played.stdout
    assert "The night coach must not cross" in " ".join(played.stdout.split())


@pytest.mark.parametrize("answer", ["7", "hello"])
def test_an_answer_that_is_no_choice_is_asked_again(answer: str, tmp_path: Path) -> None:
    played = narratoria(tmp_path, "--seed", "7", "--choices-only", choices=f"{answer}\n1\n")
    assert played.returncode == 0
    assert f"Choose a number from 1 to {count_offers(played.stdout)}, or q to leave." in played.stdout
    assert "The night coach must not cross" in " ".join(played.stdout.split())


def test_an_unknown_campaign_is_told_in_plain_words(tmp_path: Path) -> None:
    played = narratoria(tmp_path, "no-such-story")
    assert played.returncode == 2
    names = "comet-tea-room, faithful-likeness, harrowmere, one-case-over, tomorrows-post"
    advice = f"give the path of its folder, or one of: {names}"
    assert played.stderr == f"narratoria: there is no campaign 'no-such-story'; {advice}\n"


def test_a_damaged_store_is_named_and_does_not_stop_the_story(tmp_path: Path) -> None:
    (tmp_path / "narratoria.db").write_text("not a database, but a letter home\n" * 100, encoding="utf-8")
    played = narratoria(tmp_path, "--seed", "7", choices="1\n")
    told = " ".join(played.stdout.split())
    assert (played.returncode, played.stderr) == (0, "")
    assert str(tmp_path / "narratoria.db") in told.replace(" ", "")
    assert "The story goes on in memory" in told
    assert "The night coach must not cross" in told
    (kept,) = (tmp_path / "playthroughs" / "unsaved").iterdir()
    assert f"waitsin{kept}," in told.replace(" ", "")


def test_a_home_that_cannot_be_written_sends_the_story_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way", encoding="utf-8")
    played = narratoria(tmp_path, "--seed", "7", choices="1\n", home=tmp_path / "home")
    told = " ".join(played.stdout.split())
    assert played.returncode == 0
    assert "Errno" not in told
    assert "The night coach must not cross" in told
    (kept,) = tmp_path.glob("narratoria-unsaved-*/*.jsonl")
    assert f"waitsin{kept}," in told.replace(" ", "")


@pytest.mark.skipif(sys.platform == "win32", reason="limits as POSIX has them")
def test_where_no_file_holds_a_scene_the_story_is_told_and_no_more_is_promised(
    tmp_path: Path,
) -> None:
    import resource

    def write_little() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    played = narratoria(tmp_path, "--seed", "7", choices="1\n", before=write_little)
    told = " ".join(played.stdout.split())
    assert played.returncode == 0
    assert "The night coach must not cross" in told
    assert "This story was not saved and ends here." in told


def test_a_store_that_is_in_use_is_caught_up_with_when_it_is_free(tmp_path: Path) -> None:
    environment = {**os.environ, "NARRATORIA_HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, encoding="utf-8"
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        with subprocess.Popen(
            [sys.executable, "-m", "narratoria.cli", "play", "--seed", "7"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=environment,
            cwd=tmp_path,
        ) as playing:
            assert playing.stdin
            assert playing.stdout
            playing.stdin.write("1\n/save\n")
            playing.stdin.flush()
            seen = ""
            while "the end of it in" not in " ".join(seen.split()):
                line = playing.stdout.readline()
                assert line, seen
                seen += line
            holder.kill()
            time.sleep(RETRY_AFTER_S)
            told, _ = playing.communicate("1\n/save\nq\n", timeout=100)
    assert "in use by process" in " ".join((seen + told).split())
    assert "Everything is on the disk, as" in " ".join(told.split())
    assert "The story so far has 3 scenes." in narratoria(tmp_path).stdout

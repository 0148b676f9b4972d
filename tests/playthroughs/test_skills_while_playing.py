"""Skills come and go while a story is played."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

SCENES = 12  # more than enough for a change to be heard of


def read_scene(output: IO[bytes]) -> str:
    """What the player sees up to the next question."""
    seen = b""
    while not seen.endswith(b"\n> "):
        piece = output.read(1)
        assert piece, seen.decode()
        seen += piece
    return seen.decode()


def test_a_skill_that_is_dropped_in_broken_is_named_at_the_next_scene_and_the_story_goes_on(
    tmp_path: Path,
) -> None:
    broken = tmp_path / "skills" / "oracle"
    command = [sys.executable, "-m", "narratoria.cli", "play", "--seed", "3", "--plain", "--verbose"]
    environment = {**os.environ, "NARRATORIA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=tmp_path
    ) as game:
        assert game.stdin
        assert game.stdout
        first = read_scene(game.stdout)
        assert "oracle" not in first
        broken.mkdir(parents=True)
        (broken / "skill.json").write_text('{"name": "oracle",\n "version": "one"}', encoding="utf-8")
        scenes: list[str] = []
        while len(scenes) < SCENES and not any("oracle" in scene for scene in scenes):
            time.sleep(0.4)
            game.stdin.write(b"1\n")
            game.stdin.flush()
            scenes.append(read_scene(game.stdout))
        game.stdin.write(b"q\n")
        game.stdin.flush()
        rest = game.stdout.read().decode()
    assert "The oracle skill cannot be used as it is. The story continues without it." in scenes[-1]
    assert f"{broken / 'skill.json'}:2 /version" in scenes[-1]
    assert "  1  " in scenes[-1]
    assert "The story rests here." in rest
    assert game.returncode == 0

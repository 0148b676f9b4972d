"""Who the player is, answered at a real terminal, and what they do: by number, or in their own words."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.warm_process import run_warm, start_warm

from narratoria.engine.story_session import LONGEST_ACTION

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a terminal as POSIX has it")
PROMPT = re.compile(r"(> |: )$")
GENEROUS = 100  # seconds


def at_a_terminal(home: Path, *arguments: str, answers: list[str], program: str = "") -> str:
    """What the player sees; each answer is typed when something is asked."""
    import pty

    master, slave = pty.openpty()
    shown = ""
    environment = {**os.environ, "NARRATORIA_HOME": str(home), "COLUMNS": "100", "TERM": "xterm"}
    options: dict[str, Any] = {"cwd": home, "env": environment, "start_new_session": True}
    options |= dict.fromkeys(("stdin", "stdout", "stderr"), slave)
    command = ("play", "--terminal", "--plain", *arguments)
    started = (
        subprocess.Popen([sys.executable, program, *command], **options)
        if program
        else start_warm("narratoria.cli", *command, **options)
    )
    with started as playing:
        os.close(slave)
        seen, waiting, until = "", list(answers), time.monotonic() + GENEROUS
        while time.monotonic() < until:
            if select.select([master], [], [], 0.5)[0]:
                try:
                    piece = os.read(master, 65536).decode("utf-8", "replace")
                except OSError:  # the other end is closed
                    break
                shown, seen = shown + piece, seen + piece
            elif waiting and PROMPT.search(seen.rstrip("\r\n")):  # it has nothing more to say
                os.write(master, f"{waiting.pop(0)}\n".encode())
                seen = ""
            elif playing.poll() is not None:
                break
        else:
            playing.kill()
        assert playing.wait(60) == 0, shown
    os.close(master)
    assert not waiting, f"nobody asked for {waiting}: {shown}"
    return shown.replace("\r\n", "\n")


def persona(home: Path) -> dict[str, Any]:
    """Of the only story there is."""
    environment = {**os.environ, "NARRATORIA_HOME": str(home)}

    def asked(*arguments: str) -> Any:
        done = run_warm("narratoria.cli", "stories", *arguments, env=environment, text=True, check=True)
        return json.loads(done.stdout)

    (story,) = asked("list", "--json")
    found: dict[str, Any] = asked("export", story["id"], "--format", "json")["turns"][0]["state"]["persona"]
    return found


@pytest.mark.slow
def test_a_character_of_ones_own_is_asked_for_step_by_step(tmp_path: Path) -> None:
    shown = at_a_terminal(tmp_path, "harrowmere", answers=["0", "Wren", "1", "1", "1", "q"])
    assert "You are a journeyman founder" in shown
    assert "Who are you?" in shown
    assert "0  somebody of your own" in shown
    assert persona(tmp_path)["name"] == "Wren"


@pytest.mark.slow
def test_a_preset_is_chosen_by_its_number_and_a_wrong_number_is_asked_again(tmp_path: Path) -> None:
    shown = at_a_terminal(tmp_path, "tomorrows-post", answers=["9", "2", "1", "q"])
    assert "The talker" in shown
    assert "9 is not in the range" in shown
    assert persona(tmp_path)["name"] == "The talker"


@pytest.mark.slow
def test_where_nobody_sits_nobody_is_asked(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "narratoria.cli", "play", "harrowmere", "--preset", "Isak Ven"],
        input="q\n",
        capture_output=True,
        text=True,
        env={**os.environ, "NARRATORIA_HOME": str(tmp_path)},
        cwd=tmp_path,
        timeout=GENEROUS,
        check=True,
    )
    assert persona(tmp_path)["name"] == "Isak Ven"


def play_piped(home: Path, typed: str, *arguments: str) -> str:
    """Return what `play` prints while these lines are typed into a pipe."""
    played = run_warm(
        "narratoria.cli",
        *("play", "--new", "--seed", "7", "--plain", *arguments),
        input=typed,
        text=True,
        env={**os.environ, "NARRATORIA_HOME": str(home)},
        cwd=home,
        timeout=GENEROUS,
        check=True,
    )
    return played.stdout


def test_words_that_are_not_made_out_are_asked_about_and_a_reading_is_picked_by_letter(
    tmp_path: Path,
) -> None:
    shown = play_piped(tmp_path, "flurb the gronk xyzzy\na\nq\n")
    first, asked, told = shown.split("\n> ")[:3]
    assert first.endswith("\n     Something else…\n")
    assert re.search(r"\n  a\) .+\n  b\) ", asked)
    assert "Something else…" not in asked, "the scene is not told again"
    assert told.startswith("a\n")
    assert "\n  1  " in told


def test_what_a_skill_asks_to_be_shown_stands_in_the_scene_where_the_terminal_has_no_form_for_it(
    tmp_path: Path, write_omens: Callable[[Path, str], None]
) -> None:
    write_omens(
        tmp_path / "skills",
        "from narratoria import sdk\n\n\ndef main(request):\n"
        '    sdk.ui_event("omen", {"sign": "a white crow"})\n\n\nsdk.run(main)\n',
    )
    shown = play_piped(tmp_path, "I look at the stars\nq\n")
    told = shown.split("\n> ")[1]
    assert '\n[omen, not shown here: {"sign": "a white crow"}]\n' in told
    assert "\n  1  " in told


def test_a_letter_means_nothing_once_the_question_is_answered(tmp_path: Path) -> None:
    shown = play_piped(tmp_path, "flurb the gronk xyzzy\n1\n7\n/help\nq\n")
    told = shown.split("\n> ")[2]
    assert "\n  a) " not in told
    assert "say what you do, or q to leave" in shown
    assert "anything else" in shown


def test_words_beyond_measure_do_not_end_the_story(tmp_path: Path) -> None:
    shown = play_piped(tmp_path, f"{'go ' * LONGEST_ACTION}\nq\n")
    assert f"Say it in at most {LONGEST_ACTION} characters." in shown
    assert "The story rests here." in shown


@pytest.mark.parametrize("closed_by", ["option", "campaign"])
def test_own_words_can_be_closed(tmp_path: Path, closed_by: str) -> None:
    folder = tmp_path / "tale"
    folder.mkdir()
    manifest = {"title": "A tale", "version": "1.0.0", "own_words": closed_by == "option"}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    option = ("--choices-only",) if closed_by == "option" else ("--free-text",)
    shown = play_piped(tmp_path, "I sing\n/help\nq\n", str(folder), *option)
    assert re.search(r"Choose a number from 1 to \d, or q to leave\.", shown)
    assert "Something else…" not in shown
    assert "anything else" not in shown


def test_content_limits_are_set_in_the_terminal_and_bind_there(tmp_path: Path) -> None:
    shown = play_piped(tmp_path, "/limits children\nI stab Hob\nq\n", "tomorrows-post")
    assert "Content limits: children." in shown
    assert "Content limits are set for children." in shown
    again = play_piped(tmp_path, "q\n", "tomorrows-post", "--new")
    assert again.index("rated Everyone 10+") < again.index("1  ")


@pytest.mark.slow
def test_what_a_model_added_is_listed_and_struck_out_by_its_number(tmp_path: Path) -> None:
    from tests.web import telling_server

    answers = ["1", "1", "1", "/canon", "/canon 1", "/canon 1", "/canon", "q"]
    shown = at_a_terminal(
        tmp_path, "tomorrows-post", "--new", answers=answers, program=telling_server.__file__
    )
    assert f"{telling_server.ADDED} (scene 3, heron-3b)" in " ".join(shown.split())
    assert "Struck out, and not remembered any more" in shown
    assert "No model has added anything to this story." in shown


BROKEN_SKILL = '{\n  "name": "omens",\n  "description": "Draws omens.",\n  "version": 1\n}'


@pytest.mark.parametrize("verbose", [False, True])
def test_the_mistake_in_a_skill_is_placed_for_its_author_alone(tmp_path, verbose) -> None:
    skill = tmp_path / "skills" / "omens"
    skill.mkdir(parents=True)
    (skill / "skill.json").write_text(BROKEN_SKILL)
    played = run_warm(
        "narratoria.cli",
        *("play", "tomorrows-post", "--new", "--plain", *(["--verbose"] if verbose else [])),
        cwd=tmp_path,
        env={**os.environ, "NARRATORIA_HOME": str(tmp_path)},
        input="q\n",
        text=True,
        timeout=GENEROUS,
        check=True,
    )
    shown = played.stdout + played.stderr
    assert "The omens skill cannot be used as it is. The story continues without it." in shown
    assert (f"{skill / 'skill.json'}:4 /version" in shown) is verbose

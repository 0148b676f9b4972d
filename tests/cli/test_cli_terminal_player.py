"""Who the player is, answered at a real terminal: a preset, somebody of one's own, or just Return."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a terminal as POSIX has it")
PROMPT = re.compile(r"(> |: )$")
GENEROUS = 100  # seconds


def at_a_terminal(home: Path, *arguments: str, answers: list[str]) -> str:
    """What the player sees; each answer is typed when something is asked."""
    import pty

    master, slave = pty.openpty()
    shown = ""
    with subprocess.Popen(
        [sys.executable, "-m", "narratoria.cli", "play", "--terminal", "--plain", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "NARRATORIA_HOME": str(home), "COLUMNS": "100", "TERM": "xterm"},
        cwd=home,
        start_new_session=True,
    ) as playing:
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
        command = [sys.executable, "-m", "narratoria.cli", "stories", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=GENEROUS, check=True
        )
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

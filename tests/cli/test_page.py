"""The page a player reads: whatever is streamed, interrupted or begun again, the scene can be read."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.cli.page import Page
from narratoria.planning.progress import ToolEmitted, ToolStarted
from narratoria.protocol.events import UiEvent

TEXT = "You wait. Snow falls.\n\nA bell rings twice."


@pytest.fixture
def page() -> Page:
    return Page(plain=True)


def tell(page: Page, *sentences: object) -> None:
    page.on_progress(ToolStarted("plan", "narrate", 1))
    for sentence in sentences:
        emit(page, "narration_delta", {"text": sentence})


def emit(page: Page, name: str, payload: dict[str, Any]) -> None:
    event = UiEvent(version="0", event=name, payload=payload)
    page.on_progress(ToolEmitted("plan", "tool", 1, event))


def test_prose_appears_as_it_is_told(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    tell(page, "You wait. ")
    assert capsys.readouterr().out == "You wait."
    tell(page, "You wait. ", "Snow falls.\n\n", "A bell rings twice.")
    assert capsys.readouterr().out == " Snow falls.\n\nA bell rings twice."
    page.finish_prose(TEXT)
    assert capsys.readouterr().out == "\n\n"


def test_what_was_not_streamed_is_shown_at_the_end(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    tell(page, "You wait. ", 7)
    page.finish_prose(TEXT)
    assert capsys.readouterr().out == f"{TEXT}\n\n"


def test_another_text_follows_after_a_break(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    tell(page, "You run, and")
    page.finish_prose(TEXT)
    assert capsys.readouterr().out == f"You run, and\n\n…\n\n{TEXT}\n\n"


def test_long_lines_are_wrapped_between_words(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    page.finish_prose("word " * 100)
    lines = capsys.readouterr().out.split("\n")
    assert all(len(line) <= 78 for line in lines)
    assert " ".join(lines).split() == ["word"] * 100


def test_dice_are_shown_once(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    roll = {"formula": "2d6-1", "rolls": [3, 4], "modifier": -1, "total": 6, "outcome": "failure"}
    for payload in ({"dice": "lost"}, roll, roll):
        emit(page, "dice_roll", payload)
    assert capsys.readouterr().out == "[2d6-1: 3 + 4 -1 = 6, failure]\n\n"


def test_a_tools_words_cannot_move_the_cursor(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    page.finish_prose("\x1b[2JGone.")
    page.choice(1, "\x1b]0;owned\x07", "\x1b[31m")
    assert "\x1b" not in capsys.readouterr().out

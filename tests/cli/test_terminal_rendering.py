"""A scene can be read in the terminal, whatever is streamed, interrupted or begun again."""

from __future__ import annotations

import pytest

from narratoria.cli.terminal_rendering import TerminalRenderer
from narratoria.engine.events import (
    AskedBack,
    DiceRolled,
    NarrationDelta,
    NarrationDiscarded,
    Notice,
    TurnStarted,
    Ui,
)
from narratoria.engine.scene import BEGIN, Choice, Scene

TEXT = "You wait. Snow falls.\n\nA bell rings twice."


@pytest.fixture
def renderer() -> TerminalRenderer:
    return TerminalRenderer(plain=True)


def tell(renderer: TerminalRenderer, *sentences: str) -> None:
    renderer.on_event(NarrationDiscarded(reason="again"))
    for sentence in sentences:
        renderer.on_event(NarrationDelta(text=sentence))


def test_prose_appears_as_it_is_told(renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]) -> None:
    tell(renderer, "You wait. ")
    assert capsys.readouterr().out == "You wait."
    tell(renderer, "You wait. ", "Snow falls.\n\n", "A bell rings twice.")
    assert capsys.readouterr().out == " Snow falls.\n\nA bell rings twice."
    renderer.finish_prose(TEXT)
    assert capsys.readouterr().out == "\n\n"


def test_what_was_not_streamed_is_shown_at_the_end(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(renderer, "You wait. ")
    renderer.finish_prose(TEXT)
    assert capsys.readouterr().out == f"{TEXT}\n\n"


def test_another_text_follows_after_a_break(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(renderer, "You run, and")
    renderer.finish_prose(TEXT)
    assert capsys.readouterr().out == f"You run, and\n\n…\n\n{TEXT}\n\n"


def test_long_lines_are_wrapped_between_words(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    renderer.finish_prose("word " * 100)
    lines = capsys.readouterr().out.split("\n")
    assert all(len(line) <= 78 for line in lines)
    assert " ".join(lines).split() == ["word"] * 100


def test_emphasis_never_shows_its_asterisks(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    renderer.finish_prose("The label says *collar*, and the *next one* nothing.")
    assert capsys.readouterr().out == "The label says collar, and the next one nothing.\n\n"


def test_dice_are_shown_with_what_helped(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    renderer.on_event(
        DiceRolled(formula="2d6-1", rolls=(3, 4), total=6, outcome="failure", modifiers={"modifier": -1})
    )
    renderer.on_event(
        DiceRolled(formula="2d6+2", rolls=(3, 4), total=9, modifiers={"trait": 1, "callback": 1})
    )
    assert capsys.readouterr().out == (
        "[2d6-1: 3 + 4 -1 = 6, failure]\n\n[2d6+2: 3 + 4 +2 = 9 (trait +1, callback +1)]\n\n"
    )


def test_the_next_scene_begins_with_nothing_shown(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(renderer, TEXT)
    renderer.on_event(TurnStarted(choice=BEGIN))
    capsys.readouterr()
    renderer.finish_prose(TEXT)
    assert capsys.readouterr().out == f"{TEXT}\n\n"


def test_a_notice_stands_on_lines_of_its_own(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(renderer, "You wait.")
    renderer.on_event(Notice(kind="store", message="The disk is full."))
    assert capsys.readouterr().out == "You wait.\n\nThe disk is full.\n\n"


def test_a_skill_that_is_off_is_told_with_the_command_that_tries_it_again(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(renderer, "You wait.")
    details = {"state": "off"}
    renderer.on_event(Notice(kind="tool_failure", skill="dice", message="Dice are off.", details=details))
    assert "Dice are off. /retry tells this scene again with it." in capsys.readouterr().out


def test_an_event_that_is_not_known_here_is_shown_by_its_name_and_payload(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(renderer, "You wait.")
    renderer.on_event(Ui(event="torch", payload={"lit": True}, tool_id="lamps/torch"))
    assert capsys.readouterr().out == 'You wait.\n\n[torch, not shown here: {"lit": true}]\n\n'


def test_an_unknown_event_is_shortened_and_cannot_move_the_cursor(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    renderer.on_event(Ui(event="\x1b[2J\nomen", payload={"sign": "\x9b crow" * 1000}, tool_id="omens/read"))
    out = capsys.readouterr().out
    assert "omen, not shown here" in out
    assert "…]" in out
    assert len(out) < 500
    assert not {"\x1b", "\x9b"} & set(out)


@pytest.mark.parametrize("name", ["portrait", "perception_changed", "reputation_changed"])
def test_events_that_the_scene_shows_in_its_own_way_get_no_placeholder(
    name: str, renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    renderer.on_event(Ui(event=name, payload={}, tool_id="one"))
    assert capsys.readouterr().out == ""


def test_a_tools_words_cannot_move_the_cursor(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    renderer.finish_prose("\x1b[2JGone.")
    renderer.choice(1, Choice(text="\x1b]0;owned\x07", hint="\x1b[31m"))
    assert "\x1b" not in capsys.readouterr().out


def test_a_question_is_followed_by_its_readings_by_letter(
    renderer: TerminalRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    readings = ("Ask Wren about it", "Wait and see")
    renderer.on_event(
        AskedBack(words="flurb", question="Wren waits for you to say it again.", readings=readings)
    )
    shown = capsys.readouterr().out
    assert shown == "\nWren waits for you to say it again.\n  a) Ask Wren about it\n  b) Wait and see\n"


@pytest.mark.parametrize("shows", [True, False])
def test_what_a_scene_changed_is_one_line_that_can_be_hidden(
    shows: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(
        number=2,
        action="Thank Pike",
        place="quay",
        paragraphs=("Pike nods.",),
        choices=(),
        effects=("Pike thinks better of you", "You have the lamp"),
    )
    TerminalRenderer(plain=True, show_effects=shows).scene_again(scene)
    line = "Pike thinks better of you. You have the lamp.\n\n"
    assert capsys.readouterr().out == "Pike nods.\n\n" + (line if shows else "")

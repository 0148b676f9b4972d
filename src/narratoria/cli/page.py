"""How a scene looks in a terminal: wrapped prose that appears as it is told, dice, numbered choices."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from typing import Any

import click
import msgspec

from narratoria.engine.scene import Roll
from narratoria.planning.progress import Progress, ToolEmitted, ToolStarted
from narratoria.protocol.events import UiEvent
from narratoria.terminal import is_terminal, visible

WIDTH = 78
INDENT = "  "


class Page:
    def __init__(self, *, plain: bool) -> None:
        self._colours = not plain and is_terminal(sys.stdout)
        self._width = min(WIDTH, shutil.get_terminal_size().columns - 2)
        self.begin_scene()

    # a scene

    def begin_scene(self) -> None:
        self._shown = ""  # of the prose
        self._telling = ""  # what the storyteller at work has said; a second attempt starts again
        self._rolled = False
        self._column = 0

    def on_progress(self, progress: Progress) -> None:
        match progress:
            case ToolStarted(tool_id="narrate"):
                self._telling = ""
            case ToolEmitted(event=UiEvent(event="dice_roll", payload=payload)):
                self._dice(payload)
            case ToolEmitted(event=UiEvent(event="narration_delta", payload={"text": str(text)})):
                self._telling += text
                if self._telling.startswith(self._shown):
                    self._prose(self._telling[len(self._shown) :])

    def finish_prose(self, text: str) -> None:
        """The rest of it; all of it, after a break, if something else was shown before."""
        if self._shown.split() != text.split():  # else it differs in line ends at most
            if not text.startswith(self._shown):
                self._write("\n\n…\n\n")
                self._shown = ""
            self._prose(text[len(self._shown) :])
        self._write("\n\n")

    def choice(self, number: int, text: str, hint: str = "") -> None:
        self._line(f"{INDENT}{self._styled(str(number), bold=True)}  {visible(text)}{self._hint(hint)}")

    # around it

    def title(self, text: str) -> None:
        self._line("")
        self._line(self._styled(visible(text), bold=True))
        self._line("")

    def note(self, text: str) -> None:
        self._line("")
        self._line(self._styled(text, dim=True))
        self._line("")

    def prompt(self) -> None:
        sys.stdout.write("\n" + self._styled("> ", bold=True))
        sys.stdout.flush()

    def echo(self, answer: str) -> None:
        """What came through a pipe, so that a transcript can be read."""
        self._line(visible(answer.strip()))

    def _hint(self, hint: str) -> str:
        return self._styled(f"  ({visible(hint)})", dim=True) if hint else ""

    def _dice(self, payload: Mapping[str, Any]) -> None:
        """Once a scene, however often a plan had to be made anew."""
        try:
            roll = msgspec.convert(payload, Roll)
        except msgspec.ValidationError:  # a skill's own idea of dice
            return
        if not self._rolled:
            self._rolled = True
            dice = " + ".join(map(str, roll.rolls)) + (f" {roll.modifier:+d}" if roll.modifier else "")
            line = f"[{roll.formula}: {dice} = {roll.total}, {roll.outcome}]"
            self._line(self._styled(visible(line), fg="yellow"))
            self._line("")

    def _prose(self, text: str) -> None:
        self._shown += text
        for block, words in enumerate(text.split("\n\n")):
            if block:
                self._write("\n\n")
            for word in words.split():
                self._word(visible(word))
        sys.stdout.flush()

    def _word(self, word: str) -> None:
        if self._column and self._column + 1 + len(word) > self._width:
            self._write("\n")
        elif self._column:
            self._write(" ")
        self._write(word)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        self._column = 0 if text.endswith("\n") else self._column + len(text)

    def _line(self, text: str) -> None:
        self._column = 0
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def _styled(self, text: str, **style: Any) -> str:
        return click.style(text, **style) if self._colours else text

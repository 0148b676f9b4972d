"""Renders scenes in a terminal: wrapped prose as it arrives, dice, numbered choices."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any

import click

from narratoria.engine.events import (
    AskedBack,
    DiceRolled,
    NarrationDelta,
    NarrationDiscarded,
    Notice,
    StoryEvent,
    TurnStarted,
    Ui,
)
from narratoria.engine.scene import Choice, Scene
from narratoria.terminal import is_terminal, visible

WIDTH = 78
INDENT = "  "
SOMETHING_ELSE = "Something else…"
# events of bundled skills that need no place of their own: a scene says itself what it changed
SHOWN_ELSEWHERE = frozenset({"portrait", "perception_changed", "reputation_changed", "telling"})
LONGEST_PAYLOAD = 300  # characters of an event that is not known here
DIFFICULTIES = {"easy": "green", "risky": "yellow", "hard": "red", "unlikely": "red"}


def readings_by_letter(asked: AskedBack) -> dict[str, str]:
    """Return the readings of a question by the letters that pick them."""
    return dict(zip(ascii_lowercase, asked.readings, strict=False))


class TerminalRenderer:
    """Writes scenes, notes and tables to stdout, and prose as it arrives."""

    def __init__(self, *, plain: bool, show_effects: bool = True, show_reasons: bool = False) -> None:
        self._show_effects, self._show_reasons = show_effects, show_reasons
        self._colours = not plain and is_terminal(sys.stdout)
        self._width = min(WIDTH, shutil.get_terminal_size().columns - 2)
        self._begin_scene()

    # a scene

    def _begin_scene(self) -> None:
        self._shown = ""  # of the prose
        self._streamed = ""  # by the storyteller at work; a second attempt starts again
        self._column = 0
        self._emphatic = False  # between two asterisks

    def on_event(self, event: StoryEvent) -> None:
        match event:
            case TurnStarted():
                self._begin_scene()
            case DiceRolled():
                self._dice(event)
            case NarrationDelta(text=text):
                self._streamed += text
                if self._streamed.startswith(self._shown):
                    self._prose(self._streamed[len(self._shown) :])
            case NarrationDiscarded():
                self._streamed = ""  # what is told anew may begin with the same words
            case Notice(message=message, details={"state": "off"}):
                self.note(f"{message} /retry tells this scene again with it.")
            case Notice(message=message, details=details):
                self.note(message)
                if self._show_reasons and (reason := details.get("reason")):
                    self.details(str(reason))
            case AskedBack():
                self.question(event)
            case Ui(event=name, payload=payload) if name not in SHOWN_ELSEWHERE:
                self.placeholder(name, payload)

    def finish_prose(self, text: str) -> None:
        """Write the rest of the prose; all of it, after a break, if something else was shown."""
        if self._shown.split() != text.split():  # else it differs in line ends at most
            if not text.startswith(self._shown):
                self._write("\n\n…\n\n")
                self._shown = ""
            self._prose(text[len(self._shown) :])
        self._write("\n\n")

    def scene_again(self, scene: Scene, *, own_words: bool = False) -> None:
        """Write a whole scene that was not streamed."""
        self._begin_scene()
        self.scene(scene, own_words=own_words)

    def scene(self, scene: Scene, *, own_words: bool = False) -> None:
        """Write the rest of a scene's prose, its choices, and whether own words are taken besides."""
        self.finish_prose(scene.text)
        if scene.effects and self._show_effects:
            self.effects(scene.effects)
        if scene.limit_note:
            self.note(scene.limit_note)
        for number, choice in enumerate(scene.choices, 1):
            self.choice(number, choice)
        if own_words:
            self._line(f"{INDENT}   {self._styled(SOMETHING_ELSE, dim=True)}")

    def effects(self, sentences: Sequence[str]) -> None:
        """Write what a scene changed, as one quiet line."""
        line = f"{'. '.join(sentences)}."
        for part in textwrap.wrap(visible(line), self._width):
            self._line(self._styled(part, dim=True))
        self._line("")

    def question(self, asked: AskedBack) -> None:
        """Write what is asked back, and its readings by letter."""
        self._line("")
        for part in textwrap.wrap(visible(asked.question), self._width):
            self._line(self._styled(part, italic=True))
        for letter, reading in readings_by_letter(asked).items():
            self._line(f"{INDENT}{self._styled(f'{letter})', bold=True)} {visible(reading)}")

    def placeholder(self, name: str, payload: Mapping[str, Any]) -> None:
        """Write the name and the payload of an event that the terminal has no form for."""
        text = json.dumps(payload, ensure_ascii=False)
        short = text if len(text) <= LONGEST_PAYLOAD else f"{text[: LONGEST_PAYLOAD - 1]}…"
        self.note(f"[{' '.join(name.split())}, not shown here: {short}]")

    def choice(self, number: int, choice: Choice) -> None:
        signs = []
        if choice.difficulty:
            signs.append(self._styled(choice.difficulty, fg=DIFFICULTIES[choice.difficulty]))
        if choice.hint:
            signs.append(self._styled(visible(choice.hint), dim=True))
        sign = f"  ({', '.join(signs)})" if signs else ""
        self._line(f"{INDENT}{self._styled(str(number), bold=True)}  {visible(choice.text)}{sign}")

    # around it

    def title(self, text: str) -> None:
        self._line("")
        self._line(self._styled(visible(text), bold=True))
        self._line("")

    def note(self, text: str) -> None:
        if self._column:
            self._line("")
        self._line("")
        for line in visible(text).split("\n"):
            for part in textwrap.wrap(line, self._width) or [""]:
                self._line(self._styled(part, dim=True))
        self._line("")

    def details(self, text: str) -> None:
        """Write what a skill's author needs; a line stays whole, so that a terminal finds its file."""
        for line in visible(text).split("\n"):
            self._line(self._styled(f"{INDENT}{line}", dim=True))
        self._line("")

    def table(self, rows: list[tuple[str, str]]) -> None:
        """Write names and their meanings side by side."""
        width = max((len(name) for name, _ in rows), default=0)
        self._line("")
        for name, text in rows:
            room = max(20, self._width - width - 4)
            first, *rest = textwrap.wrap(visible(text), room) or [""]
            self._line(f"{INDENT}{self._styled(visible(name).ljust(width), bold=True)}  {first}")
            for part in rest:
                self._line(f"{INDENT}{' ' * width}  {part}")

    def prompt(self, text: str = "> ") -> None:
        sys.stdout.write("\n" + self._styled(text, bold=True))
        sys.stdout.flush()

    def echo(self, answer: str) -> None:
        """Write input that came through a pipe, so that a transcript can be read."""
        self._line(visible(answer.strip()))

    def _dice(self, roll: DiceRolled) -> None:
        modifier = sum(roll.modifiers.values())
        dice = " + ".join(map(str, roll.rolls)) + (f" {modifier:+d}" if modifier else "")
        why = ", ".join(f"{name} {value:+d}" for name, value in roll.modifiers.items() if name != "modifier")
        outcome = f", {roll.outcome}" if roll.outcome else ""
        line = f"[{roll.formula}: {dice} = {roll.total}{outcome}{f' ({why})' if why else ''}]"
        self._line(self._styled(visible(line), fg="yellow"))
        self._line("")

    def _prose(self, text: str) -> None:
        self._shown += text
        for block, words in enumerate(text.split("\n\n")):
            if block:
                self._write("\n\n")
                self._emphatic = False
            for word in words.split():
                self._word(visible(word))
        sys.stdout.flush()

    def _word(self, word: str) -> None:
        """Write a word; text between asterisks is italic where possible, and they are never shown."""
        width = len(word.replace("*", ""))
        if self._column and self._column + 1 + width > self._width:
            self._write("\n")
        elif self._column:
            self._write(" ")
        for number, part in enumerate(word.split("*")):
            self._emphatic ^= number > 0
            if part:
                sys.stdout.write(self._styled(part, italic=True) if self._emphatic else part)
        self._column += width

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        self._column = 0 if text.endswith("\n") else self._column + len(text)

    def _line(self, text: str) -> None:
        self._column = 0
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def _styled(self, text: str, **style: Any) -> str:
        return click.style(text, **style) if self._colours else text

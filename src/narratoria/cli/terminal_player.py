"""Plays a story in the terminal: asks who the player is, shows scenes, reads choices and slash commands."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import sys
import textwrap
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import click

from narratoria import app, paths
from narratoria.campaign.campaign import Campaign, Template
from narratoria.cli.content_limits import LIMITS_HELP, run_limits_command
from narratoria.cli.model_in_story import offer_model, run_model_command
from narratoria.cli.reader_commands import HELP as READER_HELP
from narratoria.cli.reader_commands import ReaderCommands
from narratoria.cli.terminal_rendering import TerminalRenderer, readings_by_letter
from narratoria.engine.content_limits import describe_excess, load_content_limits
from narratoria.engine.events import AskedBack, StoryEvent
from narratoria.engine.memory.canon import list_canon
from narratoria.engine.persistence.library import Library
from narratoria.engine.persona import Persona, create
from narratoria.engine.revise import mark_memory
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.story_session import LONGEST_ACTION, StorySession
from narratoria.errors import (
    ContractViolation,
    NarratoriaException,
    StoreUnavailable,
    TurnGivenUp,
)
from narratoria.terminal import count_noun, is_terminal, visible

T = TypeVar("T")
READER_COMMANDS = ("journal", "people", "map", "character", "search", "edit", "bookmark", "note", "memory")
OPENING = 60  # characters of a paragraph that is named
MODEL_HELP = ("/model [yes|no|stop]", "who tells the story; fetch a better model, or never ask again")
OWN_WORDS_HELP = ("anything else", "do it in your own words; asked back, pick a reading by its letter")
HELP = [
    ("1, 2, 3 …", "choose"),
    OWN_WORDS_HELP,
    ("/why [N]", "why choice N is offered; without N, where the scene comes from"),
    ("/retry [N]", "tell the last choice anew, in other words; with N, as it was told that time"),
    ("/undo", "take the last choice back, with all that was remembered of it"),
    ("/redo", "bring back what was undone"),
    *READER_HELP,
    ("/canon [N]", "what the model that tells the story has added; with N, strike one out"),
    ("/branch [N] [TITLE]", "another story that goes on after scene N, or from here; this one stays"),
    ("/state [PATH]", "what is so, all of it or a part such as persona.name"),
    ("/save [FILE]", "whether all is on the disk; with FILE, a copy to take elsewhere"),
    LIMITS_HELP,
    MODEL_HELP,
    ("/help", "this"),
    ("q", "leave; the story waits for you"),
]


@dataclass(frozen=True, slots=True)
class NewStoryOptions:
    """Holds the options of a new story."""

    new: bool = False
    seed: int | None = None
    title: str | None = None
    preset: str | None = None
    name: str | None = None


class TerminalPlayer:
    """Plays one story: shows its scenes, reads choices and runs slash commands."""

    def __init__(
        self, *, plain: bool, own_words: bool = True, show_effects: bool = True, show_reasons: bool = False
    ) -> None:
        self._renderer = TerminalRenderer(plain=plain, show_effects=show_effects, show_reasons=show_reasons)
        self._own_words = own_words
        self._question: AskedBack | None = None  # what the player was asked back, until a turn is played
        self._commands: dict[str, Callable[[str], None]] = {
            "why": self._why,
            "retry": self._retry,
            "undo": self._undo,
            "redo": self._redo,
            **{name: partial(self._read, name) for name in READER_COMMANDS},
            "canon": self._canon,
            "branch": self._branch,
            "state": self._state,
            "save": self._save,
            "model": lambda words: self._renderer.note(run_model_command(words)),
            "limits": lambda words: self._renderer.note(run_limits_command(words, paths.shared_home())),
            "help": lambda _: self._help(),
        }

    def play(self, campaign: str, story: str | None, begin: NewStoryOptions) -> None:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no choice
        with asyncio.Runner() as self._runner:
            opening = app.open_library()
            self._library = self._run(opening.__aenter__())
            try:
                self._session = self._run(self._open(campaign, story, begin))
                self._renderer.title(self._session.story.title)
                if sys.stdin.isatty() and (offer := offer_model()):
                    self._renderer.note(offer)
                after = self._session.opened_at
                with self._session.log.listening(self._on_event, after=after):
                    self._play_story()
                    self._run(self._session.close())
                self._renderer.note(self._farewell())
            finally:
                self._run(opening.__aexit__(None, None, None))

    async def _open(self, campaign: str, story: str | None, begin: NewStoryOptions) -> StorySession:
        library: Library = self._library
        if story is not None:
            return await library.open(story)
        loaded = app.open_campaign(campaign)
        if not begin.new:
            with contextlib.suppress(StoreUnavailable):  # told with the first scene
                if last := await library.latest(loaded.name):
                    return await library.open(last.id)
        persona = create_persona(loaded, preset=begin.preset, name=begin.name)
        return await library.begin(loaded, persona, seed=begin.seed, title=begin.title)

    def _on_event(self, event: StoryEvent) -> None:
        if isinstance(event, AskedBack):
            self._question = event
        self._renderer.on_event(event)

    def _play_story(self) -> None:
        """Play until the player leaves."""
        if self._session.scene is not None:
            so_far = count_noun(len(self._session.snapshot.scenes), "scene")
            self._renderer.note(f"The story so far has {so_far}. It goes on here:")
            self._show_again(self._session.scene)
        elif note := describe_excess(
            self._session.content_rating, load_content_limits(paths.shared_home()).limits
        ):
            self._renderer.note(note)
        if self._session.scene is None or self._session.interrupted_input:
            self._turn(self._session.resume)
        while self._session.scene and (action := self._ask(self._session.scene)):
            action()

    def _turn(self, turn: Callable[[], Coroutine[Any, Any, Scene]]) -> None:
        self._question = None
        try:
            scene = self._run(turn())
        except (KeyboardInterrupt, TurnGivenUp):
            self._renderer.note("Given up. The story is as it was before.")
            if self._session.scene is None:
                return
            self._show_again(self._session.scene)
        else:
            if self._question is None:  # else the scene is the one that stands there
                self._renderer.scene(scene, own_words=self._takes_own_words(scene))

    def _show_again(self, scene: Scene) -> None:
        self._renderer.scene_again(scene, own_words=self._takes_own_words(scene))

    def _takes_own_words(self, scene: Scene) -> bool:
        return self._own_words and self._session.own_words and not scene.ending

    def _ask(self, scene: Scene) -> Callable[[], None] | None:
        """Read input until it asks for something, and return that; None to leave."""
        choices = {str(number): choice for number, choice in enumerate(scene.choices, 1)}
        while True:
            self._renderer.prompt()
            answer = self._run(_next_line())
            if not sys.stdin.isatty():
                self._renderer.echo(answer)
            words = answer.strip()
            if not answer or words.lower() in ("q", "quit", "/quit", "/q"):
                return None
            if words in choices and choices[words].kind == "leave":
                return None
            if words in choices:
                return self._choose(choices[words])
            if words.startswith("/"):
                return lambda: self._command(words)
            readings = readings_by_letter(self._question) if self._question else {}
            if reading := readings.get(words.lower().rstrip(").")):
                return self._say(reading)
            if not words:
                continue
            if not self._takes_own_words(scene):
                self._renderer.note(f"Choose a number from 1 to {len(choices)}, or q to leave.")
            elif not any(character.isalpha() for character in words):  # a number that is no choice
                self._renderer.note(
                    f"Choose a number from 1 to {len(choices)}, say what you do, or q to leave."
                )
            elif len(words) > LONGEST_ACTION:
                self._renderer.note(f"Say it in at most {LONGEST_ACTION} characters.")
            else:
                return self._say(words)

    def _choose(self, choice: Choice) -> Callable[[], None]:
        def play_choice() -> None:
            self._turn(lambda: self._session.choose(choice))
            if choice.kind == "branch":
                self._renderer.note(
                    "/branch N goes on after scene N, as another story; this one stays as it is."
                )

        return play_choice

    def _say(self, words: str) -> Callable[[], None]:
        return lambda: self._turn(lambda: self._session.say(words))

    # slash commands

    def _command(self, words: str) -> None:
        name, _, rest = words[1:].partition(" ")
        command = self._commands.get(name.lower())
        if command is None:
            self._renderer.note(f"There is no /{name}; /help says what there is.")
            return
        try:
            command(rest.strip())
        except (NarratoriaException, OSError) as error:
            self._renderer.note(str(error))

    def _help(self) -> None:
        takes_own_words = self._own_words and self._session.own_words
        self._renderer.table([row for row in HELP if takes_own_words or row is not OWN_WORDS_HELP])

    def _why(self, number: str) -> None:
        scene = self._session.snapshot.scenes[-1]
        if not number:
            rows: list[tuple[str, str]] = [("told by", scene.source)]
            rows += [("beat", beat) for beat in scene.beats]
            passages = zip(scene.passages, scene.paragraphs, strict=False)
            rows += [(passage.by, textwrap.shorten(paragraph, OPENING)) for passage, paragraph in passages]
            rows += [(r.kind, r.text or r.id) for passage in scene.passages for r in passage.because]
            rows += [("effect", effect) for effect in scene.effects]
        elif number.isdecimal() and 1 <= int(number) <= len(scene.choices):
            choice = scene.choices[int(number) - 1]
            rows = [("kind", choice.kind)]
            rows += [(receipt.kind, receipt.text or receipt.id) for receipt in choice.because]
            if len(rows) == 1:
                rows.append(("because", "it can always be done here"))
        else:
            self._renderer.note(f"There are choices 1 to {len(scene.choices)}.")
            return
        self._renderer.table(rows)

    def _retry(self, take: str) -> None:
        number = int(take) - 1 if take.isdecimal() else None
        self._turn(lambda: self._session.retry(number))
        if self._session.takes > 1:
            told = f"This is telling {self._session.take + 1} of {self._session.takes}"
            self._renderer.note(f"{told}; /retry N brings one back.")

    def _undo(self, _: str) -> None:
        self._question = None
        self._run(self._session.undo())
        self._renderer.note("Taken back. The story stands here again:")
        self._show_again(self._session.snapshot.scenes[-1])

    def _redo(self, _: str) -> None:
        self._question = None
        scene = self._run(self._session.redo())
        self._renderer.note("Brought back. The story stands here again:")
        self._show_again(scene)

    def _read(self, name: str, words: str) -> None:
        campaign = None
        with contextlib.suppress(NarratoriaException):
            campaign = app.open_campaign(self._session.story.campaign)
        commands = ReaderCommands(self._session, campaign, self._renderer, self._run)
        command: Callable[[str], None] = getattr(commands, name)
        command(words)

    def _canon(self, number: str) -> None:
        facts = self._run(list_canon(self._session.memory))
        if not facts:
            self._renderer.note("No model has added anything to this story.")
        elif not number:
            rows = [
                (str(at), f"{one.text} (scene {one.scene}, {one.model})") for at, one in enumerate(facts, 1)
            ]
            self._renderer.table(rows)
        elif number.isdecimal() and 1 <= int(number) <= len(facts):
            fact = self._run(mark_memory(self._session, facts[int(number) - 1].id, "struck"))
            self._renderer.note(f"Struck out, and not remembered any more: {fact.text}")
        else:
            self._renderer.note(f"There are 1 to {len(facts)}.")

    def _branch(self, rest: str) -> None:
        first, _, title = rest.partition(" ")
        here = len(self._session.snapshot.scenes)
        turn, title = (int(first), title) if first.isdecimal() else (here, rest)
        story = self._run(self._session.branch(turn, title.strip() or None))
        self._renderer.note(
            f"“{story.title}” ({story.id}) goes on after scene {turn}: "
            f"`narratoria play --story {story.id}`. You are still in the story you were in."
        )

    def _state(self, path: str) -> None:
        value = self._session.snapshot.readable_state.get(path)
        if value is None:
            self._renderer.note(f"There is nothing at {path!r}.")
        else:
            self._renderer.note(json.dumps(value, ensure_ascii=False, indent=2))

    def _save(self, file: str) -> None:
        turn_log = self._session.turn_log
        self._run(turn_log.catch_up())
        if turn_log.in_memory_only:
            self._renderer.note(f"{turn_log.in_memory_only} scenes are not on the disk: {turn_log.trouble}")
        elif turn_log.unsaved:
            self._renderer.note(
                f"Everything is on the disk, the end of it in {turn_log.unsaved_file}: {turn_log.trouble}"
            )
        elif file:
            from pathlib import Path

            Path(file).expanduser().write_bytes(
                self._run(self._library.export(self._session.story.id, "json"))
            )
            self._renderer.note(
                f"{file} holds the story; `narratoria stories import {file}` brings it in elsewhere."
            )
        else:
            self._renderer.note(f"Everything is on the disk, as {self._session.story.id}.")

    def _farewell(self) -> str:
        story, turn_log = self._session.story, self._session.turn_log
        again = f"`narratoria play {story.campaign}`"
        if not turn_log.unsaved:
            return f"The story rests here. {again} goes on with it."
        if not turn_log.in_memory_only:
            return (
                f"The story rests here. What the store did not take waits in {turn_log.unsaved_file}, "
                f"and is brought in at the next start; then {again} goes on with it."
            )
        if turn_log.in_memory_only == story.scenes:
            return "This story was not saved and ends here."
        saved = f"Only {story.scenes - turn_log.in_memory_only} of {story.scenes} scenes are saved."
        return f"{saved} {again} goes on after those."

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)


async def _next_line() -> str:
    """Read a line while the event loop goes on, in which a model may be loading."""
    if sys.stdin.isatty() and os.name == "posix":
        loop, typed = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(sys.stdin, typed.set)
        try:
            await typed.wait()
        finally:
            loop.remove_reader(sys.stdin)
    return sys.stdin.readline()


def create_persona(campaign: Campaign, *, preset: str | None, name: str | None) -> dict[str, Any]:
    """Return the player's part of the state; ContractViolation with every problem of the answers."""
    template = campaign.template
    answers: dict[str, Any] = {}
    if preset:
        answers["preset"] = preset
    if name:
        answers["name"] = name
    if not answers and _has_questions(template) and is_terminal(sys.stdin) and is_terminal(sys.stdout):
        answers = _ask_persona(template)
    made = create(template, answers)
    if not isinstance(made, Persona):
        raise ContractViolation(made)
    return made.as_state()


def _has_questions(template: Template) -> bool:
    return bool(
        template.presets
        or template.allowed_races
        or template.allowed_classes
        or template.allowed_backgrounds
        or template.required_attributes
    )


def _ask_persona(template: Template) -> dict[str, Any]:
    """Ask who the player is; an empty answer takes the default."""
    if template.character_creation.guidance:
        click.echo(visible(template.character_creation.guidance))
    answers: dict[str, Any] = {}
    if template.presets:
        listed = [(each.name, each.description) for each in template.presets]
        only = template.character_creation.mode == "preset"
        answers["preset"] = _ask_option("Who are you?", listed, none="" if only else "somebody of your own")
    if answers.get("preset"):
        return answers
    answers["name"] = click.prompt("Your name", default="", show_default=False).strip()
    for key, question, among in (
        ("race", "What are you?", template.allowed_races),
        ("class", "What do you do?", template.allowed_classes),
        ("background", "Where do you come from?", template.allowed_backgrounds),
    ):
        if among:
            named = [(each.name, each.description) for each in among]
            answers[key] = _ask_option(question, named, none="no matter")
    attributes = {}
    for each in template.required_attributes:
        if each.name == "name":
            continue
        if each.kind == "choice":
            attributes[each.name] = _ask_option(
                each.prompt or each.name, [(o, "") for o in each.options], none=""
            )
        else:
            attributes[each.name] = click.prompt(
                visible(each.prompt or each.name), default=each.default, show_default=bool(each.default)
            )
    return {**answers, "attributes": attributes}


def _ask_option(question: str, among: Sequence[tuple[str, str]], *, none: str) -> str:
    click.echo(f"\n{visible(question)}")
    for number, (name, description) in enumerate(among, 1):
        click.echo(f"  {number}  {visible(name)}{f': {visible(description)}' if description else ''}")
    if none:
        click.echo(f"  0  {none}")
    first = 0 if none else 1
    numbers = click.IntRange(first, len(among))
    chosen: int = click.prompt("", type=numbers, default=first, prompt_suffix="> ")
    return among[chosen - 1][0] if chosen else ""

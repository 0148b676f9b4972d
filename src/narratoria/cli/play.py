"""`narratoria play`: a story in the terminal."""

from __future__ import annotations

import asyncio
import io
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from narratoria.campaign.campaign import Campaign
    from narratoria.engine.hosting import SharedMemory
    from narratoria.engine.scene import Choice, Scene
    from narratoria.engine.session import Session
    from narratoria.skills.resolve import Tools

FIRST_STORY = "tomorrows-post"


@click.command()
@click.argument("campaign", default=FIRST_STORY)
@click.option("--terminal", is_flag=True, expose_value=False, help="Play in the terminal, as it does anyway.")
@click.option("--seed", type=int, metavar="N", help="Tell a story that can be told again; begins a new one.")
@click.option("--new", is_flag=True, help="Begin a new story instead of going on with the last one.")
@click.option("--plain", is_flag=True, help="No colours.")
def play(*, campaign: str, seed: int | None, new: bool, plain: bool) -> None:
    """Play a story: read, and choose by number.

    CAMPAIGN is the name of a campaign or its folder. A story goes on where it was left; it is saved after
    every scene. q leaves it.

    \b
    Examples:
      narratoria play
      narratoria play --new --seed 7
      printf '1\\n2\\n' | narratoria play --new
    """
    from narratoria import app

    story = app.open_campaign(campaign)
    session = app.open_session(story, seed=seed, new=new or seed is not None)
    memory = app.open_memory(session)
    with app.follow_skills(memory) as tools:
        Table(story, tools, memory, plain=plain).sit_down(session)


class Table:
    """Where the player sits: shows scenes, asks for choices, saves after every turn."""

    def __init__(
        self, campaign: Campaign, tools: Callable[[], Tools], memory: SharedMemory, *, plain: bool
    ) -> None:
        from narratoria.cli.page import Page

        self._campaign, self._tools, self._memory = campaign, tools, memory
        self._told: set[str] = set()  # warnings
        self._unsaved = 0  # scenes since the last save that succeeded
        self._page = Page(plain=plain)

    def sit_down(self, session: Session) -> None:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # what is no text is no choice either
        self._page.title(self._campaign.title)
        with asyncio.Runner() as runner:
            try:
                session = self._tell(runner, session)
            finally:
                runner.run(self._memory.close())
                self._note(*self._memory.notes())
        self._page.note(self._farewell(session))

    def _tell(self, runner: asyncio.Runner, session: Session) -> Session:
        """The story up to where the player leaves it."""
        from narratoria.engine.scene import BEGIN

        if session.scene is None:
            session = self._turn(runner, session, BEGIN)
        else:
            self._page.note(f"The story so far has {len(session.scenes)} scenes. It goes on here:")
            self._page.finish_prose(session.scene.text)
            self._show_choices(session.scene)
        while choice := self._ask(session.scene):
            session = self._turn(runner, session, choice)
        return session

    def _turn(self, runner: asyncio.Runner, session: Session, choice: Choice) -> Session:
        from narratoria import app
        from narratoria.engine.turn import play_turn

        tools = self._tools()
        self._note(*map(str, tools.warnings()), *self._memory.notes())
        stage = app.set_stage(self._campaign, tools)
        self._page.begin_scene()
        session = runner.run(
            self._play(play_turn(session, choice, stage, on_progress=self._page.on_progress))
        )
        scene = session.scenes[-1]
        self._page.finish_prose(scene.text)
        self._show_choices(scene)
        self._save(session)
        return session

    def _save(self, session: Session) -> None:
        from narratoria import app

        try:
            app.save_session(session)
        except OSError as error:
            self._unsaved += 1
            where, why = error.filename or app.playthroughs(), error.strerror or error
            self._page.note(
                f"This scene could not be saved ({where}: {why}). It can be played on all the same."
            )
        else:
            self._unsaved = 0

    def _farewell(self, session: Session) -> str:
        again = f"`narratoria play {session.campaign}`"
        if not self._unsaved:
            return f"The story rests here. {again} goes on with it."
        all_of_it = len(session.scenes)
        if self._unsaved == all_of_it:
            return "This story was not saved and ends here."
        return (
            f"Only {all_of_it - self._unsaved} of {all_of_it} scenes are saved. {again} goes on after those."
        )

    async def _play(self, turn: Coroutine[Any, Any, Session]) -> Session:
        self._memory.begin()  # beside the first turn, which does not wait for it
        return await turn

    def _note(self, *warnings: str) -> None:
        """What is new to say about the skills and the memory; none of it stops the story."""
        for warning in warnings:
            if warning not in self._told:
                self._told.add(warning)
                self._page.note(warning)

    def _show_choices(self, scene: Scene) -> None:
        for number, choice in enumerate(scene.choices, 1):
            self._page.choice(number, choice.text, choice.hint)

    def _ask(self, scene: Scene | None) -> Choice | None:
        """What the player chooses; None at the end."""
        choices = {str(number): choice for number, choice in enumerate(scene.choices if scene else (), 1)}
        while True:
            self._page.prompt()
            answer = sys.stdin.readline()
            if not sys.stdin.isatty():
                self._page.echo(answer)
            if not answer or answer.strip().lower() in ("q", "quit"):
                return None
            if answer.strip() in choices:
                return choices[answer.strip()]
            if answer.strip():
                self._page.note(f"Choose a number from 1 to {len(choices)}, or q to leave.")

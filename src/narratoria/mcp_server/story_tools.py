"""Tools with which an MCP client plays: begins a story, reads it, chooses, says what it does, goes back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any

import msgspec
from pydantic import Field

from narratoria.engine.events import AskedBack
from narratoria.engine.persona import Answers
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.story_session import LONGEST_ACTION, StorySession
from narratoria.errors import NarratoriaException, NoSuchRecord
from narratoria.web.app_state import AppState
from narratoria.web.campaigns import heading_of
from narratoria.web.inspection import show_state
from narratoria.web.memories import list_memories, show_standings
from narratoria.web.settings import read_settings
from narratoria.web.stories import NewStory, StoryCard, begin_story, story_list

Story = Annotated[str, Field(description="the id of a story, as list_stories has it")]
OFFERED = "playerChoices"  # in the state: what a skill notes of its own offers
MOST_LISTED = 1000
POLL_S = 0.05  # while a scene is told that another client, or the last run, began


class StoryTools:
    """Holds the tools for stories; each answers when the scene is told."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state

    async def list_stories(self) -> dict[str, Any]:
        """List the stories, the one played last first."""
        await self._open_store()
        listed = await story_list(self._app_state, MOST_LISTED)
        return {"stories": [_card(one) for one in listed.stories]}

    async def begin_story(
        self,
        campaign: Annotated[str, Field(description="its name, as list_campaigns has it")],
        name: Annotated[str, Field(description="of the player's character", max_length=80)] = "",
        preset: Annotated[str, Field(description="a character that the campaign offers")] = "",
        seed: Annotated[int | None, Field(description="of the dice", ge=0, le=2**53)] = None,
    ) -> dict[str, Any]:
        """Begin a new story, and read its first scene."""
        await self._open_store()
        character = Answers(name=name, preset=preset) if name or preset else None
        card = await begin_story(self._app_state, NewStory(campaign=campaign, character=character, seed=seed))
        return await self.read_scene(card.id)

    async def read_scene(
        self,
        story: Story,
        scene: Annotated[int | None, Field(description="its number; the present one without it")] = None,
    ) -> dict[str, Any]:
        """Read a scene of a story: the present one with its choices, or an earlier one."""
        session = await self._open(story)
        if scene is None:
            return self._present(session)
        earlier = next((one for one in session.snapshot.scenes if one.number == scene), None)
        if earlier is None:
            last = session.snapshot.progress.scene
            raise NarratoriaException(f"there is no scene {scene}; the story has scenes 1 to {last}")
        return self._scene_document(session, earlier)

    async def choose(
        self,
        story: Story,
        choice: Annotated[
            int, Field(description="the number of a choice of the present scene, from 1", ge=1)
        ],
        scene: Annotated[
            int | None, Field(description="the scene it was read in; refused where the story has gone on")
        ] = None,
    ) -> dict[str, Any]:
        """Pick one of the choices of the present scene, and read the scene that follows."""
        session = await self._open(story)
        present = session.snapshot.progress.scene
        if scene is not None and scene != present:
            raise NarratoriaException(f"the story has gone on: it is at scene {present}; read_scene shows it")
        choices = session.scene.choices if session.scene else ()
        if choice > len(choices):
            raise NarratoriaException(f"scene {present} has the choices 1 to {len(choices)}, and no {choice}")
        await self._play(session.choose(choice - 1))
        return self._present(session)

    async def say(
        self,
        story: Story,
        words: Annotated[
            str,
            Field(description="what the player's character does", min_length=1, max_length=LONGEST_ACTION),
        ],
    ) -> dict[str, Any]:
        """Do something in one's own words, and read the scene that follows.

        Words that cannot be made out play no turn: `askedBack` has a question, and readings to say instead.
        """
        session = await self._open(story)
        if not (read_settings(self._app_state.settings_folder).free_text and session.own_words):
            raise NarratoriaException("in this story you choose from what is offered; use the tool choose")
        before = session.log.last
        await self._play(session.say(words))
        document = self._present(session)
        asked = [event for event in session.log.since(before) if isinstance(event, AskedBack)]
        if asked:
            document["askedBack"] = {"question": asked[-1].question, "readings": list(asked[-1].readings)}
        return document

    async def undo(self, story: Story) -> dict[str, Any]:
        """Take the last turn back, with what was remembered in it, and read the scene before it."""
        session = await self._open(story)
        await session.undo()
        return self._present(session)

    async def show_state(self, story: Story) -> dict[str, Any]:
        """Show a story's state, what the last turn changed in it, and what everybody thinks of the player."""
        await self._open(story)
        view = await show_state(self._app_state, story)
        standings = await show_standings(self._app_state, story)
        return {
            "state": {key: value for key, value in view.state.items() if key != OFFERED},
            "changed": [pointer for pointer in view.changed if not pointer.startswith(f"/{OFFERED}/")],
            "standings": _document(standings),
        }

    async def search_memory(
        self,
        story: Story,
        query: Annotated[str, Field(description="what it is to be about", max_length=500)] = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> dict[str, Any]:
        """List what a story remembers: the most relevant first for a query, the newest first without one."""
        await self._open(story)
        memories = await list_memories(self._app_state, story, query=query, limit=limit)
        return {"memories": [_document(one) for one in memories]}

    # what they share

    async def _open_store(self) -> None:
        """Wait for the store; StoreUnavailable says why there is none, such as another Narratoria."""
        await self._app_state.library.memory_provider.store()

    async def _open(self, story: str) -> StorySession:
        """Return an open story that is not being told."""
        await self._open_store()
        try:
            session = await self._app_state.open_story(story)
        except NoSuchRecord:
            raise NoSuchRecord(
                f"there is no story '{story[:80]}'; list_stories has those there are"
            ) from None
        while session.busy:  # noqa: ASYNC110  a story tells nobody when it is free
            await asyncio.sleep(POLL_S)
        return session

    async def _play(self, turn: Coroutine[Any, Any, Scene]) -> None:
        # a client that goes away does not take the choice back
        await asyncio.shield(self._app_state.run_turn(turn))

    def _present(self, session: StorySession) -> dict[str, Any]:
        scene = session.scene
        if scene is None:
            raise NarratoriaException("the story has no scene yet, as its first could not be told; try again")
        return {
            **self._scene_document(session, scene),
            "choices": [_choice(number, one) for number, one in enumerate(scene.choices, 1)],
            "ownWords": session.own_words and read_settings(self._app_state.settings_folder).free_text,
            "saved": session.is_saved,
        }

    def _scene_document(self, session: StorySession, scene: Scene) -> dict[str, Any]:
        heading = heading_of(self._app_state, session.story.campaign)
        return {
            "story": session.story.id,
            "title": session.story.title,
            "scene": scene.number,
            "action": scene.action,
            "place": heading.places.get(scene.place, scene.place),
            "people": [heading.people.get(one, one) for one in scene.people],
            "text": scene.text,
            **({"roll": _document(scene.roll)} if scene.roll else {}),
            **({"effects": list(scene.effects)} if scene.effects else {}),
            **({"notices": list(scene.notices)} if scene.notices else {}),
            **({"ending": scene.ending} if scene.ending else {}),
        }


def _choice(number: int, choice: Choice) -> dict[str, Any]:
    details = {"hint": choice.hint, "difficulty": choice.difficulty, "risky": choice.risky}
    return {"number": number, "text": choice.text, **{key: value for key, value in details.items() if value}}


def _card(card: StoryCard) -> dict[str, Any]:
    document = _document(card)
    return {key: value for key, value in document.items() if key != "cover" and value not in (None, "")}


def _document(value: msgspec.Struct) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(value)
    return document

"""Answers for what a player changes besides playing: paragraphs, bookmarks, notes, an undo."""

from __future__ import annotations

from typing import Annotated

import msgspec

from narratoria.engine.revise import add_note, edit_paragraph, remove_note, set_bookmark
from narratoria.engine.revisions import LONGEST_NOTE, LONGEST_PARAGRAPH
from narratoria.engine.scene import Scene
from narratoria.engine.snapshot import NarratorNote
from narratoria.web.app_state import AppState
from narratoria.web.operation import Operations
from narratoria.web.stories import StoryPage, show_story

revisions = Operations(
    "Revisions", "What a player changes besides playing: paragraphs, bookmarks, notes, an undo."
)


class ParagraphText(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_PARAGRAPH)]


class NewNote(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NOTE)]
    standing: bool = True  # until it is removed; else for the next turn alone


@revisions.post("/stories/{story}/redo")
async def redo(app_state: AppState, story: str) -> StoryPage:
    """Bring back the turn that the last undo took, with what was remembered in it; nothing was told since."""
    await (await app_state.open_story(story)).redo()
    return await show_story(app_state, story)


@revisions.put("/stories/{story}/scenes/{scene}/paragraphs/{paragraph}")
async def edit(app_state: AppState, story: str, scene: int, paragraph: int, body: ParagraphText) -> Scene:
    """Put a paragraph (from 0 on) into one's own words; what was edited away is not remembered any more."""
    return await edit_paragraph(await app_state.open_story(story), scene, paragraph, body.text)


@revisions.post("/stories/{story}/scenes/{scene}/paragraphs/{paragraph}/restore")
async def restore(app_state: AppState, story: str, scene: int, paragraph: int) -> Scene:
    """Put a paragraph back as it was told, and what was remembered of it."""
    return await edit_paragraph(await app_state.open_story(story), scene, paragraph, None)


@revisions.put("/stories/{story}/bookmarks/{scene}")
async def bookmark(app_state: AppState, story: str, scene: int) -> tuple[int, ...]:
    """Bookmark a scene; answers with the scenes that have a bookmark."""
    return await set_bookmark(await app_state.open_story(story), scene, is_set=True)


@revisions.delete("/stories/{story}/bookmarks/{scene}")
async def remove_bookmark(app_state: AppState, story: str, scene: int) -> None:
    """Take the bookmark of a scene away."""
    await set_bookmark(await app_state.open_story(story), scene, is_set=False)


@revisions.post("/stories/{story}/notes", status=201)
async def leave_note(app_state: AppState, story: str, body: NewNote) -> NarratorNote:
    """Leave a note for whoever tells the story, for good or for one turn; only a model follows it."""
    return await add_note(await app_state.open_story(story), body.text, standing=body.standing)


@revisions.delete("/stories/{story}/notes/{note}")
async def take_note_back(app_state: AppState, story: str, note: str) -> None:
    """Remove a note."""
    await remove_note(await app_state.open_story(story), note)

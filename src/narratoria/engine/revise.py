"""Lets the player edit paragraphs, bookmark scenes, leave notes, and pin or strike out memories."""

from __future__ import annotations

import secrets

from narratoria.engine.memory.follow import find_memory, plan_remembered_edit
from narratoria.engine.revisions import (
    LONGEST_NOTE,
    LONGEST_PARAGRAPH,
    MOST_NOTES,
    MOST_PINS,
    Bookmark,
    Mark,
    MemoryMark,
    NoteAdded,
    NoteRemoved,
    Revision,
)
from narratoria.engine.scene import Scene
from narratoria.engine.snapshot import NarratorNote, StruckMemory
from narratoria.engine.story_session import StorySession
from narratoria.errors import ContractViolation, Problem


async def edit_paragraph(session: StorySession, number: int, paragraph: int, text: str | None) -> Scene:
    """Put a paragraph into the player's words, or back as it was told; what is remembered follows."""
    words = None if text is None else " ".join(text.split())
    if words is not None and not 1 <= len(words) <= LONGEST_PARAGRAPH:
        message = f"a paragraph has 1 to {LONGEST_PARAGRAPH} characters, and this one {len(words)}"
        raise ContractViolation([Problem(message, "/text")])

    async def plan() -> Revision | None:
        scene = _find_scene(session, number, paragraph)
        if words == scene.paragraphs[paragraph] or (words is None and scene.original is None):
            return None
        is_as_told = scene.original is not None and words == scene.original.paragraphs[paragraph]
        new_text = None if is_as_told else words
        return await plan_remembered_edit(session.memory, session.snapshot, scene, paragraph, new_text)

    await session.revise(plan)
    return _find_scene(session, number, paragraph)


def _find_scene(session: StorySession, number: int, paragraph: int) -> Scene:
    scene = next((one for one in session.snapshot.scenes if one.number == number), None)
    if scene is None:
        raise ContractViolation([Problem(f"there is no scene {number}", "/scene")])
    if not 0 <= paragraph < len(scene.paragraphs):
        message = f"scene {number} has paragraphs 0 to {len(scene.paragraphs) - 1}, and no {paragraph}"
        raise ContractViolation([Problem(message, "/paragraph")])
    return scene


async def set_bookmark(session: StorySession, number: int, *, is_set: bool) -> tuple[int, ...]:
    """Bookmark a scene, or take its bookmark away; return the scenes that have one."""

    async def plan() -> Revision | None:
        if not 1 <= number <= session.snapshot.progress.scene:
            raise ContractViolation([Problem(f"there is no scene {number}", "/scene")])
        if (number in session.snapshot.progress.bookmarks) == is_set:
            return None
        return Bookmark(scene=number, is_set=is_set)

    await session.revise(plan)
    return session.snapshot.progress.bookmarks


async def add_note(session: StorySession, text: str, *, standing: bool) -> NarratorNote:
    """Leave the narrator a note, until it is removed or for the next turn alone."""
    words = " ".join(text.split())
    if not 1 <= len(words) <= LONGEST_NOTE:
        message = f"a note has 1 to {LONGEST_NOTE} characters, and this one {len(words)}"
        raise ContractViolation([Problem(message, "/text")])
    note = NarratorNote(secrets.token_hex(4), words, standing)

    async def plan() -> Revision:
        if len(session.snapshot.progress.notes) >= MOST_NOTES:
            message = f"a story has at most {MOST_NOTES} notes; remove one first"
            raise ContractViolation([Problem(message, "/text")])
        return NoteAdded(note=note)

    await session.revise(plan)
    return note


async def remove_note(session: StorySession, identifier: str) -> None:
    """Take a note back."""

    async def plan() -> Revision:
        if all(note.id != identifier for note in session.snapshot.progress.notes):
            raise ContractViolation([Problem(f"there is no note {identifier!r}", "/note")])
        return NoteRemoved(id=identifier)

    await session.revise(plan)


async def mark_memory(session: StorySession, identifier: str, mark: Mark) -> StruckMemory:
    """Pin a memory so that every turn recalls it, strike it out so that none does, or neither."""
    marked: list[StruckMemory] = []

    async def plan() -> Revision | None:
        progress = session.snapshot.progress
        struck = next((one for one in progress.struck if one.id == identifier), None)
        marked.append(struck or await find_memory(session.memory, identifier))
        is_pinned = identifier in progress.pinned
        if mark == ("struck" if struck else "pinned" if is_pinned else "none"):
            return None
        if mark == "pinned" and len(progress.pinned) >= MOST_PINS:
            message = f"at most {MOST_PINS} memories can be pinned; unpin one first"
            raise ContractViolation([Problem(message, "/memory")])
        return MemoryMark(memory=marked[0], mark=mark)

    await session.revise(plan)
    return marked[0]

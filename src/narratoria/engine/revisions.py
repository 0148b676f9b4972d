"""Defines what the player changes in a story besides playing it, and applies it to a snapshot.

A revision belongs to the turn after which it was made: the log has it there, a replay applies it there, and
the turns that follow are played on what it left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.engine.effects import WORLD
from narratoria.engine.memory import compress
from narratoria.engine.scene import OriginalText, Passage, Scene
from narratoria.engine.snapshot import NarratorNote, Progress, SkillFinding, StorySnapshot, StruckMemory
from narratoria.narrator.evidence import key_words, split_sentences
from narratoria.narrator.grammar import as_wish, in_the_past
from narratoria.state import SessionState

LONGEST_PARAGRAPH = 4000  # characters
LONGEST_NOTE = 400
MOST_NOTES = 12
MOST_PINS = 12
LONGEST_ADDITION = 240  # characters of a player's own words that the journal keeps of a scene
Mark: TypeAlias = Literal["pinned", "struck", "none"]


class ParagraphEdit(msgspec.Struct, frozen=True, kw_only=True, tag="edit", omit_defaults=True):
    """A paragraph in the player's words, or without `text` as it was told; with what is kept since."""

    scene: int
    paragraph: int  # from 0 on
    text: str | None = None
    original: OriginalText
    summary: str = ""  # of the scene, from then on
    summary_before: str = ""


class NoteAdded(msgspec.Struct, frozen=True, kw_only=True, tag="note"):
    note: NarratorNote


class NoteRemoved(msgspec.Struct, frozen=True, kw_only=True, tag="note-removed"):
    id: str


class MemoryMark(msgspec.Struct, frozen=True, kw_only=True, tag="mark", omit_defaults=True):
    """A memory that is pinned or struck out from then on, or neither any more."""

    memory: StruckMemory
    mark: Mark


class Bookmark(msgspec.Struct, frozen=True, kw_only=True, tag="bookmark", omit_defaults=True):
    """A scene that the player wants to find again, or no longer."""

    scene: int
    is_set: bool = True


Revision: TypeAlias = ParagraphEdit | NoteAdded | NoteRemoved | MemoryMark | Bookmark


def is_about(revision: Revision, last_scene: int) -> bool:
    """Return whether a revision still says something of a story that ends with this scene."""
    if isinstance(revision, ParagraphEdit | Bookmark):
        return revision.scene <= last_scene
    if isinstance(revision, MemoryMark):
        return revision.memory.scene <= last_scene
    return True


def apply_revisions(snapshot: StorySnapshot, revisions: Iterable[Revision]) -> StorySnapshot:
    """Return the story with what the player has changed since its last scene."""
    for revision in revisions:
        snapshot = _apply(snapshot, revision)
    return snapshot


def apply_to_scenes(scenes: Sequence[Scene], revisions: Iterable[Revision]) -> tuple[Scene, ...]:
    """Return the scenes with the player's edits."""
    edited = {scene.number: scene for scene in scenes}
    for revision in revisions:
        if isinstance(revision, ParagraphEdit) and revision.scene in edited:
            edited[revision.scene] = apply_edit(edited[revision.scene], revision)
    return tuple(edited.values())


def apply_edit(scene: Scene, edit: ParagraphEdit) -> Scene:
    """Return a scene with one paragraph in the player's words, or as it was told."""
    original = edit.original
    paragraphs, passages = list(scene.paragraphs), list(scene.passages)
    passages += [Passage(by="composer")] * (len(paragraphs) - len(passages))
    at = edit.paragraph
    if edit.text is not None:
        paragraphs[at], passages[at] = edit.text, Passage(by="player")
    else:
        paragraphs[at] = original.paragraphs[at]
        passages[at] = original.passages[at] if at < len(original.passages) else Passage(by="composer")
    scene = msgspec.structs.replace(
        scene, paragraphs=tuple(paragraphs), passages=tuple(passages), original=original
    )
    return scene.as_told if scene.paragraphs == original.paragraphs else scene


def plan_edit(
    snapshot: StorySnapshot, scene: Scene, paragraph: int, text: str | None, summary: str
) -> ParagraphEdit:
    """Return the edit of a paragraph, with what is kept of the scene from then on.

    `summary` is what is remembered of the scene at present. What stands in it no more is kept no more, and
    the player's own words are kept instead.
    """
    original = scene.original or OriginalText(
        paragraphs=scene.paragraphs, passages=scene.passages, summary=summary
    )
    draft = ParagraphEdit(scene=scene.number, paragraph=paragraph, text=text, original=original)
    edited, before = apply_edit(scene, draft), "\n\n".join(original.paragraphs)
    matters = (*original.matters, *_matters_of(snapshot.state, scene.number))
    findings = (*original.findings, *_findings_of(snapshot.progress, scene.number))
    original = msgspec.structs.replace(
        original,
        matters=tuple(one for one in _once(matters) if is_edited_away(one["what"], before, edited.text)),
        findings=tuple(one for one in _once(findings) if is_edited_away(one["text"], before, edited.text)),
    )
    return msgspec.structs.replace(
        draft, original=original, summary=_summarise(original, edited), summary_before=summary
    )


def is_edited_away(text: str, before: str, after: str) -> bool:
    """Return whether a text rests on words that stood in a scene and, half of them at least, no longer do."""
    stood = set(key_words(text)) & set(key_words(before))
    gone = stood - set(key_words(after))
    return bool(gone) and 2 * len(gone) >= len(stood)


def _summarise(original: OriginalText, edited: Scene) -> str:
    """Return the line of an edited scene: the deed, what still stands in it, and the player's own words."""
    if edited.original is None:
        return original.summary
    before, sentences = "\n\n".join(original.paragraphs), split_sentences(original.summary)
    wish = as_wish(edited.action)
    deed_openings = (f"You {in_the_past(wish)}", f"You tried to {wish}") if wish else ()
    remaining = [
        sentence
        for sentence in sentences
        if sentence.startswith(deed_openings) or not is_edited_away(sentence, before, edited.text)
    ]
    original_sentences = {
        sentence for paragraph in original.paragraphs for sentence in split_sentences(paragraph)
    }
    room = LONGEST_ADDITION
    for paragraph in edited.paragraphs:
        for sentence in split_sentences(paragraph):
            if sentence not in original_sentences and len(sentence) <= room:
                remaining.append(sentence)
                room -= len(sentence)
    return " ".join(remaining) or f"{edited.action.rstrip('.')}."


def _apply(snapshot: StorySnapshot, revision: Revision) -> StorySnapshot:
    progress = snapshot.progress
    if isinstance(revision, NoteAdded):
        notes = (*(note for note in progress.notes if note.id != revision.note.id), revision.note)
        progress = msgspec.structs.replace(progress, notes=notes)
    elif isinstance(revision, NoteRemoved):
        notes = tuple(note for note in progress.notes if note.id != revision.id)
        progress = msgspec.structs.replace(progress, notes=notes)
    elif isinstance(revision, MemoryMark):
        progress = _mark(progress, revision)
    elif isinstance(revision, Bookmark):
        others = {scene for scene in progress.bookmarks if scene != revision.scene}
        bookmarks = sorted(others | {revision.scene} if revision.is_set else others)
        progress = msgspec.structs.replace(progress, bookmarks=tuple(bookmarks))
    else:
        snapshot = _keep_edit(snapshot, revision)
        progress = snapshot.progress
    return msgspec.structs.replace(snapshot, progress=progress, revisions=(*snapshot.revisions, revision))


def _keep_edit(snapshot: StorySnapshot, edit: ParagraphEdit) -> StorySnapshot:
    scenes = apply_to_scenes(snapshot.scenes, (edit,))
    present = next((one for one in snapshot.scenes if one.number == edit.scene), None)
    earlier = present.original if present and present.original else OriginalText(paragraphs=())
    gone = edit.original
    state, progress = snapshot.state, snapshot.progress
    if gone.matters or earlier.matters:
        learned = [
            *(one for one in _learned(state) if one not in gone.matters),
            *(one for one in earlier.matters if one not in gone.matters),
        ]
        state = state.apply_patch({WORLD: {"learns": learned}})
    findings = [msgspec.convert(one, SkillFinding) for one in earlier.findings if one not in gone.findings]
    progress = msgspec.structs.replace(
        progress,
        findings=(
            *(one for one in progress.findings if msgspec.to_builtins(one) not in gone.findings),
            *(one for one in findings if one not in progress.findings),
        ),
        history=compress.revise(progress.history, edit.scene, edit.summary, edit.summary_before),
    )
    return msgspec.structs.replace(snapshot, scenes=scenes, state=state, progress=progress)


def _mark(progress: Progress, revision: MemoryMark) -> Progress:
    memory = revision.memory
    pinned = tuple(one for one in progress.pinned if one != memory.id)
    struck = tuple(one for one in progress.struck if one.id != memory.id)
    history = progress.history
    if revision.mark == "pinned":
        pinned = (*pinned, memory.id)
    if revision.mark == "struck":
        struck = (*struck, memory)
        history = compress.strike_out(history, memory.scene, memory.text)
    elif len(struck) < len(progress.struck):
        history = compress.put_back(history, memory.scene, memory.text)
    return msgspec.structs.replace(progress, pinned=pinned, struck=struck, history=history)


def _learned(state: SessionState) -> list[dict[str, Any]]:
    world = state.to_dict().get(WORLD)
    learned = world.get("learns", []) if isinstance(world, dict) else []
    return [one for one in learned if isinstance(one, dict)]


def _matters_of(state: SessionState, scene: int) -> list[dict[str, Any]]:
    return [one for one in _learned(state) if one.get("scene") == scene]


def _findings_of(progress: Progress, scene: int) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(one) for one in progress.findings if one.scene == scene]


def _once(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    unique: list[dict[str, Any]] = []
    for entry in entries:
        if entry not in unique:
            unique.append(entry)
    return unique

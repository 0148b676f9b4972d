"""Lets what is remembered follow what the player edits, strikes out and puts back."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.recall import BARE
from narratoria.engine.revisions import MemoryMark, ParagraphEdit, Revision, is_edited_away, plan_edit
from narratoria.engine.scene import ForgottenMemory, Scene
from narratoria.engine.snapshot import StorySnapshot, StruckMemory
from narratoria.errors import ContractViolation, NoSuchRecord, Problem, RecordExists

if TYPE_CHECKING:  # the store takes longer to import than a scene may wait for
    from narratoria.store import StoredRecord

OF_THE_STORE = ("id", "playthroughId", "sessionId", "turn")  # which a store sets itself


def record_body(entry: StoredRecord) -> dict[str, Any]:
    """Return a memory as it was handed to the store."""
    return {
        name: value
        for name, value in msgspec.to_builtins(entry.record).items()
        if name not in OF_THE_STORE and value not in (None, "")
    }


async def plan_remembered_edit(
    memory: StoryMemory, snapshot: StorySnapshot, scene: Scene, paragraph: int, text: str | None
) -> ParagraphEdit:
    """Return the edit of a paragraph, with the memories of the scene that no longer stand in it."""
    entries = await (await memory.scope()).exact_match("memory", {"turn": scene.number})
    main = f"scene-{scene.number}"
    summary = next((record_body(one)["summary"] for one in entries if one.identifier == main), "")
    if not summary:
        recent = snapshot.progress.history.recent
        summary = next((one.text for one in recent if one.scene == scene.number), "")
    edit = plan_edit(snapshot, scene, paragraph, text, summary)
    before = "\n\n".join(edit.original.paragraphs)
    after = _text_after(scene, edit)
    others = [
        ForgottenMemory(id=one.identifier, body=record_body(one), skill=one.skill)
        for one in entries
        if one.identifier != main and not record_body(one)["summary"].startswith(BARE)
    ]
    candidates = {one.id: one for one in (*edit.original.memories, *others)}
    gone = tuple(one for one in candidates.values() if is_edited_away(one.body["summary"], before, after))
    return msgspec.structs.replace(edit, original=msgspec.structs.replace(edit.original, memories=gone))


def _text_after(scene: Scene, edit: ParagraphEdit) -> str:
    paragraphs = list(scene.paragraphs)
    paragraphs[edit.paragraph] = edit.original.paragraphs[edit.paragraph] if edit.text is None else edit.text
    return "\n\n".join(paragraphs)


async def find_memory(memory: StoryMemory, identifier: str) -> StruckMemory:
    """Return a memory of the story; ContractViolation for an id that none has."""
    entries = await (await memory.scope()).exact_match("memory", {"identifier": identifier})
    if not entries:
        raise ContractViolation([Problem(f"nothing is remembered as {identifier!r}", "/memory")])
    body = record_body(entries[0])
    return StruckMemory(id=identifier, text=body["summary"], scene=entries[0].turn, body=body)


async def follow_revision(memory: StoryMemory, revision: Revision, before: Scene | None = None) -> None:
    """Change what is remembered as a revision says; doing it twice changes nothing more.

    `before` is the edited scene as it was, whose forgotten memories may come back.
    """
    if isinstance(revision, ParagraphEdit):
        await _follow_edit(memory, revision, before)
    elif isinstance(revision, MemoryMark) and revision.mark == "struck":
        await _delete_alike(memory, revision.memory)
    elif isinstance(revision, MemoryMark) and revision.mark == "none" and revision.memory.body:
        back = ForgottenMemory(id=revision.memory.id, body=revision.memory.body)
        await _put_back(memory, back)
    memory.late_recall.discard()


async def _follow_edit(memory: StoryMemory, edit: ParagraphEdit, before: Scene | None) -> None:
    scope = await memory.scope()
    if edit.summary:
        with contextlib.suppress(NoSuchRecord):  # a beginning is not remembered
            changes = {"summary": edit.summary}
            await scope.update("memory", f"scene-{edit.scene}", changes, since=edit.scene)
    for one in edit.original.memories:
        await scope.delete("memory", one.id, since=edit.scene)
    gone = {one.id for one in edit.original.memories}
    for one in before.original.memories if before and before.original else ():
        if one.id not in gone:
            await _put_back(memory, one)


async def _put_back(memory: StoryMemory, forgotten: ForgottenMemory) -> None:
    with contextlib.suppress(RecordExists):
        await (await memory.scope(forgotten.skill)).store("memory", forgotten.body, forgotten.id)


async def _delete_alike(memory: StoryMemory, struck: StruckMemory) -> None:
    """Delete a memory, and what says the same of the same scene, from that scene on.

    So undoing a later turn does not bring it back, and going back before that scene is as it ever was.
    """
    scope = await memory.scope()
    for entry in await scope.exact_match("memory", {"turn": struck.scene}):
        if entry.identifier == struck.id or record_body(entry)["summary"] == struck.text:
            await scope.delete("memory", entry.identifier, since=struck.scene)

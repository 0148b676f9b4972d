"""Revisions as values: what an edit changes in a snapshot, and which of them outlive an undo."""

from __future__ import annotations

from narratoria.engine.memory.compress import History, Summary
from narratoria.engine.revisions import (
    Bookmark,
    MemoryMark,
    NoteAdded,
    ParagraphEdit,
    apply_revisions,
    is_about,
    is_edited_away,
    plan_edit,
)
from narratoria.engine.scene import BEGIN, OriginalText, Passage, Scene
from narratoria.engine.snapshot import NarratorNote, Progress, StorySnapshot, StruckMemory

FACT = "Maren's brother drowned at the weir."
SCENE = Scene(
    number=2,
    action="Ask Maren about her brother",
    place="weir",
    paragraphs=("“He drowned at the weir,” says Maren of her brother.", "Rain falls."),
    choices=(BEGIN,),
    passages=(Passage(by="author"), Passage(by="composer")),
)
STORY = StorySnapshot(
    id="s",
    campaign="c",
    seed=1,
    scenes=(SCENE,),
    progress=Progress(scene=2, history=History(recent=(Summary(scene=2, text=FACT),))),
)


def test_a_fact_is_edited_away_once_half_of_its_words_no_longer_stand_there() -> None:
    assert is_edited_away(FACT, SCENE.text, "Maren says nothing.")
    assert not is_edited_away(FACT, SCENE.text, f"{SCENE.text} She weeps.")
    assert not is_edited_away("The king is dead.", SCENE.text, "Maren says nothing.")  # it never stood there


def test_an_edit_takes_the_fact_out_of_the_story_and_its_undoing_puts_it_back() -> None:
    edit = plan_edit(STORY, SCENE, 0, "Maren says nothing.", FACT)
    after = apply_revisions(STORY, (edit,))
    assert after.scenes[0].paragraphs == ("Maren says nothing.", "Rain falls.")
    assert after.progress.history.recent[0].text == "Maren says nothing."
    assert after.scenes[0].as_told == SCENE
    assert apply_revisions(after, (edit,)).scenes == after.scenes
    back = plan_edit(after, after.scenes[0], 0, None, "Maren says nothing.")
    restored = apply_revisions(after, (back,))
    assert restored.scenes == STORY.scenes
    assert restored.progress.history.recent[0].text == FACT


def test_what_concerns_a_later_scene_says_nothing_of_an_earlier_one() -> None:
    edit = ParagraphEdit(scene=3, paragraph=0, text="x", original=OriginalText(paragraphs=("y",)))
    mark = MemoryMark(memory=StruckMemory("scene-3", "You sang.", 3), mark="struck")
    note = NoteAdded(note=NarratorNote("a", "Shorter"))
    bookmark = Bookmark(scene=3)
    assert [is_about(one, 2) for one in (edit, mark, note, bookmark)] == [False, False, True, False]
    assert all(is_about(one, 3) for one in (edit, mark, note, bookmark))

"""The file of turns that the store did not take: the last line of a turn counts, and one owner has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.engine.persistence.turn_record import MemoryRecord, TurnInput
from narratoria.engine.persistence.unsaved_turns import (
    SEPARATED_FILES,
    UnsavedTurn,
    UnsavedTurnLog,
    UnsavedTurnsHeader,
    find_unsaved_turns,
    scene_digest,
)
from narratoria.engine.scene import Choice, Scene

HEADER = UnsavedTurnsHeader(branch="mill-1", campaign="mill", title="The mill", seed=7, session_id="s1")


def turn(number: int, text: str = "Wait") -> UnsavedTurn:
    return UnsavedTurn(number=number, input=TurnInput(choice=Choice(text=text)))


def scene(text: str) -> Scene:
    return Scene(number=1, action="a", place="p", paragraphs=(text,), choices=())


def test_turns_come_back_in_their_order_and_the_last_line_of_each_counts(tmp_path: Path) -> None:
    log = UnsavedTurnLog(HEADER, (tmp_path,))
    record = MemoryRecord("memory", {"summary": "You sang."}, "scene-1")
    assert all(log.append(one) for one in (turn(2), turn(1, "Sing"), turn(2, "Dance")))
    assert log.append(UnsavedTurn(number=3, records=(record,)))
    log.close()

    (content,) = find_unsaved_turns((tmp_path,))
    assert content.header == HEADER
    assert [one.number for one in content.turns] == [1, 2, 3]
    assert content.turns[1] == turn(2, "Dance")
    assert content.turns[2].records == (record,)


def test_a_file_that_is_open_belongs_to_its_story(tmp_path: Path) -> None:
    log = UnsavedTurnLog(HEADER, (tmp_path,))
    log.append(turn(1))

    assert list(find_unsaved_turns((tmp_path,))) == []
    log.close()
    assert len(list(find_unsaved_turns((tmp_path,)))) == 1


def test_a_line_that_was_cut_off_costs_that_line_alone(tmp_path: Path) -> None:
    log = UnsavedTurnLog(HEADER, (tmp_path,))
    log.append(turn(1))
    log.append(turn(2))
    log.close()
    file = tmp_path / "mill-1.jsonl"
    file.write_bytes(file.read_bytes()[:-4])

    (content,) = find_unsaved_turns((tmp_path,))
    assert [one.number for one in content.turns] == [1]


def test_where_the_first_folder_takes_nothing_the_next_does(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    log = UnsavedTurnLog(HEADER, (blocked, tmp_path / "other"))

    assert log.append(turn(1))
    assert log.file == tmp_path / "other" / "mill-1.jsonl"
    log.remove()
    assert not (tmp_path / "other" / "mill-1.jsonl").exists()
    assert not UnsavedTurnLog(HEADER, (blocked,)).append(turn(1))


def test_a_branch_that_changes_names_the_next_file_and_not_the_one_that_is_there(tmp_path: Path) -> None:
    log = UnsavedTurnLog(HEADER, (tmp_path,))
    log.append(turn(1))
    log.move_to("mill-2")
    assert log.header.branch == "mill-1"
    log.remove()
    assert log.header.branch == "mill-2"


def test_separated_turns_are_found_apart_and_never_overwritten(tmp_path: Path) -> None:
    places = []
    for _ in range(2):
        log = UnsavedTurnLog(HEADER, (tmp_path,))
        log.append(turn(1))
        log.close()
        (content,) = find_unsaved_turns((tmp_path,))
        places.append(content.separate())

    assert [place.name for place in places] == ["mill-1.apart-1", "mill-1.apart-2"]
    assert list(find_unsaved_turns((tmp_path,))) == []
    assert len(list(find_unsaved_turns((tmp_path,), SEPARATED_FILES))) == 2


@pytest.mark.parametrize("text", [b"", b"{}", b"not JSON", b'{"format":"another"}'])
def test_a_file_of_something_else_is_skipped(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_bytes(text)

    assert list(find_unsaved_turns((tmp_path,))) == []


def test_scenes_that_differ_have_different_digests_and_no_scene_has_none() -> None:
    assert scene_digest(scene("one")) == scene_digest(scene("one")) != scene_digest(scene("two"))
    assert scene_digest(None) == ""

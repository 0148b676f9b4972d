"""A story on disk: all of it, or what was there before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from narratoria.engine.scene import BEGIN, GENERIC_CHOICES, Choice, Receipt, Roll, Scene
from narratoria.engine.session import Progress, Session, free_id, latest, load, save
from narratoria.errors import ContractViolation
from narratoria.state import SessionState

SCENE = Scene(
    number=1,
    action=BEGIN.text,
    place="mill",
    paragraphs=("Es schneit.", "“So,” sagt sie. 雪"),
    choices=(
        *GENERIC_CHOICES,
        Choice(text="Leap", kind="beat", beat="leap", risky=True, because=(Receipt("beat", "mill"),)),
    ),
    roll=Roll("2d6+1", 9, "partial success", (4, 4), 1),
    beats=("mill",),
)
SESSION = Session(
    id="story-1",
    campaign="story",
    seed=7,
    progress=Progress(scene=1, place="mill", visits={"mill": 1}, told={"mill": ""}, met=("miller",)),
    state=SessionState({"flags": {"it snows": True}, "purse": [1, None, {"x": 0.5}]}),
    scenes=(SCENE,),
)


def test_a_story_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    path = save(SESSION, tmp_path)
    assert path == tmp_path / "story-1" / "story.json"
    assert load(path) == SESSION
    assert [file.name for file in path.parent.iterdir()] == ["story.json"]


def test_a_save_that_fails_leaves_the_old_one_and_no_litter(tmp_path: Path) -> None:
    path = save(SESSION, tmp_path)
    before = path.read_bytes()
    unsaveable = Session(id="story-1", campaign="story", seed=7, state=SessionState({"x": object()}))
    with pytest.raises(TypeError):
        save(unsaveable, tmp_path)
    assert path.read_bytes() == before
    path.unlink()
    path.mkdir()
    (path / "in the way").touch()
    with pytest.raises(OSError, match=r"story\.json"):
        save(SESSION, tmp_path)
    assert [file.name for file in path.parent.iterdir()] == ["story.json"]


@pytest.mark.parametrize("text", ["", "{}", '{"format": 1}', "[]", "{", "\x00"])
def test_a_damaged_save_is_refused_with_its_name(text: str, tmp_path: Path) -> None:
    path = tmp_path / "story.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ContractViolation, match=r"story\.json.*cannot be read.*--new"):
        load(path)


def test_a_save_of_a_later_format_is_refused_untouched(tmp_path: Path) -> None:
    path = save(SESSION, tmp_path)
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(document | {"format": 2}), encoding="utf-8")
    with pytest.raises(ContractViolation, match="format 2"):
        load(path)


def test_the_story_played_last_is_found_among_those_of_its_campaign(tmp_path: Path) -> None:
    import os

    for number, name in enumerate(["story-1", "story-2", "story-two-1"]):
        path = save(Session(id=name, campaign=name.rpartition("-")[0], seed=number), tmp_path)
        os.utime(path, ns=(number, number))
    found = latest(tmp_path, "story")
    assert found is not None
    assert found.id == "story-2"
    assert latest(tmp_path, "other") is None
    assert free_id(tmp_path, "story") == "story-3"
    assert free_id(tmp_path, "other") == "other-1"


@pytest.mark.parametrize("flags", [None, "none", ["a"], {"a": False}])
def test_whatever_a_skill_does_to_the_flags_they_can_be_read(flags: object) -> None:
    assert Session(id="s", campaign="s", seed=1, state=SessionState({"flags": flags})).flags == frozenset()

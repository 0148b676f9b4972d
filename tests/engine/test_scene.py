"""A scene as a document: its keys are those of the contract, and what is not there is not written."""

from __future__ import annotations

import msgspec

from narratoria.engine.scene import (
    ENDED_CHOICES,
    GENERIC_CHOICES,
    LOOKED_BACK_CHOICES,
    Choice,
    Passage,
    Receipt,
    Roll,
    Scene,
)

SCENE = Scene(
    number=1,
    action="Begin",
    place="mill",
    paragraphs=("A mill.", "It turns."),
    choices=(Choice(text="Wait", kind="wait", because=(Receipt("place", "mill"),)),),
    roll=Roll("2d6", 7, "success", (3, 4)),
    passages=(Passage(by="author"), Passage(by="model", model="tiny")),
    game_time=30.0,
)


def test_a_scene_is_read_back_as_it_was_written() -> None:
    assert msgspec.json.decode(msgspec.json.encode(SCENE), type=Scene) == SCENE


def test_keys_are_in_camel_case_and_defaults_are_left_out() -> None:
    document = msgspec.to_builtins(SCENE)

    assert document["gameTime"] == 30.0
    assert not {"ending", "mood", "assets", "notices"} & set(document)
    assert document["choices"][0] == {
        "text": "Wait",
        "kind": "wait",
        "because": ({"kind": "place", "id": "mill"},),
    }


def test_the_text_of_a_scene_is_its_paragraphs_apart() -> None:
    assert SCENE.text == "A mill.\n\nIt turns."


def test_a_choice_that_names_no_kind_is_told_by_its_words() -> None:
    assert msgspec.convert({"text": "Sing"}, Choice).kind == "free"


def test_who_has_looked_back_once_is_not_offered_it_again_and_may_leave() -> None:
    kinds = [choice.kind for choice in LOOKED_BACK_CHOICES]

    assert "look-back" in [choice.kind for choice in ENDED_CHOICES]
    assert "look-back" not in kinds
    assert kinds[-1] == "leave"
    assert GENERIC_CHOICES[0].kind == "continue"

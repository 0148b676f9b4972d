"""Composed scenes look back: on what was done, and on where the story could have turned."""

from __future__ import annotations

from typing import Any

import msgspec

from narratoria.contracts.scene_facts import SceneFacts
from narratoria.narrator.composer import Composer
from narratoria.narrator.composer_lines import ENDINGS


def scene_facts(**parts: Any) -> SceneFacts:
    return msgspec.convert(parts, SceneFacts)


def test_a_look_back_joins_its_parts_with_another_link_each_time() -> None:
    done = [
        {"text": f"you did thing {number}", "scene": number, "ends": False, "did": "did it"}
        for number in range(1, 11)
    ]
    facts = scene_facts(action={"kind": "look-back", "number": 30}, lookingBack=done)
    told = " ".join(Composer(facts, "", 1, {}).paragraphs())
    assert all(told.casefold().count(link) <= 1 for link in ENDINGS.links), told


def test_leaving_a_finished_story_says_farewell_in_two_paragraphs() -> None:
    facts = scene_facts(action={"kind": "leave", "number": 30}, lookingBack=[])
    farewell, looked_back = Composer(facts, "", 1, {}).paragraphs()
    assert farewell in ENDINGS.leaving
    assert looked_back in ENDINGS.looked_back


def test_turning_points_name_scenes_that_could_be_left() -> None:
    actions = [
        {"text": f"you did {number}", "scene": number, "ends": number == 3, "did": f"did thing {number}"}
        for number in range(1, 4)
    ]
    facts = scene_facts(action={"kind": "branch", "number": 30}, lookingBack=actions)
    text = " ".join(Composer(facts, "", 1, {}).paragraphs())
    assert "after scene 1, before you did thing 2" in text
    assert "thing 3" not in text

"""A provider that can be held to a schema is, and the scene, the fact and the choices are those of prose."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.skills.bundled.provider_servers import Provider, served
from tests.skills.bundled.test_stories_told_by_providers import MARK, Teller, play, set_up

__all__ = ["play"]  # a fixture
ANSWER = {
    "ends": "nothing decided",
    "paragraphs": [f"A door goes somewhere above. {MARK}", f"Then the light is as it was before. {MARK}"],
    "true_now": "A door has been shut above you.",
    "next": [{"option": 0, "text": "Listen for the door"}],
}


class JsonTeller(Provider):
    """Tells every scene in JSON, in pieces of eleven characters."""

    document: Any = ANSWER

    def lines(self) -> Any:
        text = json.dumps(self.document)
        self.pieces = tuple(text[at : at + 11] for at in range(0, len(text), 11))
        if self.kind == "claude":
            self.end = "tool_use"
        return super().lines()


@pytest.mark.parametrize(
    ("kind", "held"), [("openai", "response_format"), ("ollama", "format"), ("claude", "tools")]
)
async def test_each_kind_is_held_to_the_schema_in_its_own_way_and_tells_the_same(
    play: Callable[[], Any], kind: str, held: str
) -> None:
    with served(JsonTeller(kind)) as provider:
        set_up(provider, model="a-model", patienceSeconds=20)
        async with play() as turn:
            assert held in provider.asked[0].body
            assert "“Answer" not in turn.scene.text
            assert turn.scene.text.count(MARK) == 2
            assert turn.scene.fact == "A door has been shut above you."
            assert "Listen for the door" in [choice.text for choice in turn.scene.choices]
            assert turn.streamed.count(MARK) == 2


async def test_who_asks_for_plain_text_gets_the_marks_and_no_schema(play: Callable[[], Any]) -> None:
    with served(Teller("openai")) as provider:
        set_up(provider, model="a-model", answerForm="text", patienceSeconds=20)
        async with play() as turn:
            assert "response_format" not in provider.asked[0].body
            assert "TRUE NOW" in provider.asked[0].body["messages"][0]["content"]
            assert turn.scene.fact == "A door has been shut above you."


async def test_a_model_that_writes_prose_though_json_was_asked_for_is_read_as_well(
    play: Callable[[], Any],
) -> None:
    with served(Teller("openai")) as provider:
        set_up(provider, model="a-model", patienceSeconds=20)
        async with play() as turn:
            assert "response_format" in provider.asked[0].body
            assert turn.scene.text.count(MARK) == 2


async def test_json_of_another_shape_costs_the_scene_nothing(play: Callable[[], Any]) -> None:
    with served(JsonTeller("openai")) as provider:
        provider.document = {"story": f"Once there was a door. {MARK}", "thoughts": MARK}
        set_up(provider, model="a-model", patienceSeconds=20)
        async with play() as turn:
            assert MARK not in turn.scene.text
            assert len(turn.scene.paragraphs) >= 1
            assert len(turn.scene.choices) >= 3

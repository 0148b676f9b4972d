"""An answer as JSON, in pieces of any size: the same paragraphs, fact and choices as of prose with marks."""

from __future__ import annotations

import json

import jsonschema_rs
import pytest

from narratoria.sdk import narration
from narratoria.sdk.structured_answer import SCHEMA

PROSE = "The latch gives.\n\n“You took your time,” says Marten.\n\n"
MARKED = f"{PROSE}TRUE NOW: The door is open.\nNEXT:\n2: Ask Marten about the net\nnew: Sit down\n"
DOCUMENT = {
    "ends": "success",
    "paragraphs": ["The latch gives.", '"You took your time," says Marten.'],
    "true_now": "The door is open.",
    "next": [{"option": 2, "text": "Ask Marten about the net"}, {"option": 0, "text": "Sit down."}],
}
STRUCTURED = json.dumps(DOCUMENT)


def tell(text: str, size: int = 3) -> tuple[narration.Telling, list[str]]:
    telling = narration.Telling()
    paragraphs = [
        one for at in range(0, len(text), size) for one in telling.add(text[at : at + size])
    ] + telling.finish()
    return telling, paragraphs


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("fence", ["", "```json\n", "<think>Which form?</think>\n"])
def test_json_and_prose_with_marks_give_the_same_telling(size: int, fence: str) -> None:
    marked, prose = tell(MARKED, size)
    structured, paragraphs = tell(fence + STRUCTURED, size)
    assert paragraphs == prose == ["The latch gives.", "“You took your time,” says Marten."]
    assert structured.fact == marked.fact == "The door is open."
    assert structured.choices == marked.choices == [(2, "Ask Marten about the net"), (0, "Sit down")]
    assert (structured.ends, marked.ends) == ("success", "")


def test_a_paragraph_comes_out_before_the_answer_is_whole() -> None:
    telling = narration.Telling()
    assert telling.add('{"ends": "failure", "paragraphs": ["The key bre') == []
    assert telling.add('aks.", "You') == ["The key breaks."]
    assert telling.ends == "failure"


def test_of_json_that_breaks_off_only_whole_paragraphs_are_told() -> None:
    telling, paragraphs = tell('{"ends": "success", "paragraphs": ["It opens.", "Behind it there is')
    assert paragraphs == ["It opens."]
    assert (telling.fact, telling.choices) == ("", [])


@pytest.mark.parametrize(
    "text",
    [
        '{"story": "Once upon a time."}',
        '{"paragraphs": 7, "true_now": [], "next": {"a": 1}}',
        '{"name": "answer", "arguments": {}}',
        "{" * 5000,
        '{"paragraphs": [{"text": "no string"}]}',
    ],
)
def test_json_of_another_shape_tells_nothing(text: str) -> None:
    telling, paragraphs = tell(text, 500)
    assert paragraphs == []
    assert (telling.fact, telling.choices, telling.ends) == ("", [], "")


def test_line_breaks_and_blank_lines_within_a_string_are_read() -> None:
    _, paragraphs = tell('{"paragraphs": ["One\\nand the same.\\n\\nAnother.", ""], "next": []}')
    assert paragraphs == ["One and the same.", "Another."]


def test_the_schema_allows_what_the_form_asks_for_and_nothing_else() -> None:
    assert jsonschema_rs.is_valid(SCHEMA, DOCUMENT)
    assert not jsonschema_rs.is_valid(SCHEMA, {**DOCUMENT, "comment": "Here you go!"})


def test_who_is_held_to_the_schema_is_not_asked_for_marks() -> None:
    facts = {"action": {"text": "I knock"}}
    system, prompt = narration.ask(facts, structured=True)
    assert "JSON" in system
    assert "TRUE NOW" not in system + prompt
    system, prompt = narration.ask(facts)
    assert "JSON" not in system
    assert "TRUE NOW" in system + prompt

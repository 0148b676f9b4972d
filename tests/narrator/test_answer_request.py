"""What is to be answered, and the answer, are values that can be kept with a turn."""

from __future__ import annotations

import msgspec
import pytest

from narratoria.narrator.answer_request import Answer, AnswerRequest
from narratoria.narrator.effect_types import Effect
from narratoria.narrator.evidence import Evidence


def test_an_answer_is_kept_and_read_back_as_it_was() -> None:
    part = Answer(text="A.", fact="a.", source="unit:1")
    answer = Answer(
        text="A.", fact="a.", source="unit:1", effects=(Effect("time", "an hour"),), parts=(part,)
    )
    assert msgspec.json.decode(msgspec.json.encode(answer), type=Answer) == answer


def test_a_request_is_kept_with_its_evidence() -> None:
    request = AnswerRequest(act="ask", evidence=(Evidence(id="m", text="It burned.", source="lore"),))
    assert msgspec.json.decode(msgspec.json.encode(request), type=AnswerRequest) == request


def test_nobody_changes_an_answer_that_was_given() -> None:
    with pytest.raises(AttributeError):
        Answer(text="A.", fact="a.", source="unit:1").text = "B."  # type: ignore[misc]

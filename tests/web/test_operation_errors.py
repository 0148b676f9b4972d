"""Errors as the API answers with them: a status, a code, and the fields that are at fault."""

from __future__ import annotations

import msgspec
import pytest

from narratoria.errors import (
    Busy,
    ContractViolation,
    ModelUnavailable,
    NarratoriaException,
    NoSuchRecord,
    Problem,
    RecordExists,
    StoreUnavailable,
    TurnGivenUp,
)
from narratoria.web.operation import ApiError, ErrorAnswer, not_found, to_api_error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Busy("a turn is under way"), 409, "busy"),
        (TurnGivenUp("taken back"), 409, "cancelled"),
        (NoSuchRecord("no such story"), 404, "not_found"),
        (RecordExists("there is one"), 409, "exists"),
        (StoreUnavailable("no disk"), 503, "store_unavailable"),
        (ModelUnavailable("no model"), 409, "model_unavailable"),
        (NarratoriaException("no"), 400, "refused"),
    ],
)
def test_an_exception_has_its_status_and_its_code(error: NarratoriaException, status: int, code: str) -> None:
    answer = to_api_error(error)
    assert (answer.status, answer.body.code, answer.body.message) == (status, code, str(error))


def test_an_error_of_the_api_is_answered_as_it_is() -> None:
    error = ApiError(418, "teapot", "I am one.", "Use the pot.")
    assert to_api_error(error) is error


def test_the_problems_of_a_document_are_named_by_their_fields() -> None:
    problems = [Problem("is no number", pointer="/music/volume"), Problem("is empty", pointer="")]
    answer = to_api_error(ContractViolation(problems))
    assert (answer.status, answer.body.code) == (422, "invalid")
    assert [(field.field, field.message) for field in answer.body.fields] == [
        ("music.volume", "is no number"),
        ("", "is empty"),
    ]


def test_what_is_not_there_is_named() -> None:
    missing = not_found("story", "night/../day")
    assert missing.status == 404
    assert "'night/../day'" in missing.body.message


def test_an_answer_says_only_what_there_is_to_say() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(ErrorAnswer(not_found("skill", "x").body)))
    assert set(sent["error"]) == {"code", "message"}

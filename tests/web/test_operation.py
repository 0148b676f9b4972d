"""Requests as operations take them: converted, bounded, and refused in plain words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.requests import Request

from narratoria.errors import NoSuchRecord
from narratoria.web.accounts import SOLE_PLAYER
from narratoria.web.app_state import AppState
from narratoria.web.operation import ACCOUNT, Operations, answer_type, endpoint


def test_what_is_too_large_is_not_read(server: Any) -> None:
    refused = server.ask("PUT", "/api/settings", b" " * (2 * 1024 * 1024))
    assert (refused.status, refused.code) == (413, "too_large")


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"theme": "pink"}', b'{"textSize": "big"}', b"\xff", b"[" * 100_000]
)
def test_what_cannot_be_used_is_refused_in_plain_words(server: Any, body: bytes) -> None:
    refused = server.ask("PUT", "/api/settings", body)
    assert refused.status in (400, 422)
    message = refused.json["error"]["message"]
    assert not any(word in message for word in ("Traceback", "msgspec", "`", "Expected", "Struct"))


class Parcel(msgspec.Struct):
    weight: float
    tags: list[str] = []


parcels = Operations("Parcels", "Things to send.")


@parcels.get("/parcels/{number}")
async def show_parcel(state: Any, number: int, unit: str = "kg", from_: str = "here") -> dict[str, Any]:
    """One parcel.

    With its weight.
    """
    return {"number": number, "unit": unit, "from": from_}


@parcels.get("/find")
async def find_parcel(state: Any, word: str) -> Parcel:
    """A parcel by a word."""
    match word:
        case "missing":
            raise NoSuchRecord("there is no such parcel")
        case "broken":
            raise ZeroDivisionError("secret detail")
    return Parcel(1.5)


@parcels.post("/parcels", status=201, largest=100)
async def send_parcel(state: Any, body: Parcel) -> Parcel:
    """Send one."""
    return body


@parcels.delete("/parcels/{number}")
async def drop_parcel(state: Any, number: int) -> None:
    """Forget one."""


@dataclass(frozen=True)
class Answered:
    status: int
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


def open_nothing() -> Any:
    raise AssertionError("no story is opened here")


STATE = AppState(Path("unused"), open_nothing)


async def authorize_anybody(app_state: Any, *_: Any) -> Any:
    return app_state


async def ask(perform: Any, query: str = "", body: bytes = b"", **in_path: str) -> Answered:
    """One request as a server hands it over, its body in two parts."""
    operation = next(one for one in parcels.all if one.perform is perform)
    parts = [(body[: len(body) // 2], True), (body[len(body) // 2 :], False)]

    async def receive() -> dict[str, Any]:
        part, more = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": more}

    scope = {
        "type": "http",
        "method": operation.method,
        "headers": [],
        "query_string": query.encode(),
        "path_params": in_path,
        ACCOUNT: SOLE_PLAYER,
    }
    response = await endpoint(operation, STATE, authorize_anybody)(Request(scope, receive))
    return Answered(response.status_code, bytes(response.body))


def test_a_signature_says_what_an_operation_takes_and_gives() -> None:
    show, _, send, drop = parcels.all
    assert [one.name for one in show.in_path] == ["number"]
    assert [(one.key, one.required, one.default) for one in show.in_query] == [
        ("unit", False, "kg"),
        ("from", False, "here"),
    ]
    assert (show.name, show.summary, show.description) == ("show_parcel", "One parcel.", "With its weight.")
    assert (send.body, answer_type(send), answer_type(drop)) == (Parcel, Parcel, None)


async def test_parameters_of_the_path_and_the_query_are_converted() -> None:
    given = await ask(show_parcel, "unit=lb&from=far", number="7")
    assert given.json == {"number": 7, "unit": "lb", "from": "far"}
    left_out = await ask(show_parcel, "unit=", number="7")
    assert left_out.json == {"number": 7, "unit": "kg", "from": "here"}


async def test_a_parameter_that_cannot_be_used_is_named() -> None:
    for refused, field, message in (
        (await ask(show_parcel, number="seven"), "number", "must be a whole number"),
        (await ask(find_parcel), "word", "is missing"),
    ):
        (error,) = refused.json["error"]["fields"]
        assert (refused.status, error["field"]) == (422, field)
        assert error["message"].startswith(message)


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({}, "weight", "is missing"),
        ({"weight": "heavy"}, "weight", "must be a number, and this is a text"),
        ({"weight": 1, "tags": ["a", 2]}, "tags.1", "must be a text, and this is a whole number"),
        ([], "", "must be an object, and this is a list"),
    ],
)
async def test_a_field_of_a_body_that_cannot_be_used_is_named(body: Any, field: str, message: str) -> None:
    answer = await ask(send_parcel, body=json.dumps(body).encode())
    (error,) = answer.json["error"]["fields"]
    assert (answer.status, error["field"], error["message"]) == (422, field, message)


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"weight": ', b"NaN"])
async def test_a_body_that_is_no_json_is_said_to_be_none(body: bytes) -> None:
    answer = await ask(send_parcel, body=body)
    assert (answer.status, answer.code) == (400, "not_json")


async def test_a_body_is_taken_up_to_its_limit() -> None:
    body = b'{"weight": 2}'
    taken = await ask(send_parcel, body=body.ljust(100))
    assert (taken.status, taken.json["weight"]) == (201, 2)
    refused = await ask(send_parcel, body=body.ljust(101))
    assert (refused.status, refused.code) == (413, "too_large")


async def test_nothing_is_answered_with_no_content() -> None:
    answer = await ask(drop_parcel, number="1")
    assert (answer.status, answer.content) == (204, b"")


async def test_what_was_raised_on_purpose_is_told_and_what_was_not_is_kept_for_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    missing = await ask(find_parcel, "word=missing")
    assert (missing.status, missing.json["error"]["message"]) == (404, "there is no such parcel")
    broken = await ask(find_parcel, "word=broken")
    assert (broken.status, broken.code) == (500, "internal")
    assert b"secret detail" not in broken.content
    assert "secret detail" in caplog.text

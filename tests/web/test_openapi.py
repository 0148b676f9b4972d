"""The description of the API: every operation, every type, and nothing that leads nowhere."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from narratoria.web.openapi import describe
from narratoria.web.operation import Operations


def test_the_description_of_the_api_is_whole(server: Any) -> None:
    document = server.get("/api/openapi.json")
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert len(operations) > 40
    assert all(operation["summary"] for operation in operations)
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    known = document["components"]["schemas"]
    text = json.dumps(document)
    referred = {part.partition('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert referred <= set(known)
    assert {"Scene", "TurnStarted", "NarrationDelta", "SceneReady", "ErrorAnswer", "StoryEvent"} <= set(known)


class Wish(msgspec.Struct, rename="camel"):
    text: str
    how_often: int = 1


class Wishes(msgspec.Struct, rename="camel"):
    all_wishes: tuple[str, ...] = ()


wishes = Operations("Wishes", "What is wished for.")


@wishes.get("/wishes/{path:path}")
async def list_wishes(state: Any, path: str, page: int = 2) -> Wishes:
    """All wishes."""
    return Wishes()


@wishes.post("/wishes", status=201)
async def make_wish(state: Any, body: Wish) -> None:
    """Make one.

    It may come true.
    """


@wishes.post("/wishes/file")
async def send_file(state: Any, body: bytes) -> Wishes:
    """Many in a file."""
    return Wishes()


def test_an_operation_is_described_by_its_signature() -> None:
    operation = describe([wishes])["paths"]["/api/wishes/{path}"]["get"]
    assert (operation["operationId"], operation["summary"], operation["tags"]) == (
        "list_wishes",
        "All wishes.",
        ["Wishes"],
    )
    in_path, in_query = operation["parameters"]
    assert (in_path["name"], in_path["in"], in_path["required"]) == ("path", "path", True)
    assert in_query == {
        "name": "page",
        "in": "query",
        "required": False,
        "schema": {"type": "integer", "default": 2},
    }
    assert "200" in operation["responses"]


def test_an_operation_that_answers_nothing_is_described_with_no_content() -> None:
    operation = describe([wishes])["paths"]["/api/wishes"]["post"]
    assert "content" not in operation["responses"]["204"]
    assert "201" not in operation["responses"]
    assert operation["description"] == "It may come true."


def test_a_body_of_bytes_is_a_file() -> None:
    body = describe([wishes])["paths"]["/api/wishes/file"]["post"]["requestBody"]
    assert list(body["content"]) == ["application/octet-stream"]


def test_a_field_with_a_default_may_be_left_out_of_a_request_and_is_always_in_an_answer() -> None:
    schemas = describe([wishes])["components"]["schemas"]
    assert schemas["Wish"]["required"] == ["text"]
    assert schemas["Wishes"]["required"] == ["allWishes"]

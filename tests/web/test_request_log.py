"""Each request has an id, and each line of the log is JSON that says which request and story it is about."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from narratoria.web.request_log import JsonFormatter, RequestLog


async def serve(path: str, app: Any = None, **headers: str) -> dict[str, str]:
    """The headers of the answer to one request."""
    sent: dict[str, str] = {}

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        logging.getLogger("narratoria.web").warning("inside")
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.update({name.decode(): value.decode() for name, value in message.get("headers", ())})

    async def receive() -> Any:
        raise AssertionError("nothing is read")

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": raw}
    await RequestLog(app or answer)(scope, receive, send)
    return sent


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is logged, as it is written."""
    written: list[dict[str, Any]] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(json.loads(JsonFormatter().format(record)))

    logger = logging.getLogger("narratoria")
    handler = Collect()
    monkeypatch.setattr(logger, "handlers", [handler])
    monkeypatch.setattr(logging.getLogger("narratoria.requests"), "level", logging.INFO)
    return written


async def test_what_is_logged_in_a_request_says_which_and_of_which_story(lines: list[dict[str, Any]]) -> None:
    headers = await serve("/api/stories/mill-1/choose")
    inside, after = lines
    assert inside["message"] == "inside"
    assert (inside["request"], inside["story"]) == (headers["x-request-id"], "mill-1")
    assert (after["path"], after["status"], after["story"]) == ("/api/stories/mill-1/choose", 200, "mill-1")
    assert after["ms"] >= 0


async def test_an_id_of_a_proxy_is_kept_where_it_is_a_plain_one(lines: list[dict[str, Any]]) -> None:
    assert (await serve("/", x_request_id="abc-1"))["x-request-id"] == "abc-1"
    for bad in ('a"b', "x" * 65, "a b", ""):
        assert (await serve("/", x_request_id=bad))["x-request-id"] not in ("", bad)


async def test_what_is_asked_every_second_is_not_logged(lines: list[dict[str, Any]]) -> None:
    await serve("/healthz")
    assert [line["message"] for line in lines] == ["inside"]


async def test_a_request_that_breaks_off_is_logged_too(lines: list[dict[str, Any]]) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError):
        await serve("/api/home", broken)
    assert [(line["path"], line["status"]) for line in lines] == [("/api/home", 0)]


def test_an_exception_stands_in_the_line_it_belongs_to() -> None:
    try:
        raise ValueError("wrong")
    except ValueError:
        import sys

        record = logging.LogRecord("n", logging.ERROR, "", 1, "it %s", ("broke",), sys.exc_info())
    line = json.loads(JsonFormatter().format(record))
    assert (line["message"], line["level"]) == ("it broke", "error")
    assert "ValueError: wrong" in line["exception"]

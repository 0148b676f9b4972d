"""Odd values in every operation of the API, from somebody with a key: each is answered, none with a fault."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import pytest
from tests.web.serving import Server

from narratoria.web.openapi import describe
from narratoria.web.server import GROUPS

ODD_NAMES = (
    *("%00", "a%00b", "%2e%2e", "..%2f..%2fetc%2fpasswd", "a" * 3000, "%ff%fe", quote("💀"), "-1", "9" * 40),
    *("%0a", "*", "'", "%25", "~root", "c:%5cx"),
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, -1, 1e308, 10**300, 2**64, "", "\0", "a\0b", "x" * 100_000, "\u202e\u2066", "9" * 400),
    *([], [[]], {}, {"a": {"b": None}}, "../../etc/passwd", "http://127.0.0.1:1/", "file:///etc/passwd"),
)
# what stops the server, waits for its end, or brings in whole models
LEFT_OUT = ("/store/restore", "/stop", "/shutdown", "/models", "/events", "/stream")
TOO_FULL = (503, 507)  # said in words: not now


@functools.cache
def operations() -> Mapping[str, tuple[str, str, Mapping[str, Any]]]:
    """Return method, path and description of each operation, by a name."""
    return {
        f"{method.upper()} {path}": (method.upper(), path, operation)
        for path, methods in describe(GROUPS)["paths"].items()
        for method, operation in methods.items()
        if not any(part in path for part in LEFT_OUT)
    }


@functools.cache
def schemas() -> Mapping[str, Any]:
    listed: Mapping[str, Any] = describe(GROUPS)["components"]["schemas"]
    return listed


def requests(name: str, story: str) -> Iterator[tuple[str, str, Any]]:
    """Yield requests of one operation in each of which something is odd."""
    method, path, operation = operations()[name]
    address = path if path.startswith("/api") else f"/api{path}"
    parameters = operation.get("parameters", [])
    names = [one["name"] for one in parameters if one["in"] == "path"]
    plain = None if method == "GET" else {}
    for odd in ODD_NAMES if names else ():
        yield method, filled(address, dict.fromkeys(names, odd)), plain
    usual = {"story": story, "id": story, "name": "harrowmere", "campaign": "harrowmere"}
    whole = filled(address, {one: usual.get(one, "x") for one in names})
    if method == "DELETE" and whole.endswith(story):
        return  # the others are asked about it
    for one in parameters:
        if one["in"] == "query":
            yield from ((method, f"{whole}?{one['name']}={odd}", plain) for odd in ODD_NAMES)
    content = operation.get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    for field in schemas().get(reference.rpartition("/")[2], {}).get("properties", {}):
        yield from ((method, whole, {field: value}) for value in ODD_VALUES)
    if content:
        yield from ((method, whole, value) for value in ODD_VALUES)


def filled(address: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        address = address.replace(f"{{{name}}}", value).replace(f"{{{name}:path}}", value)
    return address


@pytest.fixture(scope="module")
def story(server: Server) -> str:
    return server.begin()


@pytest.mark.parametrize("name", operations())
def test_an_odd_value_is_answered_in_words_and_breaks_nothing(server: Server, story: str, name: str) -> None:
    for method, address, body in requests(name, story):
        answer = server.ask(method, address, body)
        odd = (method, address[:200], str(body)[:100], answer.content[:300])
        assert answer.status < 500 or answer.status in TOO_FULL, odd
        assert b"Traceback" not in answer.content, odd

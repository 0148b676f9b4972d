"""An object that says one key twice is refused alike by everybody who reads what strangers send."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest
from starlette.requests import Request

from narratoria.contracts.read import JsonFault, read_json
from narratoria.errors import ProtocolViolationException
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, decode_line
from narratoria.skills.host.messages import UnreadableCall, read_call
from narratoria.web.operation import ApiError, _body

KEYS = ("a", "b", "ä", 'quo"te', "back\\slash", "", "version", "type")


def make_value(rng: random.Random, depth: int) -> str:
    """A value as text, in which keys are written in different ways."""
    kind = rng.randrange(6) if depth else rng.randrange(4)
    if kind == 4:
        return "[" + ",".join(make_value(rng, depth - 1) for _ in range(rng.randrange(3))) + "]"
    if kind == 5:
        keys = rng.sample(KEYS, rng.randrange(4))
        return "{" + ",".join(f"{write_key(rng, key)}:{make_value(rng, depth - 1)}" for key in keys) + "}"
    return rng.choice(("1", "true", "null", '"text"', '"with \\"quotes\\""', '"\\\\"', '"\\u0022"'))


def write_key(rng: random.Random, key: str) -> str:
    if key and rng.random() < 0.3:
        return '"' + "".join(f"\\u{ord(letter):04x}" for letter in key) + '"'
    return json.dumps(key, ensure_ascii=rng.random() < 0.5)


def make_object(rng: random.Random, *, twice: bool) -> str:
    """An object, and the same with one key twice, somewhere in it."""
    members = [f'"k{index}":{make_value(rng, 3)}' for index in range(rng.randrange(1, 4))]
    if twice:
        key = rng.choice(KEYS)
        pair = [f"{write_key(rng, key)}:{make_value(rng, 1)}" for _ in range(2)]
        inner = "{" + ",".join(pair) + "}"
        for _ in range(rng.randrange(3)):
            inner = rng.choice(('{"in":%s}', "[%s]")) % inner
        members.insert(rng.randrange(len(members) + 1), f'"odd":{inner}')
    return "{" + ",".join(members) + "}"


def refused_as_document(text: str) -> bool:
    try:
        read_json(text.encode())
    except JsonFault:
        return True
    return False


def refused_as_event(text: str) -> bool:
    line = f'{{"version":"0","type":"state_patch","patch":{text}}}'.encode()
    try:
        decode_line(line)
    except ProtocolViolationException:
        assert NARRATORIA_V0.open(Limits(), None).read(line + b"\n", 1).violation  # type: ignore[arg-type]
        return True
    assert NARRATORIA_V0.open(Limits(), None).read(line + b"\n", 1).violation is None  # type: ignore[arg-type]
    return False


def refused_as_call(text: str) -> bool:
    try:
        read_call(f'{{"jsonrpc":"2.0","id":1,"method":"host.info","params":{text}}}'.encode())
    except UnreadableCall:
        return True
    return False


async def refused_as_body(text: str) -> bool:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": text.encode(), "more_body": False}

    class Operation(msgspec.Struct):
        body: Any = dict[str, Any]
        largest: int = 1 << 20

    try:
        await _body(Operation(), Request({"type": "http", "method": "POST"}, receive))  # type: ignore[arg-type]
    except ApiError as error:
        return (error.status, error.body.code) == (400, "not_json")
    return False


@pytest.mark.parametrize("twice", [True, False], ids=["twice", "once"])
async def test_all_readers_answer_a_key_that_stands_twice_alike(twice: bool) -> None:
    rng = random.Random(20)
    for _ in range(400):
        text = make_object(rng, twice=twice)
        answers = {
            "document": refused_as_document(text),
            "event": refused_as_event(text),
            "call": refused_as_call(text),
            "body": await refused_as_body(text),
        }
        assert set(answers.values()) == {twice}, (text, answers)

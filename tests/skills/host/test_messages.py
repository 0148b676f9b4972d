"""Messages of the host channel: calls read or refused with a reason, lines found in any chunks."""

from __future__ import annotations

import json

import pytest

from narratoria.errors import HostRefusal
from narratoria.skills.host.messages import (
    CODES,
    Call,
    LineBuffer,
    UnreadableCall,
    error,
    notification,
    read_call,
    result,
)


def test_a_call_has_its_method_its_parameters_and_its_id() -> None:
    call = read_call(b'{"jsonrpc": "2.0", "id": "a", "method": "host.info", "params": {"x": 1}}')
    assert call == Call("host.info", {"x": 1}, "a", answered=True)
    assert read_call(b'{"jsonrpc": "2.0", "method": "host.info"}') == Call("host.info", answered=False)


@pytest.mark.parametrize(
    ("line", "reason", "id_"),
    [
        (b"{", "PARSE_ERROR", None),
        (b"\xff", "PARSE_ERROR", None),
        (b'{"a": 1, "a": 2}', "PARSE_ERROR", None),
        (b"[]", "INVALID_REQUEST", None),
        (b"7", "INVALID_REQUEST", None),
        (b'{"jsonrpc": "2.0", "id": null, "method": "m"}', "INVALID_REQUEST", None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "m"}', "INVALID_REQUEST", None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "m"}', "INVALID_REQUEST", None),
        (b'{"jsonrpc": "2.0", "id": "' + b"x" * 129 + b'", "method": "m"}', "INVALID_REQUEST", None),
        (b'{"jsonrpc": "1.0", "id": 3, "method": "m"}', "INVALID_REQUEST", 3),
        (b'{"jsonrpc": "2.0", "id": 3, "method": 4}', "INVALID_REQUEST", 3),
        (b'{"jsonrpc": "2.0", "id": 3, "method": "m", "params": [1]}', "INVALID_PARAMS", 3),
    ],
)
def test_what_is_no_call_is_refused_with_what_could_be_made_out(
    line: bytes, reason: str, id_: object
) -> None:
    with pytest.raises(UnreadableCall) as refused:
        read_call(line)
    assert (refused.value.refusal.reason, refused.value.id) == (reason, id_)


def test_answers_are_one_line_each() -> None:
    assert json.loads(result(3, {"text": "a\nb"})) == {"jsonrpc": "2.0", "id": 3, "result": {"text": "a\nb"}}
    assert json.loads(notification("model.delta", {"id": 3})) == {
        "jsonrpc": "2.0",
        "method": "model.delta",
        "params": {"id": 3},
    }
    for line in (result(3, "a\nb"), notification("m", {"a": "\n"})):
        assert (line.count(b"\n"), line[-1:]) == (1, b"\n")


@pytest.mark.parametrize("reason", CODES)
def test_every_reason_has_its_code(reason: str) -> None:
    told = json.loads(error(1, HostRefusal(reason, "no", "do this")))["error"]
    assert (told["code"], told["message"], told["data"]["advice"]) == (CODES[reason], "no", "do this")
    assert len(set(CODES.values())) == len(CODES)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_lines_are_the_same_however_they_are_cut(size: int) -> None:
    sent, buffer = b"one\n\ntoo long\nfour\nrest", LineBuffer(4)
    lines = [line for at in range(0, len(sent), size) for line in buffer.add(sent[at : at + size])]
    assert lines == [b"one", b"", None, b"four"]
    assert buffer.rest() == b"rest"


def test_of_a_line_that_never_ends_nothing_is_kept() -> None:
    buffer = LineBuffer(10)
    for _ in range(100):
        assert list(buffer.add(b"x" * 9)) == []
    assert buffer.rest() == b""

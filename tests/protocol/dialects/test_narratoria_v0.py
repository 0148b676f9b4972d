"""The decoder and the schema are one contract, and no bytes can upset it."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from narratoria import contracts
from narratoria.errors import ProtocolViolationException, UnknownEventTypeException
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.mctl_v1 import mctl_v1
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, decode_block, decode_line
from narratoria.protocol.events import (
    EVENT_TYPES,
)

SCHEMA = jsonschema_rs.validator_for(contracts.load("tool-event"))

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=8), values, max_size=3)

# Mostly right, so that what is refused is refused for one reason
GOOD: dict[str, dict[str, Any]] = {
    "log": {"level": st.sampled_from(["debug", "info", "warn", "error"]), "message": st.text(min_size=1)},
    "state_patch": {"patch": objects},
    "asset": {
        "assetId": st.text(min_size=1),
        "kind": st.sampled_from(["image", "audio"]),
        "mediaType": st.sampled_from(["image/png", "audio/ogg; codecs=opus", "model/gltf+json"]),
        "path": st.text(min_size=1),
    },
    "ui_event": {"event": st.text(min_size=1)},
    "error": {"errorCode": st.text(min_size=1), "errorMessage": st.text(min_size=1)},
    "done": {"ok": st.booleans()},
}
OPTIONAL = {
    "requestId": st.text(),
    "timestamp": st.sampled_from(["2026-11-15", "2026-11-15T10:00:00Z", "2026-11-15T10:00:00.123+01:00"]),
    "fields": objects,
    "metadata": objects,
    "payload": objects,
    "details": objects,
    "summary": st.text(),
    "output": objects,
    "unknown": values,
}
KEYS = sorted({"version", "type", *OPTIONAL, *(key for fields in GOOD.values() for key in fields)})


@st.composite
def good_events(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(EVENT_TYPES))
    event = {"version": "0", "type": kind} | {key: draw(value) for key, value in GOOD[kind].items()}
    for key in draw(st.lists(st.sampled_from(sorted(OPTIONAL)), unique=True, max_size=3)):
        event[key] = draw(OPTIONAL[key])
    return event


@st.composite
def damaged_events(draw: st.DrawFn) -> dict[str, Any]:
    event = draw(good_events())
    key = draw(st.sampled_from(KEYS))
    if draw(st.booleans()):
        event.pop(key, None)
    else:
        event[key] = draw(values | st.sampled_from(["", "0", 0, [], {}, None, "log", "image", "2026-13-01"]))
    return event


def accepted(line: bytes) -> bool:
    try:
        decode_line(line)
    except ProtocolViolationException:
        return False
    return True


@given(good_events() | damaged_events() | values)
@settings(max_examples=600)
def test_the_decoder_accepts_a_line_exactly_when_the_schema_does(document: Any) -> None:
    line = json.dumps(document).encode()
    assert accepted(line) == SCHEMA.is_valid(json.loads(line))


@pytest.mark.parametrize(
    "text",
    [
        "image/png\n",
        "image",
        "/png",
        "image/",
        "image/png;",
        "image/png; q",
        'a/b;c="d e"',
        "a/b; c=d; e=f",
        "ä/b",
    ],
)
def test_decoder_and_schema_agree_on_media_types(text: str) -> None:
    event = {"version": "0", "type": "asset", "assetId": "a", "kind": "image", "mediaType": text, "path": "p"}
    assert accepted(json.dumps(event).encode()) == SCHEMA.is_valid(event)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-15T10:00:00Z\n",
        "2026-11-15T25:00:00Z",
        "2026-02-30",
        "15.11.2026",
        "2026-11-15 10:00",
        "2026-11-15T10:00:60.5-0330",
        "",
        "٢٠٢٦-11-15",
    ],
)
def test_decoder_and_schema_agree_on_timestamps(text: str) -> None:
    event = {"version": "0", "type": "done", "ok": True, "timestamp": text}
    assert accepted(json.dumps(event).encode()) == SCHEMA.is_valid(event)


# In the manner of the public parsing suites: text that a careless parser lets through.
REFUSED = {
    b"": "",
    b"[]": "",
    b'"text"': "",
    b"null": "",
    b"{": "",
    b'{"version":"0","type":"done","ok":true,}': "",
    b"{'version':'0','type':'done','ok':true}": "",
    b'{"version":"0","type":"done","ok":true} {}': "",
    b'{"version":"0","type":"done","ok":true}//': "",
    b'{"version":"0","type":"done","ok":True}': "",
    b'{"version":"0","type":"done","ok":1}': "ok",
    b'{"version":"0","type":"done"}': "ok",
    b'{"version":0,"type":"done","ok":true}': "version",
    b'{"version":"1","type":"done","ok":true}': "version",
    b'{"type":"done","ok":true}': "version",
    b'{"version":"0","ok":true}': "type",
    b'{"version":"0","type":null,"ok":true}': "type",
    b'{"version":"0","type":"state_patch","patch":[]}': "patch",
    b'{"version":"0","type":"state_patch","patch":null}': "patch",
    b'{"version":"0","type":"log","level":"fatal","message":"m"}': "level",
    b'{"version":"0","type":"log","level":"info","message":""}': "message",
    b'{"version":"0","type":"done","ok":true,"x":NaN}': "",
    b'{"version":"0","type":"done","ok":true,"x":-Infinity}': "",
    b'{"version":"0","type":"done","ok":true,"x":01}': "",
    b'{"version":"0","type":"done","ok":true,"x":.5}': "",
    b'{"version":"0","type":"done","ok":true,"x":"\t"}': "",
    b'{"version":"0","type":"done","ok":true,"x":"\\x41"}': "",
    b'{"version":"0","type":"done","ok":true,"x":"\xff"}': "",
    b'{"version":"0","type":"done","ok":true,"x":"\xc0\xaf"}': "",
    b'{"version":"0","type":"done","ok":true,"x":"\xed\xa0\x80"}': "",
    b'{"version":"0","type":"done","ok":true,"ok":true}': "ok",
    b'{"version":"0","type":"done","ok":true,"x":1,"x":1}': "x",
    b'{"version":"0","type":"done","ok":true,"\\u006fk":true}': "ok",
    b'{"version":"0","type":"done","ok":true,"x":' + b"[" * 100 + b"]" * 100 + b"}": "",
    b'{"version":"0","type":"done","ok":true,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}": "",
    b'{"version":"0","type":"done","ok":true,"x":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001: "",
}


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: line[:60].decode(errors="replace"))
def test_a_line_that_is_no_event_is_refused_with_its_number_and_field(line: bytes) -> None:
    with pytest.raises(ProtocolViolationException) as refused:
        decode_line(line, number=17)
    assert refused.value.line == 17
    assert refused.value.field == REFUSED[line]
    assert refused.value.reason


@pytest.mark.parametrize(
    "line",
    [
        b'{"version":"0","type":"done","ok":true,"x":"\\ud83d\\ude00 \\" \\\\ \\u0000"}',
        b' { "version" : "0" , "type" : "done" , "ok" : true } ',
        b'{"ok":true,"type":"done","version":"0"}',
        b'{"version":"0","type":"done","ok":true,"x":' + b"[" * 99 + b"]" * 99 + b"}",
        b'{"version":"0","type":"done","ok":true,"x":"' + b"[" * 5000 + b'"}',
        b'{"version":"0","type":"done","ok":true,"x":' + b"9" * 6000 + b"}",
        '{"version":"0","type":"log","level":"info","message":"naïve 👻"}'.encode(),
    ],
    ids=lambda line: line[:70].decode(errors="replace"),
)
def test_a_line_that_is_unusual_but_right_is_read(line: bytes) -> None:
    decode_line(line)


def test_an_unknown_type_is_told_apart_and_the_known_ones_are_named() -> None:
    with pytest.raises(
        UnknownEventTypeException, match=r"line 3: type: 'banter' is not an event type \(log, "
    ):
        decode_line(b'{"version":"0","type":"banter"}', number=3)


def test_the_bounds_are_counted_exactly() -> None:
    limits = Limits(max_line_bytes=200, max_depth=5)
    frame = '{{"version":"0","type":"done","ok":true,"x":{}}}'
    decode_line(frame.format("[" * 4 + "]" * 4).encode(), limits=limits)
    with pytest.raises(ProtocolViolationException, match="nested deeper than 5 levels"):
        decode_line(frame.format("[" * 5 + "]" * 5).encode(), limits=limits)
    fill = 200 - len(frame.format('""'))
    decode_line(frame.format(json.dumps("x" * fill)).encode(), limits=limits)
    with pytest.raises(ProtocolViolationException, match="longer than 200 bytes"):
        decode_line(frame.format(json.dumps("x" * (fill + 1))).encode(), limits=limits)


# A block is read at once where that is provably the same as reading its lines.

spiced = st.sampled_from(
    [
        b"",
        b"\r",
        b" ",
        b"{}",
        b'{"version":"0","type":"done","ok":true}{"version":"0","type":"done","ok":true}',
        b'{"version":"0",',
        b'"type":"done","ok":true}',
        b'{"version":"0","type":"log","level":"info","message":"a","message":"b"}',
        b'{"version":"0","type":"log","level":"info","message":"\\\\"}',
        b'{"version":"0","type":"log","level":"info","message":"\\"","level":"info"}',
        b'{"version":"0","type":"log","level":"info","message":"x","fields":{"a":{"a":'
        + b"[" * 99
        + b"]" * 99
        + b"}}}",
        b'{"version":"0","type":"log","level":"info","message":"\xff"}',
        # written again, the number is longer by as much as the second version is long
        b'{"version":"0","version":"0","type":"state_patch","patch":{"a":1e15}}',
        b'{"version":"0","type":"state_patch","patch":{"a":1e999,"b":0.5,"c":1e-07}}',
        b'\xef\xbb\xbf{"version":"0","type":"done","ok":true}',
    ]
)
plain_lines = good_events().map(lambda event: json.dumps(event, separators=(",", ":")).encode())


def read_by_line(block: bytes, limits: Limits) -> list[Any] | None:
    """What each line of the block says; None if any line is blank or refused."""
    try:
        return [decode_line(line, number, limits) for number, line in enumerate(block.split(b"\n")[:-1], 1)]
    except ProtocolViolationException:
        return None


@given(st.lists(plain_lines | spiced | st.binary(max_size=40), min_size=1, max_size=6))
@example([b'{"version":"0",', b'"type":"done","ok":true}{"version":"0","type":"done","ok":true}'])
@example([b'{"version":"0","version":"0","type":"state_patch","patch":{"a":1e15}}'])
@settings(max_examples=500)
def test_a_block_read_at_once_is_what_its_lines_say(lines: list[bytes]) -> None:
    block = b"\n".join(lines) + b"\n"
    at_once = decode_block(block, Limits())
    assert at_once is None or at_once == read_by_line(block, Limits())


@given(st.lists(plain_lines, min_size=1, max_size=8))
def test_a_block_of_compact_events_without_surprises_is_read_at_once(lines: list[bytes]) -> None:
    block = b"\n".join(lines) + b"\n"
    surprising = (
        b'"unknown"' in block or b"\\\\" in block or b'""' in block or b"{}" in block or b"\\u" in block
    )
    assert surprising or decode_block(block, Limits()) is not None or _has_ambiguity(lines)


def _has_ambiguity(lines: list[bytes]) -> bool:
    """A field of another event's kind, or one that equals its default, is left to the careful path."""
    return any(
        set(json.loads(line))
        - {"version", "type", "requestId", "timestamp"}
        - set(GOOD[json.loads(line)["type"]])
        for line in lines
    )


noise = st.binary(max_size=200) | st.text(string.printable).map(str.encode) | plain_lines | spiced


@given(st.lists(noise, max_size=5))
@settings(max_examples=300)
def test_no_bytes_can_make_a_conversation_raise(pieces: list[bytes]) -> None:
    for dialect in (NARRATORIA_V0, mctl_v1("tool"), mctl_v1("tool", strict=True)):
        conversation = dialect.open(Limits(), Path("/"))
        for piece in pieces:
            conversation.read(piece, 1)
        conversation.output()


def test_mutated_lines_are_read_or_refused_and_never_differently_for_how_they_are_cut() -> None:
    from tests.protocol.fuzz_lines import fuzz

    fuzz(rounds=3000, seed=1)

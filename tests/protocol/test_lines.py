"""Lines before they are events: what is too long, too deep or said twice is refused with its number."""

from __future__ import annotations

import msgspec
import pytest

from narratoria.contracts.read import JsonFault, read_json
from narratoria.errors import ProtocolViolationException
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import decode_block, decode_line
from narratoria.protocol.lines import check_keys, check_text, delimiters, refusal, split
from narratoria.skills.host.messages import UnreadableCall, read_call

SMALL = Limits(max_line_bytes=50, max_depth=3)


class Word(msgspec.Struct):
    text: str


def test_lines_are_numbered_and_those_that_hold_nothing_are_passed_over() -> None:
    block = b"\xef\xbb\xbf{1}\r\n\n \t\n{4}"
    assert list(split(block, 1)) == [(1, b"{1}"), (4, b"{4}")]
    assert list(split(b"\xef\xbb\xbf{}", 2)) == [(2, b"\xef\xbb\xbf{}")]
    assert list(split(b"", 1)) == []


@pytest.mark.parametrize("line", [b"x" * 50, b"[[[]]]", b'{"a": "[[[[[["}', b'{"a": "\\"[[[["}'])
def test_a_line_within_its_bounds_is_taken(line: bytes) -> None:
    check_text(line, 1, SMALL)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"x" * 51, "longer than 50 bytes"),
        (b"[[[[]]]]", "nested deeper than 3 levels"),
        (b'{"a": [{"b": [', "nested deeper than 3 levels"),
        (b"ab\xff", r"not UTF-8 \(byte 2\)"),
    ],
)
def test_a_line_that_no_decoder_should_read_is_refused(line: bytes, reason: str) -> None:
    with pytest.raises(ProtocolViolationException, match=reason) as refused:
        check_text(line, 7, SMALL)
    assert refused.value.line == 7


@pytest.mark.parametrize("line", [b'{"text": "a", "text": "b"}', b'{"text": "a", "t\\u0065xt": "a"}'])
def test_a_key_that_is_said_twice_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolViolationException, match="more than once") as refused:
        check_keys(line, 3, msgspec.json.decode(line, type=Word))
    assert (refused.value.line, refused.value.field) == (3, "text")


@pytest.mark.parametrize(
    "line", [b'{"text": "a"}', b'{"text": "\\"\\\\"}', b'{"text": "a", "more": {"text": 1}}']
)
def test_keys_that_are_said_once_are_taken(line: bytes) -> None:
    check_keys(line, 1, msgspec.json.decode(line, type=Word))


@pytest.mark.parametrize("more", [b'{"a": 1, "a": 2}', b'[{"b": {"c": 1, "c": 1}}]'])
def test_a_key_said_twice_is_answered_alike_by_decoder_document_reader_and_host_channel(more: bytes) -> None:
    line = b'{"text": "a", "more": ' + more + b"}"
    with pytest.raises(ProtocolViolationException, match="more than once"):
        check_keys(line, 1, msgspec.json.decode(line, type=Word))
    with pytest.raises(JsonFault):
        read_json(line)
    with pytest.raises(UnreadableCall):
        read_call(b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": ' + line + b"}")


def test_quotes_are_counted_where_they_can_be_told_apart() -> None:
    assert delimiters(b'{"a": "b"}') == 4
    assert delimiters(b'{"a": "\\"b"}') == 4
    assert delimiters(b'{"a": "\\\\"}') is None


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        (b"{}", "text", "is missing"),
        (b'{"text": 7}', "text", "Expected `str`, got `int`"),
        (b"[]", "", "Expected `object`, got `array`"),
        (b'{"text": "\\ud800"}', "", "half of a surrogate pair"),
        (b"nonsense " * 20, "", "is not valid JSON"),
    ],
)
def test_a_decoders_refusal_is_told_by_line_and_field(line: bytes, field: str, reason: str) -> None:
    with pytest.raises(msgspec.DecodeError) as error:
        msgspec.json.decode(line, type=Word)
    told = refusal(error.value, 5, line)
    assert (told.line, told.field) == (5, field)
    assert reason in told.reason
    assert len(told.reason) < 200


def test_a_number_that_no_float_holds_is_refused_where_somebody_could_read_it() -> None:
    """What reads a state makes floats of numbers; one that cannot be made one ended the turn."""
    long = b"9" * 400
    line = b'{"version":"0","type":"state_patch","patch":{"perception":{"ada":' + long + b"}}}"
    with pytest.raises(ProtocolViolationException, match="more than 300 digits"):
        decode_line(line)
    assert decode_block(line + b"\n", Limits()) is None
    decode_line(b'{"version":"0","type":"done","ok":true,"nobodys":' + long + b"}")
    decode_line(b'{"version":"0","type":"state_patch","patch":{"pi":"' + long + b'"}}')

"""The contract of an event and the decoder say the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria import contracts
from narratoria.errors import ProtocolViolationException
from narratoria.protocol.dialects.mctl_v1 import decode_line

anything = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "info", "warn", "x"])
absent = st.just(...)
payloads = anything | st.fixed_dictionaries(
    {},
    optional={
        "level": st.sampled_from(["debug", "info", "warn", "error"]) | anything,
        "message": st.text(max_size=3) | anything,
        "code": st.text(max_size=3) | anything,
        "recoverable": st.booleans() | anything,
        "more": anything,
    },
)
timestamps = st.sampled_from(["2025-02-25T10:00:00.000Z", "2025-02-25", "2025-13-01", "now", "2025-02-25\n"])
events = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["started", "log", "result", "error", "done"]) | anything | absent,
        "ts": timestamps | anything | absent,
        "toolId": st.just("lamp") | st.integers() | absent,
        "payload": payloads | absent,
    }
)


def decodes(document: object) -> bool:
    try:
        decode_line(json.dumps(document).encode(), "lamp")
    except ProtocolViolationException:
        return False
    return True


@given(events)
def test_a_line_decodes_exactly_when_it_keeps_the_contract(event):
    document = {key: value for key, value in event.items() if value is not ...}

    assert decodes(document) == (contracts.check_value("mctl-event", document) == ())


@pytest.mark.parametrize(
    ("kind", "payload", "valid"),
    [
        ("started", {}, True),
        ("log", {"level": "info", "message": "Fetching PR #42"}, True),
        ("log", {"level": "fatal", "message": "x"}, False),
        ("log", {"level": "info"}, False),
        ("result", {"review": "LGTM"}, True),
        ("result", 42, True),
        ("error", {"message": "PAT expired", "code": "AUTH_FAILED", "recoverable": True}, True),
        ("error", {"message": "PAT expired"}, True),
        ("error", {"code": "AUTH_FAILED"}, False),
        ("done", {}, False),
    ],
)
def test_the_examples_of_the_protocol_are_judged_alike_by_both(kind, payload, valid):
    document = {"type": kind, "ts": "2025-02-25T10:00:00.000Z", "toolId": "lamp", "payload": payload}

    assert decodes(document) is valid
    assert (contracts.check_value("mctl-event", document) == ()) is valid

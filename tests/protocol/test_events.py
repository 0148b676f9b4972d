"""Events as values: each of its own type, and frozen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from narratoria.protocol.dialects.narratoria_v0 import decode_line
from narratoria.protocol.events import (
    AssetEvent,
    DoneEvent,
    ErrorEvent,
    LogEvent,
    StatePatchEvent,
    UiEvent,
)


def test_each_event_is_read_into_its_own_type() -> None:
    def read(**fields: Any) -> object:
        return decode_line(json.dumps({"version": "0", **fields}).encode())

    assert read(type="log", level="warn", message="m", fields={"a": 1}) == LogEvent(
        version="0", level="warn", message="m", fields={"a": 1}
    )
    assert read(type="state_patch", patch={"a": None}) == StatePatchEvent(version="0", patch={"a": None})
    assert read(type="asset", assetId="i", kind="image", mediaType="image/png", path="i.png") == AssetEvent(
        version="0", asset_id="i", kind="image", media_type="image/png", path="i.png"
    )
    assert read(type="ui_event", event="roll", requestId="r") == UiEvent(
        version="0", event="roll", request_id="r"
    )
    assert read(type="error", errorCode="E", errorMessage="m") == ErrorEvent(
        version="0", error_code="E", error_message="m"
    )
    assert read(type="done", ok=True, output={"n": 7}) == DoneEvent(version="0", ok=True, output={"n": 7})


def test_events_are_frozen() -> None:
    event = decode_line(b'{"version":"0","type":"done","ok":true}')
    with pytest.raises(AttributeError):
        event.ok = False  # type: ignore[union-attr,misc]

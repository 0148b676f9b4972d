"""Defines the six events of Tool Protocol version "0", as frozen values."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

# `$(?!\n)`: Python's `$` also matches before a final newline, JSON Schema's does not.
TIMESTAMP = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)([.,][0-9]+)?)?"
    r"([Zz]|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?$(?!\n)"
)
MEDIA_TYPE = (
    r"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}"
    r'( ?; ?[A-Za-z0-9!#$&^_.+-]+=("[^"\\\r\n]*"|[A-Za-z0-9!#$&^_.+-]+))*$(?!\n)'
)

Text: TypeAlias = Annotated[str, Meta(min_length=1)]
Level: TypeAlias = Literal["debug", "info", "warn", "error"]
Object: TypeAlias = dict[str, Any]


class ProtocolEvent(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    rename="camel",
    omit_defaults=True,
    gc=False,  # made of JSON, no event can hold itself: the collector need not visit each of a flood
):
    """Defines the envelope. An absent optional field is empty; unknown fields are ignored."""

    version: Literal["0"]
    request_id: str = ""
    timestamp: Annotated[str, Meta(pattern=TIMESTAMP)] = ""


class LogEvent(ProtocolEvent, tag="log", frozen=True, kw_only=True):
    level: Level
    message: Text
    fields: Object = {}


class StatePatchEvent(ProtocolEvent, tag="state_patch", frozen=True, kw_only=True):
    patch: Object


class AssetEvent(ProtocolEvent, tag="asset", frozen=True, kw_only=True):
    asset_id: Text
    kind: Text
    media_type: Annotated[str, Meta(pattern=MEDIA_TYPE)]
    path: Text
    metadata: Object = {}


class UiEvent(ProtocolEvent, tag="ui_event", frozen=True, kw_only=True):
    event: Text
    payload: Object = {}


class ErrorEvent(ProtocolEvent, tag="error", frozen=True, kw_only=True):
    error_code: Text
    error_message: Text
    details: Object = {}


class DoneEvent(ProtocolEvent, tag="done", frozen=True, kw_only=True):
    ok: bool
    summary: str = ""
    output: Object | msgspec.UnsetType = msgspec.UNSET  # unset: the tool's patches are its answer


Event: TypeAlias = LogEvent | StatePatchEvent | AssetEvent | UiEvent | ErrorEvent | DoneEvent

EVENT_TYPES = ("log", "state_patch", "asset", "ui_event", "error", "done")

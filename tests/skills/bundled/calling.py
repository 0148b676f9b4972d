"""A bundled script, called through the real protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from narratoria import paths
from narratoria.protocol.command import command_for
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.events import Event, LogEvent, UiEvent
from narratoria.protocol.process import Outcome, run
from narratoria.skills.discovery import discover

CATALOGUE = discover([paths.BUNDLED_SKILLS])


async def call(script: str, given: Mapping[str, Any], **context: Any) -> tuple[Outcome, list[Event]]:
    _, found = CATALOGUE.find(script)
    events: list[Event] = []
    request = encode_request(
        request_id="1", tool=found.name, operation=found.name, input=dict(given), context=context
    )
    return await run(command_for(found.path), request, NARRATORIA_V0, on_events=events.extend), events


def payloads(events: list[Event], name: str) -> list[dict[str, Any]]:
    return [event.payload for event in events if isinstance(event, UiEvent) and event.event == name]


def logs(events: list[Event]) -> list[str]:
    return [event.message for event in events if isinstance(event, LogEvent)]

"""Merges the events of a plan's tools in plan order, never in the order they finished."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from narratoria.planning.result import AssetReference, ToolResult
from narratoria.protocol.events import AssetEvent, ErrorEvent, LogEvent, StatePatchEvent, UiEvent
from narratoria.state import SessionState

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Holds the events of a plan's successful tools by kind, and the logs and errors of all tools."""

    state: SessionState
    assets: tuple[AssetReference, ...] = ()
    ui_events: tuple[tuple[str, UiEvent], ...] = ()  # with the tool that asked
    logs: tuple[tuple[str, LogEvent], ...] = ()
    errors: tuple[tuple[str, ErrorEvent], ...] = ()


def aggregate_results(results: Sequence[ToolResult], state: SessionState) -> Aggregate:
    """Merge results, given in the plan's topological order, so that two runs of a plan give one state."""
    for result in results:
        state = apply_patches(state, result)
    succeeded = [result for result in results if result.ok]
    return Aggregate(
        state=state,
        assets=tuple(
            AssetReference.from_event(event, result.tool_id)
            for result in succeeded
            for event in result.events
            if isinstance(event, AssetEvent)
        ),
        ui_events=tuple(_of(UiEvent, succeeded)),
        logs=tuple(_of(LogEvent, results)),
        errors=tuple(_of(ErrorEvent, results)),
    )


def apply_patches(state: SessionState, result: ToolResult) -> SessionState:
    """Return the state after a tool; one that failed changes nothing."""
    for event in result.events if result.ok else ():
        if isinstance(event, StatePatchEvent):
            state = state.apply_patch(event.patch)
    return state


def _of(kind: type[E], results: Iterable[ToolResult]) -> Iterator[tuple[str, E]]:
    for result in results:
        for event in result.events:
            if isinstance(event, kind):
                yield result.tool_id, event

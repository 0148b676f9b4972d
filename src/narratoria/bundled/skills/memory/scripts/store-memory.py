#!/usr/bin/env python3
"""Keeps an event of the story: what happened, who was there, where, and how much it matters."""

from __future__ import annotations

from _memory_checks import SIGNIFICANCE, names, one_of, text, uses_files

from narratoria import sdk
from narratoria.sdk import host

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

LONGEST = 20_000  # characters of a summary


def main(request: sdk.Request) -> dict[str, Any]:
    record = read_event(request.input, request.config)
    identifier = f"memory-{request.key(record)}"
    if uses_files(request.config):
        import _memory_files

        _memory_files.keep(
            _memory_files.path_for(request.data_dir, request.playthrough_id), identifier, record
        )
    else:
        keep(identifier, record)
    sdk.log(f"Remembered: {record['summary'][:200]}", fields={"id": identifier})
    return {
        "id": identifier,
        "stored": True,
        "summary": record["summary"],
        "characters": record.get("characterIds", []),
        "location": record.get("location", ""),
        "significance": record["significance"],
        "witnesses": record.get("witnesses", record.get("characterIds", [])),
        "episodic": record["episodic"],
    }


def read_event(given: dict[str, Any], config: dict[str, Any]) -> dict[str, Any]:
    """Return the event as the store keeps it; raise a ToolFailure for one that cannot be kept."""
    significance = one_of(given, "significance", SIGNIFICANCE) or "medium"
    least = config.get("episodicFrom", "high")
    episodic = given.get("episodic", SIGNIFICANCE.index(significance) >= SIGNIFICANCE.index(least))
    if not isinstance(episodic, bool):
        raise sdk.InvalidInput("episodic", "expected true or false")
    record: dict[str, Any] = {
        "summary": text(given, "summary", required=True)[:LONGEST],
        "characterIds": names(given, "characters"),
        "witnesses": names(given, "witnesses"),
        "semanticTags": names(given, "tags"),
        "location": text(given, "location")[:200],
        "actionType": text(given, "actionType")[:200],
        "timestamp": text(given, "timestamp"),
        "outcome": one_of(given, "outcome", ("triumph", "failure")),
        "significance": significance,
        "episodic": episodic,
    }
    moment = given.get("gameTime")
    if moment is not None:
        if not isinstance(moment, (int, float)) or isinstance(moment, bool) or moment < 0:
            raise sdk.InvalidInput("gameTime", "expected minutes since the story began, 0 or more")
        record["gameTime"] = moment
    return {name: value for name, value in record.items() if value not in ("", None)}


def keep(identifier: str, record: dict[str, Any]) -> None:
    try:
        host.store("memory", record, identifier)
    except host.HostError as refusal:
        if refusal.code != "ALREADY_EXISTS":
            raise


if __name__ == "__main__":
    sdk.run(main)

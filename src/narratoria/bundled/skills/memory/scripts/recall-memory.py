#!/usr/bin/env python3
"""Finds past events that bear on something, the most relevant first."""

from __future__ import annotations

import re

from _memory_checks import LONGEST_QUERY, text, uses_files

from narratoria import sdk
from narratoria.sdk import host

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

DEFAULT_LIMIT, THRESHOLD, MOST = 3, 0.7, 5
WIDER = 8  # so many times the limit are looked at, so that no major event is cut off by minor ones
FILTERS = {
    "location": "location",
    "characters": "characterIds",
    "character": "characterIds",
    "characterIds": "characterIds",
    "witnesses": "witnesses",
    "witness": "witnesses",
    "tags": "semanticTags",
    "semanticTags": "semanticTags",
    "significance": "significance",
    "episodic": "episodic",
    "outcome": "outcome",
    "actionType": "actionType",
    "session": "sessionId",
    "sessionId": "sessionId",
}
# words of a question that names no subject: what is asked for is what happened lately
LATELY = re.compile(
    r"(?i)(?:\W|\b(?:a|about|again|ago|all|and|are|at|been|before|can|could|did|do|does|earlier|events?|far|for|"
    r"from|had|happen(?:ed|ing)?|has|have|how|i|in|is|it|just|last|lately|latest|me|my|of|on|our|please|"
    r"previous(?:ly)?|recall|recap|recent(?:ly)?|remember|remind|session|so|story|summari[sz]e|summary|tell|that|"
    r"the|then|things?|time|to|until|up|us|was|we|were|what|when|where|which|you)\b)*"
)


def main(request: sdk.Request) -> dict[str, Any]:
    query = text(request.input, "query", required=True)[:LONGEST_QUERY]
    limit = read_limit(request)
    filters = read_filters(request.input.get("filters"))
    threshold = float(request.config.get("similarityThreshold", THRESHOLD))
    source: Any = Shared()
    if uses_files(request.config):
        source = Files(request)
    if LATELY.fullmatch(query):
        events = lately(source, filters, limit)
    else:
        events = major_first(source.search(query, filters, threshold, limit * WIDER), limit)
    sdk.log(f"Recalled {len(events)} of the story's memories", "debug")
    return {"memories": [memory_of(event) for event in events]}


def read_limit(request: sdk.Request) -> int:
    limit = request.input.get("limit", DEFAULT_LIMIT)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise sdk.InvalidInput("limit", "expected a whole number, 1 or more")
    return min(limit, int(request.config.get("maxContextEvents", MOST)))


def read_filters(given: Any) -> dict[str, Any]:
    """Return the filters under the names of the store."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise sdk.InvalidInput("filters", "expected an object")
    filters: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("from", "to"):
            filters.setdefault("timestamp", {})[name] = value
            continue
        if name not in FILTERS:
            raise sdk.InvalidInput(
                f"filters/{name}", f"memories are filtered by {', '.join((*FILTERS, 'from', 'to'))}"
            )
        options = value if isinstance(value, list) else [value]
        if not options or not all(isinstance(option, (str, bool)) for option in options):
            raise sdk.InvalidInput(f"filters/{name}", "expected a text, true or false, or a list of texts")
        filters[FILTERS[name]] = value
    return filters


class Shared:
    """Reads events from the story's database."""

    def search(
        self, query: str, filters: dict[str, Any], threshold: float, limit: int
    ) -> list[dict[str, Any]]:
        hits = host.semantic_search(query, "memory", limit=limit, filters=filters, min_relevance=threshold)
        return [
            {
                **hit["record"],
                "id": hit["identifier"],
                "relevance": hit["relevance"],
                "similarity": hit.get("similarity"),
            }
            for hit in hits
        ]

    def latest(self, filters: dict[str, Any], limit: int) -> list[dict[str, Any]]:
        entries = host.exact_match(filters, "memory", limit=limit, newest_first=True)
        return [{**entry["record"], "id": entry["identifier"]} for entry in entries]


class Files:
    """Reads events from the skill's own folder."""

    def __init__(self, request: sdk.Request) -> None:
        import _memory_files

        self._files = _memory_files
        self._path = _memory_files.path_for(request.data_dir, request.playthrough_id)

    def search(
        self, query: str, filters: dict[str, Any], threshold: float, limit: int
    ) -> list[dict[str, Any]]:
        hits: list[dict[str, Any]] = self._files.search(self._path, query, filters, threshold, limit)
        return hits

    def latest(self, filters: dict[str, Any], limit: int) -> list[dict[str, Any]]:
        events = [event for event in self._files.read(self._path) if self._files.matches(event, filters)]
        return events[::-1][:limit]


def lately(source: Any, filters: dict[str, Any], limit: int) -> list[dict[str, Any]]:
    """Return the latest events that matter, in the order in which they happened."""
    latest = source.latest(filters, limit * WIDER)
    weighty = [event for event in latest if event.get("significance") != "low"] or latest
    return [{**event, "relevance": 1.0} for event in weighty[:limit][::-1]]


def major_first(events: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """Return the most relevant, among them every major event that there is room for."""
    chosen = sorted(events, key=lambda event: not event.get("episodic"))[:limit]
    return sorted(chosen, key=lambda event: -event["relevance"])


def memory_of(event: dict[str, Any]) -> dict[str, Any]:
    memory = {
        "summary": event["summary"],
        "timestamp": event.get("timestamp", ""),
        "relevance": round(event["relevance"], 4),
        "id": event["id"],
        "characters": event.get("characterIds", []),
        "location": event.get("location", ""),
        "significance": event.get("significance", "medium"),
        "witnesses": event.get("witnesses") or event.get("characterIds", []),
        "episodic": bool(event.get("episodic")),
        "outcome": event.get("outcome"),
    }
    if event.get("similarity") is not None:
        memory["similarity"] = event["similarity"]
    return memory


if __name__ == "__main__":
    sdk.run(main)

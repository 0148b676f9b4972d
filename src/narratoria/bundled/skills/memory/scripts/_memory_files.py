"""Memories in files of the skill's own: a line for each event, with its vector where there is a model."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time

from narratoria.sdk import host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# the probability that a text of this cosine answers, fitted on the labelled pairs of `evals/retrieval`
SLOPE, INTERCEPT = 13.71, -6.48


def path_for(folder: str, story: str) -> str:
    return os.path.join(folder, f"memories-{hashlib.sha256(story.encode()).hexdigest()[:24]}.jsonl")


def keep(path: str, identifier: str, record: dict[str, Any]) -> None:
    """Stores an event; one of this name that is there already stays as it is."""
    if any(event["id"] == identifier for event in read(path)):
        return
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    event = {"timestamp": now, **record, "id": identifier, "vector": _vector(record["summary"])}
    # begun on a line of its own: half a line that a crash left spoils itself alone
    line = "\n" + json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(fd, line.encode())  # one write: two calls at once do not mix their lines
        os.fsync(fd)
    finally:
        os.close(fd)


def read(path: str) -> list[dict[str, Any]]:
    """Every event, the oldest first; half a line that a crash left is none."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    events = []
    for line in text.split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("summary"), str) and "id" in event:
            events.append(event)
    return events


def search(
    path: str, query: str, filters: dict[str, Any], threshold: float, limit: int
) -> list[dict[str, Any]]:
    asked, words = _vector(query), _words(query)
    hits = []
    for event in read(path):
        if matches(event, filters):
            relevance, similarity = _relevance(event, asked, words)
            if relevance >= threshold:
                hits.append({**event, "relevance": relevance, "similarity": similarity})
    hits.sort(key=lambda event: -event["relevance"])
    return hits[:limit]


def matches(event: dict[str, Any], filters: dict[str, Any]) -> bool:
    for name, expected in filters.items():
        value = event.get(name)
        values = value if isinstance(value, list) else [value]
        if isinstance(expected, dict):
            low, high = expected.get("from", ""), expected.get("to", "\uffff")
            if not any(isinstance(one, str) and low <= one <= high for one in values):
                return False
        else:
            options = expected if isinstance(expected, list) else [expected]
            if not any(one == option for one in values for option in options):
                return False
    return True


def _relevance(
    event: dict[str, Any], asked: list[float] | None, words: frozenset[str]
) -> tuple[float, float | None]:
    if asked and event.get("vector"):
        cosine = sum(a * b for a, b in zip(asked, event["vector"], strict=False))
        return 1 / (1 + math.exp(-(SLOPE * cosine + INTERCEPT))), round(cosine, 4)
    return (len(words & _words(event["summary"])) / len(words) if words else 0.0), None


def _vector(text: str) -> list[float] | None:
    try:
        (vector,) = host.embed([text])
    except host.HostError:
        return None  # no model here: words are compared
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [round(value / length, 5) for value in vector]


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w{3,}", text.casefold()))

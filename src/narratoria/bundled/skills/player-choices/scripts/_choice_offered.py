"""What was offered before, so that no idea is offered again and again, and none that was taken up."""

from __future__ import annotations

import re
import zlib

from _choice_scene import Scene

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

PLAIN = ("beat", "go", "continue")  # what can be done as often as it is possible
PLAIN_INTENTS = ("look", "wait", "talk ", "face ")
AGAIN = 5  # scenes before an idea comes back
DONE = 40  # scenes before one that was taken up does
SHOWN = 2  # scenes in a row in which it stays
NEWS = "news "  # before the name of a memory


def is_stale(one: dict[str, Any], scene: Scene) -> bool:
    """Whether an idea was taken up, or has been there for long enough."""
    if is_plain(one):
        return False
    number, since = scene.number, scene.offered.get(key(one))
    if in_words(scene.action) == in_words(one):
        return True
    if key(one).startswith(NEWS) and since is not None and in_words(scene.action) in scene.offered:
        return True  # it may be what was just told
    if since is None or number <= 0:
        return False
    if since < 0 or key(one).startswith(NEWS):  # one piece of news is told once, not to everybody in turn
        return SHOWN <= number - abs(since) <= DONE or since < 0
    return SHOWN <= number - since <= SHOWN + AGAIN


def was_shown(text: str, scene: Scene) -> bool:
    """Whether a way was named with its memory before: twice is a mannerism."""
    since = scene.offered.get(key({"text": text}))
    return since is not None and scene.number - abs(since) > 0


def offered_after(scene: Scene, picked: list[dict[str, Any]]) -> dict[str, int | None]:
    """What changes in the list of ideas: those that are new, the one that was taken up, those long gone."""
    number = scene.number
    if number <= 0:
        return {}
    changed: dict[str, int | None] = {}
    changed |= {name: None for name, since in scene.offered.items() if number - abs(since) > DONE}
    taken = in_words(scene.action)
    if taken in scene.offered:
        changed[taken] = -number
    for one in picked:
        if is_plain(one):
            continue
        if key(one).startswith(NEWS):
            changed[in_words(one)] = number
        if key(one) not in scene.offered or number - abs(scene.offered[key(one)]) > SHOWN:
            changed[key(one)] = number
    return changed


def is_plain(one: dict[str, Any]) -> bool:
    if one.get("kind") == "go" and ", where you " in str(one.get("text") or ""):
        return False
    return one.get("kind") in PLAIN or str(one.get("intent") or "").startswith(PLAIN_INTENTS)


def key(one: dict[str, Any]) -> str:
    if str(one.get("intent") or "").startswith("tell "):
        return NEWS + next((str(each["id"]) for each in one["because"] if each.get("kind") == "memory"), "")
    if str(one.get("intent") or "").startswith("show "):  # nor is one letter shown to everybody in turn
        return NEWS + str(one["because"][0]["id"])
    return in_words(one)


def in_words(one: dict[str, Any]) -> str:
    words = re.findall(r"\w+", str(one.get("text") or "").casefold())
    return f"{zlib.crc32(' '.join(words).encode()):08x}"

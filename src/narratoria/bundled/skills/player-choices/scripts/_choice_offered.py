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


def is_stale(one: dict[str, Any], scene: Scene) -> bool:
    """Whether an idea was taken up, or has been there for long enough."""
    if is_plain(one):
        return False
    number, since = scene.number, scene.offered.get(key(one))
    if key({"text": scene.action.get("text")}) == key(one):
        return True
    if since is None or number <= 0:
        return False
    if since < 0:
        return number + since <= DONE
    return SHOWN <= number - since <= SHOWN + AGAIN


def offered_after(scene: Scene, picked: list[dict[str, Any]]) -> dict[str, int | None]:
    """What changes in the list of ideas: those that are new, the one that was taken up, those long gone."""
    number = scene.number
    if number <= 0:
        return {}
    changed: dict[str, int | None] = {}
    changed |= {name: None for name, since in scene.offered.items() if number - abs(since) > DONE}
    taken = key({"text": scene.action.get("text")})
    if taken in scene.offered:
        changed[taken] = -number
    for one in picked:
        if is_plain(one):
            continue
        if number - abs(scene.offered.get(key(one), -DONE)) > SHOWN:
            changed[key(one)] = number
    return changed


def is_plain(one: dict[str, Any]) -> bool:
    return one.get("kind") in PLAIN or str(one.get("intent") or "").startswith(PLAIN_INTENTS)


def key(one: dict[str, Any]) -> str:
    words = re.findall(r"\w+", str(one.get("text") or "").casefold())
    return f"{zlib.crc32(' '.join(words).encode()):08x}"

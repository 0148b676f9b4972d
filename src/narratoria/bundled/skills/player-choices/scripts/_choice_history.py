"""Keeps record of what was offered and taken up, and says which offers have been shown for long enough."""

from __future__ import annotations

import re
import zlib

from _choice_scene import ChoiceScene

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

PLAIN = ("beat", "continue")  # what can be done as often as it is possible
PLAIN_INTENTS = ("look", "wait", "talk ", "face ")
AGAIN = 5  # scenes before an idea comes back
DONE = 40  # scenes before one that was taken up does
SHOWN = 2  # scenes in a row in which it stays
NEWS = "news "  # before the name of a memory
EVENT = "event "  # before the name of a memory that was behind a choice
TOLD = "told "  # before what somebody was told: it is said to them once in a story
TELLING = re.compile(r"(?i)(?:tell|admit)\b")
RUN = "run "  # before what was shown in the last scene; kept with the scene it was first shown in


def is_stale(one: dict[str, Any], scene: ChoiceScene) -> bool:
    """Return whether an idea was taken up, or has been shown for long enough."""
    number, since = scene.number, scene.offered.get(history_key(one))
    if is_repeatable(one) or TOLD + text_key(one) in scene.offered:
        return not is_repeatable(one)
    if one.get("kind") == "go":
        return since is not None and number - abs(since) == SHOWN
    if since is None or number <= 0 or text_key(scene.action) == text_key(one):
        return text_key(scene.action) == text_key(one)
    if history_key(one).startswith(NEWS) and text_key(scene.action) in scene.offered:
        return True  # it may be what was just told
    # one piece of news is told once, not to everybody in turn
    if since < 0 or history_key(one).startswith(NEWS):
        return SHOWN <= number - abs(since) <= DONE or since < 0
    return SHOWN <= number - since <= SHOWN + AGAIN


def is_resting(one: dict[str, Any], scene: ChoiceScene) -> bool:
    """Return whether an idea was shown for long enough and never taken up: it may fill an empty set."""
    key = history_key(one)
    was_taken = scene.offered.get(key, 0) < 0 or text_key(scene.action) == text_key(one)
    was_taken |= TOLD + text_key(one) in scene.offered
    return is_stale(one, scene) and not was_taken and not key.startswith(NEWS)


def is_run_over(one: dict[str, Any], scene: ChoiceScene) -> bool:
    """Return whether an offer was shown in scene after scene for long enough, and nothing presses for it."""
    since = scene.offered.get(RUN + text_key(one))
    return since is not None and scene.number - since >= SHOWN and not one.get("urgent")


def was_recalled(memory: dict[str, Any], scene: ChoiceScene) -> bool:
    """Return whether an event was behind a choice before: once it needs no choice of its own any more."""
    since = scene.offered.get(EVENT + memory["id"])
    return since is not None and scene.number > since


def recalled_keys(scene: ChoiceScene, picked: list[dict[str, Any]]) -> list[str]:
    """Return the keys of the major events behind these choices."""
    ids = {one.get("id") for choice in picked for one in choice["because"] if isinstance(one, dict)}
    return [EVENT + memory["id"] for memory in scene.memories if memory["episodic"] and memory["id"] in ids]


def was_shown(text: str, scene: ChoiceScene) -> bool:
    """Return whether a way was named with its memory before: twice is a mannerism."""
    since = scene.offered.get(history_key({"text": text}))
    return since is not None and scene.number - abs(since) > 0


def update_offer_history(scene: ChoiceScene, picked: list[dict[str, Any]]) -> dict[str, int | None]:
    """Return what changes in the record of offers; None removes one that is long gone."""
    number = scene.number
    if number <= 0:
        return {}
    changed: dict[str, int | None] = {}
    changed |= {
        name: None
        for name, since in scene.offered.items()
        if number - abs(since) > DONE and not name.startswith(TOLD)
    }
    taken = text_key(scene.action)
    if taken in scene.offered:
        changed[taken] = -number
        if TELLING.match(str(scene.action.get("text") or "")):
            changed[TOLD + taken] = number
    runs = {RUN + text_key(one) for one in picked}
    changed |= {name: None for name in scene.offered if name.startswith(RUN) and name not in runs}
    changed |= {name: number for name in runs if name not in scene.offered}
    changed |= {name: number for name in recalled_keys(scene, picked) if name not in scene.offered}
    for one in picked:
        if is_repeatable(one):
            continue
        if history_key(one).startswith(NEWS) or (one.get("kind") == "go" and ", where " in one["text"]):
            changed[text_key(one)] = number
        if history_key(one) not in scene.offered or number - abs(scene.offered[history_key(one)]) > SHOWN:
            changed[history_key(one)] = number
    return changed


def is_repeatable(one: dict[str, Any]) -> bool:
    return one.get("kind") in PLAIN or str(one.get("intent") or "").startswith(PLAIN_INTENTS)


def history_key(one: dict[str, Any]) -> str:
    if one.get("kind") == "go" and one.get("target"):
        return text_key({"text": f"go {one['target']}"})
    if str(one.get("intent") or "").startswith(("tell ", "admit ")):
        return NEWS + next((str(each["id"]) for each in one["because"] if each.get("kind") == "memory"), "")
    if str(one.get("intent") or "").startswith("show "):  # nor is one letter shown to everybody in turn
        return NEWS + str(one["because"][0]["id"])
    if str(one.get("intent") or "").startswith(
        "promise "
    ):  # nor is anybody reminded of every promise in turn
        return NEWS + str(one["intent"])
    return text_key(one)


def text_key(one: dict[str, Any]) -> str:
    words = re.findall(r"\w+", str(one.get("text") or "").casefold())
    return f"{zlib.crc32(' '.join(words).encode()):08x}"

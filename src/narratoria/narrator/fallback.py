"""The last words when no skill could tell the scene: the composer's draft, or plain sentences without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from narratoria.narrator.prose import Composer

UNDECIDED = "partial success"


def tell(facts: Mapping[str, Any], outcome: str = "") -> tuple[str, ...]:
    """The same facts give the same words, and there are always two paragraphs."""
    drafts = facts.get("drafts")
    if isinstance(drafts, Mapping):
        for name in (outcome, UNDECIDED, ""):
            if drafts.get(name):
                return tuple(drafts[name])
    if draft := facts.get("draft"):
        return tuple(draft)
    number = (facts.get("action") or {}).get("number") or 0
    return tuple(Composer(facts, outcome, number, {}).paragraphs())

"""Shows and sets the player's content limits with `/limits`, while a story is played in the terminal."""

from __future__ import annotations

from pathlib import Path

import msgspec

from narratoria.contracts.content_limits import CONTENT_LEVELS, NO_LIMITS, ContentKind, ContentLimits
from narratoria.engine.content_limits import load_content_limits, save_content_limits
from narratoria.errors import ContractViolation, Problem

LIMITS_HELP = (
    "/limits [KIND LEVEL]",
    "how much violence, fear and romance: full, mild or none; or children, off",
)
KINDS: tuple[ContentKind, ...] = ("violence", "fear", "romance")


def run_limits_command(words: str, home: Path) -> str:
    """Set the limits that the words name, and return all that are set now; without words, change nothing."""
    loaded = load_content_limits(home)
    changed = _change(loaded.limits, words.casefold().split())
    if words.strip() and (loaded.problem or changed != loaded.limits):
        save_content_limits(home, changed)
    elif loaded.problem:
        return f"{describe_limits(changed)} {loaded.problem}."
    return describe_limits(changed)


def describe_limits(limits: ContentLimits) -> str:
    if limits.children:
        return "Content limits: children. `/limits off` lifts them."
    levels = ", ".join(f"{kind} {limits.limit_of(kind)}" for kind in KINDS)
    return f"Content limits: {levels}."


def _change(limits: ContentLimits, words: list[str]) -> ContentLimits:
    match words:
        case []:
            return limits
        case ["children"]:
            return msgspec.structs.replace(limits, children=True)
        case ["off"]:
            return NO_LIMITS
        case [kind, level] if kind in KINDS and level in CONTENT_LEVELS:
            return msgspec.structs.replace(limits, children=False, **{kind: level})
    kinds, levels = ", ".join(KINDS), ", ".join(reversed(CONTENT_LEVELS))
    message = f"say /limits children, /limits off, or one of {kinds} with one of {levels}"
    raise ContractViolation([Problem(message)])

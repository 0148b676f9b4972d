#!/usr/bin/env python3
"""Rolls a formula such as 2d6, 1d20+5 or 3d6-1."""

from __future__ import annotations

import random
import re

from narratoria import sdk

DEFAULT = "2d6"
MAX_DICE, MAX_SIDES, MAX_MODIFIER = 100, 1000, 10_000
FORMULA = re.compile(
    r"\s*(?P<count>\d*)\s*[dD]\s*(?P<sides>\d+)\s*(?:(?P<sign>[+\-−])\s*(?P<modifier>\d+)\s*)?"
)
FAILURE_UP_TO, PARTIAL_UP_TO = 6, 9  # of two dice: 2–6, 7–9, 10–12


def main(request: sdk.Request) -> dict[str, object]:
    formula = request.input.get("formula", DEFAULT)
    count, sides, modifier = parse(formula)
    dice = random.Random(f"{request.seed}") if request.seed is not None else random.SystemRandom()
    rolls = [dice.randint(1, sides) for _ in range(count)]
    total = sum(rolls) + modifier
    result = {
        "formula": written(count, sides, modifier),
        "rolls": rolls,
        "modifier": modifier,
        "total": total,
        "outcome": outcome(total),
    }
    if reason := request.input.get("reason"):
        result["reason"] = reason
    sdk.ui_event("dice_roll", result)
    return result


def parse(formula: object) -> tuple[int, int, int]:
    """Dice, sides, modifier; a ToolFailure that says where the formula goes wrong."""
    if not isinstance(formula, str):
        raise refused(formula, 0, "a formula is a text such as 2d6 or 1d20+5")
    found = FORMULA.match(formula)
    if not found:
        raise refused(formula, first_odd(formula), "expected dice such as 2d6 or 1d20+5")
    if found.end() < len(formula):
        raise refused(formula, found.end(), "expected the end, or one modifier such as +2")
    count = whole(found, "count", 1, MAX_DICE, "dice")
    sides = whole(found, "sides", 2, MAX_SIDES, "sides")
    modifier = whole(found, "modifier", 0, MAX_MODIFIER, "as modifier") if found["modifier"] else 0
    return count, sides, modifier if found["sign"] in (None, "+") else -modifier


def whole(found: re.Match[str], name: str, least: int, most: int, what: str) -> int:
    digits = found[name].lstrip("0") or ("1" if not found[name] else "0")
    if len(digits) > len(str(most)) or not least <= int(digits) <= most:
        raise refused(found.string, found.start(name), f"between {least} and {most} {what} can be rolled")
    return int(digits)


def first_odd(formula: str) -> int:
    """Where it stops looking like the beginning of a formula."""
    started = re.match(r"\s*\d*\s*(?:[dD]\s*)?", formula)
    return started.end() if started else 0


def refused(formula: object, position: int, reason: str) -> sdk.ToolFailure:
    shown = formula if isinstance(formula, str) else repr(formula)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    return sdk.ToolFailure(
        "INVALID_FORMULA", f"“{shown}”, position {position + 1}: {reason}", {"position": position}
    )


def written(count: int, sides: int, modifier: int) -> str:
    return f"{count}d{sides}" + (f"{modifier:+d}" if modifier else "")


def outcome(total: int) -> str:
    if total <= FAILURE_UP_TO:
        return "failure"
    return "partial success" if total <= PARTIAL_UP_TO else "success"


if __name__ == "__main__":
    sdk.run(main)

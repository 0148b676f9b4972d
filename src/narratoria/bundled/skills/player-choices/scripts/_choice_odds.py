"""Computes how likely something is to succeed: dice, bands, and modifiers."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

DICE = "2d6"
FAILURE = "failure"
BANDS = ((-(10**6), FAILURE), (7, "partial success"), (10, "success"))
MODIFIERS = {"trait": 1, "sentiment": 1, "callback": 1, "most": 3}
EASY, RISKY, HARD = 0.85, 0.6, 0.35  # the least chance that it does not fail, for each word
TERM = re.compile(r"\s*([+\-−]?)\s*(?:(\d*)\s*[dD]\s*(\d+|[fF%])|(\d+))")
MOST_DICE, MOST_SIDES = 100, 1000


def read_rules(given: Any) -> dict[str, Any]:
    """Return the campaign's rules, or the default: dice, bands from low to high, and modifiers."""
    given = given if isinstance(given, dict) else {}
    bands = [
        (int(band["min"]), str(band["name"]))
        for band in given.get("bands") or ()
        if isinstance(band, dict) and isinstance(band.get("min"), (int, float)) and band.get("name")
    ]
    counts = given.get("modifiers")
    counted = {
        name: int(value)
        for name, value in (counts if isinstance(counts, dict) else {}).items()
        if name in MODIFIERS and isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    dice = given.get("dice")
    return {
        "dice": dice if isinstance(dice, str) and distribution(dice) else DICE,
        "bands": tuple(sorted(bands)) or BANDS,
        "modifiers": {**MODIFIERS, **counted},
    }


def distribution(formula: str) -> dict[int, float]:
    """Return the probability of each total; empty for a formula that is no sum of dice and numbers."""
    at, totals = 0, {0: 1.0}
    while at < len(formula.rstrip()):
        term = TERM.match(formula, at)
        if not term or (at and not term[1]):
            return {}
        sign = -1 if term[1] in ("-", "−") else 1
        if term[4]:
            totals = {total + sign * int(term[4][:6]): share for total, share in totals.items()}
        else:
            faces = faces_of(term[3])
            count = int(term[2][:4] or 1) if term[2] else 1
            if not faces or not 1 <= count <= MOST_DICE:
                return {}
            for _ in range(count):
                totals = rolled(totals, faces, sign)
        at = term.end()
    return totals if at else {}


def faces_of(sides: str) -> list[int]:
    if sides in "fF":
        return [-1, 0, 1]
    most = 100 if sides == "%" else int(sides[:5])
    return list(range(1, most + 1)) if 2 <= most <= MOST_SIDES else []


def rolled(totals: dict[int, float], faces: list[int], sign: int) -> dict[int, float]:
    after: dict[int, float] = {}
    for total, share in totals.items():
        for face in faces:
            after[total + sign * face] = after.get(total + sign * face, 0.0) + share / len(faces)
    return after


def probabilities(formula: str, rules: dict[str, Any]) -> dict[str, float]:
    """By outcome, the worst first."""
    shares = dict.fromkeys((name for _, name in rules["bands"]), 0.0)
    for total, share in (distribution(formula) or distribution(DICE)).items():
        reached = [name for least, name in rules["bands"] if total >= least]
        shares[reached[-1] if reached else rules["bands"][0][1]] += share
    return {name: round(share, 4) for name, share in shares.items()}


def chance(shares: dict[str, float]) -> float:
    """That it does not fail altogether: the worst band is the one that fails."""
    worst = next(iter(shares))
    return round(1 - shares.get(FAILURE, shares[worst]), 4)


def difficulty(probable: float) -> str:
    if probable >= EASY:
        return "easy"
    return "risky" if probable >= RISKY - 0.05 else "hard" if probable >= HARD else "unlikely"


def with_modifier(dice: str, modifier: int) -> str:
    """Return the formula with one number at its end."""
    match = re.fullmatch(r"(.*[dD]\s*(?:\d+|[fF%]))\s*(?:([+\-−])\s*(\d+))?\s*", dice)
    if not match:
        return f"{dice}{modifier:+d}" if modifier else dice
    fixed = int(match[3] or 0) * (-1 if match[2] in ("-", "−") else 1) + modifier
    return match[1] + (f"{fixed:+d}" if fixed else "")

#!/usr/bin/env python3
"""Rolls a formula such as 2d6, 1d20+5, 4d6kh3, d20adv, 4dF, 3d6! or 2d6+stealth."""

from __future__ import annotations

import random

from _circumstances import abilities, halves_up, key, of_opinion, whole_modifiers
from _formula import Dice, Name, Number, parse, refused, with_edge, written

from narratoria import sdk

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

DEFAULT = "2d6"
MAX_EXPLOSIONS = 100  # further dice in all
FAILURE, PARTIAL, SUCCESS = "failure", "partial success", "success"
BANDS = [(-(10**9), FAILURE), (7, PARTIAL), (10, SUCCESS)]  # of two dice: up to 6, 7–9, from 10 on
SHARES = 15 / 36, 30 / 36  # how often two dice end in failure, and in anything but success
SAMPLES = 4000
MOST_SOURCES = 20
LONGEST_REASON = 500  # characters
EDGES = ("advantage", "disadvantage")


def main(request: sdk.Request) -> dict[str, object]:
    given, rules = request.input, mapping(request.input.get("rules"))
    formula = given.get("formula", rules.get("dice") or DEFAULT)
    check(given)
    terms = parse(formula)
    if edge := given.get("advantage"):
        terms = with_edge(terms, edge)
    modifiers = [
        *named(terms, formula, given, request.state, rules),
        *whole_modifiers(given.get("modifiers"))[:MOST_SOURCES],
        *of_opinion(given.get("opinion")),
    ]
    fixed = sum(term.value for term in terms if isinstance(term, Number))
    helped = bounded(sum(one["value"] for one in modifiers), mapping(rules.get("modifiers")))
    dice = source(request)
    rolled = [die for term in terms if isinstance(term, Dice) for die in roll(term, dice)]
    rolls = [die["value"] for die in rolled if die["kept"]]
    total = sum(rolls) + fixed + helped
    result: dict[str, object] = {
        "formula": written(terms),
        "rolls": rolls,
        "modifier": fixed + helped,
        "total": total,
        "outcome": outcome(total, bands(terms, rules, given.get("target"))),
        "modifiers": modifiers,
        "dice": rolled,
    }
    if reason := given.get("reason"):
        result["reason"] = reason[:LONGEST_REASON]
    shown = dict(result)
    if request.config.get("showIndividualRolls") is False:
        shown |= {"rolls": [], "dice": []}
    sdk.ui_event("dice_roll", shown)
    return result


def check(given: dict[str, Any]) -> None:
    """Raise a ToolFailure for what cannot be meant; what is missing, or null, is done without."""
    if given.get("advantage") not in (None, "", *EDGES):
        raise sdk.InvalidInput("advantage", f"expected {' or '.join(EDGES)}")
    target = given.get("target")
    if target is not None and (isinstance(target, bool) or not isinstance(target, (int, float))):
        raise sdk.InvalidInput("target", "expected a total to reach, as a number")
    if not isinstance(given.get("reason"), (str, type(None))):
        raise sdk.InvalidInput("reason", "expected a text")
    if not isinstance(given.get("rules"), (dict, type(None))):
        raise sdk.InvalidInput("rules", "expected an object")


def source(request: sdk.Request) -> random.Random:
    """Dice nobody can foresee, or dice that fall the same way when a turn is told again."""
    if request.config.get("randomSource", "pseudo") == "crypto" or request.seed is None:
        return random.SystemRandom()
    what = f"{request.input.get('formula')}/{request.input.get('reason')}"
    return random.Random(f"{request.seed}/{what}")


# dice


def roll(term: Dice, dice: random.Random) -> list[dict[str, Any]]:
    """Each die with its face, signed as it counts, and whether it counts."""
    shown: list[dict[str, Any]] = []
    further = MAX_EXPLOSIONS
    for _ in range(term.amount):
        face = one(term.sides, dice)
        shown.append({"value": face, "exploded": False})
        while term.explodes and face == term.sides and further:
            further -= 1
            face = one(term.sides, dice)
            shown.append({"value": face, "exploded": True})
    order = sorted(range(len(shown)), key=lambda i: shown[i]["value"], reverse=term.highest)
    counting = {*order} if term.keep is None else {*order[: term.keep + len(shown) - term.amount]}
    return [
        {
            "sides": term.sides or "F",
            "value": term.sign * die["value"],
            "kept": index in counting,
            "exploded": die["exploded"],
        }
        for index, die in enumerate(shown)
    ]


def one(sides: int, dice: random.Random) -> int:
    return dice.randint(1, sides) if sides else dice.randint(-1, 1)


# what is added


def named(
    terms: list[Any], formula: object, given: dict[str, Any], state: dict[str, Any], rules: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the names in the formula as modifiers; raise a ToolFailure where nobody knows them."""
    names = [term for term in terms if isinstance(term, Name)]
    if not names:
        return []
    scores = abilities(given, state)
    given_values = {key(one["name"]): one for one in whole_modifiers(given.get("values"), "values")}
    halved = mapping(rules.get("modifiers")).get("stat") == "half"
    modifiers = []
    for term in names:
        if one := given_values.get(key(term.name)):
            value, because = float(one["value"]), one["because"] or f"{term.name} was given"
        elif scores is None:
            raise refused(
                formula, term.position, f"nothing is known that {term.name} could be: expected a number"
            )
        else:
            value, because = scores.get(key(term.name), (0.0, f"you have no {term.name} to speak of"))
        amount = int(value / 2) if halved else halves_up(value)
        modifiers.append({"name": term.name, "value": term.sign * amount, "because": because})
    return modifiers


def bounded(value: int, rules: dict[str, Any]) -> int:
    """All that helps and hinders together counts for so much at most, where the rules say how much."""
    most = rules.get("most")
    return max(-most, min(most, value)) if isinstance(most, int) and most >= 0 else value


# how it ended


def bands(terms: list[Any], rules: dict[str, Any], target: Any) -> list[tuple[float, str]]:
    """From which total on it ends how: by the rules, by a target, or as likely as with two dice."""
    if isinstance(target, (int, float)) and not isinstance(target, bool):
        return [(-(10**9), FAILURE), (target, SUCCESS)]
    listed = [
        (float(band["min"]), str(band["name"]))
        for band in rules.get("bands") or []
        if isinstance(band, dict) and isinstance(band.get("min"), (int, float)) and band.get("name")
    ]
    if listed:
        return sorted(listed)
    rolled = [term for term in terms if isinstance(term, Dice)]
    if rolled == [Dice(1, 2, 6, None, True, False)]:
        return list(BANDS)
    return as_likely(rolled)


def as_likely(terms: list[Dice]) -> list[tuple[float, str]]:
    """Bands for any other dice, so that bare ones fail and succeed about as often as two dice do."""
    dice = random.Random(36)
    many = max(200, SAMPLES // max(1, sum(term.amount for term in terms)))
    totals = sorted(
        sum(die["value"] for term in terms for die in roll(term, dice) if die["kept"]) for _ in range(many)
    )
    partial, success = (totals[int(share * many)] for share in SHARES)
    return [(-(10**9), FAILURE), (partial, PARTIAL), (max(success, partial + 1), SUCCESS)]


def outcome(total: int, endings: list[tuple[float, str]]) -> str:
    reached = [name for least, name in endings if total >= least]
    return reached[-1] if reached else endings[0][1]


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


if __name__ == "__main__":
    sdk.run(main)

"""Reads a dice formula: what to roll, what to keep of it, and what is added."""

from __future__ import annotations

import re
from collections import namedtuple

from narratoria import sdk

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import NamedTuple

    class Dice(NamedTuple):
        """Dice of one kind; of them `keep` stay, the highest or the lowest, or all for None."""

        sign: int
        amount: int
        sides: int  # 0: fudge dice, which show -1, 0 or 1
        keep: int | None
        highest: bool
        explodes: bool

    class Number(NamedTuple):
        value: int

    class Name(NamedTuple):
        """Something that the player's character is good or bad at."""

        sign: int
        name: str
        position: int

else:
    Dice = namedtuple("Dice", "sign amount sides keep highest explodes")
    Number = namedtuple("Number", "value")
    Name = namedtuple("Name", "sign name position")

MAX_DICE, MAX_SIDES, MAX_NUMBER, MAX_TERMS = 100, 1000, 10_000, 20
SIGN = re.compile(r"\s*([+\-−])\s*")
DICE = re.compile(r"(?P<count>\d*)\s*[dD](?:\s*(?P<sides>\d+|%)|(?P<fudge>[fF])(?![A-Za-z]))")
WHOLE = re.compile(r"\d+")
WORD = re.compile(r"[^\W\d_][\w']*(?: (?!(?:adv|dis)\b)[^\W\d_][\w']*)*")
WHICH = re.compile(r"\s*(?P<which>kh|kl|dh|dl|k)\s*(?P<many>\d*)(?![\w])", re.IGNORECASE)
EXPLODES = re.compile(r"\s*!")
EDGE = re.compile(r"\s*(?P<edge>adv(?:antage)?|dis(?:advantage)?)\b", re.IGNORECASE)
SPACE = re.compile(r"\s*")
EXPECTED = "expected dice such as 2d6 or 1d20+5"


def parse(formula: object) -> list[Dice | Number | Name]:
    """Return the terms in their order; raise a ToolFailure that says where the formula goes wrong."""
    if not isinstance(formula, str):
        raise refused(formula, 0, "a formula is a text such as 2d6 or 1d20+5")
    if len(formula) > 20_000:
        raise refused(formula, 0, "this is too long for a formula")
    terms: list[Dice | Number | Name] = []
    at, sign = _first_sign(formula)
    while True:
        term, at = _term(formula, at, sign)
        terms.append(term)
        at = _skip(formula, at)
        if at == len(formula):
            return _checked(terms, formula)
        match = SIGN.match(formula, at)
        if not match:
            raise refused(formula, at, "expected the end, or + or - and one more term")
        if len(terms) == MAX_TERMS:
            raise refused(formula, at, f"at most {MAX_TERMS} terms can be added")
        sign = 1 if match[1] == "+" else -1
        if match.end() == len(formula):
            raise refused(formula, match.start(1), "expected something to add after this sign")
        at = match.end()


def _first_sign(formula: str) -> tuple[int, int]:
    match = SIGN.match(formula)
    if match:
        return match.end(), 1 if match[1] == "+" else -1
    return _skip(formula, 0), 1


def _term(formula: str, at: int, sign: int) -> tuple[Dice | Number | Name, int]:
    if dice := DICE.match(formula, at):
        return _dice(formula, dice, sign)
    if whole := WHOLE.match(formula, at):
        if re.match(r"\s*[dD]\s*$", formula[whole.end() :]):
            raise refused(formula, len(formula), "expected how many sides the dice have")
        if re.match(r"\s*[^\W\d]", formula[whole.end() :]):
            raise refused(formula, _skip(formula, whole.end()), EXPECTED)
        return Number(sign * _within(formula, whole[0], at, (0, MAX_NUMBER), "can be added")), whole.end()
    if word := WORD.match(formula, at):
        return Name(sign, word[0], at), word.end()
    raise refused(formula, at, EXPECTED)


def _dice(formula: str, match: re.Match[str], sign: int) -> tuple[Dice, int]:
    count = _within(
        formula, match["count"] or "1", match.start("count"), (1, MAX_DICE), "dice can be rolled at once"
    )
    sides = 0 if match["fudge"] else 100 if match["sides"] == "%" else -1
    if sides < 0:
        sides = _within(
            formula, match["sides"], match.start("sides"), (2, MAX_SIDES), "sides can be on a die"
        )
    keep, highest, explodes = None, True, False
    at = match.end()
    while True:
        if bang := EXPLODES.match(formula, at):
            if explodes or not sides:
                raise refused(formula, bang.end() - 1, "these dice cannot explode once more")
            explodes, at = True, bang.end()
        elif which := WHICH.match(formula, at):
            if keep is not None:
                raise refused(formula, which.start("which"), "what is kept was said already")
            keep, highest = _count_to_keep(formula, which, count)
            at = which.end()
        elif edge := EDGE.match(formula, at):
            if keep is not None:
                raise refused(formula, edge.start("edge"), "what is kept was said already")
            keep, highest = count, edge["edge"].lower().startswith("adv")
            count, at = count + 1, edge.end()
        else:
            return Dice(sign, count, sides, keep, highest, explodes), at


def _count_to_keep(formula: str, match: re.Match[str], count: int) -> tuple[int, bool]:
    which = match["which"].lower()
    drops = which.startswith("d")
    least, most = (1, count - 1) if drops else (1, count)
    what = "dice can be dropped here" if drops else "dice can be kept here"
    at = match.start("many") if match["many"] else match.start("which")
    many = _within(formula, match["many"] or "1", at, (least, most), what)
    highest = which in ("k", "kh", "dl")
    return (count - many if drops else many), highest


def with_edge(terms: list[Dice | Number | Name], edge: str) -> list[Dice | Number | Name]:
    """One more die among the first dice, of which the best or the worst do not count."""
    for index, term in enumerate(terms):
        if isinstance(term, Dice) and term.keep is None:
            better = term._replace(amount=term.amount + 1, keep=term.amount, highest=edge == "advantage")
            return [*terms[:index], better, *terms[index + 1 :]]
    return terms


def written(terms: list[Dice | Number | Name]) -> str:
    """Return the formula as people write it; numbers come last, as one."""
    text = ""
    for term in terms:
        match term:
            case Dice():
                text += f"{'-' if term.sign < 0 else '+' if text else ''}{_dice_written(term)}"
            case Name():
                text += f"{'-' if term.sign < 0 else '+' if text else ''}{term.name}"
            case Number():
                pass
    number = sum(term.value for term in terms if isinstance(term, Number))
    if number and text:
        text += f"{number:+d}"
    return text or str(number)


def _dice_written(dice: Dice) -> str:
    text = f"{dice.amount}d{dice.sides or 'F'}{'!' if dice.explodes else ''}"
    return text if dice.keep is None else f"{text}k{'h' if dice.highest else 'l'}{dice.keep}"


def _checked(terms: list[Dice | Number | Name], formula: str) -> list[Dice | Number | Name]:
    if not any(isinstance(term, Dice) for term in terms):
        at = terms[0].position if isinstance(terms[0], Name) else _skip(formula, 0)
        raise refused(formula, at, EXPECTED)
    if sum(term.amount for term in terms if isinstance(term, Dice)) > MAX_DICE + MAX_TERMS:
        raise refused(formula, 0, f"at most {MAX_DICE} dice can be rolled at once")
    return terms


def _within(formula: str, text: str, at: int, bounds: tuple[int, int], what: str) -> int:
    least, most = bounds
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(most)) or not least <= int(digits) <= most:
        raise refused(formula, at, f"{least} to {most} {what}")
    return int(digits)


def _skip(formula: str, at: int) -> int:
    match = SPACE.match(formula, at)
    return match.end() if match else at


def refused(formula: object, position: int, reason: str) -> sdk.ToolFailure:
    shown = formula if isinstance(formula, str) else repr(formula)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    return sdk.ToolFailure(
        "INVALID_FORMULA", f"“{shown}”, position {position + 1}: {reason}", {"position": position}
    )

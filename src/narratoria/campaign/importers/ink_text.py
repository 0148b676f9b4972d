"""Splits a line of ink into the pieces that are told always, or under a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from narratoria.campaign.importers.logic import Constant
from narratoria.campaign.importers.passages import AGAIN, TextPart

_BRACES = re.compile(r"\{([^{}]*)\}")
_CONDITION = re.compile(r"^(?P<condition>[^:|]+):(?P<rest>.*)$", re.DOTALL)
_TURNS = 2  # of a sequence: the first time, and every later one
_CHANCE = ("&", "!", "~")  # cycles, once-only texts and shuffles


class VaryingText(ValueError):
    """Text that varies in a way that cannot be kept; the message says how."""


def split_text(line: str, passage: str, constants: Mapping[str, Constant]) -> list[TextPart]:
    """Return the pieces of a line; raise VaryingText where no condition and no first visit decides."""
    pieces: list[TextPart] = []
    at = 0
    for match in _BRACES.finditer(line):
        pieces.append(TextPart(_bare(line[at : match.start()])))
        pieces += _vary(match[1], passage, constants)
        at = match.end()
    pieces.append(TextPart(_bare(line[at:])))
    if any(mark in piece.text for piece in pieces for mark in "{}"):
        raise VaryingText("braces within braces are not kept")
    return [piece for piece in pieces if piece.text]


def leave_braces_out(line: str) -> str:
    """Return a line without what varies in it."""
    return _bare(_BRACES.sub("", line)).replace("{", "").replace("}", "")


def _bare(text: str) -> str:
    return text.replace("<>", "").replace("\\", "")


def _vary(inside: str, passage: str, constants: Mapping[str, Constant]) -> Iterator[TextPart]:
    text = inside.strip()
    if text.startswith(_CHANCE):
        raise VaryingText("cycles, once-only texts and shuffles are not kept")
    if match := _CONDITION.match(inside):
        text_if_so, _, otherwise = match["rest"].partition("|")
        if "|" in otherwise:
            raise VaryingText("a condition decides between two texts")
        condition = match["condition"].strip()
        yield TextPart(_bare(text_if_so), condition)
        yield TextPart(_bare(otherwise), condition, is_so=False)
        return
    turns = inside.split("|")
    if len(turns) == _TURNS and passage:
        yield TextPart(_bare(turns[0]), f"{AGAIN}{passage}", is_so=False)
        yield TextPart(_bare(turns[1]), f"{AGAIN}{passage}")
    elif len(turns) > 1:
        raise VaryingText("of a sequence the first time and every later one are kept")
    elif text in constants:
        yield TextPart(str(constants[text]))
    else:
        raise VaryingText("what a variable is cannot be told")

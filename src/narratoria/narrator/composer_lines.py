"""Loads the composer's own sentences, which join what the author wrote and add no fact to it.

`data/lines.json` holds them and `data/lines.schema.json` says what they may hold. Their order matters:
a story is told again word for word only while the same seed picks the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import msgspec

from narratoria.narrator.word_lists import Temper

Lines: TypeAlias = tuple[str, ...]
LinesByTone: TypeAlias = Mapping[str, Lines]  # how somebody feels about the player: neutral, warm, cold
LinesByOutcome: TypeAlias = Mapping[str, Lines]
LinesByTemper: TypeAlias = Mapping[Temper, Lines]


class NarrationLines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The narrator's sentences in the course of a story."""

    going: Lines
    going_nowhere_said: Lines
    known_way: Lines
    returned: Lines
    looking: Lines
    seen_all: Lines
    talking: LinesByTone
    says: LinesByTone
    about_self: Lines
    wanting: Lines
    about_others: Lines
    hearing_news: LinesByTone
    advised: Lines
    pointing_here: Lines
    pointing_away: Lines
    talked_out: LinesByTone
    waiting: Lines
    waited: Lines
    afterwards: Lines
    quiet: Lines
    warm_signs: Lines
    cold_signs: Lines
    unwelcome: Lines
    talk_ended: LinesByOutcome


class EndingLines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The narrator's sentences when a story draws to its end, and afterwards."""

    leaning: Lines
    looking_back: Lines
    looked_back_before: Lines
    turning_back: Lines
    leaving: Lines
    looked_back: Lines
    at_the_end: Lines
    links: Lines


class Sayings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sayings of people in composed scenes, by their temper."""

    wanting: LinesByTemper
    asking: LinesByTemper
    proud: LinesByTemper
    of_others: LinesByTemper
    again: LinesByTemper
    at_leisure: LinesByTemper
    replying_to_news: LinesByTemper
    advising: LinesByTemper
    to_be_done: LinesByTemper
    to_go: LinesByTemper


class _LinesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    narration: NarrationLines
    endings: EndingLines
    sayings: Sayings


_FILE = msgspec.json.decode(
    files("narratoria.narrator").joinpath("data/lines.json").read_bytes(), type=_LinesFile
)
NARRATION, ENDINGS, SAYINGS = _FILE.narration, _FILE.endings, _FILE.sayings

_SLOT = re.compile(r"\{\w+\}")
LEAST_WORDS = 2  # of a line without its slots, by which it is known again


def find_lines(text: str) -> Iterator[str]:
    """Yield the composer's own lines that stand in a text, each with its slots left open."""
    for line, longest_part, pattern in _line_patterns():
        if longest_part in text and pattern.search(text):
            yield line


@cache
def _line_patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    lines = dict.fromkeys(
        line
        for group in (NARRATION, SAYINGS, ENDINGS.leaning)
        for line in _texts_in(msgspec.to_builtins(group))
    )
    parts = {line: _SLOT.split(line.removesuffix(".")) for line in lines}
    return tuple(
        (line, max(pieces, key=len), re.compile("".join(_pattern_parts(pieces)) + _end_of(line)))
        for line, pieces in parts.items()
        if len(re.findall(r"\w+", " ".join(pieces))) >= LEAST_WORDS
    )


def _end_of(line: str) -> str:
    """Return the pattern for the full stop of a line: a comma before who says it."""
    return r"(?:\.|,”)" if line.endswith(".") else ""


def _pattern_parts(pieces: list[str]) -> Iterator[str]:
    """Yield the parts of a pattern: a line's own words, and whatever fills its slots between them."""
    yield r"(?:^|(?<=[\s“]))"
    for at, piece in enumerate(pieces):
        yield (r"[^.!?“”]{1,120}?" if at else "") + re.escape(piece)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        return
    for one in value.values() if isinstance(value, dict) else value:
        yield from _texts_in(one)

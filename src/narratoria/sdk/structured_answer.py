"""Defines the answer of a model that is held to a JSON schema, and reads it while it is being written.

A grammar holds the local model to it, and `response_format`, `format` or a tool a provider. Whoever cannot
be held to it writes prose and two marks; `narratoria.sdk.narration.Telling` takes either.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from typing import Any

ENDS = ("success", "partial success", "failure", "nothing decided")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "ends": {"type": "string", "enum": list(ENDS), "description": "How it was decided that it ends."},
        "paragraphs": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": 3,
            "description": "The prose, a paragraph each.",
        },
        "true_now": {
            "type": "string",
            "description": "One sentence: what is so from now on and was not before.",
        },
        "next": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "option": {
                        "type": "integer",
                        "description": "The number of a possibility of the brief; 0 for something new.",
                    },
                    "text": {"type": "string", "description": "What the player could do, in a few words."},
                },
                "required": ["option", "text"],
                "additionalProperties": False,
            },
            "minItems": 1,
            "maxItems": 4,
            "description": "Three or four things that the player could do next.",
        },
    },
    "required": ["ends", "paragraphs", "true_now", "next"],
    "additionalProperties": False,
}
FORM = (
    "Answer with one JSON object and nothing else: `ends`, how it was decided that it ends (`success`, "
    "`partial success`, `failure` or `nothing decided`); `paragraphs`, the paragraphs, each a string; "
    "`true_now`, one sentence that says what is so from now on and was not before (“Tamsel knows that you "
    "have the letter.”); `next`, three or four things that the player could do next, each with `option`, "
    "the number of a possibility of the brief or 0 for something small that the scene has opened, and "
    "`text`, in words that fit what has just happened. The examples show the same parts as plain text."
)
_BEGINNING = re.compile(r"\s*(?:```(?:json)?\s*)?\{")
_MAY_BEGIN = re.compile(r"\s*`{0,3}(?:j(?:s(?:on?)?)?)?\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_LIST = re.compile(r'"paragraphs"\s*:\s*(?:(\[)|(?="))')
_ENDED = re.compile(r'"ends"\s*:\s*("(?:[^"\\]|\\.)*")')
_GAP = re.compile(r"\s*,?\s*")
_THOUGHTS = ("<think>", "<thinking>")  # what some models write before they answer


def is_structured(text: str) -> bool | None:
    """Return whether an answer that begins so is JSON; None while nobody can know."""
    if _BEGINNING.match(text):
        return True
    if text.strip() and any(mark.startswith(text.strip()) for mark in _THOUGHTS):
        return None
    return None if _MAY_BEGIN.fullmatch(text) else False


class StructuredAnswer:
    """Takes JSON in pieces: each paragraph comes out when its string is whole, and the rest at the end."""

    def __init__(self) -> None:
        self._text, self._at = "", 0
        self._is_in_list, self._is_over = True, False

    def add(self, piece: str) -> list[str]:
        self._text += piece
        if not self._at and (match := _LIST.search(self._text)):
            self._at, self._is_in_list = match.end(), bool(match[1])
        found: list[str] = []
        while self._at and not self._is_over:
            if gap := _GAP.match(self._text, self._at):
                self._at = gap.end()
            match = _STRING.match(self._text, self._at)
            if not match:
                break  # the end of the list, or of what has come so far
            found += re.split(r"\n\s*\n", str(_load(match[0])))
            self._at, self._is_over = match.end(), not self._is_in_list
        return found

    @property
    def ends(self) -> str:
        """Return how the writer says that it ends; empty where that was not decided or is not said."""
        match = _ENDED.search(self._text)
        value = _load(match[1]) if match else ""
        return value if value in ENDS[:3] else ""

    @property
    def fact(self) -> str:
        value = self._document().get("true_now")
        return value if isinstance(value, str) else ""

    @property
    def choices(self) -> list[tuple[int, str]]:
        """Return the number of each possibility, 0 for a new one, and its words."""
        listed = self._document().get("next")
        rows = listed if isinstance(listed, list) else []
        rows = [{"text": row} if isinstance(row, str) else row for row in rows]
        return [
            (_number(row.get("option")), row["text"])
            for row in rows
            if isinstance(row, dict) and isinstance(row.get("text"), str)
        ]

    def _document(self) -> dict[str, Any]:
        match = _BEGINNING.match(self._text)
        try:
            value, _ = json.JSONDecoder().raw_decode(self._text, match.end() - 1 if match else 0)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def _load(literal: str) -> Any:
    try:
        return json.loads(literal, strict=False)
    except ValueError:
        return ""


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 99 else 0

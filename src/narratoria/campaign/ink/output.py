"""Collects what a story says, and joins it into lines as ink does: glue, blanks and empty lines."""

from __future__ import annotations

import re
from typing import TypeAlias

_HEAD = re.compile(r"[ \t]*\n[ \t\n]*")
_BLANKS = re.compile(r"[ \t]+")


class _Mark:
    """Marks glue, or the beginning of a text that becomes a value."""

    def __init__(self, name: str) -> None:
        self.name = name


GLUE, BEGINNING = _Mark("glue"), _Mark("beginning")
Piece: TypeAlias = "str | _Mark"


class Output:
    """Holds the pieces that were said since the player last chose."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._has_glue = False  # somewhere among the pieces
        self._tags: list[str] = []
        # where the functions that run now began to say something; a function's leading line ends are dropped
        self.function_starts: list[int] = []

    @property
    def size(self) -> int:
        return len(self._pieces)

    def say(self, text: str) -> None:
        for piece in _split(text):
            self._push(piece)

    def glue(self) -> None:
        self._trim_line_ends()
        self._pieces.append(GLUE)
        self._has_glue = True

    def add_tag(self, text: str) -> None:
        self._tags.append(clean_line(text))

    def begin(self) -> None:
        """Begin a text that becomes a value."""
        self._pieces.append(BEGINNING)

    def end(self) -> str:
        """Return the text since the last beginning, and forget it."""
        at = len(self._pieces) - 1
        while self._pieces[at] is not BEGINNING:
            at -= 1
        text = "".join(piece for piece in self._pieces[at:] if isinstance(piece, str))
        del self._pieces[at:]
        return text

    def end_function(self, start: int) -> None:
        """Drop the blanks and line ends after the last word that a function said."""
        while len(self._pieces) > max(start, 0):
            piece = self._pieces[-1]
            if not isinstance(piece, str) or piece.strip():
                break
            self._pieces.pop()

    def take(self) -> tuple[list[str], list[str]]:
        """Return the lines and the tags that were said, and begin anew."""
        text = "".join(piece for piece in self._pieces if isinstance(piece, str))
        lines = [line for line in (clean_line(one) for one in text.split("\n")) if line]
        tags = self._tags
        self._pieces, self._tags = [], []
        return lines, tags

    def _push(self, piece: str) -> None:
        glue_at = self._find_glue()
        function_at = self.function_starts[-1] if self.function_starts else -1
        if function_at >= 0 and BEGINNING in self._pieces[function_at:]:
            function_at = -1
        if glue_at >= 0 or function_at >= 0:
            if piece == "\n":
                return
            if piece.strip():
                if glue_at >= 0:
                    self._remove_glue()
                self.function_starts = [-1] * len(self.function_starts)
        elif piece == "\n" and (self._ends_in_line_end() or not self._has_text()):
            return
        self._pieces.append(piece)

    def _find_glue(self) -> int:
        """Return where glue waits for the next word; -1 for nowhere."""
        for index in range(len(self._pieces) - 1, -1, -1) if self._has_glue else ():
            if self._pieces[index] is GLUE:
                return index
            if self._pieces[index] is BEGINNING:
                return -1
        self._has_glue = False
        return -1

    def _remove_glue(self) -> None:
        for index in range(len(self._pieces) - 1, -1, -1):
            if self._pieces[index] is GLUE:
                del self._pieces[index]
            elif self._pieces[index] is BEGINNING:
                break

    def _trim_line_ends(self) -> None:
        """Drop the line ends after the last word, and the blanks among them."""
        start = -1
        for index in range(len(self._pieces) - 1, -1, -1):
            piece = self._pieces[index]
            if piece is BEGINNING or (isinstance(piece, str) and piece.strip()):
                break
            if piece == "\n":
                start = index
        if start >= 0:
            self._pieces[start:] = [piece for piece in self._pieces[start:] if not isinstance(piece, str)]

    def _ends_in_line_end(self) -> bool:
        for piece in reversed(self._pieces):
            if piece is BEGINNING:
                break
            if piece == "\n":
                return True
            if isinstance(piece, str) and piece.strip():
                break
        return False

    def _has_text(self) -> bool:
        return any(isinstance(piece, str) for piece in self._pieces)


def _split(text: str) -> list[str]:
    """Return a text with the line ends at its head and its end as pieces of their own."""
    if "\n" not in text:
        return [text] if text else []
    pieces: list[str] = []
    if head := _HEAD.match(text):
        blanks = head[0].split("\n", 1)[0]
        pieces += [blanks, "\n"] if blanks else ["\n"]
        text = head[0].rsplit("\n", 1)[1] + text[head.end() :]
        if not text.strip():
            return [*pieces, text] if text else pieces
    body = text.rstrip(" \t\n")
    tail = text[len(body) :]
    if body and "\n" in tail:
        after = tail.rsplit("\n", 1)[1]
        return [*pieces, body + tail.split("\n", 1)[0], "\n", *([after] if after else [])]
    return [*pieces, text]


def clean_line(text: str) -> str:
    """Return a line without blanks around it, and with single ones in it."""
    return _BLANKS.sub(" ", text).strip(" \t")

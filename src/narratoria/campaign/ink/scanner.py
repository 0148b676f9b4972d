"""Scans ink source text: characters with their lines, and no comments."""

from __future__ import annotations

import re
from bisect import bisect_right

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_IDENTIFIER = re.compile(r"\w+")
_BLANKS = re.compile(r"[ \t]*")
_LINES = re.compile(r"[ \t\n]*")


class InkSyntaxError(Exception):
    """Says what is wrong at a line of ink."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message


class Scanner:
    """Reads through a text; `at` is the position of the next character."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        self.text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), plain)
        self.at = 0
        self._first_line = first_line
        self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]

    @property
    def line(self) -> int:
        return self._first_line - 1 + bisect_right(self._starts, self.at)

    @property
    def is_done(self) -> bool:
        return self.at >= len(self.text)

    def error(self, message: str) -> InkSyntaxError:
        return InkSyntaxError(self.line, message)

    def peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        if self.peek(text):
            self.at += len(text)
            return True
        return False

    def expect(self, text: str, why: str) -> None:
        if not self.take(text):
            raise self.error(f"expected “{text}” {why}, and there is {self.describe_next()}")

    def describe_next(self) -> str:
        rest = self.text[self.at : self.at + 30].split("\n", 1)[0].strip()
        return f"“{rest}”" if rest else "the end of the line"

    def match(self, pattern: re.Pattern[str]) -> str | None:
        if found := pattern.match(self.text, self.at):
            self.at = found.end()
            return found[0]
        return None

    def skip_blanks(self) -> None:
        self.match(_BLANKS)

    def skip_lines(self) -> None:
        self.match(_LINES)

    def take_line_end(self) -> bool:
        """Take the blanks and the end of the line, if nothing else is before it."""
        before = self.at
        self.skip_blanks()
        if self.is_done or self.take("\n"):
            return True
        self.at = before
        return False

    def take_identifier(self) -> str:
        """Take a name, which may begin with a digit and not be a number; "" if there is none."""
        before = self.at
        name = self.match(_IDENTIFIER) or ""
        if name.isdigit():
            self.at = before
            return ""
        return name

    def peek_identifier(self) -> str:
        before = self.at
        name = self.take_identifier()
        self.at = before
        return name

    def skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end + 1

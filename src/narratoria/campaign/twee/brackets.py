"""Splits links, lists of changes, and calls in brackets."""

from __future__ import annotations

from collections.abc import Iterator


def split_link(inside: str) -> tuple[str, str]:
    """Return the words of a link and the passage it leads to."""
    if "->" in inside:
        text, _, to = inside.rpartition("->")
    elif "<-" in inside:
        to, _, text = inside.partition("<-")
    elif "|" in inside:
        text, _, to = inside.rpartition("|")
    else:
        text = to = inside
    return " ".join(text.split()) or to.strip(), to.strip()


def closing_bracket(text: str, start: int) -> int:
    """Return the position behind the bracket that closes the one at `start`; -1 for none."""
    depth, quote = 0, ""
    for at in range(start, min(len(text), start + 5000)):
        mark = text[at]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'" and (mark == '"' or not text[at - 1].isalpha()):
            quote = mark
        elif mark == "(":
            depth += 1
        elif mark == ")":
            depth -= 1
            if depth == 0:
                return at + 1
    return -1


def split_changes(text: str) -> Iterator[str]:
    """Yield changes that stand between commas or semicolons, but for those within brackets or marks."""
    depth, quote, begin = 0, "", 0
    for at, mark in enumerate(text):
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark in "([":
            depth += 1
        elif mark in ")]":
            depth -= 1
        elif mark in ",;" and depth == 0:
            yield text[begin:at]
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:]

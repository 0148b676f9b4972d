"""Takes the markup out of lines that were written for a page of their own."""

from __future__ import annotations

import html
import re

_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]{0,500})?/?>")


def strip_markup(line: str) -> str:
    """Return a line without tags such as `<i>`, and with the characters that entities stand for."""
    return " ".join(html.unescape(_TAG.sub("", line)).split())

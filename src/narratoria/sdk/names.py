"""Compares names: "the Merchants Guild" and "merchants-guild" are the same."""

from __future__ import annotations

import re

__all__ = ["fold"]


def fold(name: object) -> str:
    return re.sub(r"[\W_]+", "", re.sub(r"^the\s+", "", str(name).strip(), flags=re.IGNORECASE)).casefold()

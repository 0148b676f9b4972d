"""Defines where a story stands, which each write of a turn says it follows."""

from __future__ import annotations

import msgspec


class Position(msgspec.Struct, frozen=True):
    """Says where a story stands: its branch, its last turn, and the mark of that turn's scene."""

    branch: str
    turn: int = 0
    mark: str = ""

"""What a probe brings back: numbers, each with the words that say how it came about."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Size: TypeAlias = Literal["whole", "quick"]


class Figure(msgspec.Struct, frozen=True):
    value: float
    text: str
    timing: bool = False  # tells of the machine as much as of us, so nothing is refused for it


Figures: TypeAlias = dict[str, Figure]


def share(hits: int, of: int, *, timing: bool = False) -> Figure:
    value = hits / of if of else 0.0
    return Figure(value, f"{100 * value:.1f} % ({hits:,} of {of:,})", timing)


def count(number: int, of: str) -> Figure:
    return Figure(number, f"{number:,} {of}")


def milliseconds(value: float, which: str = "p95") -> Figure:
    return Figure(value, f"{which} {value:,.0f} ms", timing=True)


def ratio(value: float, *, to: str = "", timing: bool = True) -> Figure:
    return Figure(value, f"{value:.2f} ×{f' {to}' if to else ''}", timing)

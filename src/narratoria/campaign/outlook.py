"""How an expression looks from a beat that might happen: what may be so then, and what may not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from narratoria.campaign.campaign import Beat
from narratoria.campaign.expressions import Compare, Has, Node, Not, conjuncts, parse


@dataclass(frozen=True, slots=True)
class Possible:
    """What can come about at all, and what has come about for certain when the beat is looked at."""

    told: Collection[str]
    flags: Collection[str]
    places: Collection[str]
    certainly_told: Mapping[str, str]  # with the outcome, where that is certain too
    certain_flags: Mapping[str, str]  # with the beat that brings it about
    opens: int  # the first scene in which the beat can happen
    hopeful: bool


class Outlook:
    """The outlook from one beat."""

    def __init__(self, beat: Beat, possible: Possible) -> None:
        self._beat, self._possible = beat, possible
        self._first = possible.opens
        self._last = beat.conditions.scene_count.max if beat.skippable else None
        for node in conjuncts(parse(beat.conditions.custom)):
            self._narrow(node)

    def _narrow(self, node: Node) -> None:
        match node:
            case Compare(("scene",), op, int(number)):
                if op in (">", ">=", "=="):
                    self._first = max(self._first, number + (op == ">"))
                if op in ("<", "<=", "=="):
                    last = number - (op == "<")
                    self._last = last if self._last is None else min(last, self._last)
            case _:
                pass

    def has(self, name: str, value: str) -> tuple[bool, bool]:
        if name == "flags":
            return value in self._possible.flags, value not in self._possible.certain_flags
        if name == "told":
            return value in self._possible.told, value not in self._possible.certainly_told
        return True, True

    def compare(self, path: tuple[str, ...], op: str, value: Any) -> tuple[bool, bool]:
        match path, value:
            case ("scene",), int() | float():
                return self._scene(op, value)
            case ("place",), str():
                return self._place(op, value)
            case ("told", name), str():
                ended = self._possible.certainly_told.get(name, "")
                possible = name in self._possible.told and (not ended or op != "==" or ended == value)
                return possible, True
            case _:
                return True, True

    def anything(self) -> tuple[bool, bool]:
        return (True, True) if self._possible.hopeful else (False, False)

    def _scene(self, op: str, value: float) -> tuple[bool, bool]:
        first, last = self._first, self._last
        if last is not None and first > last:
            return False, True
        true = {
            "<": first < value,
            "<=": first <= value,
            ">": last is None or last > value,
            ">=": last is None or last >= value,
            "==": first <= value and (last is None or value <= last),
            "!=": True,
        }[op]
        return true, True

    def _place(self, op: str, value: str) -> tuple[bool, bool]:
        here = self._beat.location
        if op == "==":
            return value in self._possible.places and here in ("", value), here != value
        return (here != value if here else True), True

    def why(self, node: Node) -> str:
        """In words, what is in the way of a part of an expression."""
        reason = "its parts exclude each other"
        match node:
            case Has("flags", flag):
                reason = f"no beat that can happen brings “{flag}” about"
            case Not(Has("flags", flag)):
                by = self._possible.certain_flags[flag]
                reason = f"“{flag}” comes about in '{by}', which must come before"
            case Has("told", name):
                reason = f"'{name}' can never happen"
            case Not(Has("told", name)):
                reason = f"'{name}' must come before"
            case Compare(("scene",), _, _):
                last = "on" if self._last is None else f"to {self._last}"
                reason = f"it asks for a scene outside of those from {self._possible.opens} {last}"
            case Compare(("place",), _, value):
                reason = f"one cannot be at '{value}' then"
            case Compare(("told", name), _, value):
                reason = f"'{name}' cannot have ended in '{value}'"
        return reason

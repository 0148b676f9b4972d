"""Defines a problem that the gate finds in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "dead",
    "absent",
    "item",
    "place",
    "constraint",
    "name",
    "player",
    "form",
    "model",
    "loop",
    "unrelated",
    "outcome",
    "plot",
]


@dataclass(frozen=True, slots=True)
class ContinuityProblem:
    """A sentence that cannot stand, and why."""

    kind: Kind
    sentence: str
    reason: str

    def __str__(self) -> str:
        if self.kind == "plot":  # what is kept is not written down again, in a log or in a prompt
            return f"{self.reason}, in the sentence that begins “{' '.join(self.sentence.split()[:3])} …”"
        return f"{self.reason}: “{self.sentence}”"

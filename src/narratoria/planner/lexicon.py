"""Loads the words that tell what kind of act an action is, for the patterns and the scorer.

`data/lexicon.json` holds them and `data/lexicon.schema.json` says what each group is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import TypeAlias

import msgspec

from narratoria.planner.late_pattern import compile_late

Patterns: TypeAlias = Mapping[str, re.Pattern[str]]


class Verbs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verbs, matched in the forms of regular ones; an irregular form is listed beside its verb."""

    verbs: tuple[str, ...]

    @property
    def pattern(self) -> str:
        stems = "|".join(word[:-1] + "(?:e|ing|ed)?" if word.endswith("e") else word for word in self.verbs)
        return rf"\b(?:{stems})(?:s|es|d|ed|ing|[bdgklmnprt](?:ed|ing))?\b"


Alternatives: TypeAlias = tuple[str | Verbs, ...]


class LexiconFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    signs: dict[str, Alternatives]
    to_the_machine: Alternatives
    denied: Alternatives
    considered: Alternatives
    question: Alternatives
    group: Alternatives
    pronoun: Alternatives
    addressed: Alternatives
    stranger: Alternatives


def compile_alternatives(parts: Iterable[str | Verbs]) -> re.Pattern[str]:
    """Return one pattern that matches whatever any of the parts matches."""
    texts = (part.pattern if isinstance(part, Verbs) else part for part in parts)
    return compile_late("|".join(texts), re.IGNORECASE)


_FILE = msgspec.json.decode(
    files("narratoria.planner").joinpath("data/lexicon.json").read_bytes(), type=LexiconFile
)
SIGNS: Patterns = {name: compile_alternatives(parts) for name, parts in _FILE.signs.items()}
TO_THE_MACHINE = compile_alternatives(_FILE.to_the_machine)
DENIED = compile_alternatives(_FILE.denied)
CONSIDERED = compile_alternatives(_FILE.considered)
QUESTION = compile_alternatives(_FILE.question)
GROUP = compile_alternatives(_FILE.group)
PRONOUN = compile_alternatives(_FILE.pronoun)
ADDRESSED = compile_alternatives(_FILE.addressed)
STRANGER = compile_alternatives(_FILE.stranger)

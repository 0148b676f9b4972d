"""Refuses made-up sentences that a premise excludes: boats in space, hands on a loaf."""

from __future__ import annotations

import re
from dataclasses import dataclass

from narratoria.campaign.enrich.absences import list_meant
from narratoria.campaign.enrich.player_in_text import bodies
from narratoria.campaign.enrich.premise import Premise, eras, kinds_of_world
from narratoria.campaign.lore import sentences


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Says which sentences cannot stand in a story."""

    words: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]

    def excludes(self, text: str) -> bool:
        return any(pattern.search(text) for pattern in self.patterns)

    def remove_excluded(self, text: str) -> str:
        """Return the text without the sentences that cannot stand; empty where none is left."""
        if not self.excludes(text):
            return text
        paragraphs = (
            " ".join(sentence for sentence in sentences(paragraph) if not self.excludes(sentence))
            for paragraph in text.split("\n\n")
        )
        return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def find_exclusions(premise: Premise) -> Exclusions:
    """Return what the premise excludes: by its kind of world, its time, the player's body, and its own words.

    A word that the author uses is never excluded.
    """
    by_kind = (
        *kinds_of_world()[premise.kind].excludes,
        *(eras()[premise.era].excludes if premise.era else ()),
    )
    words = tuple(word for word in by_kind if not _is_used(word, premise))
    meant = (other for word in premise.absences for other in list_meant(word))
    words += tuple(word for word in dict.fromkeys(meant) if word not in words)
    patterns = [re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE) for word in words]
    patterns += [re.compile(pattern, re.IGNORECASE) for pattern in bodies().bodies[premise.body].excludes]
    return Exclusions(words, tuple(patterns))


def _is_used(word: str, premise: Premise) -> bool:
    forms = {word, word.removesuffix("s"), f"{word}s"}
    return bool(forms & premise.words)

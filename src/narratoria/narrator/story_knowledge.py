"""Defines what the story knows beyond the facts of a scene: what it keeps for later, and its open words.

The engine hands it to the gate in the host's own process. It is never part of a skill's input or of a log.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text that the plot keeps, and who would have to tell it."""

    id: str
    text: str
    owner: str = ""  # a person's id
    spoken: str = ""  # as its owner would say it


@dataclass(frozen=True, slots=True)
class StoryKnowledge:
    """Texts that must not be told yet, and everything the author wrote in the open."""

    kept_texts: tuple[KeptText, ...] = ()
    open_texts: tuple[str, ...] = ()
    other_places: tuple[tuple[str, str], ...] = ()  # name, and what is written of it


NO_KNOWLEDGE = StoryKnowledge()

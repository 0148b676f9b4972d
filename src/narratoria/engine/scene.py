"""What the player is shown: a scene, its roll and its choices."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

# beat: something the campaign offers · continue: let the story choose · free: told by its words alone
Kind: TypeAlias = Literal["begin", "beat", "go", "talk", "look", "wait", "continue", "free"]
Source: TypeAlias = Literal["storyteller", "narrator", "fallback"]


class Choice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something the player can do next, and why it is offered."""

    text: str
    kind: Kind = "free"
    target: str = ""  # a place or a person
    beat: str = ""
    risky: bool = False
    hint: str = ""
    because: tuple[str, ...] = ()  # what happened earlier that makes it possible, or easier


BEGIN = Choice(text="Begin", kind="begin")
GENERIC_CHOICES = (  # when nobody could think of better ones; what they say is the specification's
    Choice(text="Continue", kind="continue"),
    Choice(text="Look around", kind="look"),
    Choice(text="Wait", kind="wait"),
)


class Roll(msgspec.Struct, frozen=True):
    formula: str
    total: int
    outcome: str = ""
    rolls: tuple[int, ...] = ()
    modifier: int = 0


class Scene(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    number: int
    action: str  # the choice that led here
    place: str
    paragraphs: tuple[str, ...]
    choices: tuple[Choice, ...]
    roll: Roll | None = None
    beats: tuple[str, ...] = ()  # those that were told here
    source: Source = "storyteller"

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)

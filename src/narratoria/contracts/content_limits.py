"""Defines content limits: how much violence, fear and romance a player wants, and whether a child plays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

import msgspec

ContentKind: TypeAlias = Literal["violence", "fear", "romance", "cruelty", "drink"]
ContentLevel: TypeAlias = Literal["none", "mild", "full"]
Content: TypeAlias = Mapping[ContentKind, ContentLevel]  # what something holds, and how much of it

CONTENT_KINDS: tuple[ContentKind, ...] = get_args(ContentKind)
CONTENT_LEVELS: tuple[ContentLevel, ...] = get_args(ContentLevel)  # from the least to the most


class ContentLimits(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds the most of each kind that a player wants; `children` sets every kind to none."""

    violence: ContentLevel = "full"
    fear: ContentLevel = "full"
    romance: ContentLevel = "full"
    children: bool = False  # also keeps out cruelty, drink and drugs

    def limit_of(self, kind: ContentKind) -> ContentLevel:
        """Return the most there may be of a kind."""
        if self.children:
            return "none"
        levels: dict[str, ContentLevel] = {
            "violence": self.violence,
            "fear": self.fear,
            "romance": self.romance,
        }
        return levels.get(kind, "full")

    def find_beyond(self, content: Content) -> ContentKind | None:
        """Return the first kind of which there is more than the limit, or None where all is within."""
        for kind in CONTENT_KINDS:
            if is_more(content.get(kind, "none"), self.limit_of(kind)):
                return kind
        return None

    def allows(self, content: Content) -> bool:
        return self.find_beyond(content) is None

    @property
    def is_set(self) -> bool:
        return any(self.limit_of(kind) != "full" for kind in CONTENT_KINDS)


NO_LIMITS = ContentLimits()
STRICTEST = ContentLimits(children=True)


def is_more(level: ContentLevel, other: ContentLevel) -> bool:
    return CONTENT_LEVELS.index(level) > CONTENT_LEVELS.index(other)


def join_content(*contents: Content) -> dict[ContentKind, ContentLevel]:
    """Return the most of each kind that any of the contents has."""
    joined: dict[ContentKind, ContentLevel] = {}
    for content in contents:
        for kind, level in content.items():
            if is_more(level, joined.get(kind, "none")):
                joined[kind] = level
    return joined

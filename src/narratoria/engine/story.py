"""A story as it stands in a list: what it is called, how far it is, and where it branched off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from narratoria.store import Playthrough


class Story(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Undoing a turn goes on with another line of the store; the story keeps its id."""

    id: str
    title: str
    campaign: str
    seed: int = 0
    created_at: str = ""
    played_at: str = ""  # when its last scene was told
    scenes: int = 0
    place: str = ""
    ended: str = ""  # the ending that was told
    seconds_played: float = 0.0
    parent: str | None = None  # the story it branched off
    branched_at: int | None = None  # the last scene they share
    line: str = ""  # its name in the store

    @property
    def minutes_played(self) -> int:
        return round(self.seconds_played / 60)


class Lines:
    """Which lines of the store are one story: the one that is told, and those that undoing left behind."""

    def __init__(self, playthroughs: Sequence[Playthrough]) -> None:
        self._lines: Mapping[str, Playthrough] = {line.id: line for line in playthroughs}
        self._before = {line.superseded_by: line.id for line in playthroughs if line.superseded_by}

    def story_of(self, line: str) -> str:
        """The id that the story has had from its beginning."""
        while line in self._before:
            line = self._before[line]
        return line

    def told_on(self, story_id: str) -> str:
        """The line on which the story goes on."""
        line = story_id
        while (kept := self._lines.get(line)) and kept.superseded_by and kept.superseded_by in self._lines:
            line = kept.superseded_by
        return line

    def branched_off(self, line: str) -> tuple[str | None, int | None]:
        """The story this one left, and the last turn they share."""
        own = self.story_of(line)
        while kept := self._lines.get(line):
            if kept.parent_id is None:
                break
            if self.story_of(kept.parent_id) != own:
                known = kept.parent_id in self._lines
                return (self.story_of(kept.parent_id) if known else None), kept.fork_turn
            line = kept.parent_id
        return None, None

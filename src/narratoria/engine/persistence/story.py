"""A story as it stands in a list: what it is called, how far it is, and where it branched off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from narratoria.store import Playthrough

LONGEST_NAME = 60  # characters of whoever is played, beside a title


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
    player: str = ""  # who it is that the player plays

    @property
    def minutes_played(self) -> int:
        return round(self.seconds_played / 60)


def told_apart(stories: Iterable[Story]) -> tuple[Story, ...]:
    """The same stories under titles of which no two are the same: beside a title that several have stands who
    is played, and a number where that is not enough."""
    listed = tuple(stories)
    often = Counter(story.title for story in listed)
    titles = {story.id: story.title for story in listed if often[story.title] == 1}
    taken = set(titles.values())
    for story in sorted(listed, key=lambda story: (story.created_at, story.id)):
        if story.id not in titles:
            titles[story.id] = next(title for title in _titles(story) if title not in taken)
            taken.add(titles[story.id])
    return tuple(msgspec.structs.replace(story, title=titles[story.id]) for story in listed)


def _titles(story: Story) -> Iterator[str]:
    yield f"{story.title} ({story.player})" if story.player else story.title
    lead = f"{story.player}, " if story.player else ""
    yield from (f"{story.title} ({lead}{number})" for number in count(2))


def player_of(persona: object) -> str:
    """The name in a persona, of which a skill may have made anything."""
    name = persona.get("name") if isinstance(persona, Mapping) else None
    return " ".join(name.split())[:LONGEST_NAME] if isinstance(name, str) else ""


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

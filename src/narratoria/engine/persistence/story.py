"""Defines a story as it is listed, and which branches of the store belong to one story."""

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
    """Describes a story; undoing a turn moves it to another branch of the store, and it keeps its id."""

    id: str
    title: str
    campaign: str
    seed: int = 0
    created_at: str = ""
    played_at: str = ""  # when its last scene was shown
    scenes: int = 0
    place: str = ""
    ended: str = ""  # the ending that was reached
    seconds_played: float = 0.0
    parent: str | None = None  # the story it branched off
    branched_at: int | None = None  # the last scene they share
    branch: str = msgspec.field(default="", name="line")  # its name in the store
    player: str = ""  # the name of the player's character

    @property
    def minutes_played(self) -> int:
        return round(self.seconds_played / 60)


def with_unique_titles(stories: Iterable[Story]) -> tuple[Story, ...]:
    """Return the stories with unique titles: the character is added to equal ones, then a number."""
    all_stories = tuple(stories)
    title_counts = Counter(story.title for story in all_stories)
    titles = {story.id: story.title for story in all_stories if title_counts[story.title] == 1}
    used_titles = set(titles.values())
    for story in sorted(all_stories, key=lambda story: (story.created_at, story.id)):
        if story.id not in titles:
            titles[story.id] = next(title for title in _titles(story) if title not in used_titles)
            used_titles.add(titles[story.id])
    return tuple(msgspec.structs.replace(story, title=titles[story.id]) for story in all_stories)


def _titles(story: Story) -> Iterator[str]:
    yield f"{story.title} ({story.player})" if story.player else story.title
    lead = f"{story.player}, " if story.player else ""
    yield from (f"{story.title} ({lead}{number})" for number in count(2))


def player_of(persona: object) -> str:
    """Return the name in a persona, which a skill may have changed into anything."""
    name = persona.get("name") if isinstance(persona, Mapping) else None
    return " ".join(name.split())[:LONGEST_NAME] if isinstance(name, str) else ""


class BranchIndex:
    """Says which branches of the store are one story: the present one, and those that undoing left behind."""

    def __init__(self, playthroughs: Sequence[Playthrough]) -> None:
        self._branches: Mapping[str, Playthrough] = {branch.id: branch for branch in playthroughs}
        self._before = {branch.superseded_by: branch.id for branch in playthroughs if branch.superseded_by}

    def story_of(self, branch: str) -> str:
        """Return the id that the story has had from its beginning."""
        while branch in self._before:
            branch = self._before[branch]
        return branch

    def present_branch(self, story_id: str) -> str:
        """Return the branch on which the story goes on."""
        branch = story_id
        while branch in self._branches:
            successor = self._branches[branch].superseded_by
            if not successor or successor not in self._branches:
                break
            branch = successor
        return branch

    def parent_of(self, branch: str) -> tuple[str | None, int | None]:
        """Return the story that this one branched off, and the last turn they share."""
        story_id = self.story_of(branch)
        while playthrough := self._branches.get(branch):
            if playthrough.parent_id is None:
                break
            if self.story_of(playthrough.parent_id) != story_id:
                is_known = playthrough.parent_id in self._branches
                return (self.story_of(playthrough.parent_id) if is_known else None), playthrough.fork_turn
            branch = playthrough.parent_id
        return None, None

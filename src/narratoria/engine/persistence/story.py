"""Defines a story as it is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

import msgspec

TRIAL = "trial-"  # begins the id of a story that an author throws away
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
    owner: str = ""  # the account whose story it is; empty for that of the home itself

    @property
    def is_trial(self) -> bool:
        """Return whether it was begun to try a campaign out, and is not kept."""
        return self.id.startswith(TRIAL)

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

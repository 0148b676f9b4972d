"""A campaign of two places and two people, and stories of it that are played without any skill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from narratoria.campaign.campaign import (
    Beat,
    Campaign,
    Conditions,
    Manifest,
    Personality,
    Place,
    Profile,
    ProfileMetadata,
    Way,
)
from narratoria.engine.action import choose
from narratoria.engine.advance import advance_story
from narratoria.engine.conditions import StorySituation
from narratoria.engine.scene import Choice, Roll, Scene
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.skills.health import SessionHealth


def beat(beat_id: str, conditions: Conditions = Conditions(), **others: Any) -> Beat:  # noqa: B008
    return Beat(id=beat_id, title=beat_id, description=beat_id, conditions=conditions, **others)


def person(name: str, place: str) -> Profile:
    return Profile(
        name=name, role="", personality=Personality(), metadata=ProfileMetadata(first_appearance=place)
    )


def story(*all_beats: Beat, **others: Any) -> Campaign:
    mill = Place("mill", "The mill", "A mill.", ways=(Way("inn", "down the road"),))
    inn = Place("inn", "The inn", "An inn.", ways=(Way("mill", "up the road"),))
    return Campaign(
        Path(),
        Manifest(title="t", version="1.0.0"),
        start="mill",
        places={"mill": mill, "inn": inn},
        people={"ada": person("Ada", "mill"), "bo": person("Bo", "inn")},
        beats=all_beats,
        **others,
    )


def situation(
    campaign: Campaign, progress: Progress | None = None, flags: frozenset[str] = frozenset(), **others: Any
) -> StorySituation:
    return StorySituation(campaign, progress or Progress(place="mill"), flags, **others)


def play(session: StorySnapshot, choice: Choice, campaign: Campaign, outcome: str = "") -> StorySnapshot:
    """Return the story after a choice, without any skill."""
    action = choose(choice, session, campaign)
    scene = Scene(
        number=session.progress.scene + 1,
        action=choice.text,
        place=action.place.id,
        paragraphs=("It happens.", "It has happened."),
        choices=(),
        roll=Roll("2d6", 7, outcome) if outcome else None,
        beats=tuple(each.id for each in action.beats),
    )
    return advance_story(scene, action, session, campaign, state=session.state, health=SessionHealth())


def begin(campaign: Campaign) -> StorySnapshot:
    return play(StorySnapshot(id="s", campaign="t", seed=1), Choice(text="Begin", kind="begin"), campaign)


WAIT = Choice(text="Wait", kind="wait")

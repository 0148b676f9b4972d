"""Stories told by the engine and the composer alone, with choices at random among all that can be done."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from narratoria import paths
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.load import load_campaign
from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.action import choose
from narratoria.engine.advance import advance_story
from narratoria.engine.facts import build_facts
from narratoria.engine.scene import BEGIN, ENDED_CHOICES, Choice, Roll, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.skills.health import SessionHealth


@dataclass(frozen=True)
class Turn:
    before: StorySnapshot
    after: StorySnapshot
    scene: Scene
    known: SceneFacts
    campaign: Campaign


def turns(name: str, seed: int, many: int) -> Iterator[Turn]:
    campaign = load_campaign(paths.BUNDLED_CAMPAIGNS / name)
    session, dice, choice = StorySnapshot(id="s", campaign=name, seed=seed), random.Random(seed), BEGIN
    for _ in range(many):
        deed = choose(choice, session, campaign)
        known = build_facts(deed, session, campaign)
        outcome = dice.choice(list(known.drafts))
        scene = Scene(
            number=session.progress.scene + 1,
            action=choice.text,
            place=deed.place.id,
            paragraphs=known.drafts[outcome],
            choices=(),
            roll=Roll("2d6", 7, outcome) if outcome else None,
            beats=tuple(beat.id for beat in deed.beats),
        )
        after = advance_story(scene, deed, session, campaign, state=session.state, health=SessionHealth())
        yield Turn(session, after, scene, known, campaign)
        session = after
        ended = session.progress.ending
        choice = dice.choice(ENDED_CHOICES if ended else options(known, outcome))
        if choice.kind == "branch":
            choice = Choice(text="Begin again", kind="again")


def options(known: SceneFacts, outcome: str) -> list[Choice]:
    ahead = known.next[outcome]
    people = [one for one in known.people if one.id in ahead.people]
    return [
        *(Choice(text=one.text, kind="beat", beat=one.beat, risky=one.risky) for one in ahead.openings),
        *(Choice(text=f"Go to {one.name}", kind="go", target=one.to) for one in ahead.ways),
        *(Choice(text=f"Talk to {one.name}", kind="talk", target=one.id) for one in people),
        Choice(text="Look around", kind="look"),
        Choice(text="Wait", kind="wait"),
    ]

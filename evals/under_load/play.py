"""Plays sittings of the bundled campaigns, picked and typed, and notes what there is to do after a turn."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from narratoria import app, paths
from narratoria.engine.events import ToolEnded
from narratoria.engine.scene import GENERIC_CHOICES, Choice, Scene
from narratoria.engine.story_session import StorySession
from narratoria.planner.intent import load_acts
from narratoria.planner.plan_scripts import CHOICES, step_id

SITTING = 10  # turns after which the program is closed and opened anew
TYPED_SHARE = 0.3
GENERIC_TEXTS = {*(choice.text for choice in GENERIC_CHOICES), "Wait and listen"}  # offered anywhere
FEWEST_REAL = 2


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    campaign: str
    number: int
    seconds: float
    choices: tuple[str, ...]
    has_real_choices: bool
    by_skill: bool  # whether the choices skill came through
    skills_off: frozenset[str]


def is_real(choices: Sequence[Choice]) -> bool:
    """Return whether two or more choices are about this story, and every one says why it is offered."""
    real = [choice for choice in choices if choice.text not in GENERIC_TEXTS]
    return len(real) >= FEWEST_REAL and all(any(one.id for one in choice.because) for choice in choices)


async def play_sittings(turns: int, seed: int) -> list[PlayedTurn]:
    """Play so many turns in all, ten of each campaign in its turn."""
    campaigns = sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir())
    played: list[PlayedTurn] = []
    sitting = 0
    while len(played) < turns:
        campaign, dice = campaigns[sitting % len(campaigns)], random.Random(f"{seed}/{sitting}")
        async with app.open_library() as library:
            session = await library.begin(campaign, {}, seed=seed + sitting)
            await _play_sitting(session, campaign, dice, min(SITTING, turns - len(played)), played)
        sitting += 1
    return played


async def _play_sitting(
    session: StorySession, campaign: str, dice: random.Random, turns: int, played: list[PlayedTurn]
) -> None:
    await session.resume()
    for _ in range(turns):
        scene = session.scene
        if scene is None or session.snapshot.progress.ending:
            return
        before, started = session.log.last, time.monotonic()
        told = await _act(session, scene, dice)
        if told is scene or told.ending:
            continue
        ended = [event for event in session.log.since(before) if isinstance(event, ToolEnded)]
        played.append(
            PlayedTurn(
                campaign=campaign,
                number=told.number,
                seconds=time.monotonic() - started,
                choices=tuple(choice.text for choice in told.choices),
                has_real_choices=is_real(told.choices),
                by_skill=any(one.tool_id == step_id(CHOICES) and one.state == "success" for one in ended),
                skills_off=session.snapshot.health.disabled,
            )
        )


async def _act(session: StorySession, scene: Scene, dice: random.Random) -> Scene:
    """Pick one of the choices, or now and then type what players type."""
    if dice.random() < TYPED_SHARE:
        acts = load_acts()
        return await session.say(dice.choice(acts[dice.choice(list(acts))].examples))
    return await session.choose(dice.choice(scene.choices))

"""One life of a thousand turns: the real engine and store, with no skill in the way and no ending."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from narratoria import paths
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.load import load_campaign
from narratoria.engine import beats
from narratoria.engine.action import here_of, openings_at, situation_of
from narratoria.engine.memory import recall, save
from narratoria.engine.memory.recall import make_recaller
from narratoria.engine.memory.save import make_saver
from narratoria.engine.people import people_at
from narratoria.engine.scene import BEGIN, Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.turn import TurnDependencies, play_turn
from narratoria.inference.embedder import Embedder
from narratoria.planner.patterns import PatternPlanner
from narratoria.planning.plan_log import PlanLog
from narratoria.skills.discovery import discover
from narratoria.skills.resolve import Tools
from narratoria.store import Store
from narratoria.store.scope import Scope

CAMPAIGN, LINE = "harrowmere", "long-story"
PATIENCE = 60.0  # seconds: what is measured here is the store, not whether a busy machine was in time
EARLY = 20  # turns, whose names, promises and debts are asked for at the end


def free(text: str) -> Choice:
    return Choice(text=text, kind="free")


# what is done in the first turns: the story's own offers, and three things in the player's words
OPENING = (
    Choice(text="Go to the Stilt Market", kind="go", target="market"),
    Choice(text="Ask Senna Rook what she would take", kind="beat", beat="price-of-a-thing"),
    Choice(text="Promise Senna Rook that you will try", kind="beat", beat="promise-to-senna"),
    free("borrow ten silver pennies from Senna Rook"),
    Choice(text="Go to the Landing", kind="go", target="landing"),
    free("swear to Pike that nobody shall take him up the ramp"),
    Choice(text="Go to the Bell Foundry", kind="go", target="foundry"),
    Choice(text="Report to Dame Ottoline with your letter", kind="beat", beat="report-to-ottoline"),
    Choice(text="Take the founders' oath", kind="beat", beat="founders-oath"),
    free("lend Dame Ottoline your founder's rule"),
)


@dataclass
class Played:
    session: StorySnapshot
    campaign: Campaign
    scope: Scope
    store: Store
    seconds: list[float] = field(default_factory=list)  # of each turn
    worked: list[float] = field(
        default_factory=list
    )  # the same, of the processor: what others do is not in it
    sizes: list[int] = field(default_factory=list)  # bytes of what goes from one turn to the next
    early: StorySnapshot | None = None  # after the first twenty turns


async def play(turns: int, folder: Path, embedder: Embedder, seed: int = 1) -> Played:
    """`turns` turns; the store stays open in what is returned, and whoever asks it closes it."""
    recall.STORE_TIMEOUT_S = save.STORE_TIMEOUT_S = PATIENCE
    campaign = load_campaign(paths.BUNDLED_CAMPAIGNS / CAMPAIGN)
    store = await Store.open(folder / "narratoria.db", embedder)
    await store.playthroughs.create(CAMPAIGN, seed=seed, identifier=LINE)

    async def scope() -> Scope:
        return store.at(LINE, "s")

    stage = TurnDependencies(
        campaign,
        PatternPlanner(),
        (),
        Tools(discover([folder / "none"])).resolve,
        PlanLog(folder / "logs"),
        assets=folder,
        recall=make_recaller(scope, campaign),
        save=make_saver(scope, campaign, []),
    )
    played = Played(StorySnapshot(id=LINE, campaign=CAMPAIGN, seed=seed), campaign, await scope(), store)
    for choice in _choices(turns, played, random.Random(seed)):
        begun, worked = time.perf_counter(), time.process_time()
        played.session, _ = await play_turn(played.session, choice, stage)
        played.seconds.append(time.perf_counter() - begun)
        played.worked.append(time.process_time() - worked)
        played.sizes.append(len(msgspec.json.encode(played.session.progress)))
        if len(played.seconds) == EARLY:
            played.early = played.session
    return played


def _choices(turns: int, played: Played, dice: random.Random) -> Iterator[Choice]:
    """The opening, then whatever can be done and ends nothing."""
    opening = (BEGIN, *OPENING)
    for number in range(turns):
        yield opening[number] if number < len(opening) else dice.choice(_open(played))


def _open(played: Played) -> list[Choice]:
    situation = situation_of(played.session, played.campaign)
    here = here_of(situation)
    found = [
        Choice(text=beats.offer_of(beat), kind="beat", beat=beat.id, risky=beat.is_risky)
        for beat in openings_at(here, situation)
        if not beat.ending
    ]
    found += [Choice(text=f"Go to {way.to}", kind="go", target=way.to) for way in here.ways]
    present = people_at(here.id, played.campaign, situation.progress)
    found += [Choice(text=f"Talk to {one.name}", kind="talk", target=who) for who, one in present.items()]
    return [*found, Choice(text="Look around", kind="look"), Choice(text="Wait", kind="wait")]

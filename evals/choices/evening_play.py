"""Plays evenings by picking offered choices, and records what was offered, picked and told in each turn.

`python -m evals.choices.evening_play CAMPAIGN TURNS POLICY SEED FILE` writes one turn a line.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec

from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.engine.memory import recall, save
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.story_session import StorySession

# random: any · greedy: the first · curious: what was not picked before · linger: curious, ends no story
Policy: TypeAlias = Literal["random", "greedy", "curious", "linger"]
AFTER_THE_END = ("look-back", "again", "branch", "leave")
TIMEOUT_S = 60.0  # for a memory: a busy machine plays the same story
SOURCES = ("topic", "evidence", "unit")  # kinds of receipts under a paragraph that say what it was made of
CAMPAIGNS = Path(__file__).parent.parent / "answers" / "campaigns"


class PlayedTurn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn: what was picked, what was told and what it was made of, and what was offered then."""

    campaign: str
    policy: Policy
    seed: int
    story: int  # which of the run, from 1 on
    number: int  # of the scene
    place: str
    paragraphs: tuple[str, ...]
    offered: tuple[Choice, ...]
    picked: Choice | None = None
    sources: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    new: tuple[str, ...] = ()  # of sources and effects, those that the story did not have before
    critical: tuple[str, ...] = ()  # of the offered beats, those that the story cannot do without
    alike: tuple[float, ...] = ()  # how like each offered choice is to the memory it is likest to: relevance
    ended: bool = False


async def play_evening(campaign: str, turns: int, policy: Policy, seed: int) -> list[PlayedTurn]:
    """Return the turns of one story after another until so many are played."""
    recall.STORE_TIMEOUT_S = save.STORE_TIMEOUT_S = TIMEOUT_S
    folder = CAMPAIGNS / campaign
    name = str(folder) if folder.exists() else campaign
    dice, played = random.Random(f"{seed}/{policy}"), list[PlayedTurn]()
    with tempfile.TemporaryDirectory() as home:
        os.environ["NARRATORIA_HOME"] = home
        files = app.open_campaign(name)  # in that home: a sparse one is filled up there
        async with app.open_isolated_library(Path(home)) as library:
            story = 0
            while len(played) < turns:
                story += 1
                session = await library.begin(name, None, seed=1000 * seed + story)
                before, known = session.snapshot, set[str]()
                scene, picked = await session.resume(), None
                picked_texts: list[str] = []
                while True:
                    after = session.snapshot
                    sources = tuple(dict.fromkeys(_sources_of(scene, before, after, files)))
                    effects = tuple(dict.fromkeys(_effects_of(scene, before, after)))
                    new = tuple(one for one in (*sources, *effects) if one not in known)
                    known |= {*sources, *effects}
                    played.append(
                        PlayedTurn(
                            campaign=campaign,
                            policy=policy,
                            seed=seed,
                            story=story,
                            number=scene.number,
                            place=scene.place,
                            paragraphs=scene.paragraphs,
                            offered=scene.choices,
                            picked=picked,
                            sources=sources,
                            effects=effects,
                            new=new,
                            critical=_critical_beats(scene, files),
                            alike=await _liken(scene, session),
                            ended=bool(after.progress.ending),
                        )
                    )
                    if after.progress.ending or len(played) >= turns:
                        break
                    picked = _pick(scene, policy, dice, picked_texts, files)
                    picked_texts.append(picked.text)
                    before = after
                    scene = await session.choose(picked)
    return played


def _pick(scene: Scene, policy: Policy, dice: random.Random, before: list[str], campaign: Campaign) -> Choice:
    choices = [choice for choice in scene.choices if choice.kind not in AFTER_THE_END] or list(scene.choices)
    if policy == "greedy":
        return choices[0]
    if policy == "linger":
        endings = {beat.id for beat in campaign.beats if beat.ending}
        choices = [choice for choice in choices if choice.beat not in endings] or choices
    if policy in ("curious", "linger"):
        fewest = min(before.count(choice.text) for choice in choices)
        choices = [choice for choice in choices if before.count(choice.text) == fewest]
    return dice.choice(choices)


def _sources_of(
    scene: Scene, before: StorySnapshot, after: StorySnapshot, campaign: Campaign
) -> Iterator[str]:
    """Yield the ids of what a scene was made of: beats, topics, evidence, units, and layers of a place."""
    yield from (f"beat:{beat}" for beat in scene.beats)
    for passage in scene.passages:
        yield from (f"{one.kind}:{one.id}" for one in passage.because if one.kind in SOURCES)
    for place in after.progress.visits:
        if after.progress.visits[place] > before.progress.visits.get(place, 0):
            yield f"place:{place}"
    for place, count in after.progress.detail_counts.items():
        if before.progress.detail_counts.get(place, 0) < count <= len(campaign.places[place].details):
            yield f"layer:{place}/{count}"


def _effects_of(scene: Scene, before: StorySnapshot, after: StorySnapshot) -> Iterator[str]:
    """Yield what a turn changed: the sentences that are shown, flags, and people who went or died."""
    yield from scene.effects
    yield from (f"flag:{flag}" for flag in after.flags - before.flags)
    yield from (f"dead:{who}" for who in set(after.progress.dead) - set(before.progress.dead))
    moved = _moves(after.progress) - _moves(before.progress)
    yield from (f"moved:{who}/{to}" for who, to in sorted(moved) if who not in after.progress.company)


def _moves(progress: Progress) -> set[tuple[str, str]]:
    return set(progress.moved_people.items())


async def _liken(scene: Scene, session: StorySession) -> tuple[float, ...]:
    """Return the relevance of the memory that each offered choice is likest to; 0 for those after the end."""
    scope = await session.memory.scope()
    alike = []
    for choice in scene.choices:
        is_of_story = choice.kind not in AFTER_THE_END
        hits = await scope.semantic_search(choice.text, "memory", 1, min_relevance=0.0) if is_of_story else ()
        alike.append(max((hit.relevance for hit in hits), default=0.0))
    return tuple(alike)


def _critical_beats(scene: Scene, campaign: Campaign) -> tuple[str, ...]:
    critical = {beat.id for beat in campaign.beats if beat.priority == "critical" or beat.ending}
    return tuple(choice.beat for choice in scene.choices if choice.beat in critical)


def read_turns(file: Path) -> list[PlayedTurn]:
    lines = file.read_bytes().splitlines()
    return [msgspec.json.decode(line, type=PlayedTurn) for line in lines if line]


def write_turns(turns: list[PlayedTurn], file: Path) -> None:
    file.write_bytes(b"".join(msgspec.json.encode(turn) + b"\n" for turn in turns))


def main() -> None:
    campaign, turns, policy, seed, file = sys.argv[1:6]
    if policy not in get_args(Policy):
        sys.exit(f"{policy}: not a policy ({', '.join(get_args(Policy))})")
    write_turns(asyncio.run(play_evening(campaign, int(turns), policy, int(seed))), Path(file))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()

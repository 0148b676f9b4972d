"""The whole loop of a turn: choose → plan → execute → aggregate → render → remember."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.action import ResolvedAction, choose
from narratoria.engine.advance import advance_story
from narratoria.engine.facts import build_facts
from narratoria.engine.memory.recall import NOTHING, RecallResult
from narratoria.engine.persistence.turn_record import TurnTrace
from narratoria.engine.render import render, said
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan_log import PlanLog
from narratoria.planning.plan_request import Planner, PlanRequest, ReadAheadPlanner
from narratoria.planning.prepare import Resolve
from narratoria.planning.progress import OnProgress
from narratoria.planning.replan import run_replan_loop
from narratoria.skills.skill import Skill

# what the store remembers that has to do with a choice; never fails, and is quick or gives up
Recall: TypeAlias = Callable[[Choice, StorySnapshot], Awaitable[RecallResult]]
Keep: TypeAlias = Callable[
    [Scene, ResolvedAction, StorySnapshot], Awaitable[None]
]  # gives the store what is worth saving


@dataclass(frozen=True, slots=True)
class TurnDependencies:
    """Everything a turn needs besides the story."""

    campaign: Campaign
    planner: Planner
    skills: Sequence[Skill]
    resolve: Resolve
    journal: PlanLog
    assets: Path  # each story has a folder in there for the files its tools make
    bounds: Bounds = Bounds()
    recall: Recall | None = None
    keep: Keep | None = None
    sitting: str = ""  # the session of play, as records name it
    warnings: tuple[str, ...] = ()  # about the skills; none of it stops a story


async def play_turn(
    session: StorySnapshot,
    choice: Choice,
    dependencies: TurnDependencies,
    *,
    on_progress: OnProgress | None = None,
) -> StorySnapshot:
    """The story after this choice. Whatever fails on the way, it has one more scene."""
    return (await tell_turn(session, choice, dependencies, on_progress=on_progress))[0]


async def tell_turn(
    session: StorySnapshot,
    choice: Choice,
    dependencies: TurnDependencies,
    *,
    take: int = 0,
    luck: int = 0,
    on_progress: OnProgress | None = None,
) -> tuple[StorySnapshot, TurnTrace]:
    """The story after this choice, and what the turn was made of; another take is told in other words, with
    the dice of `luck`."""
    recalled = await dependencies.recall(choice, session) if dependencies.recall else NOTHING
    action = choose(choice, session, dependencies.campaign, recalled)
    known = build_facts(action, _in_other_words(session, take), dependencies.campaign, recalled)
    carried = await run_replan_loop(
        action.choice.text,
        session.state,
        planner=dependencies.planner,
        skills=dependencies.skills,
        resolve=dependencies.resolve,
        execute=partial(
            execute,
            bounds=dependencies.bounds,
            context=_context(session, dependencies, take, luck),
            on_progress=on_progress,
        ),
        journal=dependencies.journal,
        health=session.health,
        context=known.to_json_values(),
    )
    trace = TurnTrace.of(carried, msgspec.to_builtins(recalled))
    after = _ended(session, action, dependencies.campaign, known, trace)
    if dependencies.keep:
        await dependencies.keep(after.scenes[-1], action, session)
    return after, trace


async def expect_turn(session: StorySnapshot, dependencies: TurnDependencies) -> None:
    """Lets the planner read, while the player does, what it would read first when the player has chosen."""
    planner, disabled = dependencies.planner, session.health.disabled
    if isinstance(planner, ReadAheadPlanner) and planner.reads_ahead and not session.progress.ended:
        known = build_facts(
            choose(Choice(text=""), session, dependencies.campaign), session, dependencies.campaign
        )
        skills = [skill for skill in dependencies.skills if skill.name not in disabled]
        await planner.expect(PlanRequest("", skills, disabled, known.to_json_values()))


def retell_turn(
    session: StorySnapshot, choice: Choice, campaign: Campaign, trace: TurnTrace, *, take: int = 0
) -> StorySnapshot:
    """The story after this choice, from what is known of the turn; nothing is run."""
    recalled = msgspec.convert(trace.recalled, RecallResult)
    action = choose(choice, session, campaign, recalled)
    known = build_facts(action, _in_other_words(session, take), campaign, recalled)
    return _ended(session, action, campaign, known, trace)


def _ended(
    session: StorySnapshot, action: ResolvedAction, campaign: Campaign, known: SceneFacts, trace: TurnTrace
) -> StorySnapshot:
    told = said(trace.told, session.state)
    scene = render(session.progress.scene + 1, action, trace.told, told, known)
    return advance_story(scene, action, session, campaign, state=told.state, health=trace.told.health)


def _in_other_words(session: StorySnapshot, take: int) -> StorySnapshot:
    """The same story for whoever words it: what was said once is said otherwise."""
    return msgspec.structs.replace(session, seed=_mixed(f"{session.seed}/{take}")) if take else session


def _context(session: StorySnapshot, dependencies: TurnDependencies, take: int, luck: int) -> dict[str, Any]:
    """What every tool of this turn is told; the seed makes a replay tell the same story."""
    turn = f"{session.seed}/{session.progress.scene + 1}{f'/{luck}' if luck else ''}"
    return {
        "campaignDir": str(dependencies.campaign.folder),
        "assetDir": str(dependencies.assets / session.id / "assets"),
        "playthroughId": session.id,
        **({"sessionId": dependencies.sitting} if dependencies.sitting else {}),
        "seed": _mixed(turn),
        **({"take": take} if take else {}),  # told anew, in other words
    }


def _mixed(text: str) -> int:
    """48 bits: a whole number in every language a skill may be written in."""
    return int.from_bytes(sha256(text.encode()).digest()[:6])

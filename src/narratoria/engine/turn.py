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
from narratoria.engine.deed import Deed, choose
from narratoria.engine.facts import facts
from narratoria.engine.memory.recall import NOTHING, Recollection
from narratoria.engine.persistence.turn_record import Trace
from narratoria.engine.remember import remember
from narratoria.engine.render import render, said
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import Session
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan_log import PlanLog
from narratoria.planning.plan_request import Expects, Planner, PlanRequest
from narratoria.planning.prepare import Resolve
from narratoria.planning.progress import OnProgress
from narratoria.planning.replan import run_replan_loop
from narratoria.skills.skill import Skill

# what the store remembers that has to do with a choice; never fails, and is quick or gives up
Recall: TypeAlias = Callable[[Choice, Session], Awaitable[Recollection]]
Keep: TypeAlias = Callable[[Scene, Deed, Session], Awaitable[None]]  # gives the store what is worth keeping


@dataclass(frozen=True, slots=True)
class Stage:
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
    session: Session, choice: Choice, stage: Stage, *, on_progress: OnProgress | None = None
) -> Session:
    """The story after this choice. Whatever fails on the way, it has one more scene."""
    return (await tell_turn(session, choice, stage, on_progress=on_progress))[0]


async def tell_turn(
    session: Session,
    choice: Choice,
    stage: Stage,
    *,
    take: int = 0,
    luck: int = 0,
    on_progress: OnProgress | None = None,
) -> tuple[Session, Trace]:
    """The story after this choice, and what the turn was made of; another take is told in other words, with
    the dice of `luck`."""
    recalled = await stage.recall(choice, session) if stage.recall else NOTHING
    deed = choose(choice, session, stage.campaign, recalled)
    known = facts(deed, _in_other_words(session, take), stage.campaign, recalled)
    carried = await run_replan_loop(
        deed.choice.text,
        session.state,
        planner=stage.planner,
        skills=stage.skills,
        resolve=stage.resolve,
        execute=partial(
            execute,
            bounds=stage.bounds,
            context=_context(session, stage, take, luck),
            on_progress=on_progress,
        ),
        journal=stage.journal,
        health=session.health,
        context=known,
    )
    trace = Trace.of(carried, msgspec.to_builtins(recalled))
    after = _ended(session, deed, stage.campaign, known, trace)
    if stage.keep:
        await stage.keep(after.scenes[-1], deed, session)
    return after, trace


async def expect_turn(session: Session, stage: Stage) -> None:
    """Lets the planner read, while the player does, what it would read first when the player has chosen."""
    planner, disabled = stage.planner, session.health.disabled
    if isinstance(planner, Expects) and planner.reads_ahead and not session.progress.ended:
        known = facts(choose(Choice(text=""), session, stage.campaign), session, stage.campaign)
        skills = [skill for skill in stage.skills if skill.name not in disabled]
        await planner.expect(PlanRequest("", skills, disabled, known))


def retell_turn(
    session: Session, choice: Choice, campaign: Campaign, trace: Trace, *, take: int = 0
) -> Session:
    """The story after this choice, from what is known of the turn; nothing is run."""
    recalled = msgspec.convert(trace.recalled, Recollection)
    deed = choose(choice, session, campaign, recalled)
    known = facts(deed, _in_other_words(session, take), campaign, recalled)
    return _ended(session, deed, campaign, known, trace)


def _ended(session: Session, deed: Deed, campaign: Campaign, known: dict[str, Any], trace: Trace) -> Session:
    told = said(trace.told, session.state)
    scene = render(session.progress.scene + 1, deed, trace.told, told, known)
    return remember(scene, deed, session, campaign, state=told.state, health=trace.told.health)


def _in_other_words(session: Session, take: int) -> Session:
    """The same story for whoever words it: what was said once is said otherwise."""
    return msgspec.structs.replace(session, seed=_mixed(f"{session.seed}/{take}")) if take else session


def _context(session: Session, stage: Stage, take: int, luck: int) -> dict[str, Any]:
    """What every tool of this turn is told; the seed makes a replay tell the same story."""
    turn = f"{session.seed}/{session.progress.scene + 1}{f'/{luck}' if luck else ''}"
    return {
        "campaignDir": str(stage.campaign.folder),
        "assetDir": str(stage.assets / session.id / "assets"),
        "playthroughId": session.id,
        **({"sessionId": stage.sitting} if stage.sitting else {}),
        "seed": _mixed(turn),
        **({"take": take} if take else {}),  # told anew, in other words
    }


def _mixed(text: str) -> int:
    """48 bits: a whole number in every language a skill may be written in."""
    return int.from_bytes(sha256(text.encode()).digest()[:6])

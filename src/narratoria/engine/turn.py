"""The whole loop of a turn: choose → plan → execute → aggregate → render → remember."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from narratoria.campaign.campaign import Campaign
from narratoria.engine.deed import choose
from narratoria.engine.facts import facts
from narratoria.engine.remember import remember
from narratoria.engine.render import render, said
from narratoria.engine.scene import Choice
from narratoria.engine.session import Session
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.journal import Journal
from narratoria.planning.planner import Planner
from narratoria.planning.prepare import Resolve
from narratoria.planning.progress import OnProgress
from narratoria.planning.replan import carry_out
from narratoria.skills.skill import Skill


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything a turn needs besides the story."""

    campaign: Campaign
    planner: Planner
    skills: Sequence[Skill]
    resolve: Resolve
    journal: Journal
    assets: Path  # each story has a folder in there for the files its tools make
    bounds: Bounds = Bounds()


async def play_turn(
    session: Session, choice: Choice, stage: Stage, *, on_progress: OnProgress | None = None
) -> Session:
    """The story after this choice. Whatever fails on the way, it has one more scene."""
    deed = choose(choice, session, stage.campaign)
    known = facts(deed, session, stage.campaign)
    carried = await carry_out(
        deed.choice.text,
        session.state,
        planner=stage.planner,
        skills=stage.skills,
        resolve=stage.resolve,
        execute=partial(
            execute,
            bounds=stage.bounds,
            context=_context(session, stage),
            on_progress=on_progress,
        ),
        journal=stage.journal,
        health=session.health,
        context=known,
    )
    told = said(carried, session.state)
    scene = render(session.progress.scene + 1, deed, carried, told, known)
    return remember(scene, deed, session, stage.campaign, state=told.state, health=carried.health)


def _context(session: Session, stage: Stage) -> dict[str, Any]:
    """What every tool of this turn is told; the seed makes a replay tell the same story."""
    turn = f"{session.seed}/{session.progress.scene + 1}"
    return {
        "campaignDir": str(stage.campaign.folder),
        "assetDir": str(stage.assets / session.id / "assets"),
        "playthroughId": session.id,
        # 48 bits: a whole number in every language a skill may be written in
        "seed": int.from_bytes(sha256(turn.encode()).digest()[:6]),
    }

"""The real server with bundled skills that a test can rewrite, and a planner it can break.

`faulty_server.py SKILLS play …`: SKILLS is a copy of the bundled skills, and while a file `no-plan` lies in
it, every plan goes wrong in one of the ways that `narratoria autoplay --faults` knows.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

from narratoria import paths
from narratoria.cli import main
from narratoria.engine import story_session
from narratoria.engine.faults import Faults, FaultyPlanner
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.turn import TurnDependencies

SKILLS = Path(sys.argv.pop(1))
paths.BUNDLED_SKILLS = SKILLS


class WhileAFileIsThere(Faults):
    """No plan comes of any of these."""

    ways = cycle(("raises", "garbage", "unknown tool", "cycle"))

    def planner_trouble(self) -> str:
        return next(self.ways) if (SKILLS / "no-plan").exists() else ""


play_turn = story_session.play_turn


async def play_faulty_turn(
    session: StorySnapshot, choice: Choice, stage: TurnDependencies, **more: Any
) -> Any:
    planner = FaultyPlanner(stage.planner, WhileAFileIsThere(1.0))
    return await play_turn(session, choice, replace(stage, planner=planner), **more)


story_session.play_turn = play_faulty_turn

if __name__ == "__main__":
    main()

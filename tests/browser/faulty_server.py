"""The real server with bundled skills that a test can rewrite, and a planner it can break.

`faulty_server.py SKILLS play …`: SKILLS is a copy of the bundled skills, and while a file `no-plan` lies in
it, every plan goes wrong as `narratoria autoplay --faults` makes them go wrong.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from narratoria import app, places
from narratoria.cli import main
from narratoria.engine.faults import Faults, FaultyPlanner
from narratoria.engine.turn import Stage

SKILLS = Path(sys.argv.pop(1))
places.BUNDLED_SKILLS = SKILLS


class WhileAFileIsThere(Faults):
    def strike(self, what: str, share: float = 1.0) -> bool:
        return (SKILLS / "no-plan").exists()


set_stage = app.set_stage


def set_faulty_stage(*given: Any, **named: Any) -> Stage:
    stage = set_stage(*given, **named)
    return replace(stage, planner=FaultyPlanner(stage.planner, WhileAFileIsThere(1.0)))


app.set_stage = set_faulty_stage

if __name__ == "__main__":
    main()

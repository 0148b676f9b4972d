"""What a box adds to the launch of a tool, for each kind of box that this machine has."""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.measure import Effort, Table, side_by_side, table
from benchmarks.protocol import DONE, PYTHON_TOOL
from narratoria.protocol.command import Command
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
from narratoria.skills.sandbox import confine, probe
from narratoria.skills.sandbox.backends import Backend

LAUNCHES = 20
WITHOUT = "without a box"
TOOLS = {
    "A box around the smallest tool there is (`echo`)": ("/bin/echo", DONE),
    "A box around a Python tool that does nothing (`python -I -S`)": PYTHON_TOOL,
    "A box around a Python tool as skills are started (`python`)": (sys.executable, *PYTHON_TOOL[3:]),
}


async def measure(effort: Effort) -> list[Table]:
    return [await _launches(effort, title, argv) for title, argv in TOOLS.items()]


async def _launches(effort: Effort, title: str, argv: tuple[str, ...]) -> Table:
    launches = effort.of(LAUNCHES)
    with tempfile.TemporaryDirectory() as folder:
        command = Command(argv, cwd=Path(folder))
        contenders = {WITHOUT: partial(_launch, command, launches, None)}
        for backend in probe().backends:
            contenders[backend] = partial(_launch, command, launches, backend)
        timings = await side_by_side(contenders, effort.repeats)
    return table(title, timings, amount=launches, unit="ms a launch", limit=WITHOUT, better="lower")


async def _launch(command: Command, times: int, backend: Backend | None) -> None:
    assert command.cwd is not None
    for _ in range(times):
        if backend is None:
            outcome = await run(command, b"{}", NARRATORIA_V0)
        else:
            with confine(command, home=command.cwd, backend=backend) as confined:
                outcome = await run(confined, b"{}", NARRATORIA_V0)
        if not outcome.ok:
            raise RuntimeError(f"the benchmark's own tool failed: {outcome.failure} {outcome.stderr_tail}")

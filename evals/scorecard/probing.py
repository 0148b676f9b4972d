"""`python -m evals.scorecard.probing CALL SIZE FILE`: one probe alone; its figures go into FILE.

A process of its own for each: one that crashes, hangs or takes all memory costs its own rows and no other's.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import msgspec

from evals.scorecard.figures import Figure, Figures, Size
from evals.scorecard.rows import ROOT, Probe

KEPT = Path(sys.prefix) / "scorecard"  # what probes said, for a run that goes on where one was broken off
LONG_AGO = 12 * 3600.0  # seconds
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}  # as the command line has it: more of them wait for each other
QUICK = 5.0  # minutes for a probe in its quick form
_decode = msgspec.json.Decoder(dict[str, Figure]).decode


def run_probe(name: str, probe: Probe, size: Size) -> Figures | str:
    """Its figures, or why there are none."""
    limit = 60 * (probe.minutes if size == "whole" else min(probe.minutes, QUICK))
    with tempfile.TemporaryDirectory(prefix=f"scorecard-{name}-") as folder:
        file, log = Path(folder) / "figures.json", Path(folder) / "log"
        command = [sys.executable, "-m", "evals.scorecard.probing", probe.call, size, str(file)]
        with log.open("wb") as written:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**ENVIRONMENT, **os.environ},
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                return f"it took longer than {limit / 60:g} minutes"
            finally:
                _end(process)
        if code == 0 and file.is_file():
            return _decode(file.read_bytes())
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1].strip() if lines else f"it ended with {code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def recall(file: Path) -> Figures | None:
    """What a probe said in a run that was broken off, where that is not long ago."""
    return _decode(file.read_bytes()) if is_fresh(file) else None


def is_fresh(file: Path) -> bool:
    return file.is_file() and time.time() - file.stat().st_mtime < LONG_AGO


def keep(file: Path, found: Figures) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(msgspec.json.encode(found))


def main(arguments: list[str]) -> None:
    call, size, file = arguments
    module, _, function = call.partition(":")
    measure: Callable[[Size], Figures] = getattr(import_module(module), function)
    Path(file).write_bytes(msgspec.json.encode(measure("quick" if size == "quick" else "whole")))


if __name__ == "__main__":
    main(sys.argv[1:])

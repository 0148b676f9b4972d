"""Keeps a machine busy: every core, its disk, and the loading of a model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BUSY = "while True: pass"
WRITES = """
import os, sys
block = os.urandom(1 << 20)
while True:
    with open(sys.argv[1], "wb") as file:
        for _ in range(64):
            file.write(block)
            os.fsync(file.fileno())
"""
LOADS = """
import pathlib, sys
from narratoria.inference.numpy_encoder import Encoder
while True:
    Encoder(pathlib.Path(sys.argv[1])).encode("a comet over the tea room")
"""


@contextmanager
def busy_machine(folder: Path, *, model: Path | None, per_core: int = 1) -> Iterator[int]:
    """Keep every core, the disk under `folder` and the loading of a model busy; yield how many processes do.

    The load runs at this process's own priority: nothing of it gives way to the story.
    """
    cores = os.cpu_count() or 1
    programs = [("-I", "-S", "-c", BUSY)] * (cores * per_core)
    programs.append(("-I", "-S", "-c", WRITES, str(folder / "written")))
    if model is not None:
        programs.append(("-c", LOADS, str(model)))
    processes = [subprocess.Popen((sys.executable, *program)) for program in programs]
    try:
        yield len(processes)
    finally:
        for process in processes:
            process.kill()
            process.wait()

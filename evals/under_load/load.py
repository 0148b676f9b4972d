"""Keeps a machine busy: every core, its disk, and the loading of the embedder and of a language model."""

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

# weights are put out of memory before each loading, so that the disk has to give them again
LOADS_LANGUAGE_MODEL = """
import asyncio, os, pathlib, sys
from narratoria.errors import ModelUnavailable
from narratoria.inference.model import LocalModel
async def load(weights):
    model = LocalModel(weights)
    try:
        await model.complete("The comet stood", max_tokens=8, within=60)
    except ModelUnavailable:  # no time was left on so busy a machine; it is loaded again
        pass
    finally:
        await model.close()
weights = pathlib.Path(sys.argv[1])
while True:
    with weights.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    asyncio.run(load(weights))
"""


@contextmanager
def busy_machine(
    folder: Path, *, model: Path | None, language_model: Path | None = None, per_core: int = 1
) -> Iterator[int]:
    """Keep every core, the disk under `folder` and the loading of models busy; yield how many processes do.

    The load runs at this process's own priority: nothing of it gives way to the story.
    """
    cores = os.cpu_count() or 1
    programs = [("-I", "-S", "-c", BUSY)] * (cores * per_core)
    programs.append(("-I", "-S", "-c", WRITES, str(folder / "written")))
    if model is not None:
        programs.append(("-c", LOADS, str(model)))
    if language_model is not None:
        programs.append(("-c", LOADS_LANGUAGE_MODEL, str(language_model)))
    processes = [subprocess.Popen((sys.executable, *program)) for program in programs]
    try:
        yield len(processes)
    finally:
        ended = [process.poll() for process in processes]
        for process in processes:
            process.kill()
            process.wait()
        if any(code is not None for code in ended):
            raise RuntimeError(f"a part of the load ended by itself: exit codes {ended}")

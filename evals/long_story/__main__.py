"""`python -m evals.long_story [--turns N]`."""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evals.long_story.play import Played, play
from evals.long_story.probes import Recalled, ask, names
from narratoria import places
from narratoria.inference.embedder import Embedder
from narratoria.inference.models import find_embedder, install_embedder

TURNS = 1000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.long_story", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    print(asyncio.run(_run(parser.parse_args(arguments).turns)))


async def _run(turns: int) -> str:
    embedder = Embedder(find_embedder() or install_embedder(places.INSTALLED_MODELS))
    with tempfile.TemporaryDirectory() as folder:
        try:
            played = await play(turns, Path(folder), embedder)
            try:
                return report(played, await ask(played))
            finally:
                await played.store.close()
        finally:
            await embedder.close()


def report(played: Played, recalled: Sequence[Recalled]) -> str:
    tenth = max(1, len(played.seconds) // 10)
    first, last = _early_and_late(played.seconds)
    early, late = _early_and_late(played.worked)
    met, known = names(played)
    lines = [
        f"## {len(played.seconds)} turns of one life",
        "",
        f"A turn takes {1000 * first:.0f} ms in the second tenth and {1000 * last:.0f} ms in the last "
        f"({last / first:.2f} of it); of the processor {1000 * early:.0f} and {1000 * late:.0f} ms.",
        f"What goes from turn to turn: {max(played.sizes[: 2 * tenth]) / 1024:.0f} KiB after two tenths, "
        f"{played.sizes[-1] / 1024:.0f} KiB at the end; the process needed {_peak():.0f} MiB at most.",
        f"Names of the first twenty turns: {len(known)} of {len(met)} are known.",
        "",
        "| of the first twenty turns | kept | found | read |",
        "| --- | --- | --- | --- |",
    ]
    for one in recalled:
        signs = " | ".join("yes" if so else "no" for so in (one.kept, one.found, one.read))
        lines.append(f"| {one.probe.kind}: {one.probe.question} | {signs} |")
    return "\n".join(lines)


def _early_and_late(times: Sequence[float]) -> tuple[float, float]:
    tenth = max(1, len(times) // 10)
    return statistics.median(times[tenth : 2 * tenth]), statistics.median(times[-tenth:])


def _peak() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 1024 if sys.platform != "darwin" else used / 1024**2


if __name__ == "__main__":
    main()

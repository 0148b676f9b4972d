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
from narratoria import paths
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder, install_embedder

TURNS = 1000
LOOKED_AT, AROUND = (10, 100, 1000), 20


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.long_story", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    print(asyncio.run(_run(parser.parse_args(arguments).turns)))


async def _run(turns: int) -> str:
    embedder = Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))
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
    met, known = names(played)
    lines = [
        f"## {len(played.seconds)} turns of one life",
        "",
        *_flatness(played),
        "",
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


def _flatness(played: Played) -> list[str]:
    """The same three places as `python -m benchmarks turns` looks at, here without skills."""
    lines = ["| | CPU, ms | ratio | wall, ms |", "| --- | ---: | ---: | ---: |"]
    usual = _median_from(played.worked, LOOKED_AT[0])
    for number in LOOKED_AT:
        if number <= len(played.worked):
            worked = _median_from(played.worked, number)
            wall = 1000 * _median_from(played.seconds, number)
            lines.append(f"| turn {number:,} | {1000 * worked:.1f} | {worked / usual:.2f} | {wall:.0f} |")
    return lines


def _median_from(times: Sequence[float], number: int) -> float:
    """Of the twenty from this turn on, or the last twenty."""
    start = max(0, min(number, len(times)) - 1)
    return statistics.median(times[min(start, max(0, len(times) - AROUND)) :][:AROUND])


def _peak() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 1024 if sys.platform != "darwin" else used / 1024**2


if __name__ == "__main__":
    main()

"""Campaigns against their limits: 100 MB in 8 GB, a sparse one filled up in 15 s, one played in 5."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.measure import Effort, Row, Table
from narratoria import paths

MEMORY_MB = 8192  # SC-045
ENRICHED_S, PLAYED_S = 15, 5  # SC-046, SC-039
SIZE_MB = 100
LORE_MB = 4  # of it; the rest is pictures and music, as it is in campaigns
PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x05\0\0\0\x02\xd0"
COMET = paths.BUNDLED_CAMPAIGNS / "comet-tea-room"
INGEST = """
import asyncio, resource, sys, time
from pathlib import Path
limit = int(sys.argv[3]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from narratoria.campaign.ingest import ingest_campaign
from narratoria.campaign.load import load_campaign
from narratoria.store import Store

async def main():
    load_campaign(Path(sys.argv[1]))
    store = await Store.open(Path(sys.argv[2]), None)
    first = await ingest_campaign(Path(sys.argv[1]), store)
    again = await ingest_campaign(Path(sys.argv[1]), store)
    await store.close()
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(first.files, first.chunks, first.seconds, again.seconds, used)

asyncio.run(main())
"""


def limits(place: Path, effort: Effort) -> list[Table]:
    return [_large(place, effort), _waiting(place, effort)]


def _large(place: Path, effort: Effort) -> Table:
    folder = _write(place / "hundred", effort.of(SIZE_MB), max(LORE_MB * effort.scale, 0.05))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    command = [sys.executable, "-c", INGEST, str(folder), str(place / "hundred.db"), str(MEMORY_MB)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    files, chunks, first, again, used = (float(value) for value in told)
    holds = f"{files:,.0f} files, {size:.0f} MB, {chunks:,.0f} parts of lore"
    note = f"{holds}; taken in within {first:.1f} s, and {again:.2f} s when nothing has changed."
    whole = Row("the limit", MEMORY_MB, MEMORY_MB, 1.0)
    ratio = used / MEMORY_MB
    row = Row("memory at its highest", used, used, ratio, 1.0, ratio <= 1)
    return Table("a large campaign, loaded and taken in", note, "MB", "the limit", "lower", [whole, row])


def _waiting(place: Path, effort: Effort) -> Table:
    """In processes of their own, from the command to the end: what somebody waits for."""
    rows = [Row("the limit", 1.0, 1.0, 1.0)]
    tasks = {
        "enrich, chosen by the seed": (["campaign", "enrich", "--no-model", "{campaign}"], ENRICHED_S),
        "enrich, the model choosing": (["campaign", "enrich", "{campaign}"], ENRICHED_S),
        "play, to the first scene": (["play", "{campaign}", "--terminal", "--new", "--plain"], PLAYED_S),
    }
    if effort.repeats == 1:
        del tasks["enrich, the model choosing"]  # it takes all the time it is given
    for name, (arguments, limit) in tasks.items():
        took = [_run(place, arguments, number) / limit for number in range(min(effort.repeats, 3))]
        best, median = min(took), sorted(took)[len(took) // 2]
        rows.append(Row(f"{name} (of {limit} s)", best, median, best, 1.0, best <= 1))
    note = "A campaign of three files, with a home that has never seen it; parts of the time there is."
    return Table("a minimal campaign", note, "", "the limit", "lower", rows)


def _run(place: Path, arguments: list[str], number: int) -> float:
    home = place / f"home-{len(list(place.iterdir()))}-{number}"
    campaign = shutil.copytree(COMET, home / "comet")
    told = [part.format(campaign=campaign) for part in arguments]
    command = [sys.executable, "-m", "narratoria.cli", *told]
    environment = {**os.environ, "NARRATORIA_HOME": str(home)}
    started = time.perf_counter()
    subprocess.run(command, check=True, input="q\n", capture_output=True, text=True, env=environment)
    return time.perf_counter() - started


def _write(folder: Path, megabytes: int, lore: float) -> Path:
    dice = random.Random(7)
    words = ("water", "bell", "lamp", "stone", "road", "winter", "name", "boat", "roof", "letter", "salt")
    (folder / "lore/history").mkdir(parents=True)
    (folder / "art/locations").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"title": "A Hundred", "version": "1.0.0"}))
    written = 0
    for number in range(10_000):
        if written >= lore * 1e6:
            break
        paragraphs = "\n\n".join(" ".join(dice.choices(words, k=90)) + "." for _ in range(12))
        written += (folder / f"lore/history/year-{number}.md").write_text(
            f"# Year {number}\n\n{paragraphs}\n"
        )
    for number in range(max(1, round((megabytes - lore) / 2))):
        (folder / f"art/locations/view-{number}.png").write_bytes(PICTURE + dice.randbytes(2_000_000))
    return folder

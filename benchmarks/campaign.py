"""How long an author waits: for validation, for the compiler, and for a campaign to be loaded."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.campaign_limits import limits
from benchmarks.measure import Contender, Effort, Row, Table, side_by_side, table
from narratoria import paths
from narratoria.campaign.check import check_campaign
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign

LIMIT_MS = 2000  # SC-041
PEOPLE, PLACES, BEATS, LORE, PICTURES = 200, 200, 500, 1000, 300
PNG = b"\x89PNG\r\n\x1a\n" + bytes(50_000)
STEPS: dict[str, Callable[[Path], Any]] = {
    "load": load_campaign,
    "validate": validate_campaign,
    "check": check_campaign,
}


async def measure(effort: Effort) -> list[Table]:
    with tempfile.TemporaryDirectory() as place:
        large = _write_large(Path(place) / "large", effort)
        folders = sorted(paths.BUNDLED_CAMPAIGNS.iterdir())
        campaigns = {folder.name: folder for folder in folders[: effort.of(len(folders))]}
        tables = [await _one(name, folder, effort) for name, folder in {**campaigns, "large": large}.items()]
        against = limits(Path(place), effort)
    return [*tables, _against_the_limit(tables), *against]


async def _one(name: str, folder: Path, effort: Effort) -> Table:
    files, size = _files(folder)
    reading = "every byte read"
    contenders: dict[str, Contender] = {reading: lambda: [path.read_bytes() for path in files]}
    contenders |= {step: partial(function, folder) for step, function in STEPS.items()}
    timings = await side_by_side(contenders, effort.repeats)
    note = f"{len(files):,} files, {size / 1e6:.1f} MB."
    return table(f"campaign “{name}”", timings, amount=1, unit="ms", limit=reading, better="lower", note=note)


def _files(folder: Path) -> tuple[list[Path], int]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return files, sum(path.stat().st_size for path in files)


def _against_the_limit(tables: list[Table]) -> Table:
    rows = []
    for of in tables:
        campaign = of.title.removeprefix("campaign ")
        for row in of.rows:
            if row.name in STEPS:
                ratio = row.best / LIMIT_MS
                rows.append(Row(f"{row.name} {campaign}", row.best, row.median, ratio, 1.0, ratio <= 1))
    whole = Row("the limit", LIMIT_MS, LIMIT_MS, 1.0)
    return Table("against two seconds", "", "ms", "the limit", "lower", [whole, *rows])


def _write_large(folder: Path, effort: Effort) -> Path:
    """A campaign in which everything refers to something."""
    people, towns, beats = effort.of(PEOPLE), effort.of(PLACES), effort.of(BEATS)
    files: dict[str, str | bytes] = {
        "manifest.json": json.dumps({"title": "Large", "version": "1.0.0"}),
        "plot/beats.json": json.dumps({"beats": [_beat(n, people, towns) for n in range(beats)]}, indent=1),
    }
    for n in range(people):
        profile = {
            "name": f"Person {n}",
            "role": "One of many",
            "personality": {"traits": ["patient"] * 5},
            "relationships": {f"person-{(n + 1) % people}": "A neighbour"},
            "metadata": {"first_appearance": f"town-{n % towns}"},
        }
        files[f"characters/npcs/person-{n}/profile.json"] = json.dumps(profile, indent=1)
    for n in range(towns):
        way = f"- [Town {n + 1}](town-{(n + 1) % towns}.md): along the road\n"
        files[f"lore/locations/town-{n}.md"] = f"# Town {n}\n\n{'Roofs. ' * 40}\n\n## Ways\n\n{way}"
    for n in range(effort.of(LORE)):
        files[f"lore/history/year-{n}.md"] = f"# Year {n}\n\n" + "It rained, and then it did not. " * 60
    for n in range(effort.of(PICTURES)):
        files[f"art/locations/town-{n % towns}-{n}.png"] = PNG
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def _beat(n: int, people: int, towns: int) -> dict[str, object]:
    return {
        "id": f"beat-{n}",
        "title": f"Beat {n}",
        "description": "Something happens. " * 10,
        "conditions": {
            "scene_count": {"min": n // 10},
            "requires_beat": f"beat-{n - 1}" if n % 5 else "",
            "player_state": f"flag {n - 1}" if n else "",
            "custom": f'!("flag {n + 1}" in flags) && scene < 10000',
        },
        "location": f"town-{n % towns}",
        "npcs": [f"person-{n % people}"],
        "consequences": [f"flag {n}"],
    }

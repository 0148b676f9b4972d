"""Stories that play themselves: with faults and without, and how long their beats wait."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from evals.beats.__main__ import WITHIN, measure
from evals.scorecard.figures import Figure, Figures, Size, count, share
from evals.tones.__main__ import count_read, meetings
from evals.voices.__main__ import measure as hear
from narratoria import app, paths
from narratoria.engine.events import ToolEnded

REPORT = Path(sys.prefix) / "never-blank.json"  # as `make never-blank` writes it
ENOUGH = 10_000  # turns
TURNS = {"whole": 300, "quick": 60}  # that are played where there is no report of so many
CAMPAIGNS = tuple(sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir()))
BLANKS = ("crashes", "empty_scenes", "turns_without_choices", "lost_turns")
INVOCATIONS = {"whole": 1000, "quick": 100}
SEEDS = {"whole": 10, "quick": 2}


def never_blank(size: Size) -> Figures:
    """Of the long run where there is a report of it; else of a short one."""
    if size == "whole" and REPORT.is_file():
        found = msgspec.json.decode(REPORT.read_bytes())
        if found["turns"] >= ENOUGH:
            day = datetime.fromtimestamp(REPORT.stat().st_mtime, UTC).date()
            return _blanks(found, f"`make never-blank`, {day.isoformat()}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        options = ["--turns", str(TURNS[size]), "--policy", "chaos", "--faults", "0.2", "--seed", "1"]
        command = [sys.executable, "-m", "narratoria.cli", "autoplay", *CAMPAIGNS, *options]
        subprocess.run([*command, "--report", str(file)], check=False)
        return _blanks(msgspec.json.decode(file.read_bytes()), "a short run: no report of a long one")


def _blanks(found: dict[str, Any], source: str) -> Figures:
    blank = {name: int(found[name]) for name in BLANKS}
    told = ", ".join(f"{many} {name.replace('_', ' ')}" for name, many in blank.items())
    longest = max(float(one["seconds"]) for one in found["campaigns"])
    return {
        "turns": Figure(found["turns"], f"{found['turns']:,} turns ({source})"),
        "faults": count(found["faults"], "faults"),
        "crashes": Figure(blank["crashes"], f"{blank['crashes']}"),
        "failures": Figure(sum(blank.values()), f"{sum(blank.values())} ({told})"),
        "longest sitting": Figure(longest / 60, f"{longest / 60:.0f} minutes"),
    }


# what skills do when nothing is broken


def invocations(size: Size) -> Figures:
    states = asyncio.run(_played(INVOCATIONS[size]))
    ended = sum(states.values()) - states["skipped"]
    return {
        "scripts that ended well within their time": share(states["success"], ended),
        "invocations": count(ended, "invocations"),
    }


async def _played(enough: int) -> Counter[str]:
    """States of what skills were asked, over all campaigns in turn."""
    states: Counter[str] = Counter()
    dice = random.Random(1)
    for number, campaign in enumerate(CAMPAIGNS, 1):
        with tempfile.TemporaryDirectory() as folder:
            async with app.open_isolated_library(Path(folder)) as library:
                telling = await library.begin(campaign, seed=number)
                scene = await telling.resume()
                while sum(states.values()) < enough * number / len(CAMPAIGNS):
                    last = telling.log.last
                    again = [choice for choice in scene.choices if choice.kind == "again"]
                    scene = await telling.choose(dice.choice(again or list(scene.choices)))
                    ends = [event for event in telling.log.since(last) if isinstance(event, ToolEnded)]
                    states.update(event.state for event in ends)
    return states


# voices


def voices(size: Size) -> Figures:
    said = hear(seeds=range(SEEDS[size]))
    strange = [one for one in said if not one.written]
    return {
        "sayings recognized by the profiles": share(sum(one.recognized for one in said), len(said)),
        "of those that stand in no profile": share(sum(one.recognized for one in strange), len(strange)),
    }


# tones


def tones(_: Size) -> Figures:
    whole, without, of = count_read(one for name in CAMPAIGNS for one in meetings(name))
    return {
        "meetings read as the person feels": share(whole, of),
        "of them by sentences of no profile": share(without, of),
    }


# beats


def beats(size: Size) -> Figures:
    found = measure(seeds=range(SEEDS[size]))
    kinds = ", ".join(sorted(found.kinds))
    told = share(found.in_time, found.all)
    return {
        f"told within {WITHIN} scenes": Figure(told.value, f"{told.text}; conditions: {kinds}"),
        "longest wait": count(max(found.waited, default=0), "scenes"),
    }

"""`python -m benchmarks [name …]`: prints tables; `--json FILE` and `--write-docs` keep them."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks import (
    campaign,
    growth,
    inference,
    page,
    planning,
    protocol,
    sandbox,
    scenes,
    skills,
    store,
    turn,
    turns,
    typed,
    web,
)
from benchmarks.measure import FULL, TINY, Table, as_markdown, load, machine

BENCHMARKS = {
    "protocol": protocol.measure,
    "planning": planning.measure,
    "sandbox": sandbox.measure,
    "skills": skills.measure,
    "store": store.measure,
    "inference": inference.measure,
    "campaign": campaign.measure,
    "turn": turn.measure,
    "turns": turns.measure,
    "typed": typed.measure,
    "scenes": scenes.measure,
    "growth": growth.measure,
    "web": web.measure,
}


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    about = {**machine(), "load before": f"{load():.2f}"}
    print(page.listed(about))
    begun = time.perf_counter()
    found: dict[str, list[Table]] = {}
    for name in options.names or BENCHMARKS:
        print(f"## {name}\n", flush=True)
        found[name] = asyncio.run(BENCHMARKS[name](TINY if options.tiny else FULL))
        print("\n".join(map(as_markdown, found[name])), flush=True)
    about["load after"] = f"{load():.2f}"
    print(f"{time.perf_counter() - begun:.0f} s, load after it {about['load after']}")
    if options.json:
        options.json.write_bytes(msgspec.json.encode({"machine": about, "benchmarks": found}))
    if options.write_docs:
        page.write({name: page.Section(about, tables) for name, tables in found.items()}, list(BENCHMARKS))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument(
        "--write-docs", action="store_true", help="write their sections of docs/benchmarks.md anew"
    )
    parser.add_argument("--tiny", action="store_true", help="only see that they run; the figures say nothing")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))} (there are {', '.join(BENCHMARKS)})")
    if options.write_docs and options.tiny:
        parser.error("the page holds benchmarks in full size: leave out --tiny")
    return options


if __name__ == "__main__":
    main()

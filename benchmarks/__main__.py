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
    planning,
    protocol,
    sandbox,
    scenes,
    skills,
    store,
    turns,
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
    "turns": turns.measure,
    "scenes": scenes.measure,
    "growth": growth.measure,
    "web": web.measure,
}
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PICTURE = PAGE.parent / "images" / "growth.svg"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    about = {**machine(), "load before": f"{load():.2f}"}
    print(_about(about))
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
        PAGE.write_text(_page(about, found))
        PICTURE.write_text(growth.picture(growth.series(found["growth"])))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--write-docs", action="store_true", help=f"write {PAGE.name} anew")
    parser.add_argument("--tiny", action="store_true", help="only see that they run; the figures say nothing")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))} (there are {', '.join(BENCHMARKS)})")
    if options.write_docs and (options.tiny or options.names):
        parser.error("the page holds all benchmarks in full size: leave out --tiny and the names")
    return options


def _about(about: dict[str, str]) -> str:
    return "\n".join(f"- {key}: {value}" for key, value in about.items()) + "\n"


def _page(about: dict[str, str], found: dict[str, list[Table]]) -> str:
    sections = [
        f"## {name.capitalize()}\n\n" + _PICTURES.get(name, "") + "\n".join(map(as_markdown, tables))
        for name, tables in found.items()
    ]
    return "\n".join([_INTRODUCTION, _about(about), _misses(found), *sections])


def _misses(found: dict[str, list[Table]]) -> str:
    """First of all what a reader would look for."""
    missed = [
        f"- {name}, {table.title}: {row.name}, {row.ratio:.2f} × “{table.limit}” "
        f"where {'≥' if table.better == 'higher' else '≤'} {row.target:g} is the aim"
        for name, tables in found.items()
        for table in tables
        for row in table.rows
        if row.met is False
    ]
    return "\n".join(["## Where we fall short", "", *(missed or ["Nowhere in this run."]), ""])


_INTRODUCTION = f"""# Benchmarks

Written by `make bench ARGS=--write-docs`; every figure below comes from one run. What is compared ran in
turns, {FULL.repeats} rounds as a rule, and ratios are those of the best rounds: a passing disturbance only
adds time. One that lasts does not meet every row alike: where the load is above the number of cores, others
were at work all the while, and ratios can be off either way. Figures tell of the machine; look at the ratios.
`benchmarks/README.md` tells what each row does.
"""

_PICTURES = {
    "growth": f"![How costs grow with what there is](images/{PICTURE.name})\n\nDashed: what takes ten times "
    "as long when there is ten times as much. A turn against the turns before it: see “turns”.\n\n"
}


if __name__ == "__main__":
    main()

"""`docs/benchmarks.md` and its picture, out of what is kept in `docs/benchmarks.json`.

A benchmark that is run again replaces its own section alone, with the day and the load of its run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from benchmarks import growth
from benchmarks.measure import FULL, Table, as_markdown

DOCS = Path(__file__).parents[1] / "docs"
PAGE, KEPT, PICTURE = DOCS / "benchmarks.md", DOCS / "benchmarks.json", DOCS / "images" / "growth.svg"


class Section(msgspec.Struct, frozen=True):
    """What one benchmark found, and the machine it ran on."""

    machine: dict[str, str]
    tables: list[Table]


Sections = dict[str, Section]


def kept() -> Sections:
    return msgspec.json.decode(KEPT.read_bytes(), type=Sections) if KEPT.exists() else {}


def write(found: Mapping[str, Section], order: list[str]) -> None:
    """The new sections among those that are kept, in this order."""
    together = {**kept(), **found}
    sections = {name: together[name] for name in order if name in together}
    KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(sections), indent=1) + b"\n")
    PAGE.write_text(page(sections))
    if "growth" in sections:
        PICTURE.write_text(growth.picture(growth.series(sections["growth"].tables)))


def page(sections: Mapping[str, Section]) -> str:
    parts = [_INTRODUCTION, listed(_lasting(list(sections.values())[-1].machine)), _misses(sections)]
    for name, section in sections.items():
        about = section.machine
        ran = f"Run on {about['date']}; load {about['load before']} before and {about['load after']} after.\n"
        parts += [
            f"## {name.capitalize()}\n",
            ran,
            _PICTURES.get(name, "") + "\n".join(map(as_markdown, section.tables)),
        ]
    return "\n".join(parts)


def _lasting(machine: Mapping[str, str]) -> dict[str, str]:
    """What is the same for every section; the day and the load stand in each."""
    return {key: value for key, value in machine.items() if key != "date" and not key.startswith("load")}


def listed(about: Mapping[str, str]) -> str:
    return "\n".join(f"- {key}: {value}" for key, value in about.items()) + "\n"


def _misses(sections: Mapping[str, Section]) -> str:
    """First of all what a reader would look for."""
    missed = [
        f"- {name}, {table.title}: {row.name}, {row.ratio:.2f} × “{table.limit}” "
        f"where {'≥' if table.better == 'higher' else '≤'} {row.target:g} is the aim"
        for name, section in sections.items()
        for table in section.tables
        for row in table.rows
        if row.met is False
    ]
    return "\n".join(["## Where we fall short\n", *(missed or ["Nowhere in these runs."]), ""])


_INTRODUCTION = f"""# Benchmarks

Written by `make bench ARGS=--write-docs`, or section by section (`ARGS="store --write-docs"`), from
`benchmarks.json` beside it; within a section every figure comes from one run. What is compared ran in turns,
{FULL.repeats} rounds as a rule, and ratios are those of the best rounds: a passing disturbance adds time.
One that lasts does not meet every row alike: where the load is above the number of cores, others were at work
all the while, and ratios can be off either way. Figures tell of the machine; look at the ratios.
`benchmarks/README.md` tells what each row does.
"""

_PICTURES = {
    "growth": f"![How costs grow with what there is](images/{PICTURE.name})\n\nDashed: what takes ten times "
    "as long when there is ten times as much. A turn against the turns before it: see “turns”.\n\n"
}

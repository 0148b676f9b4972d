"""The quick form: correctness alone, on samples, against floors that every change has to keep."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from evals.scorecard.figures import Figure, Figures
from evals.scorecard.measuring import RunProbe
from evals.scorecard.rows import Sheet

BASELINE = Path(__file__).with_name("baseline.toml")


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    floors: dict[str, float] = {}
    ceilings: dict[str, float] = {}

    @property
    def probes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name.partition("/")[0] for name in (*self.floors, *self.ceilings)))


class Held(msgspec.Struct, frozen=True):
    """One figure against its bound; a timing is told and never counts."""

    name: str
    bound: str
    measured: str
    holds: bool


def read_baseline(file: Path = BASELINE) -> Baseline:
    return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), Baseline)


def compare(baseline: Baseline, sheet: Sheet, run_probe: RunProbe) -> Iterator[Held]:
    """In the order of the probes, each as soon as it has answered."""
    for name in baseline.probes:
        probe = sheet.probes.get(name)
        found = run_probe(name, probe) if probe else "there is no such probe"
        yield from _held(name, found, baseline.floors, "at least")
        yield from _held(name, found, baseline.ceilings, "at most")


def _held(probe: str, found: Figures | str, bounds: Mapping[str, float], how: str) -> Iterator[Held]:
    for name, bound in bounds.items():
        of, _, figure = name.partition("/")
        if of == probe:
            yield _against(
                name, f"{how} {bound:g}", _find(found, figure), bound if how == "at least" else -bound
            )


def _find(found: Figures | str, name: str) -> Figure | str:
    return found if isinstance(found, str) else found.get(name, "it tells nothing of this")


def _against(name: str, bound: str, figure: Figure | str, least: float) -> Held:
    if isinstance(figure, str):
        return Held(name, bound, f"not measured: {figure}", holds=False)
    value = figure.value if bound.startswith("at least") else -figure.value
    if figure.timing:
        return Held(name, bound, f"{figure.text} (a timing, which decides nothing)", holds=True)
    return Held(name, bound, figure.text, holds=value >= least)


def line(held: Held) -> str:
    return f"{'ok' if held.holds else 'WORSE':<6} {held.name}: {held.measured} ({held.bound})"

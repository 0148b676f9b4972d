"""One row after another: what it needs is measured once, and a row that cannot be measured stops no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from evals.scorecard import probing
from evals.scorecard.card import Result
from evals.scorecard.figures import Figures, Size
from evals.scorecard.judge import judge
from evals.scorecard.proofs import Proofs, run_tests
from evals.scorecard.rows import Probe, Row, Sheet

RunProbe: TypeAlias = Callable[[str, Probe], Figures | str]
RunTests: TypeAlias = Callable[[Sequence[str]], Proofs]


def measure(
    sheet: Sheet, rows: Sequence[Row], run_probe: RunProbe, run_tests: RunTests, *, by_name: bool = False
) -> Iterator[Result]:
    """A result for each row as soon as there is one; what takes very long is only run by name."""
    found: dict[str, Figures | str] = {}
    proven: Proofs | None = None
    for row in rows:
        for name in row.probes:
            probe = sheet.probes[name]
            if name not in found:
                asked = by_name or not probe.asked
                found[name] = run_probe(name, probe) if asked else f"it takes long; {probe.command} runs it"
        if row.tests and proven is None:
            proven = run_tests([test for one in rows for test in one.tests])
        yield judge(row, sheet, found, proven or Proofs())


def probes(
    size: Size, say: Callable[[str], None], *, resume: bool = False, kept: Path = probing.KEPT
) -> RunProbe:
    """Probes in processes of their own; with `resume`, those that have answered lately are believed."""

    def run(name: str, probe: Probe) -> Figures | str:
        file = kept / size / f"{name}.json"
        if resume and (known := probing.recall(file)) is not None:
            return known
        say(f"… {name}: {probe.command}")
        found = probing.run_probe(name, probe, size)
        if not isinstance(found, str):
            probing.keep(file, found)
        return found

    return run


def proofs(say: Callable[[str], None], *, resume: bool = False, kept: Path = probing.KEPT) -> RunTests:
    """The tests in one go, with `resume` only those of which nothing is known."""

    def run(wanted: Sequence[str]) -> Proofs:
        file = kept / "tests.json"
        known = Proofs()
        if resume and probing.is_fresh(file):
            known = msgspec.json.decode(file.read_bytes(), type=Proofs)
        missing = [test for test in dict.fromkeys(wanted) if not known.knows(test)]
        if not missing:
            return known
        say(f"… {len(missing)} tests: python -m pytest …")
        ran = run_tests(missing, log=kept / "tests.log")
        found = Proofs({**known.outcomes, **ran.outcomes}, ran.problem)
        if not found.problem:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(msgspec.json.encode(found))
        return found

    return run

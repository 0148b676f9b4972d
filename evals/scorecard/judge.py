"""From figures and tests to a verdict: a row passes when all of it was measured and all of it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evals.scorecard.card import Result, State
from evals.scorecard.figures import Figure, Figures
from evals.scorecard.proofs import Proofs
from evals.scorecard.rows import Check, Row, Sheet

Found = Mapping[str, Figures | str]  # by probe; a text says why there are no figures


def judge(row: Row, sheet: Sheet, found: Found, proofs: Proofs) -> Result:
    missing = list(_missing(row, found, proofs))
    wrong = list(_wrong(row, found, proofs))
    state: State = "miss" if wrong else "not measured" if missing else "pass"
    commands = [sheet.probes[name].command for name in row.probes]
    if row.tests:
        commands.append(f"python -m pytest {' '.join(row.tests)}")
    return Result(
        id=row.id,
        group=row.group,
        what=row.what,
        target=row.target,
        state=state,
        measured="; ".join(_told(row, found, proofs)),
        why="; ".join((*wrong, *missing)),
        figures={check.figure: figure for check, figure in _figures(row, found)},
        commands=tuple(commands),
    )


def _figures(row: Row, found: Found) -> Iterator[tuple[Check, Figure]]:
    for check in row.checks:
        figures = found.get(check.probe, "")
        if not isinstance(figures, str) and check.name in figures:
            yield check, figures[check.name]


def _missing(row: Row, found: Found, proofs: Proofs) -> Iterator[str]:
    if row.unmeasured:
        yield row.unmeasured
    for name in row.probes:
        figures = found.get(name, "it was not run")
        if isinstance(figures, str):
            yield f"{name}: {figures}"
        else:
            lost = [check.name for check in row.checks if check.probe == name and check.name not in figures]
            yield from (f"{name} tells nothing of “{one}”" for one in lost)
    yield from (f"{test}: {why}" for test, why in proofs.unproven(row.tests))
    if not row.checks and not row.tests and not row.unmeasured:
        yield "nothing measures it yet"


def _wrong(row: Row, found: Found, proofs: Proofs) -> Iterator[str]:
    for check, figure in _figures(row, found):
        if not check.holds(figure.value):
            yield f"{_name(check)}: {figure.text}"
    yield from (f"{test} failed" for test in proofs.failed(row.tests))


def _told(row: Row, found: Found, proofs: Proofs) -> Iterator[str]:
    for check, figure in _figures(row, found):
        yield f"{_name(check)}: {figure.text}"
    passed, ran = proofs.count(row.tests)
    if ran:
        yield f"{passed} of {ran} tests pass"


def _name(check: Check) -> str:
    return check.label or check.name

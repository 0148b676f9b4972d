"""From figures and tests to a verdict: a row passes when all of it was measured and all of it holds.

A row that holds by another reading than the specification's is set apart, and what is unmet is a miss.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from evals.scorecard.card import Card, Result, State
from evals.scorecard.figures import Figure, Figures
from evals.scorecard.proofs import Proofs
from evals.scorecard.rows import Check, Row, Sheet

TESTS_PASS = " tests pass"
Found = Mapping[str, Figures | str]  # by probe; a text says why there are no figures


def judge(row: Row, sheet: Sheet, found: Found, proofs: Proofs) -> Result:
    missing = list(_missing(row, found, proofs))
    wrong = list(_wrong(row, found, proofs))
    state: State = "miss" if wrong else "not measured" if missing else _state(row)
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
        reading=row.reading,
        figures={check.figure: figure for check, figure in _figures(row, found)},
        commands=tuple(commands),
    )


def judge_again(result: Result, row: Row) -> Result:
    """Judge a kept result by the row of today; a miss stays one until it is measured anew."""
    state, why = result.state, result.why
    kept = [(check, result.figures[check.figure]) for check in row.checks if check.figure in result.figures]
    if state in ("pass", "other reading"):
        wrong = [*_misses(kept), *filter(None, [row.unmet])]
        lost = [
            f"{_name(check)}: not measured yet" for check in row.checks if check.figure not in result.figures
        ]
        state = "miss" if wrong else "not measured" if lost else _state(row)
        why = "; ".join((*wrong, *lost))
    tests = [part for part in result.measured.split("; ") if part.endswith(TESTS_PASS)]
    return msgspec.structs.replace(
        result,
        what=row.what,
        target=row.target,
        state=state,
        measured="; ".join((*(f"{_name(check)}: {figure.text}" for check, figure in kept), *tests)),
        why=why,
        reading=row.reading,
    )


def judge_card_again(card: Card, sheet: Sheet) -> Card:
    rows = {row.id: row for row in sheet.rows}
    judged = (judge_again(result, rows[result.id]) if result.id in rows else result for result in card.rows)
    return msgspec.structs.replace(card, rows=tuple(judged))


def _state(row: Row) -> State:
    """Return the state of a row of which everything was measured and holds."""
    return "other reading" if row.reading else "pass"


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
    yield from _misses(_figures(row, found))
    if row.unmet:
        yield row.unmet
    yield from (f"{test} failed" for test in proofs.failed(row.tests))


def _misses(figures: Iterable[tuple[Check, Figure]]) -> Iterator[str]:
    for check, figure in figures:
        if not check.holds(figure.value):
            yield f"{_name(check)}: {figure.text}"


def _told(row: Row, found: Found, proofs: Proofs) -> Iterator[str]:
    for check, figure in _figures(row, found):
        yield f"{_name(check)}: {figure.text}"
    passed, ran = proofs.count(row.tests)
    if ran:
        yield f"{passed} of {ran}{TESTS_PASS}"


def _name(check: Check) -> str:
    return check.label or check.name

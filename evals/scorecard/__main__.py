"""`python -m evals.scorecard`: measures every row, prints the card and writes docs/scorecard.md.

--quick looks at correctness alone, on samples, and fails where a figure is worse than the baseline has it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import load, machine

from evals.scorecard import measuring, page, probing, quick
from evals.scorecard.card import FILE, Card, Result, Run, merge, read_card, write_card
from evals.scorecard.judge import judge_card_again
from evals.scorecard.rows import ROWS, Row, Sheet, read_sheet

WORSE = 1


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    sheet = read_sheet(options.rows)
    if options.quick:
        return _quick(sheet, options)
    card = judge_card_again(read_card(options.card), sheet)
    if not options.write:
        card = _measure(sheet, _asked(options.only, sheet), card, options)
    _write(card, options)
    print("\n" + "\n".join(page.counts(card)))
    return 0


def _asked(only: Sequence[str], sheet: Sheet) -> list[Row]:
    known = {row.id: row for row in sheet.rows}
    if unknown := [name for name in only if name not in known]:
        sys.exit(f"no such row: {', '.join(unknown)}; there are {', '.join(known)}")
    return [row for row in sheet.rows if not only or row.id in only]


def _measure(sheet: Sheet, rows: list[Row], card: Card, options: argparse.Namespace) -> Card:
    begun, before, by_name = time.monotonic(), load(), bool(options.only)
    about = {key: value for key, value in machine().items() if key != "packages"}
    run_probe = measuring.probes("whole", _say, resume=options.resume, kept=options.kept)
    run_tests = measuring.proofs(_say, resume=options.resume, kept=options.kept)
    _say(f"{len(rows)} rows on {about['cores']} cores; load before: {before:.2f}")
    if before > int(about["cores"]) / 2:
        _say("others are at work on this machine, and the times will tell of them too")
    fresh: list[Result] = []
    known = {result.id: result for result in card.rows if result.state != "not measured"}
    found = card
    for number, result in enumerate(measuring.measure(sheet, rows, run_probe, run_tests, by_name=by_name), 1):
        long = any(sheet.probes[name].asked for name in _row(sheet, result.id).probes)
        if long and not by_name and result.id in known:
            _say(f"{result.id} stays as it was measured by name before")
            continue
        fresh.append(result)
        _say(f"[{number}/{len(rows)}] {page.line(result)}")
        seconds = time.monotonic() - begun
        run = Run(machine=about, load_before=before, load_after=load(), seconds=seconds, rows=len(fresh))
        found = merge(card, run, fresh, sheet.rows)
        _write(found, options)  # a run that is broken off has measured what it has measured
    return found


def _row(sheet: Sheet, name: str) -> Row:
    return next(row for row in sheet.rows if row.id == name)


def _write(card: Card, options: argparse.Namespace) -> None:
    write_card(card, options.card)
    options.page.write_text(page.page(card), encoding="utf-8")
    if options.write_readme:
        page.write_readme(card, options.readme)


def _quick(sheet: Sheet, options: argparse.Namespace) -> int:
    begun, baseline = time.monotonic(), options.baseline
    run_probe = measuring.probes("quick", _say, kept=options.kept)
    worse = 0
    for held in quick.compare(quick.read_baseline(baseline), sheet, run_probe):
        _say(quick.line(held))
        worse += not held.holds
    told = f"{worse} figures are worse than {baseline.name}" if worse else "no figure is worse than it was"
    print(f"{told}; {time.monotonic() - begun:.0f} s")
    return WORSE if worse else 0


def _say(text: str) -> None:
    print(text, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.scorecard", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="correctness on samples, against the baseline")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="these rows; the others stay")
    parser.add_argument(
        "--resume", action="store_true", help="believe what probes said in a run that was broken off"
    )
    parser.add_argument("--write", action="store_true", help="measure nothing: write the pages from the data")
    parser.add_argument("--write-readme", action="store_true", help="the headlines of the README too")
    parser.add_argument("--rows", type=Path, default=ROWS, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--baseline", type=Path, default=quick.BASELINE, metavar="FILE")
    parser.add_argument("--kept", type=Path, default=probing.KEPT, metavar="DIR", help=argparse.SUPPRESS)
    parser.add_argument("--card", type=Path, default=FILE, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--page", type=Path, default=page.PAGE, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--readme", type=Path, default=page.README, metavar="FILE", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

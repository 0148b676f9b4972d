"""The card tells what was measured, passes nothing that was not, and fails a change for the worse alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from evals.scorecard import page
from evals.scorecard.__main__ import main
from evals.scorecard.card import FILE, Card, Result, Run, merge, read_card
from evals.scorecard.figures import Figure
from evals.scorecard.judge import judge, judge_again, judge_card_again
from evals.scorecard.measuring import measure
from evals.scorecard.proofs import Proofs, exists, run_tests
from evals.scorecard.quick import read_baseline
from evals.scorecard.rows import TRACES, Check, Probe, Row, Sheet, read_sheet

SHEET = read_sheet()
CARD = read_card()
PROBES = """
from evals.scorecard.figures import Figure

def good(size):
    return {"share": Figure(0.9, "90 %"), "wait": Figure(50.0, "p95 50 ms", timing=True)}

def bad(size):
    raise LookupError("no model is here")

def dead(size):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
"""
ROWS = """
[probe.good]
call = "the_probes:good"
command = "measure --well"
minutes = 1
[probe.bad]
call = "the_probes:bad"
command = "measure --badly"
minutes = 1
[probe.dead]
call = "the_probes:dead"
command = "die"
minutes = 1
[[row]]
id = "X-1"
what = "A share"
target = "90 %"
checks = [{ figure = "good/share", at_least = 0.9 }, { figure = "good/wait", below = 100 }]
[[row]]
id = "X-2"
what = "What cannot be had"
target = "1"
checks = [{ figure = "bad/share", at_least = 0.1 }]
[[row]]
id = "X-3"
what = "What dies"
target = "1"
checks = [{ figure = "dead/share", at_least = 0.1 }]
[[row]]
id = "X-4"
what = "Too high a goal"
target = "95 %"
checks = [{ figure = "good/share", at_least = 0.95 }]
"""


# the rows


def test_every_success_criterion_has_exactly_one_row() -> None:
    criteria = [name for name in tomllib.loads(TRACES.read_text(encoding="utf-8")) if name.startswith("SC")]
    assert sorted(row.id for row in SHEET.rows if row.group == "seeds") == sorted(criteria)
    assert max(Counter(row.id for row in SHEET.rows).values()) == 1
    assert Counter(row.group for row in SHEET.rows) == {"seeds": 48, "beyond": 9, "speed": 8}


@pytest.mark.parametrize("row", SHEET.rows, ids=lambda row: row.id)
def test_a_row_says_what_is_asked_and_is_measured_or_says_why_not(row: Row) -> None:
    assert row.what
    assert row.target
    bounded = [check for check in row.checks if (check.at_least, check.at_most, check.below) != (None,) * 3]
    assert bounded or row.tests or row.unmeasured
    assert [test for test in row.tests if not exists(test)] == []


def test_every_probe_leads_to_a_function_and_is_used() -> None:
    assert {name for row in SHEET.rows for name in row.probes} == set(SHEET.probes)
    for probe in SHEET.probes.values():
        module, _, function = probe.call.partition(":")
        source = Path(__file__).parents[2].joinpath(*module.split(".")).with_suffix(".py")
        assert f"\ndef {function}(" in source.read_text(encoding="utf-8"), probe


def test_a_floor_is_a_figure_that_some_row_or_probe_has() -> None:
    baseline = read_baseline()
    assert set(baseline.probes) <= set(SHEET.probes)
    named = {check.figure for row in SHEET.rows for check in row.checks}
    bounds = {**baseline.floors, **baseline.ceilings}
    known = {name for name in bounds if name in named}
    assert len(known) >= 15, "most floors stand for rows"


# verdicts


def row(*checks: Check, **more: Any) -> Row:
    return Row("X-1", "a goal", what="Something", checks=checks, **more)


def verdict(asked: Row, value: float = 0.9, proofs: Proofs | None = None) -> Result:
    sheet = Sheet({"p": Probe("m:f", "measure", 1)}, (asked,))
    return judge(asked, sheet, {"p": {"a": Figure(value, f"{value}")}}, proofs or Proofs())


@pytest.mark.parametrize(
    ("check", "state"),
    [
        (Check("p/a", at_least=0.9), "pass"),
        (Check("p/a", at_least=0.91), "miss"),
        (Check("p/a", at_most=0.9), "pass"),
        (Check("p/a", below=0.9), "miss"),
        (Check("p/b", at_least=0.1), "not measured"),
        (Check("q/a", at_least=0.1), "not measured"),
    ],
)
def test_a_row_is_judged_by_its_bounds_alone(check: Check, state: str) -> None:
    sheet = Sheet({"p": Probe("m:f", "measure", 1), "q": Probe("m:f", "measure", 1)}, (row(check),))
    assert judge(row(check), sheet, {"p": {"a": Figure(0.9, "0.9")}}, Proofs()).state == state


def test_what_cannot_be_measured_here_is_never_passed() -> None:
    found = verdict(row(Check("p/a", at_least=0.1), unmeasured="no such hardware"))
    assert (found.state, found.why) == ("not measured", "no such hardware")


def test_a_row_that_holds_by_another_reading_says_which_and_is_no_pass() -> None:
    found = verdict(row(Check("p/a", at_least=0.9), reading="only on Sundays"))
    assert (found.state, found.reading, found.why) == ("other reading", "only on Sundays", "")
    assert verdict(row(Check("p/a", at_least=0.95), reading="only on Sundays")).state == "miss"
    assert "| a: 0.9<br>*only on Sundays* | *by another reading* |" in page.page(Card(rows=(found,)))


def test_what_is_unmet_in_play_is_a_miss_whatever_was_measured() -> None:
    found = verdict(row(Check("p/a", at_least=0.9), unmet="no story runs it"))
    assert (found.state, found.why) == ("miss", "no story runs it")
    assert "| a: 0.9<br>*no story runs it* | **miss** |" in page.page(Card(rows=(found,)))


@pytest.mark.parametrize(
    ("now", "state", "why"),
    [
        (row(Check("p/a", at_least=0.9)), "pass", ""),
        (row(Check("p/a", at_least=0.9), reading="only on Sundays"), "other reading", ""),
        (row(Check("p/a", at_least=0.95)), "miss", "a: 0.9"),
        (row(Check("p/a"), unmet="no story runs it"), "miss", "no story runs it"),
        (row(Check("p/a"), Check("p/b", at_least=0.1)), "not measured", "b: not measured yet"),
    ],
    ids=["as-it-was", "reading", "bound", "unmet", "asked-anew"],
)
def test_a_kept_result_is_judged_by_the_row_of_today(now: Row, state: str, why: str) -> None:
    kept = verdict(row(Check("p/a", at_least=0.5), reading="an old one"))
    found = judge_again(kept, now)
    assert (found.state, found.why, found.reading) == (state, why, now.reading)


def test_a_miss_stays_one_until_it_is_measured_anew() -> None:
    kept = verdict(row(Check("p/a", at_least=0.95)))
    assert judge_again(kept, row(Check("p/a", at_least=0.5))).state == "miss"


def test_readings_and_what_is_unmet_come_from_the_list_of_requirements() -> None:
    traces = tomllib.loads(TRACES.read_text(encoding="utf-8"))
    asked = [row for row in SHEET.rows if row.group == "seeds"]
    assert {row.id: (row.reading, row.unmet) for row in asked} == {
        row.id: (traces[row.id].get("reading", ""), traces[row.id].get("unmet", "")) for row in asked
    }


def test_a_row_of_tests_counts_them_and_misses_when_one_fails() -> None:
    test = "tests/evals/test_scorecard.py::test_what_cannot_be_measured_here_is_never_passed"
    good = verdict(row(tests=(test,)), proofs=Proofs({test: ["passed", "passed"]}))
    assert (good.state, good.measured) == ("pass", "2 of 2 tests pass")
    assert verdict(row(tests=(test,)), proofs=Proofs({test: ["passed", "failed"]})).state == "miss"
    assert verdict(row(tests=(test,)), proofs=Proofs({test: ["skipped"]})).state == "not measured"
    assert verdict(row(tests=(test,))).state == "not measured"
    assert verdict(row(tests=("tests/evals/test_scorecard.py::gone",))).why == "gone: no such test"


def test_tests_are_run_and_counted_form_by_form() -> None:
    test = "tests/evals/test_scorecard.py::test_a_row_is_judged_by_its_bounds_alone"
    found = run_tests([test, "tests/evals/test_scorecard.py::gone"], processes=1)
    assert found.count([test]) == (6, 6)


def test_what_takes_very_long_is_run_only_by_name() -> None:
    asked = row(Check("p/a", at_least=0.1))
    sheet = Sheet({"p": Probe("m:f", "sit --long", 60, asked=True)}, (asked,))

    def answer(*_: object) -> dict[str, Figure]:
        return {"a": Figure(1.0, "1")}

    (skipped,) = measure(sheet, [asked], answer, lambda _: Proofs())
    (measured,) = measure(sheet, [asked], answer, lambda _: Proofs(), by_name=True)
    assert (skipped.state, measured.state) == ("not measured", "pass")
    assert "sit --long runs it" in skipped.why


# whole runs, over probes in processes of their own


def scorecard(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "the_probes.py").write_text(PROBES)
    (folder / "rows.toml").write_text(ROWS)
    files = ["--rows", "rows.toml", "--card", "card.json", "--page", "card.md", "--readme", "README.md"]
    files += ["--kept", "kept"]
    places = [word if word.startswith("--") else str(folder / word) for word in files]
    return subprocess.run(
        [sys.executable, "-m", "evals.scorecard", *places, *arguments],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_row_that_raises_or_dies_is_not_measured_and_the_others_are(tmp_path: Path) -> None:
    done = scorecard(tmp_path)
    assert done.returncode == 0, done.stderr
    found = {result.id: result for result in read_card(tmp_path / "card.json").rows}
    assert {name: result.state for name, result in found.items()} == {
        "X-1": "pass",
        "X-2": "not measured",
        "X-3": "not measured",
        "X-4": "miss",
    }
    assert found["X-2"].why == "bad: LookupError: no model is here"
    assert found["X-3"].why == "dead: it ended with -9"
    assert "1 pass, 0 other reading, 1 miss, 2 not measured" in done.stdout
    written = (tmp_path / "card.md").read_text(encoding="utf-8")
    assert "| X-4 | Too high a goal | 95 % | share: 90 % | **miss** |" in written
    assert "`measure --well`" in written


def test_single_rows_are_measured_into_a_card_that_keeps_the_others(tmp_path: Path) -> None:
    scorecard(tmp_path, "--only", "X-1")
    first = read_card(tmp_path / "card.json")
    assert [result.state for result in first.rows] == ["pass", *["not measured"] * 3]
    scorecard(tmp_path, "--only", "X-4")
    second = read_card(tmp_path / "card.json")
    assert [(result.state, result.run) for result in second.rows] == [
        ("pass", 0),
        ("not measured", None),
        ("not measured", None),
        ("miss", 1),
    ]
    refused = scorecard(tmp_path, "--only", "Y-1")
    assert refused.returncode == 1
    assert "no such row: Y-1; there are X-1" in refused.stderr


@pytest.mark.parametrize(
    ("baseline", "code", "told"),
    [
        ('[floors]\n"good/share" = 0.9', 0, "ok     good/share: 90 % (at least 0.9)"),
        ('[floors]\n"good/share" = 0.91', 1, "WORSE  good/share: 90 % (at least 0.91)"),
        ('[ceilings]\n"good/share" = 0.5', 1, "WORSE  good/share: 90 % (at most 0.5)"),
        ('[ceilings]\n"good/wait" = 0.001', 0, "a timing, which decides nothing"),
        ('[floors]\n"bad/share" = 0.1', 1, "not measured: LookupError: no model is here"),
        ('[floors]\n"good/lost" = 0.1', 1, "not measured: it tells nothing of this"),
    ],
    ids=["kept", "below-a-floor", "above-a-ceiling", "timing", "raises", "lost"],
)
def test_the_quick_form_fails_for_what_is_worse_and_never_for_a_timing(
    baseline: str, code: int, told: str, tmp_path: Path
) -> None:
    (tmp_path / "baseline.toml").write_text(baseline)
    done = scorecard(tmp_path, "--quick", "--baseline", str(tmp_path / "baseline.toml"))
    assert told in done.stdout
    assert done.returncode == code
    assert not (tmp_path / "card.json").exists(), "samples are no measurement of a row"


# pages


def card() -> Card:
    run = Run(machine={"date": "2026-11-16"}, load_before=0.5, load_after=1.5, seconds=120, rows=1)
    figures = {"first-page/the first page": Figure(236.0, "236 kB over the wire")}
    found = verdict(row(Check("p/a", at_least=0.9)))
    asked = row(Check("p/a", at_least=0.9))
    return merge(Card(), run, [msgspec.structs.replace(found, figures=figures)], [asked])


def test_the_page_is_made_of_the_data_and_says_when_where_and_how() -> None:
    written = page.page(card())
    assert "The 48 success criteria: 1 pass, 0 other reading, 0 miss, 0 not measured" in written
    assert "| X-1 | Something | a goal | a: 0.9 | pass |" in written
    assert "| X-1 | `measure` | 1 |" in written
    assert "1. date: 2026-11-16; load before it 0.50, after it 1.50; 1 rows in 2 minutes" in written


def test_the_readme_gets_its_headlines_between_its_marks_and_keeps_the_rest(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n")
    page.write_readme(card(), readme)
    first = readme.read_text()
    page.write_readme(card(), readme)
    assert readme.read_text() == first
    assert first.startswith(f"before\n{page.BEGIN}\n- **1 of 1** success criteria")
    assert first.endswith(f"{page.END}\nafter\n")
    assert "236 kB over the wire" in first
    assert "old" not in first
    with pytest.raises(ValueError, match="no place for the headlines"):
        page.with_headlines("nothing", card())


def test_no_headline_counts_what_holds_by_another_reading() -> None:
    results = [
        verdict(row(Check("p/a", at_least=bound), reading=reading))
        for bound, reading in ((0.5, ""), (0.5, ""), (0.5, "only on Sundays"), (0.95, ""))
    ]
    headline, *_ = page.headlines(Card(rows=tuple(results)))
    assert headline.startswith("**2 of 4** success criteria met in the specification's own words")
    assert "1 by another reading that their rows state, 1 missed (X-1), 0 not measured" in headline


def test_the_headline_says_when_it_was_measured() -> None:
    assert page.headlines(card())[0].endswith("; measured 2026-11-16")


def test_what_is_written_agrees_with_the_data_it_is_made_of() -> None:
    assert FILE.is_file()
    assert page.PAGE.read_text(encoding="utf-8") == page.page(CARD)
    readme = page.README.read_text(encoding="utf-8")
    assert page.with_headlines(readme, CARD) == readme


def test_the_committed_card_has_every_row_as_it_is_asked() -> None:
    assert [result.id for result in CARD.rows] == [row.id for row in SHEET.rows]
    assert judge_card_again(CARD, SHEET) == CARD, "make scorecard ARGS=--write judges it by the rows of today"
    for result in CARD.rows:
        assert result.state == "not measured" or result.measured, result.id
        assert result.state != "pass" or not result.why, result.id
        assert result.state == "pass" or result.why or result.reading, result.id
        assert result.state != "other reading" or (result.reading and not result.why), result.id
        assert result.state != "pass" or not result.reading, result.id
        named = [word for command in result.commands for word in command.split() if word.startswith("tests/")]
        assert [test for test in named if not exists(test)] == [], result.id


def test_nothing_is_measured_where_pages_alone_are_wanted(tmp_path: Path) -> None:
    copy = tmp_path / "card.json"
    copy.write_bytes(FILE.read_bytes())
    assert main(["--write", "--card", str(copy), "--page", str(tmp_path / "page.md")]) == 0
    assert copy.read_bytes() == FILE.read_bytes()
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == page.page(CARD)

"""`python -m evals.gate [--show] [--examples FILE]`: what the gate refuses, by class, and what it lets pass.

`fit` and `score` are texts as a model might send them, each checked against the ledger that the engine builds
for where it is told; `outcomes` are attempts of other worlds, each told as a success and as a failure; `dev`
and `held-out` are single paragraphs in four small settings. FILE holds answers written by hand for other
worlds, with their briefs: all of them are good.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from evals.gate import load
from narratoria.narrator.gate import ContinuityLedger, find_problems

CASES = Path(__file__).parent / "cases"
GOOD = "good"


class Case(msgspec.Struct, frozen=True):
    world: str
    text: str
    findings: tuple[str, ...]


class OutcomePair(msgspec.Struct, frozen=True):
    """An attempt, told as it comes off and as it does not."""

    world: str
    action: str
    success: str
    failure: str


class Measured(msgspec.Struct, frozen=True):
    cases: int
    right: int  # bad texts that were refused
    missed: int
    wrong: int  # good texts that were refused
    named: int  # bad texts that were refused for the reason they are bad
    mistakes: tuple[str, ...]

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


def read_cases(name: str) -> list[Case]:
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=Case) for line in lines if line.strip()]


def measure(name: str) -> Measured:
    worlds = msgspec.json.decode((CASES / "worlds.json").read_bytes())
    right = missed = wrong = named = 0
    mistakes = []
    cases = read_cases(name)
    for case in cases:
        found = {
            finding.kind for finding in find_problems(case.text, ContinuityLedger.of(worlds[case.world]))
        }
        if case.findings and found:
            right += 1
            named += bool(found & set(case.findings))
        missed += bool(case.findings and not found)
        wrong += bool(found and not case.findings)
        if bool(found) is not bool(case.findings) or (found and not found & set(case.findings)):
            mistakes.append(
                f"{case.world}: {case.text} — expected {list(case.findings)}, found {sorted(found)}"
            )
    return Measured(len(cases), right, missed, wrong, named, tuple(mistakes))


class ClassRow(msgspec.Struct, frozen=True):
    """How many texts of a class were refused, and how many of those for what is wrong with them."""

    kind: str
    cases: int
    refused: int
    named: int

    def __str__(self) -> str:
        named = "" if self.kind == GOOD else f", {self.named} of them for that"
        share = 100 * self.refused / self.cases
        return f"  {self.kind:<11} {self.refused:>4} of {self.cases:<4} refused ({share:5.1f} %){named}"


class ClassTable(msgspec.Struct, frozen=True):
    """The classes of a file of cases, good texts first, and every mistake."""

    rows: tuple[ClassRow, ...]
    mistakes: tuple[str, ...]


def measure_classes(name: str) -> ClassTable:
    """Check every case of a file against its own ledger."""
    counts: dict[str, list[int]] = {}
    mistakes = []
    for case in load.read_cases(name):
        problems = find_problems(case.text, load.build_case_ledger(case))
        kinds = {problem.kind for problem in problems}
        count = counts.setdefault(case.kind, [0, 0, 0])
        for at, one in enumerate((True, bool(kinds), case.kind in kinds)):
            count[at] += one
        if bool(kinds) is (case.kind == GOOD):
            where = f"{case.campaign}/{case.place}, {case.action!r} {case.outcome}".rstrip()
            reasons = "; ".join(f"{one.kind}: {one.reason}" for one in problems)
            mistakes.append(f"{case.kind}: {where}: {case.text} — {reasons or 'let pass'}")
    order = sorted(counts, key=lambda kind: (kind != GOOD, kind))
    return ClassTable(tuple(ClassRow(kind, *counts[kind]) for kind in order), tuple(mistakes))


def measure_outcomes() -> ClassTable:
    """Check every attempt as it was told against how it ended, and against how it did not end."""
    counts = {GOOD: [0, 0, 0], "outcome": [0, 0, 0]}
    mistakes = []
    for line in (CASES / "outcomes.jsonl").read_text(encoding="utf-8").splitlines():
        pair = msgspec.json.decode(line, type=OutcomePair)
        for text, decided, kind in (
            (pair.success, "success", GOOD),
            (pair.failure, "failure", GOOD),
            (pair.success, "failure", "outcome"),
            (pair.failure, "success", "outcome"),
        ):
            ledger = ContinuityLedger(action=pair.action, outcome=decided)
            is_refused = any(problem.kind == "outcome" for problem in find_problems(text, ledger))
            counts[kind] = [
                one + add for one, add in zip(counts[kind], (1, is_refused, is_refused), strict=True)
            ]
            if is_refused is (kind == GOOD):
                mistakes.append(f"{kind}: {pair.world}, {pair.action!r} {decided}: {text}")
    return ClassTable(tuple(ClassRow(kind, *count) for kind, count in counts.items()), tuple(mistakes))


def main(arguments: list[str]) -> None:
    is_shown = "--show" in arguments
    for name in ("fit", "score", "outcomes"):
        table = measure_outcomes() if name == "outcomes" else measure_classes(name)
        print(f"{name}: {sum(row.cases for row in table.rows)} texts")
        print(*table.rows, sep="\n")
        if is_shown:
            print(*(f"  {mistake}" for mistake in table.mistakes), sep="\n")
    for name in ("dev", "held-out"):
        found = measure(name)
        bad = found.right + found.missed
        print(
            f"{name}: {found.cases} paragraphs, {bad} of them bad; precision {found.precision:.2f}, "
            f"recall {found.recall:.2f}; named the right reason for {found.named} of {found.right}"
        )
        if is_shown:
            print(*(f"  {mistake}" for mistake in found.mistakes), sep="\n")
    if "--examples" in arguments:
        examples = load.read_examples(Path(arguments[arguments.index("--examples") + 1]))
        refused = sum(bool(find_problems(text, ledger)) for text, ledger in examples)
        print(f"answers for other worlds: {refused} of {len(examples)} refused")


if __name__ == "__main__":
    main(sys.argv[1:])

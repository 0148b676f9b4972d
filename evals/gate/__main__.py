"""`python -m evals.gate [--show]`: precision and recall on cases written by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from narratoria.narrator.gate import ContinuityLedger, find_problems

CASES = Path(__file__).parent / "cases"


class Case(msgspec.Struct, frozen=True):
    world: str
    text: str
    findings: tuple[str, ...]


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


def main(arguments: list[str]) -> None:
    for name in ("dev", "held-out"):
        found = measure(name)
        bad = found.right + found.missed
        print(
            f"{name}: {found.cases} paragraphs, {bad} of them bad; precision {found.precision:.2f}, "
            f"recall {found.recall:.2f}; named the right reason for {found.named} of {found.right}"
        )
        if "--show" in arguments:
            print(*(f"  {mistake}" for mistake in found.mistakes), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Rows that tests prove: exactly those tests are run, once, and counted."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias
from xml.etree import ElementTree as ET

import msgspec

from evals.scorecard.rows import ROOT

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]
LIMIT = 90 * 60.0  # seconds for all of them
PROCESSES = 3


class Proofs(msgspec.Struct, frozen=True):
    """What came of the tests; one that was asked for in many forms has many outcomes."""

    outcomes: Mapping[str, list[Outcome]] = {}
    problem: str = ""  # why there are none

    def _of(self, tests: Iterable[str]) -> Iterator[tuple[str, list[Outcome]]]:
        for test in tests:
            if "::" in test:
                yield test, self.outcomes.get(test, [])
            else:
                under = [each for name, each in self.outcomes.items() if name.startswith(f"{test}::")]
                yield test, [one for outcomes in under for one in outcomes]

    def knows(self, test: str) -> bool:
        """That it holds, that is: one that failed is worth another look."""
        return all(outcomes and "failed" not in outcomes for _, outcomes in self._of([test]))

    def count(self, tests: Iterable[str]) -> tuple[int, int]:
        """How many passed, of those that ran."""
        ran = [one for _, outcomes in self._of(tests) for one in outcomes if one != "skipped"]
        return ran.count("passed"), len(ran)

    def failed(self, tests: Iterable[str]) -> list[str]:
        return [_short(test) for test, outcomes in self._of(tests) if "failed" in outcomes]

    def unproven(self, tests: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The tests of which nothing is known, or not all, and why."""
        for test, outcomes in self._of(tests):
            if not outcomes:
                yield _short(test), "no such test" if not exists(test) else self.problem or "it was not run"
            elif "passed" not in outcomes and "failed" not in outcomes:
                yield _short(test), "it was skipped here"


def run_tests(tests: Iterable[str], processes: int = PROCESSES, log: Path | None = None) -> Proofs:
    """Their outcomes; what pytest says goes into the log, to look up why one failed."""
    wanted = [test for test in dict.fromkeys(tests) if exists(test)]
    if not wanted:
        return Proofs(problem="no tests were asked for")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tests.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={file}"]
        command += ["-o", "junit_family=xunit1"]  # which names the file
        command += ["-n", str(processes), "--dist", "loadfile"] if processes > 1 else []
        try:
            done = subprocess.run(
                [*command, *wanted],
                cwd=ROOT,
                timeout=LIMIT,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Proofs(problem=f"the tests took longer than {LIMIT / 60:.0f} minutes")
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(done.stdout, encoding="utf-8")
        if not file.is_file():
            lines = [line for line in done.stdout.splitlines() if line.strip()]
            return Proofs(problem=f"pytest ended with {done.returncode}: {lines[-1] if lines else ''}")
        return Proofs(dict(_outcomes(file)))


def _outcomes(file: Path) -> Iterator[tuple[str, list[Outcome]]]:
    found: dict[str, list[Outcome]] = {}
    for case in ET.parse(file).iter("testcase"):
        name = f"{case.get('file')}::{(case.get('name') or '').partition('[')[0]}"
        told = {child.tag for child in case}
        outcome: Outcome = (
            "failed" if told & {"failure", "error"} else "skipped" if "skipped" in told else "passed"
        )
        found.setdefault(name, []).append(outcome)
    yield from found.items()


def exists(test: str) -> bool:
    """Whether there is such a test: one that is not would keep pytest from running any."""
    name, _, function = test.partition("::")
    file = ROOT / name
    return file.is_file() and (not function or function in _functions(file))


@cache
def _functions(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _short(test: str) -> str:
    return test.rpartition("::")[2] if "::" in test else test

"""Defines the problems of a campaign's files: severity, place, message and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from narratoria.errors import ContractViolation, Problem

Severity: TypeAlias = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class CampaignProblem:
    """Describes a problem; `file` is relative to the campaign, line and column start at one, 0 means none."""

    severity: Severity
    code: str  # what kind of problem it is, in a word that never changes
    message: str
    file: str = ""
    pointer: str = ""
    line: int = 0
    column: int = 0

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def as_problem(self, folder: Path) -> Problem:
        file = str(folder / self.file) if self.file else str(folder)
        return Problem(self.message, self.pointer, file, self.line, self.column)

    def as_line(self, folder: Path) -> str:
        """Return the problem in the format of compilers, so that editors find the place."""
        file = folder / self.file if self.file else folder
        return f"{file}:{self.line or 1}:{self.column or 1}: {self.severity}: {self.message} [{self.code}]"

    def as_document(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "pointer": self.pointer,
            "line": self.line,
            "column": self.column,
        }


def error(code: str, message: str, file: str = "", pointer: str = "", *place: int) -> CampaignProblem:
    return CampaignProblem("error", code, message, file, pointer, *place)


def warning(code: str, message: str, file: str = "", pointer: str = "", *place: int) -> CampaignProblem:
    return CampaignProblem("warning", code, message, file, pointer, *place)


def info(code: str, message: str, file: str = "", pointer: str = "", *place: int) -> CampaignProblem:
    return CampaignProblem("info", code, message, file, pointer, *place)


def from_problem(problem: Problem, severity: Severity, code: str) -> CampaignProblem:
    return CampaignProblem(
        severity, code, problem.message, problem.file, problem.pointer, problem.line, problem.column
    )


def sort_problems(problems: Iterable[CampaignProblem]) -> tuple[CampaignProblem, ...]:
    """Return the problems without repetitions, by file and place."""
    unique = dict.fromkeys(problems)
    return tuple(
        sorted(unique, key=lambda f: (f.file, f.line, f.column, SEVERITIES.index(f.severity), f.message))
    )


def raise_errors(problems: Sequence[CampaignProblem], folder: Path) -> None:
    """Raise ContractViolation with every error among the problems, if there is one."""
    if errors := [problem.as_problem(folder) for problem in problems if problem.is_error]:
        raise ContractViolation(errors)

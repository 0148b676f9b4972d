"""Defines every exception of the project, on one screen.

NarratoriaException
├── ContractViolation            a document breaks its contract; carries every problem found
│   └── PlanRejected             a plan that may not run; nothing was started
│       └── CyclicDependencyException
├── ProtocolViolationException   a tool's line breaks the protocol; names line, field and reason
│   └── UnknownEventTypeException
├── NotRunnable                  a path that cannot be turned into a command
├── SkillScriptNotFoundError     no discovered skill owns this script
├── ModelUnavailable             a model is missing, died, hung or refused; say why and do without
├── StoreUnavailable             the database cannot be used; says which file, why, and what to do
│   └── StoreDamaged             its file is damaged; a backup can be put in its place
├── NoSuchRecord                 there is no record of this name in this scope
├── RecordExists                 the name is taken
├── Busy                         a turn is running; wait for the scene, or cancel it
├── StoryConflict                the story has gone on elsewhere; load it anew, nothing was written
├── TurnGivenUp                  the turn was cancelled; the story is as it was before the choice
└── HostRefusal                  a skill's call that the host refuses; the skill gets the reason

A tool's failure, a timeout and an exhausted replan loop are results, not exceptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a document: where it stands, what it is, and what to do about it."""

    message: str
    pointer: str = ""
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        where = " ".join(part for part in (place, self.pointer) if part)
        return f"{where}: {self.message}" if where else self.message


class NarratoriaException(Exception):
    """The base of all exceptions raised on purpose."""


class ContractViolation(NarratoriaException):
    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class PlanRejected(ContractViolation):
    pass


class CyclicDependencyException(PlanRejected):
    def __init__(self, cycle: Sequence[str], problems: Sequence[Problem] = ()) -> None:
        self.cycle = tuple(cycle)
        super().__init__(problems or [Problem(f"circular dependency: {' → '.join(self.cycle)}", "/tools")])


class ProtocolViolationException(NarratoriaException):
    def __init__(self, line: int, field: str, reason: str) -> None:
        self.line, self.field, self.reason = line, field, reason
        super().__init__(f"line {line}: {field}: {reason}" if field else f"line {line}: {reason}")


class UnknownEventTypeException(ProtocolViolationException):
    pass


class NotRunnable(NarratoriaException):
    pass


class SkillScriptNotFoundError(NarratoriaException):
    pass


class ModelUnavailable(NarratoriaException):
    pass


class StoreUnavailable(NarratoriaException):
    pass


class StoreDamaged(StoreUnavailable):
    pass


class NoSuchRecord(NarratoriaException):
    pass


class RecordExists(NarratoriaException):
    pass


class Busy(NarratoriaException):
    pass


class StoryConflict(NarratoriaException):
    pass


class TurnGivenUp(NarratoriaException):
    pass


class HostRefusal(NarratoriaException):
    def __init__(self, reason: str, message: str, advice: str = "", **data: object) -> None:
        self.reason, self.message = reason, message
        self.data = {"reason": reason, **({"advice": advice} if advice else {}), **data}
        super().__init__(message)

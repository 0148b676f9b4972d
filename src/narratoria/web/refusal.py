"""How the API says no: a code for programs, a sentence for people, and what to do."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from narratoria.errors import (
    Busy,
    ContractViolation,
    ModelUnavailable,
    NarratoriaException,
    NoSuchRecord,
    Problem,
    RecordExists,
    StoreUnavailable,
    TurnGivenUp,
)


class FieldError(msgspec.Struct, frozen=True, rename="camel"):
    """What is wrong with one field of what was sent."""

    field: str
    message: str


class ErrorBody(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    code: str
    message: str
    advice: str = ""
    fields: tuple[FieldError, ...] = ()


class ErrorAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """Every answer whose status is 400 or more."""

    error: ErrorBody


class Refusal(NarratoriaException):
    """An answer that is an error."""

    def __init__(
        self, status: int, code: str, message: str, advice: str = "", *, fields: Iterable[FieldError] = ()
    ) -> None:
        self.status = status
        self.body = ErrorBody(code, message, advice, tuple(fields))
        super().__init__(message)


_OURS: tuple[tuple[type[NarratoriaException], int, str], ...] = (
    (Busy, 409, "busy"),
    (TurnGivenUp, 409, "cancelled"),
    (NoSuchRecord, 404, "not_found"),
    (RecordExists, 409, "exists"),
    (StoreUnavailable, 503, "store_unavailable"),
    (ModelUnavailable, 409, "model_unavailable"),
)


def refusal_of(error: NarratoriaException) -> Refusal:
    """What the outside is told of an exception that was raised on purpose."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, ContractViolation):
        return Refusal(422, "invalid", str(error), fields=field_errors(error.problems))
    for kind, status, code in _OURS:
        if isinstance(error, kind):
            return Refusal(status, code, str(error))
    return Refusal(400, "refused", str(error))


def field_errors(problems: Iterable[Problem]) -> tuple[FieldError, ...]:
    """Problems of a document by the dotted names of its fields."""
    return tuple(
        FieldError(problem.pointer.strip("/").replace("/", "."), problem.message) for problem in problems
    )


def not_found(what: str, name: str) -> Refusal:
    return Refusal(404, "not_found", f"There is no {what} called {name!r}.")

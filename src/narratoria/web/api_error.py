"""Defines the errors that the API answers with: a code for programs, a sentence for people, and advice."""

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
    """A problem with one field of a request."""

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


class ApiError(NarratoriaException):
    """Reports an error that is answered with its status."""

    def __init__(
        self, status: int, code: str, message: str, advice: str = "", *, fields: Iterable[FieldError] = ()
    ) -> None:
        self.status = status
        self.body = ErrorBody(code, message, advice, tuple(fields))
        super().__init__(message)


_STATUS_BY_ERROR: tuple[tuple[type[NarratoriaException], int, str], ...] = (
    (Busy, 409, "busy"),
    (TurnGivenUp, 409, "cancelled"),
    (NoSuchRecord, 404, "not_found"),
    (RecordExists, 409, "exists"),
    (StoreUnavailable, 503, "store_unavailable"),
    (ModelUnavailable, 409, "model_unavailable"),
)


def to_api_error(error: NarratoriaException) -> ApiError:
    """Return the API's error for an exception that was raised on purpose."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, ContractViolation):
        return ApiError(422, "invalid", str(error), fields=field_errors(error.problems))
    for kind, status, code in _STATUS_BY_ERROR:
        if isinstance(error, kind):
            return ApiError(status, code, str(error))
    return ApiError(400, "refused", str(error))


def field_errors(problems: Iterable[Problem]) -> tuple[FieldError, ...]:
    """Return the problems of a document by the dotted names of its fields."""
    return tuple(
        FieldError(problem.pointer.strip("/").replace("/", "."), problem.message) for problem in problems
    )


def not_found(what: str, name: str) -> ApiError:
    return ApiError(404, "not_found", f"There is no {what} called {name!r}.")

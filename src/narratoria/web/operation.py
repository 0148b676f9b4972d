"""Defines the API's operations, functions whose signatures say what they take and give, and its errors.

The first parameter is the application's state, which all share. A parameter that the path names is taken from
there, `body` from the request's body, and every other one from the query.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from narratoria.contracts.read import UNDECODABLE, JsonFault, read_json
from narratoria.errors import (
    Busy,
    ContractViolation,
    ModelUnavailable,
    NarratoriaException,
    NoSuchRecord,
    Problem,
    RecordExists,
    StoreUnavailable,
    StoryConflict,
    TurnGivenUp,
)
from narratoria.web.accounts import Account, Role
from narratoria.web.turn_queue import QueueFull

if TYPE_CHECKING:
    from narratoria.web.app_state import AppState

ACCOUNT = "narratoria.account"  # in the scope of a request that was let in: whose it is


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
        self,
        status: int,
        code: str,
        message: str,
        advice: str = "",
        *,
        fields: Iterable[FieldError] = (),
        retry_after: int | None = None,
    ) -> None:
        self.status, self.retry_after = status, retry_after
        self.body = ErrorBody(code, message, advice, tuple(fields))
        super().__init__(message)


_STATUS_BY_ERROR: tuple[tuple[type[NarratoriaException], int, str], ...] = (
    (Busy, 409, "busy"),
    (StoryConflict, 409, "story_moved"),
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
    if isinstance(error, QueueFull):
        advice = "Nothing was changed. Choose again in a moment."
        return ApiError(429, "overloaded", _sentence(error), advice, retry_after=error.retry_after)
    return ApiError(400, "refused", str(error))


def _sentence(error: NarratoriaException) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def field_errors(problems: Iterable[Problem]) -> tuple[FieldError, ...]:
    """Return the problems of a document by the dotted names of its fields."""
    return tuple(
        FieldError(problem.pointer.strip("/").replace("/", "."), problem.message) for problem in problems
    )


def not_found(what: str, name: str) -> ApiError:
    return ApiError(404, "not_found", f"There is no {what} called {name!r}.")


Perform = Callable[..., Awaitable[Any]]
# returns the state on behalf of the account, or raises ApiError for what it may not do
Authorize: TypeAlias = "Callable[[AppState, Operation, Account, Mapping[str, Any]], Awaitable[AppState]]"
P = TypeVar("P", bound=Perform)

LARGEST_BODY = 1024 * 1024
_IN_PATH = re.compile(r"\{(\w+)(?::path)?\}")
# msgspec says "Expected `int`, got `str` - at `$.choice`"
_PLACE = re.compile(r"^(?P<what>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?$", re.DOTALL)
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "nothing",
}

_log = logging.getLogger("narratoria.web")


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str  # in Python
    type: Any
    required: bool
    default: Any = None

    @property
    def key(self) -> str:
        """Return the name as it is spelled in an address."""
        return self.name.rstrip("_")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API."""

    method: str
    path: str
    perform: Perform
    group: str
    status: int
    media: str  # of an answer that is no JSON
    role: Role  # that it needs
    is_open_to_readers: bool  # whether who may read a story of another may do this with it
    tells: bool  # whether it begins a turn, which may have to wait
    largest: int
    in_path: tuple[Parameter, ...]
    in_query: tuple[Parameter, ...]
    body: Any  # a type, or None
    answer: Any

    @property
    def name(self) -> str:
        return self.perform.__name__

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.perform) or "").partition("\n")[0]

    @property
    def description(self) -> str:
        return (inspect.getdoc(self.perform) or "").partition("\n")[2].strip()


class Operations:
    """Collects the operations of one group, in the order in which they are written."""

    def __init__(self, group: str, about: str, *, role: Role = "player") -> None:
        self.group, self.about, self.role = group, about, role
        self.all: list[Operation] = []

    def get(
        self, path: str, *, media: str = "", readers: bool = False, role: Role | None = None
    ) -> Callable[[P], P]:
        return self._operation("GET", path, media=media, readers=readers, role=role)

    def post(
        self,
        path: str,
        *,
        status: int = 200,
        largest: int = LARGEST_BODY,
        tells: bool = False,
        role: Role | None = None,
    ) -> Callable[[P], P]:
        return self._operation("POST", path, status=status, largest=largest, tells=tells, role=role)

    def put(self, path: str, *, role: Role | None = None) -> Callable[[P], P]:
        return self._operation("PUT", path, role=role)

    def patch(self, path: str) -> Callable[[P], P]:
        return self._operation("PATCH", path)

    def delete(self, path: str, *, role: Role | None = None) -> Callable[[P], P]:
        return self._operation("DELETE", path, status=204, role=role)

    def _operation(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        media: str = "",
        largest: int = LARGEST_BODY,
        readers: bool = False,
        tells: bool = False,
        role: Role | None = None,
    ) -> Callable[[P], P]:
        def add(perform: P) -> P:
            hints = get_type_hints(perform, include_extras=True)
            named = set(_IN_PATH.findall(path))
            in_path: list[Parameter] = []
            in_query: list[Parameter] = []
            for name, about in list(inspect.signature(perform).parameters.items())[1:]:
                if name == "body":
                    continue
                given = Parameter(name, hints[name], about.default is about.empty, about.default)
                (in_path if name in named else in_query).append(given)
            self.all.append(
                Operation(
                    method=method,
                    path=path,
                    perform=perform,
                    group=self.group,
                    status=status,
                    media=media,
                    role=role or self.role,
                    is_open_to_readers=readers,
                    tells=tells,
                    largest=largest,
                    in_path=tuple(in_path),
                    in_query=tuple(in_query),
                    body=hints.get("body"),
                    answer=hints.get("return"),
                )
            )
            return perform

        return add


def endpoint(
    operation: Operation, app_state: AppState, authorize: Authorize
) -> Callable[[Request], Awaitable[Response]]:
    """Return the operation as a request handler; whatever happens inside, a response comes out."""

    async def answer(request: Request) -> Response:
        try:
            given = _given(operation.in_path, request.path_params) | _given(
                operation.in_query, request.query_params
            )
            state = await authorize(app_state, operation, request.scope[ACCOUNT], given)
            if operation.body is not None:
                given["body"] = await _body(operation, request)
            async with state.place_in_queue() if operation.tells else nullcontext():
                with state.trace(operation.name, _spoken_of(given)):
                    return _answer(operation, await operation.perform(state, **given))
        except NarratoriaException as error:
            return error_response(to_api_error(error))
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception:  # noqa: BLE001  the border: nobody outside is shown a stack trace
            _log.exception("%s %s", operation.method, operation.path)
            return error_response(
                ApiError(
                    500,
                    "internal",
                    "Something went wrong.",
                    "Try again. The details are in logs/web.log of your Narratoria home.",
                )
            )

    return answer


def _spoken_of(given: Mapping[str, Any]) -> dict[str, str]:
    return {"story": given["story"]} if "story" in given else {}


def error_response(error: ApiError, headers: Mapping[str, str] | None = None) -> Response:
    content = msgspec.json.encode(ErrorAnswer(error.body))
    if error.retry_after is not None:
        headers = {**(headers or {}), "retry-after": str(error.retry_after)}
    return Response(content, error.status, headers, media_type="application/json")


def _answer(operation: Operation, value: Any) -> Response:
    if isinstance(value, Response):
        return value
    if value is None:
        return Response(status_code=204)
    return Response(msgspec.json.encode(value), operation.status, media_type="application/json")


def _given(parameters: tuple[Parameter, ...], values: Mapping[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for parameter in parameters:
        text = values.get(parameter.key)
        if text is None or (text == "" and not parameter.required):
            if parameter.required:
                raise _invalid([FieldError(parameter.key, "is missing")])
            given[parameter.name] = parameter.default
            continue
        try:
            given[parameter.name] = msgspec.convert(text, parameter.type, strict=False)
        except msgspec.ValidationError as error:
            raise _invalid([FieldError(parameter.key, _in_words(str(error))[1])]) from None
    return given


async def _body(operation: Operation, request: Request) -> Any:
    content = await read_body(request, operation.largest)
    if operation.body is bytes:
        return content
    try:
        read_json(content or b"{}")  # as every document is read: no key twice, not too deep, no NaN
        return msgspec.json.decode(content or b"{}", type=operation.body)
    except JsonFault as fault:
        raise ApiError(400, "not_json", f"The request's body is not JSON: {fault.message}.") from None
    except msgspec.ValidationError as error:
        field, message = _in_words(str(error))
        raise _invalid([FieldError(field, message)]) from None
    except UNDECODABLE as error:
        raise ApiError(400, "not_json", f"The request's body is not JSON: {error}.") from None


async def read_body(request: Request, largest: int) -> bytes:
    """Return the whole body; ApiError as soon as it is too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > largest:
            raise too_large(largest)
        parts.append(part)
    return b"".join(parts)


def too_large(largest: int) -> ApiError:
    return ApiError(413, "too_large", f"That is larger than the {largest // 1024} KiB that are taken here.")


def _invalid(fields: list[FieldError]) -> ApiError:
    messages = "; ".join(
        f"{error.field}: {error.message}" if error.field else error.message for error in fields
    )
    return ApiError(422, "invalid", f"This cannot be used: {messages}.", fields=fields)


def _in_words(message: str) -> tuple[str, str]:
    """Return the field, and what is wrong with it in words for people."""
    match = _PLACE.match(message)
    assert match is not None
    path = re.sub(r"\[(\d+|\.\.\.)\]", r".\1", match["path"] or "").strip(".")
    what = match["what"]
    if missing := re.match(r"Object missing required field `(.+)`", what):
        return ".".join(part for part in (path, missing[1]) if part), "is missing"
    if expected := re.match(r"Expected `(.+?)`(?:, got `(.+)`)?$", what):
        expected_types = " or ".join(
            _WORDS.get(kind.strip(), kind.strip()) for kind in expected[1].split("|")
        )
        got = f", and this is {_WORDS.get(expected[2], expected[2])}" if expected[2] else ""
        return path, f"must be {expected_types}{got}"
    return path, what[:1].lower() + what[1:].replace("`", "'")


def answer_type(operation: Operation) -> Any:
    """Return the JSON type of an answer; None where it has no body, or one that is no JSON."""
    kind = operation.answer
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return (
        None if kind in (None, type(None)) or (inspect.isclass(kind) and issubclass(kind, Response)) else kind
    )

"""Describes the API as OpenAPI 3.1, from the signatures that it runs on."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from narratoria import __version__
from narratoria.engine.events import StoryEvent
from narratoria.web.operation import ErrorAnswer, Operation, Operations, Parameter, answer_type
from narratoria.web.stream import Heartbeat, Reload

REFERENCE = "#/components/schemas/{name}"
ABOUT = """\
Everything that the app does, it does through this. Answers are JSON, spelled in camelCase; every answer of
400 and more is an `ErrorAnswer`. A browser comes in by the address that `narratoria play` opens; other
programs send the token of that address as `Authorization: Bearer …`.

Open a WebSocket on `/api/stories/{story}/events?after=N` to follow a story: each text frame is a
`StreamFrame`. First come the events after number N, then each as it happens. After 15 seconds without one
comes `{"type": "alive"}`. A frame `{"type": "reload"}` says that events after N are gone: get the story anew.
A `turn_started` makes the words of an unfinished telling of the same turn void. The socket is closed with
4401 without a key, 4404 when there is no such story, 4408 when nothing is taken.
"""
ERRORS = {
    "401": "no key: see above",
    "403": "another account may do this",
    "404": "there is no such thing",
    "409": "not now: something is under way, or the story has gone on",
    "422": "what was sent cannot be used; `fields` says why",
    "429": "too much at once; `Retry-After` says when to come back",
}


def describe(groups: Sequence[Operations]) -> dict[str, Any]:
    """Return the whole document."""
    operations = [operation for group in groups for operation in group.all]
    types = [ErrorAnswer, StoryEvent, Heartbeat, Reload, *_types(operations)]
    schemas, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    _require_what_is_always_sent(components, operations)
    by_type = {_key(kind): schema for kind, schema in zip(types, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        path = "/api" + operation.path.replace(":path}", "}")
        paths.setdefault(path, {})[operation.method.lower()] = _described(operation, by_type)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Narratoria", "version": __version__, "description": ABOUT},
        "security": [{"cookie": []}, {"bearer": []}],
        "tags": [{"name": group.group, "description": group.about} for group in groups],
        "paths": paths,
        "components": {
            "schemas": {**components, **_stream_schemas(by_type)},
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "narratoria_PORT"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _stream_schemas(by_type: dict[str, Any]) -> dict[str, Any]:
    """Return what the WebSocket of a story sends: each text frame is a `StreamFrame`."""
    frames = [{"$ref": REFERENCE.format(name=name)} for name in ("StoryEvent", "Heartbeat", "Reload")]
    return {"StoryEvent": by_type[_key(StoryEvent)], "StreamFrame": {"anyOf": frames}}


def _require_what_is_always_sent(components: dict[str, Any], operations: Sequence[Operation]) -> None:
    """Mark fields with defaults as required in what is only answered, where they are always sent."""
    bodies = [operation.body for operation in operations if operation.body not in (None, bytes)]
    answers = [kind for operation in operations if (kind := answer_type(operation)) is not None]
    asked, answered = _structs(bodies), _structs([ErrorAnswer, StoryEvent, *answers])
    for name, struct in answered.items():
        if name in components and name not in asked and not struct.__struct_config__.omit_defaults:
            components[name]["required"] = list(components[name]["properties"])


def _structs(types: Iterable[Any]) -> dict[str, type[msgspec.Struct]]:
    """Return the structs that these types are made of, by name."""
    structs: dict[str, type[msgspec.Struct]] = {}

    def visit(about: Any) -> None:
        if isinstance(about, msgspec.inspect.StructType):
            if about.cls.__name__ in structs:
                return
            structs[about.cls.__name__] = about.cls
        if isinstance(about, tuple | list):
            for one in about:
                visit(one)
        elif isinstance(about, msgspec.inspect.Type | msgspec.inspect.Field):
            for name in about.__struct_fields__:
                visit(getattr(about, name))

    visit(msgspec.inspect.multi_type_info(list(types)))
    return structs


def _types(operations: Iterable[Operation]) -> list[Any]:
    types: dict[str, Any] = {}
    for operation in operations:
        for kind in (operation.body, answer_type(operation)):
            if kind is not None and kind is not bytes:
                types[_key(kind)] = kind
    return list(types.values())


def _key(kind: Any) -> str:
    return kind.__qualname__ if inspect.isclass(kind) else repr(kind)


def _described(operation: Operation, by_type: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.group],
        "summary": operation.summary,
        "parameters": [
            *(_parameter(parameter, "path") for parameter in operation.in_path),
            *(_parameter(parameter, "query") for parameter in operation.in_query),
        ],
        "responses": {str(_status(operation)): _response(operation, by_type), **_errors()},
    }
    if operation.description:
        described["description"] = operation.description
    if operation.body is bytes:
        file = {"schema": {"type": "string", "format": "binary"}}
        described["requestBody"] = {"required": True, "content": {"application/octet-stream": file}}
    elif operation.body is not None:
        content = {"application/json": {"schema": by_type[_key(operation.body)]}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _status(operation: Operation) -> int:
    nothing = answer_type(operation) is None and not operation.media
    return 204 if nothing else operation.status


def _parameter(parameter: Parameter, place: str) -> dict[str, Any]:
    schema = msgspec.json.schema(parameter.type)
    described: dict[str, Any] = {"name": parameter.key, "in": place, "required": parameter.required}
    if "description" in schema:
        described["description"] = schema.pop("description")
    if not parameter.required and parameter.default is not None:
        schema["default"] = parameter.default
    return {**described, "schema": schema}


def _response(operation: Operation, by_type: dict[str, Any]) -> dict[str, Any]:
    kind = answer_type(operation)
    if operation.media:
        schema: dict[str, Any] = {"type": "string", "format": "binary"}
        return {"description": "the file", "content": {operation.media: {"schema": schema}}}
    if kind is None:
        return {"description": "done"}
    return {"description": "as asked", "content": {"application/json": {"schema": by_type[_key(kind)]}}}


def _errors() -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": REFERENCE.format(name="ErrorAnswer")}}}
    return {status: {"description": why, "content": content} for status, why in ERRORS.items()}

"""Calls a typed function with the request's input, and makes the JSON Schema of that input from its types.

    def main(place: str, mood: Literal["hopeful", "grim"] = "hopeful") -> dict: ...

A parameter without a default is required; one that is called `request` or is of the type `Request` gets the
whole request. The first paragraph of the docstring describes the input.
"""

from __future__ import annotations

from narratoria.sdk.emit import InvalidInput
from narratoria.sdk.request import Request

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
_KINDS: dict[str, Any] = {
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
    "number": (int, float),
    "integer": int,
}
EXPECTED = {
    "string": "a text is expected",
    "integer": "a whole number is expected",
    "number": "a number is expected",
    "boolean": "true or false is expected",
    "array": "a list is expected",
    "object": "an object is expected",
}


def call_typed(main: Callable[..., Any], request: Request) -> Any:
    """Call a typed function with the values of the input; InvalidInput for what does not fit its types."""
    schema = input_schema(main)
    values: dict[str, Any] = {}
    for name in _parameters(main):
        if _is_request(main, name):
            values[name] = request
        elif name in request.input:
            if problem := find_problem(request.input[name], schema["properties"][name]):
                raise InvalidInput(name, problem)
            values[name] = request.input[name]
        elif name in schema.get("required", ()):
            raise InvalidInput(name, "is missing")
    return main(**values)


def input_schema(main: Callable[..., Any]) -> dict[str, Any]:
    """Return the JSON Schema of what a typed function takes."""
    import inspect
    import typing

    hints = typing.get_type_hints(main, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(main).parameters.items():
        if _is_request(main, name):
            continue
        properties[name] = _schema_of(hints.get(name, typing.Any))
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
        elif parameter.default is not None:
            properties[name]["default"] = parameter.default
    schema: dict[str, Any] = {"type": "object"}
    if doc := inspect.getdoc(main):
        schema["description"] = doc.partition("\n\n")[0].replace("\n", " ")
    return {**schema, "properties": properties, **({"required": required} if required else {})}


def _schema_of(hint: Any) -> dict[str, Any]:
    """Return the schema of one type; any value where nothing is known of the type."""
    import types
    import typing

    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _annotated(arguments)
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        options = [_schema_of(one) for one in arguments if one is not type(None)]
        return options[0] if len(options) == 1 else {"anyOf": options}
    if origin in (list, tuple, set):
        return {"type": "array", **({"items": _schema_of(arguments[0])} if arguments else {})}
    if origin is dict:
        return {"type": "object"}
    return {"type": PLAIN[hint]} if hint in PLAIN else {}


def _annotated(arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Return the schema of `Annotated[str, "/place/name"]`: a pointer fills it, other text describes it."""
    schema = _schema_of(arguments[0])
    for note in arguments[1:]:
        if isinstance(note, dict):
            schema |= note
        elif isinstance(note, str):
            schema["x-from" if note.startswith("/") else "description"] = note
    return schema


def find_problem(value: Any, schema: dict[str, Any]) -> str:
    """Return what is wrong with a value; the runtime has checked it before, a tool run by hand has not."""
    if "enum" in schema and value not in schema["enum"]:
        return f"one of {', '.join(map(str, schema['enum']))} is expected"
    kind = schema.get("type")
    if kind is None:
        return ""
    is_flag = isinstance(value, bool) and kind != "boolean"
    fits = isinstance(value, _KINDS[kind]) and not is_flag
    if fits and kind == "array" and "items" in schema:
        problems = (find_problem(item, schema["items"]) for item in value)
        return next((f"in the list, {problem}" for problem in problems if problem), "")
    return "" if fits else EXPECTED[kind]


def _parameters(main: Callable[..., Any]) -> tuple[str, ...]:
    code = main.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _is_request(main: Callable[..., Any], name: str) -> bool:
    hint = main.__annotations__.get(name)
    text = hint if isinstance(hint, str) else getattr(hint, "__name__", "")
    return name == "request" or text.rpartition(".")[2] == "Request"

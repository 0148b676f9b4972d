"""Writes what is made from the table of host methods: two JSON schemas and the functions of the SDK.

`docs/generate.py` writes them with the pages; a test holds them to the table.
"""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

from narratoria.skills.host.method_table import METHODS
from narratoria.skills.host.method_types import DELTA, PARAMETER_TYPES, RESULT_TYPES, Method, MethodParameter

SOURCE = Path(__file__).parents[1] / "src" / "narratoria"
LINE_LENGTH = 110
ID = {"type": ["integer", "string"]}


def files() -> dict[Path, str]:
    """Return every file that is made from the table, with its text."""
    return {
        SOURCE / "contracts" / "host-request.schema.json": _json(request_schema()),
        SOURCE / "contracts" / "host-answer.schema.json": _json(answer_schema()),
        SOURCE / "sdk" / "host.py": sdk_source(),
    }


def rows() -> str:
    """Return the methods as rows of a table."""
    return "\n".join(
        f"| [`{method.name}`](#{method.name.replace('.', '').lower()}) "
        f"| {f'`{method.permission}`' if method.permission else 'none'} | {method.doc} |"
        for method in METHODS.values()
    )


def request_schema() -> dict[str, Any]:
    hello = {
        "token": {"type": "string", "maxLength": 200, "description": "What stands in NARRATORIA_HOST_TOKEN."}
    }
    cancel = {"id": {**ID, "description": "The id of the request to give up."}}
    parameters = {
        "host.hello": _closed(hello, ["token"]),
        **{method.name: _parameters_schema(method) for method in METHODS.values()},
        "$/cancel": _closed(cancel, ["id"]),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:narratoria:contract:host-request",
        "title": "Host request",
        "description": "What a skill asks of the host: a JSON-RPC 2.0 request on one line of the host"
        " channel. The parameters of each method stand under $defs by the method's name.",
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": {"const": "2.0", "description": "The version of JSON-RPC."},
            "id": {
                **ID,
                "maxLength": 128,
                "description": "Chosen by the skill, different for every request that is not answered"
                " yet; it comes back with the answer. A request without an id is carried out and never"
                " answered.",
            },
            "method": {"type": "string", "description": "What is asked for."},
            "params": {"type": "object", "description": "The method's parameters, by name."},
        },
        "oneOf": [_request_of(name, schema) for name, schema in parameters.items()],
        "$defs": {**parameters, **PARAMETER_TYPES},
    }


def _request_of(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    reference = {"$ref": f"#/$defs/{name.replace('/', '~1')}"}
    needed = {"required": ["params"]} if parameters.get("required") else {}
    return {"properties": {"method": {"const": name}, "params": reference}, **needed}


def _parameters_schema(method: Method) -> dict[str, Any]:
    properties = {one.name: {**one.schema, "description": one.meaning} for one in method.parameters}
    return _closed(properties, [one.name for one in method.parameters if one.required])


def _closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    needed = {"required": required} if required else {}
    return {"type": "object", "additionalProperties": False, **needed, "properties": properties}


def answer_schema() -> dict[str, Any]:
    def form(title: str, meaning: str, required: list[str], **properties: Any) -> dict[str, Any]:
        return {
            "title": title,
            "description": meaning,
            "required": required,
            "additionalProperties": False,
            "properties": {"jsonrpc": True, **properties},
        }

    accepted = {"accepted": {"const": True, "description": "The channel is open."}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:narratoria:contract:host-answer",
        "title": "Host answer",
        "description": "What the host sends on the host channel, one JSON object a line: the response to a"
        " request, or a piece of a text that is being generated. The result of each method stands under"
        " $defs by the method's name.",
        "type": "object",
        "required": ["jsonrpc"],
        "properties": {"jsonrpc": {"const": "2.0"}},
        "oneOf": [
            form(
                "result",
                "The request was carried out.",
                ["id", "result"],
                id={**ID, "description": "The request's id."},
                result={"type": "object", "description": "What the method returns."},
            ),
            form(
                "error",
                "The request was not carried out.",
                ["id", "error"],
                id={
                    "type": ["integer", "string", "null"],
                    "description": "The request's id; null when none could be read.",
                },
                error={"$ref": "#/$defs/error"},
            ),
            form(
                "delta",
                "A piece of a text that is being generated.",
                ["method", "params"],
                method={"const": DELTA},
                params={"$ref": f"#/$defs/{DELTA}"},
            ),
        ],
        "$defs": {
            "error": _error_schema(),
            **RESULT_TYPES,
            "host.hello": {"type": "object", "required": ["accepted"], "properties": accepted},
            **{method.name: method.result for method in METHODS.values()},
            DELTA: {
                "type": "object",
                "required": ["id", "text"],
                "additionalProperties": False,
                "properties": {
                    "id": {**ID, "description": "The id of the request that it belongs to."},
                    "text": {"type": "string", "description": "What comes next."},
                },
            },
        },
    }


def _error_schema() -> dict[str, Any]:
    problem = {
        "type": "object",
        "required": ["pointer", "message"],
        "properties": {"pointer": {"type": "string"}, "message": {"type": "string"}},
    }
    data = {
        "reason": {"type": "string", "pattern": "^[A-Z_]+$", "description": "The code as a word."},
        "advice": {"type": "string", "description": "What to do about it."},
        "permission": {"type": "string", "description": "The permission that is missing."},
        "problems": {
            "type": "array",
            "items": problem,
            "description": "Each thing wrong with the parameters, with a JSON pointer to it.",
        },
    }
    return {
        "type": "object",
        "required": ["code", "message", "data"],
        "properties": {
            "code": {"type": "integer", "description": "A number from the table of errors."},
            "message": {"type": "string", "minLength": 1, "description": "What was wrong, for a person."},
            "data": {"type": "object", "required": ["reason"], "properties": data},
        },
    }


def _json(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


HEAD = '''"""Calls what Narratoria shares with its skills: records, embeddings and the language model.

    from narratoria.sdk import host

    host.store("memory", {"summary": "Helped the blacksmith repair an anvil"})
    for memory in host.semantic_search("the blacksmith", limit=3):
        print(memory["record"]["summary"], memory["relevance"])

A skill declares what it needs in its manifest's `permissions`. Everything is about the story that is being
played: there is no way, and no need, to say which. All functions may be called from several threads at once.

Made from `narratoria.skills.host.method_table` by docs/generate.py: edit that, then run `make docs`.
"""

from __future__ import annotations

from narratoria.sdk.host_channel import (
    HostError,
HELPERS
)

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

__all__ = [
NAMES
]
'''


def sdk_source() -> str:
    """Return the source of `narratoria.sdk.host`, as ruff formats it."""
    methods = METHODS.values()
    helpers = {method.function.through for method in methods}
    helpers |= {one.convert for method in methods for one in method.parameters if one.convert}
    names = ["HostError", *sorted(method.function.name for method in methods)]
    head = HEAD.replace("HELPERS", "\n".join(f"    {name}," for name in sorted(helpers)))
    head = head.replace("NAMES", "\n".join(f'    "{name}",' for name in names))
    return head + "".join(f"\n\n{_function(method)}" for method in methods)


def _function(method: Method) -> str:
    function = method.function
    given = [one for one in method.parameters if one.annotation]
    positional = [_argument(one) for one in given if one.positional]
    named = [_argument(one) for one in given if not one.positional]
    arguments = [*positional, *(["*", *named] if named else [])]
    sent = [f"{one.name}={_sent(one)}" for one in given]
    taken = f'["{function.take}"]' if function.take else ""
    parts = [f'"{method.name}"', *sent]
    lines = [_wrapped(f"def {function.name}(", arguments, f") -> {function.returns}:")]
    lines.append(textwrap.indent(_docstring(method.doc, function.doc), "    "))
    if function.through == "call" or function.take:
        start = f"    result: {function.returns} = {function.through}("
        lines += [_wrapped(start, parts, f"){taken}"), "    return result"]
    else:
        lines.append(_wrapped(f"    return {function.through}(", parts, ")"))
    return "\n".join(lines) + "\n"


def _argument(one: MethodParameter) -> str:
    name = _snake(one.name)
    return f"{name}: {one.annotation}" if one.required else f"{name}: {one.annotation} = {one.default}"


def _sent(one: MethodParameter) -> str:
    name = _snake(one.name)
    if one.convert:
        return f"{one.convert}({name})"
    if one.annotation == "Sequence[str]":
        return f"list({name})"
    return f"None if {name} is None else list({name})" if one.annotation == "Sequence[str] | None" else name


def _wrapped(start: str, parts: list[str], end: str) -> str:
    """Break a long call as ruff does: each part in a line, with a comma after the last."""
    line = f"{start}{', '.join(parts)}{end}"
    if len(line) <= LINE_LENGTH:
        return line
    indent = " " * (len(start) - len(start.lstrip()))
    inner = "".join(f"\n{indent}    {part}," for part in parts)
    return f"{start}{inner}\n{indent}{end}"


def _docstring(doc: str, more: str) -> str:
    return f'"""{doc}\n\n{more}\n"""' if more else f'"""{doc}"""'


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()

"""The frozen types and the contracts say the same: fields, defaults, choices and what is required."""

from __future__ import annotations

import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

from narratoria.contracts import load
from narratoria.planning.plan import Plan, PlanMetadata, RetryPolicy, ToolInvocation
from narratoria.planning.result import AssetReference, Attempt, ExecutionResult, ToolError, ToolResult
from narratoria.protocol import events
from narratoria.store.records import RetentionPolicy

PAIRS = [
    (Plan, "plan-json", ""),
    (ToolInvocation, "plan-json", "toolInvocation"),
    (RetryPolicy, "plan-json", "retryPolicy"),
    (PlanMetadata, "plan-json", "planMetadata"),
    (ExecutionResult, "execution-result", ""),
    (ToolResult, "execution-result", "toolResult"),
    (Attempt, "execution-result", "attempt"),
    (ToolError, "execution-result", "toolError"),
    (AssetReference, "execution-result", "assetReference"),
    (RetentionPolicy, "retention", ""),
]
# A written result always has them; the types fill them in for whoever makes one.
WRITTEN_THOUGH_OPTIONAL = {ToolResult: {"events", "executionTimeMs", "retryCount"}}

STRUCT_OF = {(name, f"#/$defs/{part}"): struct for struct, name, part in PAIRS if part}
NAMES = [f"{name}:{part}" for _, name, part in PAIRS]

pytestmark = pytest.mark.parametrize(("struct", "name", "part"), PAIRS, ids=NAMES)


def schema_of(name: str, part: str) -> dict[str, Any]:
    document = load(name)
    return document["$defs"][part] if part else document


def resolved(schema: dict[str, Any], name: str) -> dict[str, Any]:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    file, _, pointer = reference.partition("#")
    document = load(file.removeprefix("urn:narratoria:contract:") or name)
    for step in pointer.split("/")[1:]:
        document = document[step]
    return document


def fields_of(struct: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(struct)}


def default_of(field: msgspec.structs.FieldInfo) -> Any:
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return msgspec.to_builtins(value)


def described(hint: Any) -> tuple[set[str], tuple[Any, ...] | None, Any]:
    """A type hint as a schema would put it: JSON types, choices, and the hint of an array's items."""
    if get_origin(hint) in (Union, types.UnionType):
        parts = [described(option) for option in get_args(hint)]
        return {kind for part in parts for kind in part[0]}, None, None
    if get_origin(hint) is Literal:
        return {"string"}, get_args(hint), None
    if get_origin(hint) is tuple:
        return {"array"}, None, get_args(hint)[0]
    if get_origin(hint) is dict or (isinstance(hint, type) and issubclass(hint, msgspec.Struct)):
        return {"object"}, None, None
    names = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
    return {names[hint]}, None, None


def types_in(schema: dict[str, Any], name: str) -> set[str]:
    schema = resolved(schema, name)
    if "anyOf" in schema:
        return {kind for option in schema["anyOf"] for kind in types_in(option, name)}
    if "enum" in schema:
        return {"string"}
    kinds = schema["type"]
    return {kinds} if isinstance(kinds, str) else set(kinds)


def test_type_and_schema_have_the_same_fields(struct: type[msgspec.Struct], name: str, part: str) -> None:
    schema = schema_of(name, part)
    assert set(fields_of(struct)) == set(schema["properties"])
    assert schema["additionalProperties"] is False


def test_a_field_without_a_default_is_required_and_no_other(
    struct: type[msgspec.Struct], name: str, part: str
) -> None:
    without_default = {field for field, info in fields_of(struct).items() if info.required}
    assert without_default | WRITTEN_THOUGH_OPTIONAL.get(struct, set()) == set(
        schema_of(name, part).get("required", [])
    )


def test_defaults_are_the_same(struct: type[msgspec.Struct], name: str, part: str) -> None:
    properties = schema_of(name, part)["properties"]
    for field, info in fields_of(struct).items():
        schema = resolved(properties[field], name)
        assert info.required == ("default" not in schema), field
        if not info.required:
            default = default_of(info)
            target = STRUCT_OF.get((name, properties[field].get("$ref", "")))
            # an object left out is an empty one, filled with the defaults of its own fields
            expected = (
                msgspec.to_builtins(target()) if target and schema["default"] == {} else schema["default"]
            )
            assert default == expected or (default == () and expected == []), field


def test_json_types_and_choices_are_the_same(struct: type[msgspec.Struct], name: str, part: str) -> None:
    hints = get_type_hints(struct)
    properties = schema_of(name, part)["properties"]
    for field, info in fields_of(struct).items():
        schema = resolved(properties[field], name)
        kinds, choices, item = described(hints[info.name])
        assert kinds == types_in(schema, name), field
        if choices is not None:
            assert sorted(choices) == sorted(schema["enum"]), field
        else:
            assert "enum" not in schema, field
        if item is not None and item != events.Event:
            assert described(item)[0] == types_in(schema["items"], name), field


def test_nested_types_are_the_schemas_that_are_referred_to(
    struct: type[msgspec.Struct], name: str, part: str
) -> None:
    hints = get_type_hints(struct)
    for field, info in fields_of(struct).items():
        schema = schema_of(name, part)["properties"][field]
        targets = [schema, schema.get("items", {}), *schema.get("anyOf", [])]
        referred = {STRUCT_OF.get((name, target.get("$ref", ""))) for target in targets} - {None}
        hint = hints[info.name]
        named = {option for option in (hint, *get_args(hint)) if option in STRUCT_OF.values()}
        assert named == referred, field


def test_every_field_is_described_for_the_reference(
    struct: type[msgspec.Struct], name: str, part: str
) -> None:
    schema = schema_of(name, part)
    for place, field in {"itself": schema, **schema["properties"]}.items():
        described_field = resolved(field, name)
        assert described_field.get("title"), place
        assert described_field.get("description", "").endswith("."), place

"""What a campaign is made of and the contracts of its files say the same."""

from __future__ import annotations

import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

from narratoria.campaign import campaign as values
from narratoria.contracts import load

PAIRS = [
    (values.Manifest, "manifest", ""),
    (values.Profile, "npc-profile", ""),
    (values.Personality, "npc-profile", "personality"),
    (values.SpeechPatterns, "npc-profile", "speechPatterns"),
    (values.Goal, "npc-profile", "goal"),
    (values.Topic, "npc-profile", "topic"),
    (values.ProfileMetadata, "npc-profile", "profileMetadata"),
    (values.Beat, "plot-beats", "beat"),
    (values.Conditions, "plot-beats", "conditions"),
    (values.NpcState, "plot-beats", "npcState"),
    (values.Window, "plot-beats", "window"),
    (values.Opinion, "plot-beats", "opinion"),
    (values.Line, "plot-beats", "line"),
    (values.BeatOutcome, "plot-beats", "beatOutcome"),
    (values.Timeout, "plot-beats", "timeout"),
    (values.Effects, "plot-beats", "effects"),
    (values.Template, "player-template", ""),
    (values.Creation, "player-template", "creation"),
    (values.Trait, "player-template", "trait"),
    (values.Attribute, "player-template", "attribute"),
    (values.Preset, "player-template", "preset"),
    (values.Window, "player-template", "window"),
    (values.Rules, "campaign-rules", ""),
    (values.Band, "campaign-rules", "band"),
    (values.Modifiers, "campaign-rules", "modifiers"),
]
ON_PAPER_ONLY = {"$schema", "provenance", "generated"}  # for editors, and for who wrote it
FROM_ELSEWHERE = {values.Rules: {"prose"}}
OPTIONAL_CHOICES = {"content_rating", "rules_hint"}  # one of a list on paper, "" where nothing was said

pytestmark = pytest.mark.parametrize(
    ("struct", "name", "part"), PAIRS, ids=[f"{name}:{part}" for _, name, part in PAIRS]
)


def schema_of(name: str, part: str) -> dict[str, Any]:
    document = load(name)
    found: dict[str, Any] = document["$defs"][part] if part else document
    return found


def resolved(schema: dict[str, Any], name: str) -> dict[str, Any]:
    reference = schema.get("$ref", "")
    if reference.startswith("urn:narratoria:contract:"):
        document, _, part = reference.removeprefix("urn:narratoria:contract:").partition("#/$defs/")
        return {**load(document)["$defs"][part], **schema}
    if not reference.startswith("#/$defs/"):
        return schema
    return {**load(name)["$defs"][reference.removeprefix("#/$defs/")], **schema}


def fields_of(struct: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    elsewhere = FROM_ELSEWHERE.get(struct, set())
    return {f.encode_name: f for f in msgspec.structs.fields(struct) if f.name not in elsewhere}


def kinds_of(hint: Any) -> set[str]:
    if get_origin(hint) in (Union, types.UnionType):
        return {kind for option in get_args(hint) for kind in kinds_of(option)}
    if get_origin(hint) is Literal:
        return {"string"}
    if get_origin(hint) is tuple:
        return {"array"}
    if get_origin(hint) is dict or (isinstance(hint, type) and issubclass(hint, msgspec.Struct)):
        return {"object"}
    simple = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
    return {simple[hint]}


def types_in(schema: dict[str, Any], name: str) -> set[str]:
    schema = resolved(schema, name)
    if "anyOf" in schema:
        return {kind for option in schema["anyOf"] for kind in types_in(option, name)}
    if "enum" in schema:
        return {"null" if option is None else "string" for option in schema["enum"]}
    return {schema["type"]} if isinstance(schema["type"], str) else set(schema["type"])


def test_type_and_schema_have_the_same_fields(struct: type[msgspec.Struct], name: str, part: str) -> None:
    schema = schema_of(name, part)
    assert set(fields_of(struct)) | ON_PAPER_ONLY == set(schema["properties"]) | ON_PAPER_ONLY
    assert schema["additionalProperties"] is False


def test_a_field_without_a_default_is_required_and_no_other(
    struct: type[msgspec.Struct], name: str, part: str
) -> None:
    assert {field for field, info in fields_of(struct).items() if info.required} == set(
        schema_of(name, part).get("required", [])
    )


def test_defaults_are_the_same(struct: type[msgspec.Struct], name: str, part: str) -> None:
    properties = schema_of(name, part)["properties"]
    for field, info in fields_of(struct).items():
        if info.required or field in OPTIONAL_CHOICES:
            continue
        default = info.default if info.default is not msgspec.NODEFAULT else info.default_factory()
        hint = get_type_hints(struct)[info.name]
        expected = properties[field]["default"]
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            assert msgspec.convert(expected, hint) == default, field
        else:
            assert msgspec.json.encode(default) == msgspec.json.encode(expected), field


def test_json_types_and_choices_are_the_same(struct: type[msgspec.Struct], name: str, part: str) -> None:
    hints = get_type_hints(struct)
    properties = schema_of(name, part)["properties"]
    for field, info in fields_of(struct).items():
        hint, schema = hints[info.name], resolved(properties[field], name)
        assert kinds_of(hint) == types_in(schema, name), field
        options = {
            c for part in (hint, *get_args(hint)) if get_origin(part) is Literal for c in get_args(part)
        }
        if options and get_origin(hint) is not dict:
            listing = schema["items"] if get_origin(hint) is tuple else schema
            assert options == {option for option in listing["enum"] if option is not None}, field
        if get_origin(hint) is tuple:
            assert kinds_of(get_args(hint)[0]) == types_in(schema["items"], name), field
        if get_origin(hint) is dict and get_args(hint)[1] is not Any and "properties" not in schema:
            assert kinds_of(get_args(hint)[1]) == types_in(schema["additionalProperties"], name), field


def test_every_field_is_described_for_the_reference(
    struct: type[msgspec.Struct], name: str, part: str
) -> None:
    schema = schema_of(name, part)
    for place, field in {"itself": schema, **schema["properties"]}.items():
        if "$ref" not in field:
            assert field.get("description", "").endswith("."), place

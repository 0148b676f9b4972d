"""Reads a skill's `config-schema.json`, checked, as the fields of a form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria import contracts
from narratoria.contracts.foreign_schema import check_size
from narratoria.contracts.json_pointer import join_pointer
from narratoria.contracts.messages import closest_match
from narratoria.errors import ContractViolation, Problem

FieldType: TypeAlias = Literal["string", "number", "integer", "boolean", "array", "object"]
Widget: TypeAlias = Literal["text", "password", "textarea", "number", "toggle", "dropdown", "list", "group"]

EXTENSIONS = ("x-sensitive", "x-env-var", "x-category", "x-sent-to")
_WIDGETS: dict[FieldType, Widget] = {
    "string": "text",
    "number": "number",
    "integer": "number",
    "boolean": "toggle",
    "array": "list",
    "object": "group",
}
_BOUNDS = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))


class SentTo(msgspec.Struct, frozen=True):
    """Names where a secret is sent: the setting with the address, else the usual address for a choice."""

    setting: str
    choice: str = ""
    usual: dict[str, str] = {}


class ConfigField(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One setting, with everything that a form needs to know about it."""

    key: str
    type: FieldType
    title: str
    description: str = ""
    required: bool = False
    default: Any = None  # None: there is none
    enum: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    multiple_of: float | None = None
    min_length: int | None = None  # characters of a text, items of a list
    max_length: int | None = None
    pattern: str = ""
    format: str = ""
    sensitive: bool = False
    env_var: str = ""
    category: str = ""
    sent_to: SentTo | None = None  # of a secret that is bound to an address
    fields: tuple[ConfigField, ...] = ()  # of a group

    @property
    def holds_secrets(self) -> bool:
        return self.sensitive or any(field.holds_secrets for field in self.fields)

    @property
    def multiline(self) -> bool:
        return self.format == "textarea"

    @property
    def widget(self) -> Widget:
        """Return the kind of input a form shows for it."""
        if self.sensitive and self.type in ("string", "number", "integer"):
            return "password"
        if self.enum:
            return "dropdown"
        return "textarea" if self.multiline else _WIDGETS[self.type]

    @property
    def expectation(self) -> str:
        """Describe the values it accepts, without quoting one."""
        noun = {
            "array": "a list",
            "object": "an object",
            "integer": "a whole number",
            "boolean": "true or false",
        }
        words = [noun.get(self.type, "a text" if self.type == "string" else "a number")]
        counted = "items" if self.type == "array" else "characters"
        limits = (
            ("at least {}", self.minimum),
            ("at most {}", self.maximum),
            ("more than {}", self.exclusive_minimum),
            ("less than {}", self.exclusive_maximum),
            ("a multiple of {}", self.multiple_of),
            (f"at least {{}} {counted}", self.min_length),
            (f"at most {{}} {counted}", self.max_length),
            ("matching the pattern {}", self.pattern or None),
        )
        words += [text.format(_plain(limit)) for text, limit in limits if limit is not None]
        if self.enum:
            words.append("one of " + ", ".join(str(option) for option in self.enum))
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class ConfigSchema:
    """Lists the settings that a skill has; none at all for one without a schema."""

    file: Path | None = None
    title: str = ""
    description: str = ""
    fields: tuple[ConfigField, ...] = ()
    contract: contracts.Contract | None = field(default=None, repr=False, compare=False)

    def field(self, key: str) -> ConfigField | None:
        """By its key, or `group.key`."""
        field: ConfigField | None = None
        fields = self.fields
        for part in key.split("."):
            field = next((candidate for candidate in fields if candidate.key == part), None)
            if field is None:
                return None
            fields = field.fields
        return field

    def field_at(self, pointer: str) -> ConfigField | None:
        """Return the setting that holds the value at this pointer."""
        parts = pointer.split("/")[1:3]
        return self.field(".".join(parts)) or self.field(parts[0]) if parts else None

    @property
    def categories(self) -> dict[str, tuple[ConfigField, ...]]:
        """Return the fields under their headings, both in the order of the schema."""
        names = dict.fromkeys(field.category for field in self.fields)
        return {name: tuple(f for f in self.fields if f.category == name) for name in names}


def read_schema(folder: Path, relative: str = "config-schema.json") -> ConfigSchema:
    """Return the schema in a skill's folder; raise ContractViolation with every problem and its line."""
    path = folder / relative
    try:
        real = path.resolve()
        if not real.exists():
            return ConfigSchema()
        if not real.is_relative_to(folder.resolve()):
            raise ContractViolation([Problem("leads out of the skill's folder", file=str(path))])
        text = real.read_bytes()
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise ContractViolation([Problem(f"cannot be read: {reason}", file=str(path))]) from None
    return _parsed(path, text)


@lru_cache(maxsize=256)
def _parsed(path: Path, text: bytes) -> ConfigSchema:
    document = contracts.parse("config-schema-meta", text, file=str(path))
    problems = [*_contradictions(document, "")]
    contract = None
    if not problems:
        try:
            check_size(document)
            contract = contracts.Contract(_for_values(document))
        except ValueError as error:  # in the rules between settings, which the contract leaves free
            reason = str(error).partition("\n")[0]
            problems.append(Problem(f"this is not a JSON Schema: {reason}", ""))
    if problems:
        raise ContractViolation(contracts.add_locations(problems, text, file=str(path)))
    return ConfigSchema(
        file=path,
        title=document.get("title", ""),
        description=document.get("description", ""),
        fields=tuple(_fields(document)),
        contract=contract,
    )


def _fields(
    schema: Mapping[str, Any], category: str = "", *, sensitive: bool = False
) -> Iterator[ConfigField]:
    required = schema.get("required", ())
    for key, about in schema["properties"].items():
        own_category = about.get("x-category", category)
        is_secret = sensitive or _is_sensitive(about) or _is_sensitive(about.get("items", {}))
        limits = about.get("items", {}) if about["type"] == "array" else about
        yield ConfigField(
            key=key,
            type=about["type"],
            title=about.get("title", key),
            description=about.get("description", ""),
            required=key in required,
            default=about.get("default"),
            enum=tuple(limits.get("enum", ())),
            minimum=about.get("minimum"),
            maximum=about.get("maximum"),
            exclusive_minimum=about.get("exclusiveMinimum"),
            exclusive_maximum=about.get("exclusiveMaximum"),
            multiple_of=about.get("multipleOf"),
            min_length=about.get("minLength", about.get("minItems")),
            max_length=about.get("maxLength", about.get("maxItems")),
            pattern=limits.get("pattern", ""),
            format=limits.get("format", ""),
            sensitive=is_secret,
            env_var=about.get("x-env-var", ""),
            category=own_category,
            sent_to=msgspec.convert(about["x-sent-to"], SentTo) if "x-sent-to" in about else None,
            fields=tuple(_fields(about, own_category, sensitive=is_secret))
            if about["type"] == "object"
            else (),
        )


def _is_sensitive(about: Mapping[str, Any]) -> bool:
    return about.get("x-sensitive", False) or about.get("format") == "password"


def _for_values(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema to check values with; the fields report what is missing, in better words."""
    plain = {key: value for key, value in schema.items() if key not in ("required", "$schema", "$id")}
    plain["properties"] = {
        key: _for_values(about) if about["type"] == "object" else about
        for key, about in schema["properties"].items()
    }
    return plain


# what a schema can say that each part allows and that makes no sense together


def _contradictions(schema: Mapping[str, Any], pointer: str) -> Iterator[Problem]:
    for index, key in enumerate(schema.get("required", ())):
        if key not in schema["properties"]:
            near = closest_match(key, schema["properties"])
            advice = f"did you mean {near!r}?" if near else "declare it, or take it off this list"
            yield Problem(f"{key!r} is not among the properties; {advice}", f"{pointer}/required/{index}")
    for key, about in schema["properties"].items():
        where = f"{pointer}/properties/{key}"
        yield from _misspelled(about, where)
        yield from _reversed_bounds(about, where)
        yield from _unknown_targets(about, schema["properties"], where)
        if about["type"] == "array":
            yield from _misspelled(about["items"], f"{where}/items")
            yield from _reversed_bounds(about["items"], f"{where}/items")
        inner = [*_contradictions(about, where)] if about["type"] == "object" else []
        yield from inner
        if "default" in about and not inner:
            for problem in contracts.Contract(about).check_value(about["default"]):
                message = f"the default does not fit: {problem.message}"
                yield Problem(message, f"{where}/default{problem.pointer}")
    if not pointer:
        yield from _misspelled(schema, pointer)
        rules = [key for key in ("allOf", "anyOf", "oneOf", "not", "if", "then", "else") if key in schema]
        for key in rules:
            yield from _references(schema[key], f"/{key}")


def _misspelled(about: Mapping[str, Any], pointer: str) -> Iterator[Problem]:
    """A slip here would show a secret, and say nothing."""
    for key in about:
        if key.startswith("x-") and key not in EXTENSIONS and (near := closest_match(key, EXTENSIONS)):
            yield Problem(f"{key!r} is not known; did you mean {near!r}?", f"{pointer}/{key}")


def _unknown_targets(
    about: Mapping[str, Any], settings: Mapping[str, Any], pointer: str
) -> Iterator[Problem]:
    sent_to = about.get("x-sent-to", {})
    for role in ("setting", "choice"):
        if role in sent_to and sent_to[role] not in settings:
            yield Problem(f"{sent_to[role]!r} is not among the properties", f"{pointer}/x-sent-to/{role}")


def _reversed_bounds(about: Mapping[str, Any], pointer: str) -> Iterator[Problem]:
    for low, high in _BOUNDS:
        if low in about and high in about and about[low] > about[high]:
            message = f"{low} {about[low]} is more than {high} {about[high]}: no value would do"
            yield Problem(message, f"{pointer}/{low}")


def _references(rule: Any, pointer: str) -> Iterator[Problem]:
    items: Sequence[tuple[str | int, Any]] = ()
    if isinstance(rule, dict):
        items = list(rule.items())
    elif isinstance(rule, list):
        items = list(enumerate(rule))
    for key, value in items:
        where = pointer + join_pointer([key])
        if key in ("$ref", "$dynamicRef"):
            yield Problem(f"{key!r} is not supported here; write out what it refers to", where)
        else:
            yield from _references(value, where)


def _plain(number: Any) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)

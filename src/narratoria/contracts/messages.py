"""Describes schema errors to authors: what is wrong, and what would be right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jsonschema_rs import Draft202012Validator

from narratoria.contracts.json_pointer import join_pointer, split_pointer

MAX_SHOWN = 60  # characters of a value
MAX_LISTED = 20  # alternatives

TYPES = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
FORMATS = {
    "uuid": "a UUID such as 123e4567-e89b-42d3-a456-426614174000",
    "date-time": "a date and time such as 2026-01-31T18:30:00Z",
    "date": "a date such as 2026-01-31",
    "uri": "an address such as https://example.org/page",
    "email": "an e-mail address",
    "regex": "a regular expression",
}


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Describes one thing to correct."""

    pointer: str
    message: str
    at_key: bool = False  # the key is wrong rather than its value
    vague: bool = False  # worth saying only where nothing more exact is said of the same value


@dataclass(frozen=True, slots=True)
class SchemaError:
    value: Any
    pointer: str
    keyword: str
    schema: dict[str, Any]
    raw: str
    about_keys: bool = False

    @property
    def limit(self) -> Any:
        return self.schema.get(self.keyword)

    def say(self, message: str) -> list[SchemaProblem]:
        return [SchemaProblem(self.pointer, message)]


def describe_error(error: SchemaError) -> Iterator[SchemaProblem]:
    """Yield at least one problem for any error, so that nothing refused looks accepted."""
    sentence = _refused_keys if error.about_keys else DESCRIPTIONS.get(error.keyword, _raw)
    problems = iter(sentence(error))
    yield next(problems, None) or _raw(error)[0]
    yield from problems


def quote(value: Any) -> str:
    """Return a value as a message shows it: short, on one line, without control characters."""
    if isinstance(value, str):
        return repr(value if len(value) <= MAX_SHOWN else value[: MAX_SHOWN - 1] + "…")
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    shown = json.dumps(value) if not isinstance(value, int) or abs(value) < 10**MAX_SHOWN else "a huge number"
    return shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + "…"


def describe_kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return json.dumps(value)
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case dict():
            return "an object"
        case _:
            return "an array"


def join_words(items: Sequence[str], last: str = "and") -> str:
    *rest, final = items or [""]
    return f"{', '.join(rest)} {last} {final}" if rest else final


def last_key(pointer: str) -> str:
    """Return the last key of a pointer, which is what the author calls the value."""
    return next((part for part in reversed(split_pointer(pointer)) if not part.isdigit()), "")


def closest_match(word: Any, options: Iterable[Any]) -> str:
    """Return an option that differs by a typo or by case, if there is one."""
    texts = [option for option in options if isinstance(option, str)]
    if not isinstance(word, str) or len(word) > MAX_SHOWN:
        return ""
    folded = {text.casefold().replace("_", "").replace("-", ""): text for text in texts}
    slip = folded.get(word.casefold().replace("_", "").replace("-", ""))
    return slip or next(iter(get_close_matches(word, texts, n=1, cutoff=0.75)), "")


def describe_options(value: Any, options: Sequence[Any], pointer: str) -> str:
    name = last_key(pointer)
    kind = f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}" if name else "allowed here"
    shown = [
        option if isinstance(option, str) and option else quote(option) for option in options[:MAX_LISTED]
    ]
    more = [f"… {len(options) - MAX_LISTED} more"] if len(options) > MAX_LISTED else []
    near = closest_match(value, options)
    return f"{quote(value)} is not {kind} ({', '.join(shown + more)}){_did_you_mean(near)}"


def describe_type(types: Iterable[str], value: Any) -> str:
    expected = join_words([TYPES.get(name, name) for name in types], "or")
    got = (
        describe_kind(value)
        if isinstance(value, dict | list | bool | None)
        else f"{describe_kind(value)} ({quote(value)})"
    )
    return f"{expected} is expected, not {got}{_unquote_advice(set(types), value)}"


def _unquote_advice(types: set[str], value: Any) -> str:
    if not isinstance(value, str):
        return ""
    intended_type = {"true": "boolean", "false": "boolean", "null": "null"}.get(value)
    if value.removeprefix("-").isdecimal() and value.isascii():
        intended_type = "integer" if "integer" in types else "number"
    return "; remove the quotes" if intended_type in types else ""


def _did_you_mean(near: str) -> str:
    return f"; did you mean {near!r}?" if near else ""


def _raw(error: SchemaError) -> list[SchemaProblem]:
    message = error.raw if len(error.raw) <= 200 else error.raw[:199] + "…"
    return error.say(message if error.keyword else f"{quote(error.value)} is not allowed here; remove it")


def _not_allowed(error: SchemaError) -> list[SchemaProblem]:
    return error.say(f"{quote(error.value)} is not allowed here; remove it")


def _type(error: SchemaError) -> list[SchemaProblem]:
    types = [error.limit] if isinstance(error.limit, str) else error.limit
    return error.say(describe_type(types, error.value))


def _enum(error: SchemaError) -> list[SchemaProblem]:
    return error.say(describe_options(error.value, error.limit, error.pointer))


def _const(error: SchemaError) -> list[SchemaProblem]:
    return error.say(f"{quote(error.limit)} is expected, not {quote(error.value)}")


def _required(error: SchemaError) -> list[SchemaProblem]:
    missing = [key for key in error.limit if key not in error.value]
    return [
        SchemaProblem(error.pointer, f"{key!r} is missing{_purpose(error.schema, key)}") for key in missing
    ]


def _purpose(schema: dict[str, Any], key: str) -> str:
    """Return the first sentence of the contract's description of a key."""
    properties = schema.get("properties", {})
    about = properties.get(key) if isinstance(properties, dict) else None
    text = about.get("description", "") if isinstance(about, dict) else ""
    sentence = text.split(". ")[0].rstrip(".") if isinstance(text, str) else ""
    return f"; add it: {sentence}" if sentence else "; add it"


def _dependent_required(error: SchemaError) -> list[SchemaProblem]:
    return [
        SchemaProblem(error.pointer, f"{key!r} is missing; {given!r} needs it")
        for given, needed in (error.limit or {}).items()
        if given in error.value
        for key in needed
        if key not in error.value
    ]


def _unknown_keys(error: SchemaError) -> Iterator[SchemaProblem]:
    if not isinstance(error.value, dict):
        yield from _not_allowed(error)
        return
    known_keys = list(error.schema.get("properties", {}))
    parts = split_pointer(error.pointer)
    # the validator's own sentence is what knows which keys the patterns and other sub-schemas let pass
    named_by_it = bool(error.schema.get("patternProperties")) or error.keyword == "unevaluatedProperties"
    for key in error.value:
        if key in known_keys or (named_by_it and f"'{key}'" not in error.raw):
            continue
        message = f"{quote(key)} is not a known key{_known_keys(key, known_keys)}"
        yield SchemaProblem(join_pointer([*parts, key]), message, at_key=True)


def _known_keys(key: str, known_keys: list[str]) -> str:
    near = closest_match(key, known_keys)
    if near or not known_keys:
        return _did_you_mean(near) or "; remove it"
    more = ", …" if len(known_keys) > MAX_LISTED else ""
    return f"; known are {', '.join(known_keys[:MAX_LISTED])}{more}"


def _refused_keys(error: SchemaError) -> Iterator[SchemaProblem]:
    """Describe errors of `propertyNames`, which point at the object that holds the keys."""
    names = Draft202012Validator({error.keyword: error.limit}, validate_formats=True)
    parts = split_pointer(error.pointer)
    for key in error.value:
        if not names.is_valid(key):
            refused = SchemaError(key, join_pointer([*parts, key]), error.keyword, error.schema, error.raw)
            for problem in describe_error(refused):
                yield SchemaProblem(problem.pointer, f"as a key, {problem.message}", at_key=True)


def _pattern(error: SchemaError) -> list[SchemaProblem]:
    expectation = error.schema.get("x-rule")
    if not expectation:
        examples = error.schema.get("examples") or []
        such_as = f", such as {quote(examples[0])}" if examples else ""
        return error.say(f"{quote(error.value)} does not match the pattern {error.limit}{such_as}")
    return error.say(f"{quote(error.value)} is not {expectation}")


def _format(error: SchemaError) -> list[SchemaProblem]:
    expectation = FORMATS.get(error.limit, f"a valid {error.limit}")
    return error.say(f"{quote(error.value)} is not {expectation}")


def _bounds(error: SchemaError) -> list[SchemaProblem]:
    low, high = error.schema.get("minimum"), error.schema.get("maximum")
    above, below = error.schema.get("exclusiveMinimum"), error.schema.get("exclusiveMaximum")
    limits = [
        f"{words} {quote(limit)}"
        for words, limit in (("at least", low), ("more than", above), ("at most", high), ("less than", below))
        if limit is not None
    ]
    too = "small" if error.keyword in ("minimum", "exclusiveMinimum") else "large"
    return error.say(f"{quote(error.value)} is too {too}; it must be {join_words(limits)}")


def _multiple(error: SchemaError) -> list[SchemaProblem]:
    return error.say(f"{quote(error.value)} is not a multiple of {quote(error.limit)}")


def _too_few(what: str) -> Callable[[SchemaError], list[SchemaProblem]]:
    def sentence(error: SchemaError) -> list[SchemaProblem]:
        if error.limit == 1:
            return error.say("this must not be empty")
        return error.say(f"too few {what}: {len(error.value)}, where at least {error.limit} are needed")

    return sentence


def _too_many(what: str) -> Callable[[SchemaError], list[SchemaProblem]]:
    def sentence(error: SchemaError) -> list[SchemaProblem]:
        return error.say(f"too many {what}: {len(error.value)}, where at most {error.limit} are allowed")

    return sentence


def _unique(error: SchemaError) -> Iterator[SchemaProblem]:
    seen: dict[str, int] = {}
    for index, item in enumerate(error.value):
        first = seen.setdefault(json.dumps(item, sort_keys=True), index)
        if first != index:
            pointer = join_pointer([*split_pointer(error.pointer), index])
            yield SchemaProblem(
                pointer, f"{quote(item)} is already listed as item {first}; remove one of the two"
            )
    if len(seen) == len(error.value):  # equal, but not written alike: 1 and 1.0
        yield SchemaProblem(error.pointer, "the same item is listed twice")


def _several(error: SchemaError) -> list[SchemaProblem]:
    message = f"{quote(error.value)} fits several of the allowed forms; leave out what belongs to the others"
    return [SchemaProblem(error.pointer, message, vague=True)]


DESCRIPTIONS: dict[str, Callable[[SchemaError], Iterable[SchemaProblem]]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "required": _required,
    "dependentRequired": _dependent_required,
    "additionalProperties": _unknown_keys,
    "unevaluatedProperties": _unknown_keys,
    "unevaluatedItems": _not_allowed,
    "items": _not_allowed,
    "not": _not_allowed,
    "pattern": _pattern,
    "format": _format,
    "minimum": _bounds,
    "maximum": _bounds,
    "exclusiveMinimum": _bounds,
    "exclusiveMaximum": _bounds,
    "multipleOf": _multiple,
    "minLength": _too_few("characters"),
    "maxLength": _too_many("characters"),
    "minItems": _too_few("items"),
    "maxItems": _too_many("items"),
    "minProperties": _too_few("keys"),
    "maxProperties": _too_many("keys"),
    "uniqueItems": _unique,
    "oneOf": _several,
}

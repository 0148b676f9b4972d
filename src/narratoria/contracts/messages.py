"""What a schema keyword's refusal means for the author: what is wrong, and what would be right."""

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
    """One thing to mend."""

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


def describe_error(refusal: SchemaError) -> Iterator[SchemaProblem]:
    """At least one finding, whatever the refusal: nothing that was refused may look accepted."""
    sentence = _refused_keys if refusal.about_keys else DESCRIPTIONS.get(refusal.keyword, _raw)
    findings = iter(sentence(refusal))
    yield next(findings, None) or _raw(refusal)[0]
    yield from findings


def quote(value: Any) -> str:
    """A value as a sentence shows it: short, on one line, without control characters."""
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
    """The nearest key on the way to a value, which is what its author calls it."""
    return next((part for part in reversed(split_pointer(pointer)) if not part.isdigit()), "")


def closest_match(word: Any, options: Iterable[Any]) -> str:
    """An option that differs by a slip or by its case, if there is one."""
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
    meant = {"true": "boolean", "false": "boolean", "null": "null"}.get(value)
    if value.removeprefix("-").isdecimal() and value.isascii():
        meant = "integer" if "integer" in types else "number"
    return "; remove the quotes" if meant in types else ""


def _did_you_mean(near: str) -> str:
    return f"; did you mean {near!r}?" if near else ""


def _raw(refusal: SchemaError) -> list[SchemaProblem]:
    message = refusal.raw if len(refusal.raw) <= 200 else refusal.raw[:199] + "…"
    return refusal.say(
        message if refusal.keyword else f"{quote(refusal.value)} is not allowed here; remove it"
    )


def _not_allowed(refusal: SchemaError) -> list[SchemaProblem]:
    return refusal.say(f"{quote(refusal.value)} is not allowed here; remove it")


def _type(refusal: SchemaError) -> list[SchemaProblem]:
    types = [refusal.limit] if isinstance(refusal.limit, str) else refusal.limit
    return refusal.say(describe_type(types, refusal.value))


def _enum(refusal: SchemaError) -> list[SchemaProblem]:
    return refusal.say(describe_options(refusal.value, refusal.limit, refusal.pointer))


def _const(refusal: SchemaError) -> list[SchemaProblem]:
    return refusal.say(f"{quote(refusal.limit)} is expected, not {quote(refusal.value)}")


def _required(refusal: SchemaError) -> list[SchemaProblem]:
    missing = [key for key in refusal.limit if key not in refusal.value]
    return [
        SchemaProblem(refusal.pointer, f"{key!r} is missing{_purpose(refusal.schema, key)}")
        for key in missing
    ]


def _purpose(schema: dict[str, Any], key: str) -> str:
    """The first sentence of what the contract says about a key."""
    properties = schema.get("properties", {})
    about = properties.get(key) if isinstance(properties, dict) else None
    text = about.get("description", "") if isinstance(about, dict) else ""
    sentence = text.split(". ")[0].rstrip(".") if isinstance(text, str) else ""
    return f"; add it: {sentence}" if sentence else "; add it"


def _dependent_required(refusal: SchemaError) -> list[SchemaProblem]:
    return [
        SchemaProblem(refusal.pointer, f"{key!r} is missing; {given!r} needs it")
        for given, needed in (refusal.limit or {}).items()
        if given in refusal.value
        for key in needed
        if key not in refusal.value
    ]


def _unknown_keys(refusal: SchemaError) -> Iterator[SchemaProblem]:
    if not isinstance(refusal.value, dict):
        yield from _not_allowed(refusal)
        return
    known = list(refusal.schema.get("properties", {}))
    parts = split_pointer(refusal.pointer)
    # the validator's own sentence is what knows which keys the patterns and other sub-schemas let pass
    named_by_it = bool(refusal.schema.get("patternProperties")) or refusal.keyword == "unevaluatedProperties"
    for key in refusal.value:
        if key in known or (named_by_it and f"'{key}'" not in refusal.raw):
            continue
        message = f"{quote(key)} is not a known key{_known_keys(key, known)}"
        yield SchemaProblem(join_pointer([*parts, key]), message, at_key=True)


def _known_keys(key: str, known: list[str]) -> str:
    near = closest_match(key, known)
    if near or not known:
        return _did_you_mean(near) or "; remove it"
    more = ", …" if len(known) > MAX_LISTED else ""
    return f"; known are {', '.join(known[:MAX_LISTED])}{more}"


def _refused_keys(refusal: SchemaError) -> Iterator[SchemaProblem]:
    """`propertyNames` refuses keys, and its errors point at the object that holds them."""
    names = Draft202012Validator({refusal.keyword: refusal.limit}, validate_formats=True)
    parts = split_pointer(refusal.pointer)
    for key in refusal.value:
        if not names.is_valid(key):
            refused = SchemaError(
                key, join_pointer([*parts, key]), refusal.keyword, refusal.schema, refusal.raw
            )
            for finding in describe_error(refused):
                yield SchemaProblem(finding.pointer, f"as a key, {finding.message}", at_key=True)


def _pattern(refusal: SchemaError) -> list[SchemaProblem]:
    wanted = refusal.schema.get("x-rule")
    if not wanted:
        examples = refusal.schema.get("examples") or []
        such_as = f", such as {quote(examples[0])}" if examples else ""
        return refusal.say(f"{quote(refusal.value)} does not match the pattern {refusal.limit}{such_as}")
    return refusal.say(f"{quote(refusal.value)} is not {wanted}")


def _format(refusal: SchemaError) -> list[SchemaProblem]:
    wanted = FORMATS.get(refusal.limit, f"a valid {refusal.limit}")
    return refusal.say(f"{quote(refusal.value)} is not {wanted}")


def _bounds(refusal: SchemaError) -> list[SchemaProblem]:
    low, high = refusal.schema.get("minimum"), refusal.schema.get("maximum")
    above, below = refusal.schema.get("exclusiveMinimum"), refusal.schema.get("exclusiveMaximum")
    limits = [
        f"{words} {quote(limit)}"
        for words, limit in (("at least", low), ("more than", above), ("at most", high), ("less than", below))
        if limit is not None
    ]
    too = "small" if refusal.keyword in ("minimum", "exclusiveMinimum") else "large"
    return refusal.say(f"{quote(refusal.value)} is too {too}; it must be {join_words(limits)}")


def _multiple(refusal: SchemaError) -> list[SchemaProblem]:
    return refusal.say(f"{quote(refusal.value)} is not a multiple of {quote(refusal.limit)}")


def _too_few(what: str) -> Callable[[SchemaError], list[SchemaProblem]]:
    def sentence(refusal: SchemaError) -> list[SchemaProblem]:
        if refusal.limit == 1:
            return refusal.say("this must not be empty")
        return refusal.say(f"too few {what}: {len(refusal.value)}, where at least {refusal.limit} are needed")

    return sentence


def _too_many(what: str) -> Callable[[SchemaError], list[SchemaProblem]]:
    def sentence(refusal: SchemaError) -> list[SchemaProblem]:
        return refusal.say(
            f"too many {what}: {len(refusal.value)}, where at most {refusal.limit} are allowed"
        )

    return sentence


def _unique(refusal: SchemaError) -> Iterator[SchemaProblem]:
    seen: dict[str, int] = {}
    for index, item in enumerate(refusal.value):
        first = seen.setdefault(json.dumps(item, sort_keys=True), index)
        if first != index:
            pointer = join_pointer([*split_pointer(refusal.pointer), index])
            yield SchemaProblem(
                pointer, f"{quote(item)} is already listed as item {first}; remove one of the two"
            )
    if len(seen) == len(refusal.value):  # equal, but not written alike: 1 and 1.0
        yield SchemaProblem(refusal.pointer, "the same item is listed twice")


def _several(refusal: SchemaError) -> list[SchemaProblem]:
    message = (
        f"{quote(refusal.value)} fits several of the allowed forms; leave out what belongs to the others"
    )
    return [SchemaProblem(refusal.pointer, message, vague=True)]


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

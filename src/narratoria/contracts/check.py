"""Checks a document against its contract, and explains every error with its line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any

import jsonschema_rs

from narratoria.contracts.json_pointer import (
    SourceOffsets,
    join_pointer,
    line_and_column,
    locate_pointers,
    split_pointer,
)
from narratoria.contracts.messages import (
    SchemaError,
    SchemaProblem,
    describe_error,
    describe_kind,
    describe_options,
    describe_type,
    join_words,
    quote,
)
from narratoria.contracts.read import JsonFault, read_json, why_not_json
from narratoria.errors import ContractViolation, Problem

# Keywords that hold schemas, and how many steps into the document each of them takes.
NAMED = {"properties": 1, "patternProperties": 1, "dependentSchemas": 0, "$defs": 0}
NUMBERED = {"prefixItems": 1, "allOf": 0, "anyOf": 0, "oneOf": 0}
SINGLE = {
    "items": 1,
    "additionalProperties": 1,
    "unevaluatedProperties": 1,
    "unevaluatedItems": 1,
    "contains": 1,
}
SINGLE |= {"propertyNames": 0, "not": 0, "if": 0, "then": 0, "else": 0}


@dataclass(frozen=True, slots=True)
class UnionBranch:
    """Names the alternative of an `anyOf` or `oneOf` that an error belongs to."""

    union: str  # the location of the anyOf or oneOf
    number: int
    steps: int  # from the union's value down to the refused one


@dataclass(frozen=True, slots=True)
class SchemaRule:
    """Holds a keyword at a schema location, with the schema that contains it."""

    location: str
    keyword: str
    schema: Any
    branches: tuple[UnionBranch, ...] = ()
    about_keys: bool = False


@dataclass(frozen=True, slots=True)
class ValidatorError:
    rule: SchemaRule
    pointer: str
    raw: str


class SchemaErrorExplainer:
    """Explains the validation errors of one schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._rule = lru_cache(maxsize=None)(self._read_location)  # few locations, perhaps a million errors

    def groups(self, errors: Iterable[Mapping[str, Any]]) -> list[list[ValidatorError]]:
        """Group errors that one explanation covers, such as all branches of a union."""
        failures = (
            ValidatorError(self._rule(e["schemaLocation"]), e["instanceLocation"], e["error"]) for e in errors
        )
        return _grouped(map(_unfused, failures), level=0)

    def explain(
        self, document: Any, group: Sequence[ValidatorError], level: int = 0
    ) -> Iterable[SchemaProblem]:
        first = group[0]
        if len(first.rule.branches) > level:
            return self._explain_union(document, group, level)
        return describe_error(_schema_error(document, first))

    def _read_location(self, location: str) -> SchemaRule:
        """Resolve a location such as /properties/a/oneOf/1/type against the schema."""
        parts = split_pointer(location.partition("#")[2] if "#" in location else location)
        schema: Any = self._schema
        unions: list[tuple[str, int, int]] = []
        about_keys = False
        at = depth = 0
        while at < len(parts) and isinstance(schema, dict) and parts[at] in schema:
            keyword = parts[at]
            rest = parts[at + 1 :]
            if keyword in NUMBERED and rest:
                if keyword in ("anyOf", "oneOf"):
                    unions.append((join_pointer(parts[: at + 1]), int(rest[0]), depth))
                schema = schema[keyword][int(rest[0])]
                at += 2
            elif keyword in NAMED and rest:
                schema = schema[keyword].get(rest[0])
                at += 2
            elif keyword in SINGLE and rest:
                schema = schema[keyword]
                at += 1
            else:
                break
            depth += NAMED.get(keyword, 0) + NUMBERED.get(keyword, 0) + SINGLE.get(keyword, 0)
            about_keys = about_keys or keyword == "propertyNames"
        branches = tuple(UnionBranch(union, number, depth - start) for union, number, start in unions)
        return SchemaRule(location, parts[at] if at < len(parts) else "", schema, branches, about_keys)

    def _explain_union(
        self, document: Any, group: Sequence[ValidatorError], level: int
    ) -> list[SchemaProblem]:
        """Explain the errors of the intended branch if it can be determined, else list the alternatives."""
        pointer = _union_pointer(group[0], level)
        branches: dict[int, list[ValidatorError]] = {}
        for error in group:
            branches.setdefault(error.rule.branches[level].number, []).append(error)
        typed = [errors for errors in branches.values() if not _mistyped(errors, pointer, level)]
        intended_branches = [
            errors for errors in typed if len(typed) == 1 or not _tags(errors, pointer, level)
        ]
        if len(intended_branches) == 1:
            inner = _grouped(intended_branches[0], level + 1)
            return [problem for errors in inner for problem in self.explain(document, errors, level + 1)]
        value = value_at(document, pointer)
        if not typed:
            types = [t for e in _mistyped(group, pointer, level) for t in _as_list(e.rule.schema["type"])]
            return [SchemaProblem(pointer, describe_type(dict.fromkeys(types), value))]
        tag = None if intended_branches else _common_tag(document, typed, pointer, level)
        if tag:
            return [tag]
        forms = [_alternative(self.explain(document, errors[:1], level + 1)) for errors in branches.values()]
        shown = (
            f"this {describe_kind(value).partition(' ')[2]}"
            if isinstance(value, dict | list)
            else quote(value)
        )
        message = f"{shown} fits none of the allowed forms ({'; or '.join(dict.fromkeys(forms))})"
        return [SchemaProblem(pointer, message, vague=True)]


def value_at(document: Any, pointer: str) -> Any:
    for part in split_pointer(pointer):
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def _unfused(error: ValidatorError) -> ValidatorError:
    """Correct the location of `required` errors, which the validator may report at another keyword."""
    rule = error.rule
    if (
        rule.keyword != "required"
        and "required" in _keywords(rule)
        and error.raw.endswith(" is a required property")
    ):
        return replace(error, rule=replace(rule, keyword="required", location=f"{rule.location}+required"))
    return error


def _keywords(rule: SchemaRule) -> Iterable[str]:
    return rule.schema if isinstance(rule.schema, dict) else ()


def _grouped(errors: Iterable[ValidatorError], level: int) -> list[list[ValidatorError]]:
    groups: dict[tuple[str, str], list[ValidatorError]] = {}
    for error in errors:
        branches = error.rule.branches
        if len(branches) > level:
            key = (branches[level].union, _union_pointer(error, level))
        else:
            key = (error.rule.location, error.pointer)
        groups.setdefault(key, []).append(error)
    return list(groups.values())


def _union_pointer(error: ValidatorError, level: int) -> str:
    parts = split_pointer(error.pointer)
    return join_pointer(parts[: len(parts) - error.rule.branches[level].steps])


def _schema_error(document: Any, error: ValidatorError) -> SchemaError:
    rule = error.rule
    schema = rule.schema if isinstance(rule.schema, dict) else {}
    return SchemaError(
        value_at(document, error.pointer), error.pointer, rule.keyword, schema, error.raw, rule.about_keys
    )


def _mistyped(errors: Sequence[ValidatorError], pointer: str, level: int) -> list[ValidatorError]:
    """Return the errors that say that a branch is for another type of value."""
    return [
        e
        for e in errors
        if e.rule.keyword == "type" and e.pointer == pointer and len(e.rule.branches) == level + 1
    ]


def _tags(errors: Sequence[ValidatorError], pointer: str, level: int) -> list[ValidatorError]:
    """Return the errors that say that a branch is for objects with another tag, such as another `type`."""
    deepest = pointer.count("/") + 1
    return [
        e
        for e in errors
        if e.rule.keyword in ("const", "enum")
        and e.pointer.count("/") <= deepest
        and len(e.rule.branches) == level + 1
    ]


def _common_tag(
    document: Any, branches: Sequence[Sequence[ValidatorError]], pointer: str, level: int
) -> SchemaProblem | None:
    """Return the problem of the one field for which every branch expects another value, if there is one."""
    tags = [tag for errors in branches for tag in _tags(errors, pointer, level)]
    if len({tag.pointer for tag in tags}) != 1:
        return None
    options: list[Any] = []
    for tag in tags:
        options += tag.rule.schema.get("enum") or [tag.rule.schema["const"]]
    return SchemaProblem(
        tags[0].pointer, describe_options(value_at(document, tags[0].pointer), options, tags[0].pointer)
    )


def _alternative(problems: Iterable[SchemaProblem]) -> str:
    return join_words([problem.message for problem in islice(problems, 3)])


def _as_list(types: str | list[str]) -> list[str]:
    return [types] if isinstance(types, str) else types


MAX_PROBLEMS = 100
MAX_ERRORS = 5_000  # the validator's own, of which several may make one problem
SUFFIX = ".schema.json"


class Contract:
    """Checks documents against a compiled JSON Schema (2020-12)."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        flat = _without_ids(jsonschema_rs.dereference(dict(schema), retriever=_retrieve))
        self._validator = jsonschema_rs.Draft202012Validator(flat, validate_formats=True, retriever=_retrieve)
        self._explanation = SchemaErrorExplainer(flat)

    def check(self, source: bytes | str, *, file: str = "") -> tuple[Problem, ...]:
        """Return every problem of a document, in the order of its text."""
        return self._read(source, file)[1]

    def parse(self, source: bytes | str, *, file: str = "") -> Any:
        """Return the document's value; raise ContractViolation with every problem."""
        value, problems = self._read(source, file)
        if problems:
            raise ContractViolation(problems)
        return value

    def check_value(self, value: Any) -> tuple[Problem, ...]:
        """Return every problem of a decoded value, with pointers but no lines."""
        reason = why_not_json(value)
        if reason:
            return (Problem(reason),)
        schema_problems, more = self._find(value)
        return (*(Problem(f.message, f.pointer) for f in schema_problems), *_rest(more))

    def accepts(self, value: Any) -> bool:
        """Return whether a decoded value is valid; quick, however many problems it has."""
        return self._validator.is_valid(value)

    def _read(self, source: bytes | str, file: str) -> tuple[Any, tuple[Problem, ...]]:
        try:
            text, value = read_json(source)
        except JsonFault as fault:
            line, column = line_and_column(fault.text, fault.offset)
            return None, (Problem(fault.message, "", file, line, column),)
        schema_problems, more = self._find(value)
        if not schema_problems:
            return value, ()
        offsets = locate_pointers(text, {problem.pointer for problem in schema_problems})
        problems = [_place(problem, offsets, text) for problem in schema_problems]
        problems.sort(key=lambda problem: (problem.line, problem.column, problem.pointer))
        return value, tuple(replace(problem, file=file) for problem in (*problems, *_rest(more)))

    def _find(self, value: Any) -> tuple[list[SchemaProblem], int]:
        """Return the first problems, and about how many more there are."""
        if self._validator.is_valid(value):
            return [], 0
        # not `iter_errors`: it copies the refused value into every error, which takes minutes for large ones
        errors = self._validator.evaluate(value).errors()
        groups = self._explanation.groups(errors[:MAX_ERRORS])
        sentences = (problem for group in groups for problem in self._explanation.explain(value, group))
        problems = list(dict.fromkeys(islice(sentences, MAX_PROBLEMS + 1)))
        more = max(len(groups) - MAX_PROBLEMS, 1) + max(len(errors) - MAX_ERRORS, 0)
        if len(problems) <= MAX_PROBLEMS:
            more = 0
        exact = {problem.pointer for problem in problems if not problem.vague}
        return [f for f in problems[:MAX_PROBLEMS] if not f.vague or f.pointer not in exact], more


def load(name: str) -> dict[str, Any]:
    """Return the schema of a contract by its name, such as "plan-json", as a copy that may be changed."""
    schema: dict[str, Any] = json.loads(_text(name))
    return schema


@cache
def contract(name: str) -> Contract:
    return Contract(load(name))


def check(name: str, text: bytes | str, *, file: str = "") -> tuple[Problem, ...]:
    return contract(name).check(text, file=file)


def parse(name: str, text: bytes | str, *, file: str = "") -> Any:
    return contract(name).parse(text, file=file)


def check_value(name: str, value: Any) -> tuple[Problem, ...]:
    return contract(name).check_value(value)


def add_locations(problems: Iterable[Problem], source: bytes | str, *, file: str = "") -> tuple[Problem, ...]:
    """Return the problems with the lines and columns of their pointers in a well-formed document."""
    text, _ = read_json(source)
    problems = tuple(problems)
    offsets = locate_pointers(text, {problem.pointer for problem in problems})
    return tuple(
        replace(
            _place(SchemaProblem(problem.pointer, problem.message), offsets, text), file=file or problem.file
        )
        if problem.pointer in offsets
        else problem
        for problem in problems
    )


@cache
def _text(name: str) -> str:
    return files("narratoria.contracts").joinpath(name + SUFFIX).read_text(encoding="utf-8")


def _retrieve(uri: str) -> dict[str, Any]:
    """Resolve urn:narratoria:contract:NAME, by which contracts refer to each other; nothing is fetched."""
    return load(uri.removeprefix("urn:narratoria:contract:"))


def _without_ids(schema: Any) -> Any:
    """Return the schema without the ids of inlined schemas, so that every location counts from the root."""
    if isinstance(schema, dict):
        return {key: _without_ids(value) for key, value in schema.items() if key != "$id"}
    return [_without_ids(item) for item in schema] if isinstance(schema, list) else schema


def _place(problem: SchemaProblem, offsets: Mapping[str, SourceOffsets], text: str) -> Problem:
    place = offsets.get(problem.pointer, SourceOffsets(0))
    offset = place.key if problem.at_key and place.key is not None else place.value
    line, column = line_and_column(text, offset)
    return Problem(problem.message, problem.pointer, "", line, column)


def _rest(more: int) -> tuple[Problem, ...]:
    return (Problem(f"… and about {more} more"),) if more else ()

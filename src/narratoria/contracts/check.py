"""Checks a document against its contract and lists every problem with its line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

import jsonschema_rs

from narratoria.contracts.json_pointer import SourceOffsets, line_and_column, locate_pointers
from narratoria.contracts.messages import SchemaProblem
from narratoria.contracts.read import JsonFault, read_json, why_not_json
from narratoria.contracts.schema_errors import SchemaErrorExplainer
from narratoria.errors import ContractViolation, Problem

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

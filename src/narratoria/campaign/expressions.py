"""Parses the CEL expressions of authors, and decides whether they can ever be true.

It parses what can be decided before a story is played: `in`, comparisons with a constant, and logical
operators. Everything else may be true and may be false.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

if TYPE_CHECKING:
    import cel

# what an expression finds, as the engine fills it in
NAMES = (
    *("flags", "scene", "told", "place", "persona", "stats"),
    *("items", "perception", "reputation", "state", "met"),
)
LONGEST = 2000  # characters
MOST_LOOPS = 2  # each inside the other multiplies, each after the other may double: three dozen never end
MOST_NESTED = 100  # of what is read here; the evaluator takes fewer

TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<number>-?\d+(?:\.\d+)?)"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<mark>&&|\|\||==|!=|<=|>=|[<>!()\[\].,?:+\-*/%{}])|(?P<end>$))"""
)
BOUND = re.compile(r"\.(?:all|exists|exists_one|map|filter)\(\s*(\w+)")
# wherever it stands, in a text too: what ends a text is the evaluator's to say
LOOP = re.compile(r"\b(?:all|exists|exists_one|existsOne|map|filter)(?:\s|//[^\n]*\n)*\(")
_LOADING = Lock()
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


@dataclass(frozen=True, slots=True)
class Contains:
    """Tests `"value" in name`."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Compare:
    """Tests `path op value`, such as `told["fire"] == "success"`."""

    path: tuple[str, ...]
    op: str
    value: Any


@dataclass(frozen=True, slots=True)
class Constant:
    value: bool


@dataclass(frozen=True, slots=True)
class Unknown:
    """Stands for a part that cannot be decided before a story is played."""


Node: TypeAlias = "And | Or | Not | Contains | Compare | Constant | Unknown"


class ExpressionContext(Protocol):
    """Decides for the parts of an expression whether they may be true and whether they may be false."""

    def has(self, name: str, value: str) -> tuple[bool, bool]: ...
    def compare(self, path: tuple[str, ...], op: str, value: Any) -> tuple[bool, bool]: ...
    def anything(self) -> tuple[bool, bool]: ...


@lru_cache(maxsize=4096)
def compile_expression(expression: str) -> cel.Program:
    """Compile an expression; raise ValueError or RuntimeError for one that is invalid or too costly."""
    if len(expression) > LONGEST:  # the evaluator calls itself for each level, and ends the process far down
        raise ValueError(f"it is longer than {LONGEST} characters")
    if len(LOOP.findall(expression)) > MOST_LOOPS:
        raise ValueError(f"it goes through lists more than {MOST_LOOPS} times (all, exists, map, filter)")
    program: cel.Program = _load_evaluator().compile(expression)
    return program


def _load_evaluator() -> ModuleType:
    """Load the evaluator alone: its package imports a whole terminal, which takes longer than a turn."""
    with _LOADING:  # it can be initialised once in a process
        if loaded := sys.modules.get("cel.cel"):
            return loaded
        package = find_spec("cel")
        folders = package.submodule_search_locations if package else None
        module = PathFinder.find_spec("cel.cel", folders)
        if module is None or module.loader is None:
            return import_module("cel")
        evaluator = sys.modules["cel.cel"] = module_from_spec(module)
        module.loader.exec_module(evaluator)
        return evaluator


@lru_cache(maxsize=4096)
def names_in(expression: str) -> frozenset[str]:
    """Return the names that an expression speaks of, those that it binds itself among them."""
    return frozenset(compile_expression(expression).variables())


@lru_cache(maxsize=4096)
def expression_problem(expression: str) -> str:
    """Return why an expression can never be evaluated; empty for one that can."""
    if len(expression) > LONGEST:
        return f"the expression is longer than {LONGEST} characters"
    try:
        names = compile_expression(expression).variables()
    except (ValueError, RuntimeError) as reason:
        return _describe_syntax_error(str(reason))
    bound = set(BOUND.findall(expression))
    unknown = [name for name in names if name not in NAMES and name not in bound]
    if unknown:
        return f"the expression speaks of '{unknown[0]}'; there are {', '.join(NAMES)}"
    wrong = next(
        (
            n
            for n in walk_nodes(parse_expression(expression))
            if isinstance(n, Compare) and n.path[0] == "flags"
        ),
        None,
    )
    if wrong and len(wrong.path) > 1:
        return f'`flags` is a list; write `"{wrong.path[1]}" in flags`'
    return ""


def _describe_syntax_error(reason: str) -> str:
    match = re.search(r"<input>:(\d+):(\d+): (.*)", reason)
    if not match:
        return f"the expression cannot be read: {reason.splitlines()[0]}"
    what = match[3].removeprefix("Syntax error: ").partition(" expecting ")[0]
    if "<EOF>" in what:
        return f"the expression ends too early, after character {int(match[2]) - 1}"
    return f"the expression cannot be read at its character {match[2]}: {what}"


def possible_truth(node: Node, outlook: ExpressionContext) -> tuple[bool, bool]:
    """Return whether the node may be true, and whether it may be false."""
    match node:
        case And(parts) | Or(parts):
            truths = [possible_truth(part, outlook) for part in parts]
            true, false = [true for true, _ in truths], [false for _, false in truths]
            return (all(true), any(false)) if isinstance(node, And) else (any(true), all(false))
        case Not(part):
            may, may_not = possible_truth(part, outlook)
            return may_not, may
        case Contains(name, value):
            return outlook.has(name, value)
        case Compare(path, op, value):
            return outlook.compare(path, op, value)
        case Constant(value):
            return value, not value
    return outlook.anything()


def conjuncts(node: Node) -> Iterator[Node]:
    """Yield the parts that must all hold for the node to be true."""
    if isinstance(node, And):
        for part in node.parts:
            yield from conjuncts(part)
    elif isinstance(node, Not) and isinstance(node.part, Or):
        for part in node.part.parts:
            yield from conjuncts(Not(part))
    elif isinstance(node, Not) and isinstance(node.part, Not):
        yield from conjuncts(node.part.part)
    else:
        yield node


def walk_nodes(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case And(parts) | Or(parts):
            for part in parts:
                yield from walk_nodes(part)
        case Not(part):
            yield from walk_nodes(part)
        case _:
            pass


class _Unsupported(Exception):
    """Is raised for a part of the language that is not parsed here."""


@lru_cache(maxsize=4096)
def parse_expression(expression: str) -> Node:
    """Parse an expression; return `Unknown` for one that is not supported."""
    try:
        parser = _Parser(list(_tokens(expression)))
        node = parser.either()
        return node if parser.at_end() else Unknown()
    except (_Unsupported, RecursionError):
        return Unknown()


def _tokens(expression: str) -> Iterator[tuple[str, str]]:
    at = 0
    while True:
        token = TOKEN.match(expression, at)
        if not token or not token.lastgroup:
            raise _Unsupported
        if token.lastgroup == "end":
            yield "end", ""
            return
        yield token.lastgroup, token[token.lastgroup]
        at = token.end()


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens, self._at = tokens, 0
        self._depth = 0

    def at_end(self) -> bool:
        return self._tokens[self._at][0] == "end"

    def either(self) -> Node:
        parts = [self._both()]
        while self._take("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _both(self) -> Node:
        parts = [self._relation()]
        while self._take("&&"):
            parts.append(self._relation())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _relation(self) -> Node:
        left = self._operand()
        if self._take("in"):
            right = self._operand()
            if isinstance(left, str) and isinstance(right, tuple) and len(right) == 1:
                return Contains(right[0], left)
            return Unknown()
        for op in FLIPPED:
            if self._take(op):
                return _compared(left, op, self._operand())
        if isinstance(left, tuple) or not isinstance(left, str | int | float):
            return Unknown() if isinstance(left, tuple) else left
        return Constant(left) if isinstance(left, bool) else Unknown()

    def _operand(self) -> Any:
        """Return a node, a path as a tuple of its parts, or a constant."""
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "mark" and text in ("!", "("):
            return self._nested(text)
        if kind == "string":
            return _unquoted(text)
        if kind == "number":
            return float(text) if "." in text else int(text)
        if text in ("true", "false"):
            return text == "true"
        if kind == "name" and text not in ("in", "null"):
            return self._path(text)
        raise _Unsupported

    def _nested(self, mark: str) -> Any:
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise _Unsupported
        if mark == "!":
            inner: Any = Not(_as_node(self._operand()))
        else:
            inner = self.either()
            self._expect(")")
        self._depth -= 1
        return inner

    def _path(self, first: str) -> tuple[str, ...]:
        parts = [first]
        while True:
            if self._take("."):
                parts.append(self._name())
            elif self._take("["):
                kind, text = self._tokens[self._at]
                if kind != "string":
                    raise _Unsupported
                self._at += 1
                parts.append(_unquoted(text))
                self._expect("]")
            elif self._tokens[self._at][1] == "(":
                raise _Unsupported
            else:
                return tuple(parts)

    def _name(self) -> str:
        kind, text = self._tokens[self._at]
        if kind != "name":
            raise _Unsupported
        self._at += 1
        return text

    def _take(self, text: str) -> bool:
        kind, value = self._tokens[self._at]
        taken = kind in ("mark", "name") and value == text
        self._at += taken
        return taken

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise _Unsupported


def _as_node(operand: Any) -> Node:
    if isinstance(operand, bool):
        return Constant(operand)
    if isinstance(operand, And | Or | Not | Contains | Compare | Constant | Unknown):
        return operand
    return Unknown()


def _compared(left: Any, op: str, right: Any) -> Node:
    if isinstance(left, tuple) and isinstance(right, str | int | float):
        return Compare(left, op, right)
    if isinstance(right, tuple) and isinstance(left, str | int | float):
        return Compare(right, FLIPPED[op], left)
    return Unknown()


def _unquoted(text: str) -> str:
    if text[0] == "'":
        text = '"' + text[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    try:
        return msgspec.json.decode(text, type=str)
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise _Unsupported from None

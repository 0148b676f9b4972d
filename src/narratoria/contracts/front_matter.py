"""Reads the YAML between two lines of dashes at the top of a Markdown file, as text and nothing but text.

No tag is obeyed and no alias is followed: a stranger's file neither makes objects nor grows while it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from narratoria.errors import Problem

MAX_BYTES = 64 * 1024  # of the front matter; a description is a paragraph
MAX_DEPTH = 10

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"

_FENCE = re.compile(r"---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_FIELD = re.compile(r"([A-Za-z][\w-]*):[ \t]+(\S.*)")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Holds the fields with the lines of their keys, and the offset where the body begins."""

    fields: dict[str, Value]
    lines: dict[str, int] = field(default_factory=dict)
    body: int = 0
    unquoted: tuple[str, ...] = ()  # fields that are not YAML as they stand, and were read as plain text


class UnreadableFrontMatter(ValueError):
    """Is raised with the reason why front matter cannot be read, and its line."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        self.problem = Problem(message, line=line, column=column)
        super().__init__(message)


def read_front_matter(text: str, *, is_lenient: bool = False) -> FrontMatter:
    """Read the front matter of a file; raise UnreadableFrontMatter for one that cannot be used.

    A lenient reader takes a field that is not YAML, such as a text with ": " in it, for the text that it is.
    """
    opening = _FENCE.match(text)
    if not opening:
        raise UnreadableFrontMatter(
            "must begin with a line --- and fields such as `name:` and `description:` after it"
        )
    closing = _END.search(text, opening.end())
    if not closing:
        raise UnreadableFrontMatter("has no second line --- that ends its fields")
    source = text[opening.end() : closing.start()]
    unquoted: tuple[str, ...] = ()
    if len(source.encode()) > MAX_BYTES:
        raise UnreadableFrontMatter(f"has more than {MAX_BYTES // 1024} KiB of fields before its text", 2)
    if is_lenient and not _is_yaml(source):
        source, unquoted = _put_quotes(source)
    try:
        _refuse_tricks(source)
        node = yaml.compose(source, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise _unreadable(error) from None
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise UnreadableFrontMatter(f"its fields are not YAML: {str(error).splitlines()[0]}", 2) from None
    if node is None:
        return FrontMatter({}, {}, closing.end())
    if not isinstance(node, yaml.MappingNode):
        raise UnreadableFrontMatter("its fields are not YAML fields; write `name: …`, each on a line", 2)
    pairs = list(_pairs(node))
    lines = {key: place for key, _, place in pairs}
    return FrontMatter({key: value for key, value, _ in pairs}, lines, closing.end(), unquoted)


def _is_yaml(source: str) -> bool:
    """Return whether the fields are YAML, or nested so deep that they are refused as such."""
    depth = 0
    try:
        for event in yaml.parse(source, Loader=_Loader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                return True
        yaml.compose(source, Loader=_Loader)  # calls itself for each level, and ends the process far down
    except yaml.YAMLError:
        return False
    return True


def _put_quotes(source: str) -> tuple[str, tuple[str, ...]]:
    """Return the fields with quotes around those that are not YAML by themselves, and the names of these."""
    fields: list[list[str]] = []
    for line in source.splitlines():
        if fields and (not line.strip() or line[0] in " \t#-"):
            fields[-1].append(line)
        else:
            fields.append([line])
    unquoted = []
    for lines in fields:
        match = _FIELD.match(lines[0])
        if match is None or match[1] == "name" or _is_yaml("\n".join(lines)):
            continue
        last = max(at for at, line in enumerate(lines) if line.strip())
        lines[0] = match[2]
        lines[: last + 1] = [line.rstrip().replace("'", "''") for line in lines[: last + 1]]
        lines[0] = f"{match[1]}: '{lines[0]}"
        lines[last] += "'"
        unquoted.append(match[1])
    return "\n".join(line for lines in fields for line in lines) + "\n", tuple(unquoted)


def _refuse_tricks(source: str) -> None:
    """Walk through the events before anything is built of them."""
    depth = 0
    for event in yaml.parse(source, Loader=_Loader):
        line, column = event.start_mark.line + 2, event.start_mark.column + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            message = "uses an anchor (&) or an alias (*); write the value out, or put quotes around it"
            raise UnreadableFrontMatter(message, line, column)
        if getattr(event, "tag", None) not in (None, "!"):
            raise UnreadableFrontMatter(f"uses the tag {event.tag}; write plain values", line, column)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise UnreadableFrontMatter(f"is nested deeper than {MAX_DEPTH} levels", line, column)


def _pairs(node: yaml.MappingNode) -> Iterator[tuple[str, Value, int]]:
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 2
        if not isinstance(key, yaml.ScalarNode):
            raise UnreadableFrontMatter("a field's name must be text", line)
        if key.value in seen:
            raise UnreadableFrontMatter(f"'{key.value}' stands there twice; keep one of them", line)
        seen.add(key.value)
        yield key.value, _value(value), line


def _value(node: yaml.Node) -> Value:
    match node:
        case yaml.MappingNode():
            return {key: value for key, value, _ in _pairs(node)}
        case yaml.SequenceNode():
            return [_value(item) for item in node.value]
        case _:
            text = str(node.value)
            plain = isinstance(node, yaml.ScalarNode) and not node.style
            return None if plain and text in _NULL else text


def _unreadable(error: yaml.MarkedYAMLError) -> UnreadableFrontMatter:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 2, mark.column + 1) if mark else (2, 1)
    advice = ""
    if "mapping values are not allowed" in (error.problem or ""):
        advice = '; a text with ": " in it needs quotes around it'
    return UnreadableFrontMatter(
        f"its fields are not YAML: {error.problem or error.context}{advice}", line, column
    )

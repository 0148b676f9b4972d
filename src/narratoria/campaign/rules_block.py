"""Reads the fenced `yaml rules` block of `world/rules.md`, which replaces the default rules."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

import msgspec
import yaml

from narratoria import contracts
from narratoria.campaign.campaign import Rules
from narratoria.campaign.pages import Block, Page
from narratoria.campaign.problems import CampaignProblem, error, warning
from narratoria.contracts.json_pointer import join_pointer

INFO = ("yaml", "rules")
MAX_DEPTH = 10
MAX_BYTES = 64 * 1024
UNKNOWN_KEY = " is not a known key"

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _InvalidRules(Exception):
    def __init__(self, message: str, mark: yaml.Mark | None) -> None:
        self.message = message
        self.line, self.column = (mark.line, mark.column + 1) if mark else (0, 1)
        super().__init__(message)


def read_rules(page: Page, file: str) -> tuple[Rules, tuple[CampaignProblem, ...]]:
    """Return the rules of the page, the default ones without a block, and the block's problems."""
    prose = page.text()
    blocks = [block for block in page.blocks if block.kind == "code" and is_rules(block)]
    if not blocks:
        return Rules(prose=prose), ()
    problems: list[CampaignProblem] = [
        warning("two-rules", "a second block of rules is passed over; keep one", file, "", block.line, 1)
        for block in blocks[1:]
    ]
    value, places, problems = _read_yaml(blocks[0], file)
    problems += problems
    if not problems:
        for problem in contracts.check_value("campaign-rules", value):
            line, column = _nearest(problem.pointer, places)
            slip = UNKNOWN_KEY in problem.message
            kind, code = (warning, "unknown-key") if slip else (error, "schema")
            place = (blocks[0].line + 1 + line, column)
            problems.append(kind(code, problem.message, file, problem.pointer, *place))
    if any(problem.is_error for problem in problems):
        return Rules(prose=prose), tuple(problems)
    try:
        rules = msgspec.convert(value or {}, Rules)
    except msgspec.ValidationError as refused:  # such as a number that is too large for one
        problems.append(error("schema", str(refused), file, "", blocks[0].line + 1, 1))
        return Rules(prose=prose), tuple(problems)
    return msgspec.structs.replace(rules, prose=prose), tuple(problems)


def is_rules(block: Block) -> bool:
    return tuple(block.info.lower().split()) == INFO


def places_of(block: Block) -> dict[str, tuple[int, int]]:
    """Return the lines and columns of a valid block's parts, in the page."""
    _, places, _ = _read_yaml(block, "")
    return {pointer: (block.line + 1 + line, column) for pointer, (line, column) in places.items()}


def _read_yaml(block: Block, file: str) -> tuple[Any, dict[str, tuple[int, int]], list[CampaignProblem]]:
    places: dict[str, tuple[int, int]] = {}
    try:
        if len(block.text) > MAX_BYTES:
            raise _InvalidRules(f"the rules are longer than {MAX_BYTES // 1024} KiB", None)
        _refuse_tricks(block.text)
        node = yaml.compose(block.text, Loader=_Loader)
        value = {} if node is None else _value(node, "", places)
    except _InvalidRules as refused:
        message, line, column = refused.message, refused.line, refused.column
    except yaml.MarkedYAMLError as reason:
        mark = reason.problem_mark or reason.context_mark
        message = f"the rules are not YAML: {reason.problem or reason.context}"
        line, column = (mark.line, mark.column + 1) if mark else (0, 1)
    except yaml.YAMLError as reason:  # a character that YAML does not allow
        message, line, column = f"the rules are not YAML: {str(reason).splitlines()[0]}", 0, 1
    else:
        return value, places, []
    return None, places, [error("yaml", message, file, "", block.line + 1 + line, column)]


def _refuse_tricks(source: str) -> None:
    depth = 0
    for event in yaml.parse(source, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _InvalidRules(
                "an anchor (&) or an alias (*) is used; write the value out", event.start_mark
            )
        if getattr(event, "tag", None) not in (None, "!"):
            raise _InvalidRules(f"the tag {event.tag} is used; write plain values", event.start_mark)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise _InvalidRules(f"the rules are nested deeper than {MAX_DEPTH} levels", event.start_mark)


def _value(node: yaml.Node, pointer: str, places: dict[str, tuple[int, int]]) -> Any:
    places[pointer] = (node.start_mark.line, node.start_mark.column + 1)
    match node:
        case yaml.MappingNode():
            return dict(_members(node, pointer, places))
        case yaml.SequenceNode():
            return [_value(item, f"{pointer}/{at}", places) for at, item in enumerate(node.value)]
        case _:
            return _scalar(node)


def _members(
    node: yaml.MappingNode, pointer: str, places: dict[str, tuple[int, int]]
) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _InvalidRules("a key must be text", key.start_mark)
        if key.value in seen:
            raise _InvalidRules(f"'{key.value}' stands there twice; keep one of them", key.start_mark)
        seen.add(key.value)
        yield key.value, _value(value, pointer + join_pointer([key.value]), places)


def _scalar(node: yaml.Node) -> Any:
    """Return numbers, booleans and null as such, and everything else, dates included, as text."""
    kind = node.tag.rpartition(":")[2]
    if kind not in ("int", "float", "bool", "null"):
        return str(node.value)
    try:
        value = yaml.constructor.SafeConstructor().construct_object(node)
    except (ValueError, yaml.YAMLError):
        return str(node.value)
    return str(node.value) if isinstance(value, float) and not isfinite(value) else value


def _nearest(pointer: str, places: dict[str, tuple[int, int]]) -> tuple[int, int]:
    while pointer and pointer not in places:
        pointer = pointer.rpartition("/")[0]
    return places.get(pointer, (0, 1))

"""Parses Markdown pages: places, endings, factions, lore, constraints, and the fenced `yaml rules` block."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

import msgspec
import yaml

from narratoria import contracts
from narratoria.campaign.campaign import (
    Aftermath,
    CloserLook,
    Ending,
    Faction,
    LorePassage,
    Place,
    PlaceDeed,
    Rules,
    Way,
)
from narratoria.campaign.problems import CampaignProblem, error, warning
from narratoria.contracts.front_matter import UnreadableFrontMatter, read_front_matter
from narratoria.contracts.json_pointer import join_pointer

LINK = re.compile(r"\[[^\]]*\]\((?P<to>[^)\s/]+?)(?:\.md)?\)\s*:?\s*(?P<route>.*)")

PLACES = "lore/locations"
THINGS, SENSES_SECTION, DEEDS = "Things", "Senses", "Deeds"
SENSES = ("listen", "smell", "touch", "taste", "search", "wait")


def read_place(place_id: str, page: Page) -> Place:
    """Read a place: title, paragraphs for the first look and later ones, and its lists."""
    name = page.title.text if page.title else place_id.replace("-", " ")
    arrival, *details = _texts(page.before_sections(), "paragraph") or (f"You are at {name}.",)
    return Place(
        id=place_id,
        name=name,
        arrival=arrival,
        details=tuple(details),
        things=tuple(look for _, look in things_of(page) if look),
        senses={act: text for _, act, text in senses_of(page) if act in SENSES and text},
        deeds=tuple(deed for _, deed in deeds_of(page) if deed),
        moments=_texts(page.section("Moments"), "item"),
        ways=tuple(way for _, way in ways_of(page) if way),
        art=_field(page, "art"),
        music=_field(page, "music"),
    )


def ways_of(page: Page) -> Iterator[tuple[Block, Way | None]]:
    """Yield each item of the list `Ways` with its way; None for an item that links to no place."""
    for block in page.section("Ways"):
        if block.kind == "item":
            link = LINK.match(block.text)
            yield block, Way(link["to"], link["route"]) if link else None


def things_of(page: Page) -> Iterator[tuple[Block, CloserLook | None]]:
    """Yield each item of the list `Things` with what it shows; None for one that is not `names: text`."""
    for block in page.section(THINGS):
        if block.kind == "item":
            names, _, text = block.text.partition(": ")
            known_names = tuple(name for one in names.split(",") if (name := one.strip(" *`").casefold()))
            yield block, CloserLook(known_names, text.strip()) if known_names and text.strip() else None


def senses_of(page: Page) -> Iterator[tuple[Block, str, str]]:
    """Yield each item of the list `Senses` with its act and what comes of that act."""
    for block in page.section(SENSES_SECTION):
        if block.kind == "item":
            act, _, text = block.text.partition(": ")
            yield block, act.strip(" *`").casefold(), text.strip()


def deeds_of(page: Page) -> Iterator[tuple[Block, PlaceDeed | None]]:
    """Yield each item of the list `Deeds` with what comes of it; None for one that is not `words: text`."""
    for block in page.section(DEEDS):
        if block.kind == "item":
            words, _, text = block.text.partition(": ")
            wordings = tuple(wording for one in words.split(",") if (wording := one.strip(" *`").casefold()))
            yield block, PlaceDeed(wordings, text.strip()) if wordings and text.strip() else None


def is_closer_look(heading: str) -> bool:
    """Return whether a section of a place holds closer looks or deeds, which are no lore."""
    return heading.casefold() in (THINGS.casefold(), SENSES_SECTION.casefold(), DEEDS.casefold())


def read_ending(ending_id: str, page: Page, triggers: Collection[str]) -> Ending:
    """Read an ending; `triggers` are the flags and beats that a line of the epilogue may begin with."""
    epilogue = page.section("Epilogue")
    lines = {block.line for block in epilogue}
    body = [block for block in page.blocks if block.line not in lines]
    return Ending(
        id=ending_id,
        title=page.title.text if page.title else ending_id.replace("-", " ").capitalize(),
        paragraphs=_texts(tuple(body), "paragraph"),
        epilogue=tuple(aftermath(block.text, triggers) for block in epilogue if block.kind == "item"),
    )


def aftermath(item: str, triggers: Collection[str]) -> Aftermath:
    """Read `when: sentence`, or a sentence by itself, which may contain a colon as well."""
    when, colon, sentence = item.partition(": ")
    when = when.strip("`*")
    line = Aftermath(when, sentence.strip())
    is_known = any(trigger in triggers for trigger in line.triggers)
    if colon and (is_known or (when[:1].islower() and sentence[:1].isupper())):
        return line
    return Aftermath("", item)


def read_faction(faction_id: str, page: Page) -> Faction:
    paragraphs = page.paragraphs()
    return Faction(
        id=faction_id,
        name=page.title.text if page.title else faction_id.replace("-", " ").capitalize(),
        description=paragraphs[0] if paragraphs else "",
    )


def read_lore(file: str, page: Page) -> tuple[LorePassage, ...]:
    """Return the paragraphs of a page of lore, each under the heading next above it."""
    title = ""
    passages: list[LorePassage] = []
    for block in page.blocks:
        if block.kind == "heading":
            title = block.text
        elif block.kind == "paragraph":
            passages.append(LorePassage(file, len(passages), title, block.text))
    return tuple(passages)


def read_constraints(page: Page) -> tuple[str, ...]:
    """Return the items of the page's lists, or its paragraphs where it has none."""
    return _texts(page.blocks, "item") or page.paragraphs()


def _texts(blocks: tuple[Block, ...], kind: str) -> tuple[str, ...]:
    return tuple(block.text for block in blocks if block.kind == kind)


def _field(page: Page, name: str) -> str:
    value = page.fields.get(name)
    return value if isinstance(value, str) else ""


HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?=\S)")
FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})\s*(.*?)\s*$")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    kind: Literal["heading", "paragraph", "item", "code"]
    text: str
    line: int
    level: int = 0  # of a heading
    info: str = ""  # of code: what stands behind its fence


@dataclass(frozen=True, slots=True)
class Page:
    blocks: tuple[Block, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)  # of its front matter, all of them texts
    lines: Mapping[str, int] = field(default_factory=dict)  # of those fields
    unreadable: UnreadableFrontMatter | None = None  # why the front matter is not to be had

    @property
    def title(self) -> Block | None:
        first = self.blocks[0] if self.blocks else None
        return first if first and first.kind == "heading" else None

    def paragraphs(self) -> tuple[str, ...]:
        return tuple(block.text for block in self.blocks if block.kind == "paragraph")

    def before_sections(self) -> tuple[Block, ...]:
        """Return the blocks between the title and the next heading."""
        body = self.blocks[1:] if self.title else self.blocks
        end = next((at for at, block in enumerate(body) if block.kind == "heading"), len(body))
        return body[:end]

    def section(self, name: str) -> tuple[Block, ...]:
        """Return the blocks under the heading of this name, in any case."""
        blocks: list[Block] = []
        inside = 0
        for block in self.blocks:
            if block.kind == "heading" and inside and block.level <= inside:
                break
            if inside:
                blocks.append(block)
            elif block.kind == "heading" and block.text.casefold() == name.casefold():
                inside = block.level
        return tuple(blocks)

    def text(self) -> str:
        """Return the prose, with headings and lists and without code."""
        return "\n\n".join(map(_written, self.blocks)).replace("\n\n- ", "\n- ").strip()


def read_page(text: str) -> Page:
    """Parse any text; a problem of the front matter is left in `unreadable`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    fields: Mapping[str, Any] = {}
    lines: Mapping[str, int] = {}
    unreadable = None
    if text.startswith("---\n"):
        try:
            front = read_front_matter(text)
        except UnreadableFrontMatter as reason:
            unreadable = reason
        else:
            fields, lines = front.fields, front.lines
            text = "\n" * text.count("\n", 0, front.body) + text[front.body :]
    text = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    return Page(tuple(_blocks(text.split("\n"))), fields, lines, unreadable)


def _blocks(lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        line = lines[at]
        start = at
        if not line.strip():
            at += 1
        elif fence := FENCE.match(line):
            at += 1
            while at < len(lines) and not lines[at].strip().startswith(fence[1]):
                at += 1
            yield Block("code", "\n".join(lines[start + 1 : at]), start + 1, info=fence[2])
            at += 1
        elif heading := HEADING.match(line):
            at += 1
            yield Block("heading", heading[2], start + 1, level=len(heading[1]))
        else:
            item = ITEM.match(line)
            at += 1
            while at < len(lines) and _goes_on(lines[at]):
                at += 1
            text = " ".join(" ".join((line[item.end() if item else 0 :], *lines[start + 1 : at])).split())
            yield Block("item" if item else "paragraph", text, start + 1)


def _goes_on(line: str) -> bool:
    return bool(line.strip()) and not (ITEM.match(line) or HEADING.match(line) or FENCE.match(line))


def _written(block: Block) -> str:
    match block.kind:
        case "heading":
            return f"{'#' * block.level} {block.text}"
        case "item":
            return f"- {block.text}"
        case "paragraph":
            return block.text
        case "code":
            return ""


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
    value, places, unreadable = _read_yaml(blocks[0], file)
    problems += unreadable
    if not unreadable:
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

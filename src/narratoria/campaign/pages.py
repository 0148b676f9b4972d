"""Parses Markdown pages, and reads places, endings, factions and constraints from them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from narratoria.campaign.campaign import Aftermath, Ending, Faction, Place, Way
from narratoria.contracts.front_matter import UnreadableFrontMatter, read_front_matter

LINK = re.compile(r"\[[^\]]*\]\((?P<to>[^)\s/]+?)(?:\.md)?\)\s*:?\s*(?P<route>.*)")


def read_place(place_id: str, page: Page) -> Place:
    """Read a place: title, paragraphs for the first look and later ones, lists `Moments` and `Ways`."""
    name = page.title.text if page.title else place_id.replace("-", " ")
    arrival, *details = _texts(page.before_sections(), "paragraph") or (f"You are at {name}.",)
    return Place(
        id=place_id,
        name=name,
        arrival=arrival,
        details=tuple(details),
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
    if colon and (when in triggers or (when[:1].islower() and sentence[:1].isupper())):
        return Aftermath(when, sentence.strip())
    return Aftermath("", item)


def read_faction(faction_id: str, page: Page) -> Faction:
    paragraphs = page.paragraphs()
    return Faction(
        id=faction_id,
        name=page.title.text if page.title else faction_id.replace("-", " ").capitalize(),
        description=paragraphs[0] if paragraphs else "",
    )


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

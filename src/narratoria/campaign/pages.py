"""Places, endings, factions and constraints, from their Markdown pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from narratoria.campaign.campaign import Aftermath, Ending, Faction, Place, Way
from narratoria.campaign.markdown import Block, Page

LINK = re.compile(r"\[[^\]]*\]\((?P<to>[^)\s/]+?)(?:\.md)?\)\s*:?\s*(?P<route>.*)")


def read_place(place_id: str, page: Page) -> Place:
    """A title, paragraphs for the first look and the later ones, and the lists `Moments` and `Ways`."""
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
    """Each item of the list `Ways`, with where it leads; none for what is no link to a place."""
    for block in page.section("Ways"):
        if block.kind == "item":
            found = LINK.match(block.text)
            yield block, Way(found["to"], found["route"]) if found else None


def read_ending(ending_id: str, page: Page, known: Collection[str]) -> Ending:
    """`known` are the flags and beats that a line of the epilogue may begin with."""
    epilogue = page.section("Epilogue")
    lines = {block.line for block in epilogue}
    body = [block for block in page.blocks if block.line not in lines]
    return Ending(
        id=ending_id,
        title=page.title.text if page.title else ending_id.replace("-", " ").capitalize(),
        paragraphs=_texts(tuple(body), "paragraph"),
        epilogue=tuple(aftermath(block.text, known) for block in epilogue if block.kind == "item"),
    )


def aftermath(item: str, known: Collection[str]) -> Aftermath:
    """`when: sentence`, or a sentence by itself, in which there may be a colon as well."""
    when, colon, sentence = item.partition(": ")
    when = when.strip("`*")
    if colon and (when in known or (when[:1].islower() and sentence[:1].isupper())):
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
    """The items of its lists, or its paragraphs where it has none."""
    return _texts(page.blocks, "item") or page.paragraphs()


def _texts(blocks: tuple[Block, ...], kind: str) -> tuple[str, ...]:
    return tuple(block.text for block in blocks if block.kind == kind)


def _field(page: Page, name: str) -> str:
    value = page.fields.get(name)
    return value if isinstance(value, str) else ""

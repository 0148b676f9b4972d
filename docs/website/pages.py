"""The pages there are, in their sections and in the order of docs/index.md."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS = Path(__file__).parents[1]
REPOSITORY = DOCS.parent

SECTIONS = {  # a folder of docs/, or where pages that lie elsewhere are put
    "": "Begin",
    "tutorial": "Tutorials",
    "how-to": "How-to guides",
    "reference": "Reference",
    "explanation": "Explanation",
    "decisions": "Decisions",
    "measured": "Measured",
    "project": "Project",
}
MEASURED = ("scorecard.md", "benchmarks.md", "growth.md")
OUTSIDE = {  # pages outside docs/: their section, and what they are called on the site
    "CONTRIBUTING.md": ("project", "Contributing"),
    "CHANGELOG.md": ("project", "Changelog"),
    "examples/README.md": ("project", "Examples"),
    "benchmarks/README.md": ("measured", "How benchmarks are made"),
    "evals/README.md": ("measured", "How evaluations are made"),
}


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    source: str  # in the repository
    address: str  # on the site
    section: str
    tokens: Sequence[Token] = field(repr=False)
    headings: Sequence[Heading]
    called: str = ""  # other than its first heading says

    @property
    def title(self) -> str:
        return self.called or (self.headings[0].text if self.headings else self.source)

    def towards(self, address: str, fragment: str = "") -> str:
        """The way from here to another address of the site."""
        way = os.path.relpath(address, Path(self.address).parent)
        return f"{way}#{fragment}" if fragment else way


def parser() -> MarkdownIt:
    # html: the pages are our own, and their comments must not be shown
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def read_pages() -> Iterator[Page]:
    for path in sorted(DOCS.rglob("*.md")):
        inside = path.relative_to(DOCS)
        if not path.name.endswith(".template.md"):
            beside = "measured" if inside.name in MEASURED else ""
            section = inside.parts[0] if len(inside.parts) > 1 else beside
            yield _read(f"docs/{inside.as_posix()}", inside.with_suffix(".html").as_posix(), section)
    for name, (section, title) in OUTSIDE.items():
        page = _read(name, f"{title.lower().replace(' ', '-')}.html", section)
        yield replace(page, called=title)


def _read(source: str, address: str, section: str) -> Page:
    tokens = parser().parse((REPOSITORY / source).read_text(encoding="utf-8"))
    headings: list[Heading] = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            parts = inline.children or ()
            text = "".join(part.content for part in parts if part.type in ("text", "code_inline"))
            anchor = anchor_of(text, [heading.anchor for heading in headings])
            token.attrSet("id", anchor)
            headings.append(Heading(int(token.tag[1]), anchor, text))
    return Page(source, address, section, tokens, headings)


def anchor_of(text: str, taken: Sequence[str]) -> str:
    """The anchor that GitHub gives to a heading, so that a link works in both places."""
    plain = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    anchor, number = plain, 0
    while anchor in taken:
        number += 1
        anchor = f"{plain}-{number}"
    return anchor


def in_sections(pages: Sequence[Page]) -> Mapping[str, Sequence[Page]]:
    """The pages of each section: as the index links them, then those that it does not link."""
    index = next(page for page in pages if page.address == "index.html")
    links = [
        os.path.normpath(Path(index.source).parent / str(token.attrGet("href")))
        for block in index.tokens
        for token in block.children or ()
        if token.type == "link_open"
    ]

    def place(page: Page) -> tuple[bool, int, str]:
        linked = links.index(page.source) if page.source in links else len(links)
        return page is not index, linked, page.address

    return {
        section: [page for page in sorted(pages, key=place) if page.section == section]
        for section in SECTIONS
    }

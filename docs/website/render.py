"""A page as HTML: its links made for the site, its tables and its code so that they scroll by themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pages import DOCS, REPOSITORY, SECTIONS, Page, parser
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

PICTURES = (".webp", ".png", ".svg", ".jpg")
CODE_ROOTS = ("", "src/narratoria/")  # where a path that a text names may begin
NAMED_FILE = re.compile(r"[\w.-]+(/[\w.-]+)+\.(py|mjs|sh|toml|json|ts)")


@dataclass(frozen=True, slots=True)
class Links:
    """Where links lead; what else they lead to than pages is gathered on the way."""

    pages: Mapping[str, Page]  # by source
    listings: set[str] = field(default_factory=set)  # files of the repository that are shown
    pictures: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def follow(self, page: Page, link: str) -> str | None:
        """The address for this page; None where the site has none, and the words stand alone."""
        parts = urlsplit(link)
        if parts.scheme:
            return link
        target = (
            os.path.normpath(Path(page.source).parent / unquote(parts.path)) if parts.path else page.source
        )
        if there := self.pages.get(target):
            if parts.fragment and parts.fragment not in [heading.anchor for heading in there.headings]:
                self.problems.append(f"{page.source}: {link}: there is no such heading")
            return page.towards(there.address, parts.fragment)
        path = REPOSITORY / target
        if path.is_dir():
            is_section = path.parent == DOCS and path.name in SECTIONS
            anchor = SECTIONS.get(path.name, "").lower().replace(" ", "-")
            return page.towards("index.html", anchor) if is_section else None
        if target.startswith("..") or not path.is_file():
            self.problems.append(f"{page.source}: {link}: there is no such file")
            return None
        if path.suffix in PICTURES:
            self.pictures.add(target)
            return page.towards(target.removeprefix("docs/"))
        return self.list_source(page, target)

    def list_source(self, page: Page, target: str) -> str:
        self.listings.add(target)
        return page.towards(listing_address(target))

    def named(self, page: Page, text: str) -> str | None:
        """The address of a file of the repository that code in a text names."""
        if not NAMED_FILE.fullmatch(text):
            return None
        found = next((root + text for root in CODE_ROOTS if (REPOSITORY / root / text).is_file()), None)
        return self.list_source(page, found) if found else None


def listing_address(target: str) -> str:
    return f"source/{target}.html"


class Renderer(RendererHTML):
    def __init__(self, links: Links, page: Page) -> None:
        super().__init__()
        self.links, self.page = links, page
        self.open_links: list[str] = []  # what closes each

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        address = self.links.follow(self.page, str(tokens[idx].attrGet("href")))
        self.open_links.append("" if address is None else "</a>")
        return "" if address is None else f'<a href="{escape(address)}">'

    def link_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return self.open_links.pop()

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        address = escape(self.links.follow(self.page, str(tokens[idx].attrGet("src"))) or "")
        told = escape(tokens[idx].content)
        return f'<a class="picture" href="{address}"><img src="{address}" alt="{told}" loading="lazy"></a>'

    def code_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        code = f"<code>{escape(tokens[idx].content)}</code>"
        address = None if self.open_links else self.links.named(self.page, tokens[idx].content)
        return f'<a href="{escape(address)}">{code}</a>' if address else code

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        language, *_ = *tokens[idx].info.split(), ""
        return block_of_code(tokens[idx].content, language=language)

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return '<div class="table" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        style = f' style="{align}"' if (align := tokens[idx].attrGet("style")) else ""
        if tokens[idx + 1].content:
            return f'<th scope="col"{style}>'
        tokens[idx + 2].tag = "td"  # a heading without words is none
        return f"<td{style}>"


def render(page: Page, links: Links) -> str:
    return str(Renderer(links, page).render(page.tokens, parser().options, {}))


def block_of_code(code: str, *, language: str = "", file: str = "") -> str:
    """Code with a class for each kind of word; as it is where its language is not known."""
    try:
        lexer = get_lexer_for_filename(file) if file else get_lexer_by_name(language)
        inside = highlight(code, lexer, HtmlFormatter(nowrap=True))
    except ClassNotFound:
        inside = escape(code)
    return f'<pre tabindex="0"><code>{inside}</code></pre>\n'

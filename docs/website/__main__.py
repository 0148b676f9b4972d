"""Writes the site: every Markdown page of the repository as HTML, with nothing to be fetched from elsewhere.

Sections are the folders of docs/, and pages stand in the order in which docs/index.md links them. A link to a
page becomes one to its HTML, a link to another file of the repository one to its source, shown as a page too.
Links that lead nowhere are told, all of them, and make it fail.

Run it with `make site`, or `python docs/website FOLDER` for another folder than build/site.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template

from pages import REPOSITORY, SECTIONS, Heading, Page, in_sections, read_pages
from render import Links, block_of_code, listing_address, render

HERE = Path(__file__).parent
TOKENS = REPOSITORY / "web/src/styles/tokens.css"  # the colours of the web app
FONTS = REPOSITORY / "src/narratoria/web/static/assets"
ICON = REPOSITORY / "web/public/favicon.svg"
SEARCHED = 400  # characters of each section that can be found


def build(folder: Path) -> list[str]:
    """Writes the site; what is wrong with its links."""
    pages = list(read_pages())
    sections = in_sections(pages)
    links = Links({page.source: page for page in pages})
    bodies = [(page, render(page, links)) for page in pages]
    bodies += [_listing(target) for target in sorted(links.listings)]
    shutil.rmtree(folder, ignore_errors=True)
    frame = Template((HERE / "page.html").read_text(encoding="utf-8"))
    for page, body in bodies:
        _write(folder / page.address, _framed(frame, page, body, sections))
    for target in links.pictures:
        _copy(REPOSITORY / target, folder / target.removeprefix("docs/"))
    for font in FONTS.glob("*.woff2"):
        _copy(font, folder / "fonts" / font.name)
    _copy(ICON, folder / "icon.svg")
    _write(folder / "style.css", stylesheet())
    index = json.dumps([*searchable(pages)], ensure_ascii=False, separators=(",", ":"))
    script = (HERE / "search.js").read_text(encoding="utf-8")
    _write(folder / "search.js", f"const INDEX = {index};\n{script}")
    return links.problems


def _listing(target: str) -> tuple[Page, str]:
    """A file of the repository as a page."""
    page = Page(target, listing_address(target), "source", (), (Heading(1, "", target),))
    code = block_of_code((REPOSITORY / target).read_text(encoding="utf-8"), file=target)
    return page, f"<h1><code>{escape(target)}</code></h1>\n{code}"


def _framed(frame: Template, page: Page, body: str, sections: Mapping[str, Sequence[Page]]) -> str:
    return frame.substitute(
        title=escape(page.title),
        root=os.path.relpath(".", Path(page.address).parent),
        navigation=navigation(sections, page),
        contents=contents(page),
        body=body,
        neighbours=neighbours(sections, page),
        source=escape(page.source),
    )


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _copy(file: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, to)


def navigation(sections: Mapping[str, Sequence[Page]], current: Page) -> str:
    """Every page by its section; that of the current one is unfolded."""

    def item(page: Page) -> str:
        here = ' aria-current="page"' if page is current else ""
        return f'<li><a href="{current.towards(page.address)}"{here}>{escape(page.title)}</a></li>'

    def unfolded(section: str) -> str:
        return " open" if section in ("", current.section) else ""

    return "".join(
        f"<details{unfolded(section)}><summary>{SECTIONS[section]}</summary>"
        f"<ul>{''.join(map(item, pages))}</ul></details>"
        for section, pages in sections.items()
        if pages
    )


def contents(page: Page) -> str:
    """What stands on the page, where there is enough of it."""
    headings = [heading for heading in page.headings if heading.level in (2, 3)]
    if len(headings) < 3:
        return ""
    items = "".join(
        f'<li class="level-{heading.level}"><a href="#{heading.anchor}">{escape(heading.text)}</a></li>'
        for heading in headings
    )
    return f'<nav class="contents" aria-label="On this page"><p>On this page</p><ul>{items}</ul></nav>'


def neighbours(sections: Mapping[str, Sequence[Page]], current: Page) -> str:
    """Links to the page before and the page after."""
    line = [page for pages in sections.values() for page in pages]
    place = line.index(current) if current in line else len(line)
    return "".join(
        f'<a rel="{rel}" href="{current.towards(page.address)}">{words.format(escape(page.title))}</a>'
        for rel, words, page in (
            *(("prev", "← {}", page) for page in line[max(place - 1, 0) : place]),
            *(("next", "{} →", page) for page in line[place + 1 : place + 2]),
        )
    )


def searchable(pages: Sequence[Page]) -> Iterator[tuple[str, str, str, str]]:
    """Of every section: its address, its page, its heading, and how its text begins."""
    for page in pages:
        texts: list[list[str]] = []
        for token in page.tokens:
            if token.type == "heading_open":
                texts.append([])
            elif texts and token.type in ("inline", "fence"):
                texts[-1].append(re.sub(r"\]\([^)]*\)|[`*\[|]", "", token.content))
        for heading, (_, *text) in zip(page.headings, texts, strict=True):
            yield f"{page.address}#{heading.anchor}", page.title, heading.text, " ".join(text)[:SEARCHED]


def stylesheet() -> str:
    """Our rules after the app's fonts and colours: light, and dark where the system is."""
    tokens = TOKENS.read_text(encoding="utf-8")
    themes = dict(re.findall(r':root\[data-theme="(\w+)"\] (\{.*?\})', tokens, re.DOTALL))
    fonts = "".join(map(_font, sorted(FONTS.glob("*.woff2"))))
    own = (HERE / "style.css").read_text(encoding="utf-8")
    dark = f"@media (prefers-color-scheme: dark) {{ :root {themes['dark']} }}"
    return f"{fonts}:root {themes['light']}\n{dark}\n{own}"


def _font(path: Path) -> str:
    family = "Literata" if "literata" in path.name else "Roboto Flex"
    style = "italic" if "italic" in path.name else "normal"
    return (
        f'@font-face {{ font-family: "{family}"; src: url("fonts/{path.name}") format("woff2"); '
        f"font-weight: 100 900; font-style: {style}; font-display: swap; }}\n"
    )


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0]) if arguments else REPOSITORY / "build" / "site"
    problems = build(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(problems)} links lead nowhere" if problems else folder / "index.html")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

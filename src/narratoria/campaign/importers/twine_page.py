"""Reads a page that Twine has published, and writes the story in it as Twee 3."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from narratoria.campaign.importers.draft import import_error

STORY, PASSAGE = "tw-storydata", "tw-passagedata"
FIRST_STORY = 'id="storeArea"'  # where Twine 1 keeps its passages
PROGRAMS = (("script", "UserScript", "script"), ("style", "UserStylesheet", "stylesheet"))
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ESCAPED_IN_NAME = re.compile(r"([\\\[\]{}])")
_LIKE_HEADER = re.compile(r"^(?=\\*::)", re.MULTILINE)
LONGEST_TAG = 20_000


@dataclass(frozen=True, slots=True)
class TwinePage:
    """Holds the story of a page as Twee, and the page's line for each line of the Twee."""

    twee: str
    lines: tuple[int, ...]

    def line_in_page(self, line: int) -> int:
        return self.lines[min(line, len(self.lines)) - 1] if line > 0 and self.lines else 0


@dataclass(frozen=True, slots=True)
class _Element:
    attributes: dict[str, str]
    text: str  # as it stands in the page
    line: int


def is_twine_page(text: str) -> bool:
    return f"<{STORY}" in text or FIRST_STORY in text


def read_twine_page(text: str, source: str) -> TwinePage:
    """Return the one story of a page; raise ContractViolation for a page without one, or with several."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if f"<{STORY}" not in text:
        why = "is a page of Twine 1; open it in Twine 2 (Library, Import) and publish it anew"
        raise import_error(source, why if FIRST_STORY in text else "is a page that holds no story of Twine")
    stories = list(_elements(text, STORY, 1))
    if len(stories) != 1:
        names = ", ".join(f"“{one.attributes.get('name', '')[:60]}”" for one in stories[:20])
        why = f"holds several stories ({names}); publish one alone" if names else f"breaks off in <{STORY}>"
        raise import_error(source, why)
    (story,) = stories
    passages = list(_elements(story.text, PASSAGE, story.line))
    if not passages:
        raise import_error(source, "holds a story of Twine without a passage")
    start = story.attributes.get("startnode", "")
    first = next(
        (one.attributes.get("name", "") for one in passages if one.attributes.get("pid") == start), ""
    )
    data = {"ifid": story.attributes.get("ifid", ""), "format": story.attributes.get("format", "")}
    data |= {"format-version": story.attributes.get("format-version", ""), "start": first}
    blocks: list[tuple[str, str, int]] = []  # header, body, line of the page
    own = {one.attributes.get("name") for one in passages}
    if "StoryTitle" not in own:
        blocks.append((":: StoryTitle", story.attributes.get("name", ""), story.line))
    if "StoryData" not in own:
        filled = {name: value for name, value in data.items() if value}
        blocks.append((":: StoryData", json.dumps(filled, ensure_ascii=False), story.line))
    for element, name, tag in PROGRAMS:
        programs = [one for one in _elements(story.text, element, story.line) if one.text.strip()]
        blocks += [(f":: {name} [{tag}]", _escape_body(one.text.strip()), one.line) for one in programs]
    for one in passages:
        name = _ESCAPED_IN_NAME.sub(r"\\\1", one.attributes.get("name", "").replace("\n", " ").strip())
        tags = " ".join(one.attributes.get("tags", "").split())
        header = f":: {name}" + (f" [{tags}]" if tags else "")
        blocks.append((header, _escape_body(html.unescape(one.text)), one.line))
    return _join(blocks)


def _elements(text: str, name: str, line: int) -> Iterator[_Element]:
    """Yield every element of this name that is closed; `line` is that of the text's beginning."""
    at = counted = 0
    while (at := text.find(f"<{name}", at)) >= 0:
        end_of_tag = _end_of_tag(text, at)
        end = text.find(f"</{name}>", end_of_tag)
        if end_of_tag < 0 or end < 0:
            return
        line, counted = line + text.count("\n", counted, end_of_tag), end_of_tag
        found = _ATTRIBUTE.findall(text[at:end_of_tag])
        attributes = {key: html.unescape(double or single) for key, double, single in found}
        yield _Element(attributes, text[end_of_tag:end], line)
        at = end


def _end_of_tag(text: str, start: int) -> int:
    """Return the position behind the tag that begins here: a `>` between quotation marks does not end it."""
    quote = ""
    for at in range(start, min(len(text), start + LONGEST_TAG)):
        mark = text[at]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark == ">":
            return at + 1
    return -1


def _escape_body(text: str) -> str:
    """Mark lines that Twee would read as the header of a passage."""
    return _LIKE_HEADER.sub(r"\\", text)


def _join(blocks: list[tuple[str, str, int]]) -> TwinePage:
    texts, lines = list[str](), list[int]()
    for header, body, line in blocks:
        own = body.rstrip("\n").split("\n")
        texts += [header, *own, ""]
        lines += [line, *range(line, line + len(own)), line]
    return TwinePage("\n".join(texts), tuple(lines))

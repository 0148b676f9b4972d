"""Imports Twee 3: passages under `:: Name [tags] {metadata}`, with links between double brackets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import zip_longest

from narratoria.campaign.importers.draft import ImportDraft, clean_text, import_error, single_line
from narratoria.campaign.importers.passages import ImportedPassage, Link, write_story

SPECIAL = ("StoryTitle", "StoryData", "StoryInit", "StorySettings", "UserScript", "UserStylesheet")
CODE = frozenset(("script", "stylesheet", "widget", "init", "startup", "header", "footer"))
_HEADER = re.compile(
    r"^::[ \t]*(?P<name>(?:\\.|[^\\\[\]{}\n])+?)[ \t]*"
    r"(?:\[(?P<tags>[^\]\n]*)\])?[ \t]*(?P<meta>\{[^\n]*\})?[ \t]*$",
    re.MULTILINE,
)
_LINK = re.compile(r"\[\[(?P<inside>[^\[\]\n]{1,500})\](?:\[(?P<setter>[^\]\n]{0,500})\])?\]")
_SUGARCUBE = re.compile(r"<<[^<>]{0,2000}>>")
_HARLOWE = re.compile(r"\((?:[a-z][a-z-]*):[^()]{0,1000}\)", re.IGNORECASE)


def read_twee(text: str, source: str, used_names: set[str]) -> ImportDraft:
    draft = ImportDraft()
    passages: list[ImportedPassage] = []
    start = "Start"
    for name, tags, body in _passages(text):
        if name == "StoryTitle":
            draft.title = single_line(body, 120)
        elif name == "StoryData":
            start = _start(body) or start
        elif name in SPECIAL or CODE & set(tags):
            draft.skip(f"passage “{single_line(name, 60)}”", "programs and styles are not brought in")
        else:
            passages.append(_passage(name, tags, body, draft))
    if not passages:
        raise import_error(source, "holds no passage; Twee 3 begins each with a line “:: Name”")
    write_story(passages, start, draft, f"{source} (Twee 3)", used_names)
    return draft


def _passages(text: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    headers = list(_HEADER.finditer(text))
    for header, after in zip_longest(headers, headers[1:]):
        body = text[header.end() : after.start() if after else len(text)]
        name = re.sub(r"\\(.)", r"\1", header["name"]).strip()
        yield name, tuple((header["tags"] or "").split()), body.strip()


def _start(body: str) -> str:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    return str(data.get("start") or "") if isinstance(data, dict) else ""


def _passage(name: str, tags: tuple[str, ...], body: str, draft: ImportDraft) -> ImportedPassage:
    links = tuple(_link(match, draft) for match in _LINK.finditer(body))
    text = _LINK.sub("", body)
    if _SUGARCUBE.search(text) or _HARLOWE.search(text):
        draft.skip("macros", "they are code, and campaigns bring none; their conditions are lost")
        text = _HARLOWE.sub("", _SUGARCUBE.sub("", text))
    if "$" in text and re.search(r"\$[A-Za-z_]", text):
        draft.skip("variables", "what they stand for is not known before it is played")
    return ImportedPassage(name, clean_text(text), links, tags)


def _link(match: re.Match[str], draft: ImportDraft) -> Link:
    inside = match["inside"]
    if match["setter"]:
        draft.skip("links that set variables", "the link is brought in, what it sets is not")
    if "->" in inside:
        text, _, to = inside.rpartition("->")
    elif "<-" in inside:
        to, _, text = inside.partition("<-")
    elif "|" in inside:
        text, _, to = inside.rpartition("|")
    else:
        text = to = inside
    return Link(single_line(text, 200) or single_line(to, 200), to.strip())

"""Imports Twee 3: passages under `:: Name [tags] {metadata}`, with links between double brackets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from narratoria.campaign.importers.draft import ImportDraft, clean_text, import_error, single_line
from narratoria.campaign.importers.logic import Constant, UnsupportedLogic, read_constant
from narratoria.campaign.importers.passages import ImportedPassage, Link, write_story

SPECIAL = ("StoryTitle", "StoryData", "StoryInit", "StorySettings", "UserScript", "UserStylesheet")
CODE = frozenset(("script", "stylesheet", "widget", "init", "startup", "header", "footer"))
_HEADER = re.compile(
    r"^::[ \t]*(?P<name>(?:\\.|[^\\\[\]{}\n])+?)[ \t]*"
    r"(?:\[(?P<tags>[^\]\n]*)\])?[ \t]*(?P<meta>\{[^\n]*\})?[ \t]*$",
    re.MULTILINE,
)
_PIECE = re.compile(
    r"\[\[(?P<inside>[^\[\]\n]{1,500})\](?:\[(?P<setter>[^\]\n]{0,500})\])?\]"
    r"|<<(?P<macro>if|elseif|else|/if)\b[ \t]*(?P<condition>[^<>]{0,500}(?:[<>]=?[^<>]{1,200})?)>>"
)
_SET = re.compile(
    r"<<set \$(?P<name>\w+)\s+(?:to|=)\s*(?P<value>[^<>]{1,500}?)\s*>>"
    r"|\(set:\s*\$(?P<harlowe>\w+)\s+to\s+(?P<constant>[^()]{1,500}?)\s*\)"
)
_MACRO = re.compile(r"<<[^<>]{0,2000}>>|\((?:[a-z][a-z-]*):[^()]{0,1000}\)", re.IGNORECASE)
_TEXT = re.compile(r"\w")


def read_twee(text: str, source: str, used_names: set[str]) -> ImportDraft:
    draft = ImportDraft()
    passages: list[ImportedPassage] = []
    start = "Start"
    initial: dict[str, Constant] = {}
    for name, tags, body, line in _passages(text):
        if name == "StoryTitle":
            draft.title = single_line(body, 120)
        elif name == "StoryData":
            start = _start(body) or start
        elif name == "StoryInit":
            initial |= _settings(body, line, draft)
        elif name in SPECIAL or CODE & set(tags):
            draft.skip(f"passage “{single_line(name, 60)}”", "programs and styles are not brought in")
        else:
            passages.append(_passage(name, tags, body, line, draft))
    if not passages:
        raise import_error(source, "holds no passage; Twee 3 begins each with a line “:: Name”")
    write_story(passages, start, draft, f"{source} (Twee 3)", used_names, initial)
    return draft


def _passages(text: str) -> Iterator[tuple[str, tuple[str, ...], str, int]]:
    headers = list(_HEADER.finditer(text))
    for header, after in zip_longest(headers, headers[1:]):
        body = text[header.end() : after.start() if after else len(text)]
        line = text.count("\n", 0, header.start()) + 1
        name = re.sub(r"\\(.)", r"\1", header["name"]).strip()
        yield name, tuple((header["tags"] or "").split()), body, line


def _start(body: str) -> str:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    return str(data.get("start") or "") if isinstance(data, dict) else ""


def _passage(name: str, tags: tuple[str, ...], body: str, line: int, draft: ImportDraft) -> ImportedPassage:
    """Read a passage; what stands in it under a condition is kept for links, and named for anything else."""
    links: list[Link] = []
    parts: list[str] = []
    conditions: list[tuple[str, list[str]]] = []  # what must be so now, and what was not so before it
    at = 0
    for match in (*_PIECE.finditer(body), None):
        plain = body[at : match.start()] if match else body[at:]
        here = line + body.count("\n", 0, match.start() if match else len(body))
        if conditions and _TEXT.search(_MACRO.sub("", plain)):
            draft.skip(f"line {here}: text under a condition", "a passage has one text; it is told always")
        parts.append(plain)
        if match is None:
            break
        at = match.end()
        if match["inside"] is not None:
            links.append(_link(match, _join(conditions), here, draft))
        elif match["macro"] == "/if":
            del conditions[-1:]
        elif match["macro"] == "if":
            conditions.append((match["condition"], []))
        elif conditions:
            now, before = conditions.pop()
            conditions.append((match["condition"] if match["macro"] == "elseif" else "", [*before, now]))
    text = "".join(parts)
    sets = _settings(text, line, draft)
    text = _SET.sub("", text)
    for found in _MACRO.finditer(text):
        where = line + body.count("\n", 0, max(body.find(found[0]), 0))
        draft.skip(
            f"line {where}: {single_line(found[0].strip('<>()'), 60)}",
            "macros are code, and campaigns bring none",
        )
    text = _MACRO.sub("", text)
    if re.search(r"\$[A-Za-z_]", text):
        draft.skip("variables in the text", "what they stand for is not known before it is played")
    return ImportedPassage(name, clean_text(text), tuple(links), tags, sets)


def _settings(text: str, line: int, draft: ImportDraft) -> dict[str, Constant]:
    """Return the variables that are set to constants; the others are named."""
    settings: dict[str, Constant] = {}
    for match in _SET.finditer(text):
        try:
            name, value = match["name"] or match["harlowe"], match["value"] or match["constant"]
            settings[name] = read_constant(value)
        except UnsupportedLogic:
            where = line + text.count("\n", 0, match.start())
            draft.skip(
                f"line {where}: {single_line(match[0].strip('<>()'), 60)}", "only constants can be set"
            )
    return settings


def _join(conditions: Sequence[tuple[str, Sequence[str]]]) -> str:
    parts = [
        part for now, before in conditions for part in (*(f"not ({one})" for one in before), now) if part
    ]
    return " and ".join(f"({part})" for part in parts) if len(parts) > 1 else "".join(parts)


def _link(match: re.Match[str], condition: str, line: int, draft: ImportDraft) -> Link:
    inside = match["inside"]
    if match["setter"]:
        draft.skip(f"line {line}: a link that sets variables", "the link is brought in, what it sets is not")
    if "->" in inside:
        text, _, to = inside.rpartition("->")
    elif "<-" in inside:
        to, _, text = inside.partition("<-")
    elif "|" in inside:
        text, _, to = inside.rpartition("|")
    else:
        text = to = inside
    return Link(single_line(text, 200) or single_line(to, 200), to.strip(), condition, line)

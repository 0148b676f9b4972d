"""Imports Twee 3: passages under `:: Name [tags] {metadata}`, with links between double brackets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from narratoria.campaign.importers.draft import ImportDraft, import_error, single_line
from narratoria.campaign.importers.logic import Change, Constant, UnsupportedLogic, read_change
from narratoria.campaign.importers.passages import ImportedPassage, Link, TextPart, write_story

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
    r"<<set (?P<change>\$\w+\s*(?:to\b|[-+]?=|\+\+|--)[^<>]{0,500}?)\s*>>"
    r"|\(set:\s*(?P<harlowe>\$\w+\s+to\s+[^()]{1,500}?)\s*\)"
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
            for change in _changes(body, line, draft):
                initial[change.name] = change.value
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
    """Read a passage: its text and its links, each under its conditions, and what it sets."""
    links: list[Link] = []
    parts: list[TextPart] = []
    changes: list[Change] = []
    conditions: list[tuple[str, list[str]]] = []  # what must be so now, and what was not so before it
    at = 0
    for match in (*_PIECE.finditer(body), None):
        plain = body[at : match.start()] if match else body[at:]
        here = line + body.count("\n", 0, at)
        made = _changes(plain, here, draft)
        if conditions and made:
            draft.lose(here, "a variable that is set under a condition", "it would always be set")
        changes += made
        parts.append(TextPart(_plain(plain, here, draft), _join(conditions), line=here))
        if match is None:
            break
        here, at = line + body.count("\n", 0, match.start()), match.end()
        if match["inside"] is not None:
            links.append(_link(match, _join(conditions), here, draft))
        elif match["macro"] == "/if":
            del conditions[-1:]
        elif match["macro"] == "if":
            conditions.append((match["condition"], []))
        elif conditions:
            now, before = conditions.pop()
            conditions.append((match["condition"] if match["macro"] == "elseif" else "", [*before, now]))
    text_parts = tuple(part for part in parts if not part.condition or _TEXT.search(part.text))
    return ImportedPassage(name, text_parts, tuple(links), tags, tuple(changes))


def _plain(text: str, line: int, draft: ImportDraft) -> str:
    """Return a text without macros; what they would do is lost."""
    text = _SET.sub("", text)
    for macro in _MACRO.finditer(text):
        where = line + text.count("\n", 0, macro.start())
        what = single_line(macro[0].strip("<>()"), 60)
        draft.lose(where, what, "macros are code, and campaigns bring none")
    text = _MACRO.sub("", text)
    if variable := re.search(r"\$[A-Za-z_]\w*", text):
        where = line + text.count("\n", 0, variable.start())
        draft.lose(where, f"{variable[0]} in the text", "what it stands for is not known before it is played")
    return text


def _changes(text: str, line: int, draft: ImportDraft) -> list[Change]:
    """Return what is done to variables: set to constants, counted up or down."""
    changes: list[Change] = []
    for match in _SET.finditer(text):
        where = line + text.count("\n", 0, match.start())
        try:
            changes.append(read_change(match["change"] or match["harlowe"], where))
        except UnsupportedLogic:
            what = single_line(match[0].strip("<>()"), 60)
            draft.lose(where, what, "variables are set to constants, and counted by constants, alone")
    return changes


def _join(conditions: Sequence[tuple[str, Sequence[str]]]) -> str:
    parts = [
        part for now, before in conditions for part in (*(f"not ({one})" for one in before), now) if part
    ]
    return " and ".join(f"({part})" for part in parts) if len(parts) > 1 else "".join(parts)


def _link(match: re.Match[str], condition: str, line: int, draft: ImportDraft) -> Link:
    inside = match["inside"]
    if match["setter"]:
        draft.lose(line, "a link that sets variables", "the link alone could be brought in")
    if "->" in inside:
        text, _, to = inside.rpartition("->")
    elif "<-" in inside:
        to, _, text = inside.partition("<-")
    elif "|" in inside:
        text, _, to = inside.rpartition("|")
    else:
        text = to = inside
    return Link(single_line(text, 200) or single_line(to, 200), to.strip(), condition, line)

"""Reads a Twee 3 file into a story: a passage is a flow, a link is a choice, StoryInit is its beginning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest

from narratoria.campaign.ink.compiler import compile_story
from narratoria.campaign.ink.markup import strip_markup
from narratoria.campaign.ink.story import InkStory
from narratoria.campaign.ink.syntax import Divert, Flow, Gather, Literal, Node, Print, SyntaxTree, Text
from narratoria.campaign.twee.chapbook import ChapbookReader
from narratoria.campaign.twee.passage import PassageReader
from narratoria.errors import Problem

SPECIAL = (
    *("StoryInit", "StoryTitle", "StoryData", "StoryAuthor", "StorySubtitle", "StoryMenu", "StoryCaption"),
    *("StorySettings", "StoryIncludes", "UserScript", "UserStylesheet", "StoryStylesheet", "StoryScript"),
)
LEFT_OUT = "LeftOut"  # a passage that names the lines whose macros the importer was told to leave out
CODE = frozenset(("script", "stylesheet", "widget", "Twine.private"))
STARTUP = frozenset(("init", "startup"))
_HEADER = re.compile(
    r"^::[ \t]*(?P<name>(?:\\.|[^\\\[\]{}\n])+?)[ \t]*"
    r"(?:\[(?P<tags>[^\]\n]*)\])?[ \t]*(?P<meta>\{[^\n]*\})?[ \t]*$",
    re.MULTILINE,
)
_ESCAPED_HEADER = re.compile(r"^\\(?=\\*::)", re.MULTILINE)
_MARKUP = (
    (re.compile(r"(?<![:/])//(?=\S)(.+?)(?<=\S)//(?!/)"), r"\1"),
    (re.compile(r"''(.+?)''"), r"\1"),
    (re.compile(r"__(.+?)__"), r"\1"),
    (re.compile(r"~~(.+?)~~"), r"\1"),
    (re.compile(r"\^\^(.+?)\^\^"), r"\1"),
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"^(?:!{1,6}|#{1,6}\s|>\s|\*\s+|-{3,}$)\s*"), ""),
)


@dataclass(frozen=True, slots=True)
class TweeFile:
    """Holds the story of a file, what is wrong with it by line, and what the file says of itself."""

    story: InkStory
    problems: tuple[Problem, ...] = ()
    title: str = ""
    author: str = ""
    programs: tuple[str, ...] = ()  # passages that are no part of the story: scripts and styles


def parse_twee(file: str, text: str) -> TweeFile:
    """Return the story of a file; one with problems is not to be played."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    passages = list(_split(text))
    flows = {name: f"p{number}" for number, (name, tags, _, _) in enumerate(passages) if _is_told(name, tags)}
    about = {name: body.strip() for name, _, body, _ in passages if name in ("StoryTitle", "StoryAuthor")}
    data = _read_data(next((body for name, _, body, _ in passages if name == "StoryData"), ""))
    is_chapbook = str(data.get("format", "")).casefold() == "chapbook"
    reader_type = ChapbookReader if is_chapbook else PassageReader
    problems: list[tuple[int, str]] = []
    variables: set[str] = set()
    tree, beginning = SyntaxTree(), list[Node]()
    for name, tags, body, line in passages:
        flow = flows.get(name, "")
        reader = reader_type(body, line, flow, lambda to: flows.get(to, ""), variables, problems)
        if name == "StoryInit" or STARTUP & set(tags):
            beginning += [one for one in reader.read() if not isinstance(one, Text | Print)]
        elif flow:
            nodes = reader.read()
            tree.knots.append(Flow(flow, line, content=[Gather(1, line, "here"), *nodes]))
    if not flows:
        problems.append((1, "this file holds no passage; Twee 3 begins each with a line “:: Name”"))
    start = (
        flows.get(str(data.get("start") or "Start")) or flows.get("Start") or next(iter(flows.values()), "")
    )
    tree.variables = {name: (Literal(0), 1) for name in sorted(variables)}
    tree.main.content = [*beginning, *([Divert((start,), 1)] if start else [])]
    program, mistakes = compile_story(tree)
    problems += mistakes
    left_out = {
        int(one) for name, _, body, _ in passages if name == LEFT_OUT for one in re.findall(r"\d+", body)
    }
    problems = [one for one in problems if one[0] not in left_out]
    digest = sha256(text.encode()).hexdigest()[:16]
    located = [Problem(message, file=file, line=line) for line, message in sorted(set(problems))]
    return TweeFile(
        InkStory(program, (file,), digest, clean=strip_twine_markup),
        tuple(located),
        about.get("StoryTitle", ""),
        about.get("StoryAuthor", ""),
        tuple(name for name, tags, _, _ in passages if CODE & set(tags) and name != LEFT_OUT),
    )


def _is_told(name: str, tags: tuple[str, ...]) -> bool:
    return name not in SPECIAL and not (CODE | STARTUP) & set(tags)


def _split(text: str) -> Iterator[tuple[str, tuple[str, ...], str, int]]:
    """Yield every passage: its name, its tags, its body, and the line of the body."""
    headers = list(_HEADER.finditer(text))
    for header, after in zip_longest(headers, headers[1:]):
        body = text[header.end() : after.start() if after else len(text)]
        body = _ESCAPED_HEADER.sub("", body)
        line = text.count("\n", 0, header.start()) + 1
        name = re.sub(r"\\(.)", r"\1", header["name"]).strip()
        yield name, tuple((header["tags"] or "").split()), body, line


def _read_data(body: str) -> dict[str, object]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def strip_twine_markup(line: str) -> str:
    """Return a line without the marks that Twine's formats set type with."""
    line = strip_markup(line)
    for pattern, replacement in _MARKUP:
        line = pattern.sub(replacement, line)
    return line.strip()

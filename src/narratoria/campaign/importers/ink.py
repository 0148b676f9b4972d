"""Imports ink's plain text as far as it maps: knots, stitches, choices and diverts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from narratoria.campaign.importers.draft import ImportDraft, clean_text, import_error, single_line
from narratoria.campaign.importers.logic import Constant, UnsupportedLogic, read_constant
from narratoria.campaign.importers.passages import ImportedPassage, Link, write_story

BEGINNING = "beginning"
GONE = ("END", "DONE")
_KNOT = re.compile(r"^\s*={2,}\s*(?P<function>function\s+)?(?P<name>\w+)[^=\n]*=*\s*$")
_STITCH = re.compile(r"^\s*=\s*(?P<name>\w+)\s*$")
_CHOICE = re.compile(r"^\s*(?P<marks>(?:[*+]\s*)+)(?P<rest>.*)$")
_GATHER = re.compile(r"^\s*(?:-(?!>)\s*)+(?P<rest>.*)$")
_DIVERT = re.compile(r"->\s*(?P<to>[\w.]+)?\s*(?:\([^()]*\))?\s*(?:->\s*)?$")
_LOGIC = re.compile(r"^\s*(?:~|VAR\b|CONST\b|LIST\b|EXTERNAL\b|INCLUDE\b|TODO\b|temp\b)")
_SETTING = re.compile(r"^\s*(?P<first>~|VAR|CONST)\s*(?:temp\s+)?(?P<name>\w+)\s*=\s*(?P<value>[^=].*?)\s*$")
_INLINE = re.compile(r"\{[^{}]{0,2000}\}")
_CONDITION = re.compile(r"^\s*(?:\([^()]*\)\s*)?(?:\{[^{}]*\}\s*)*")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_TAG = re.compile(r"(?<!\\)#[^\n]*$")


@dataclass(slots=True)
class _Knot:
    name: str
    lines: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    sets: dict[str, Constant] = field(default_factory=dict)
    is_told_once: bool = False  # what a choice leads to that is not offered again


def read_ink(text: str, source: str, used_names: set[str]) -> ImportDraft:
    draft = ImportDraft()
    reader = _InkReader(draft)
    plain = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text.replace("\r\n", "\n"))
    for number, line in enumerate(plain.split("\n"), 1):
        reader.take(line, number)
    passages = reader.passages()
    if not any(passage.text or passage.links for passage in passages):
        raise import_error(source, "holds no text; ink begins knots with “=== name ===”")
    write_story(passages, passages[0].name, draft, f"{source} (ink)", used_names, reader.initial)
    return draft


class _InkReader:
    """Reads line by line, and tracks the current knot and choice."""

    def __init__(self, draft: ImportDraft) -> None:
        self._draft = draft
        self._knots: list[_Knot] = [_Knot(BEGINNING)]
        self._knot = ""  # the knot that stitches belong to
        self._home = self._at = self._knots[0]  # the passage, and the choice in it that is being read
        self._gathers: list[_Knot] = []
        self._skipping = False  # a function, until the next knot
        self._line = 0
        self.initial: dict[str, Constant] = {}  # what variables are at first

    def take(self, line: str, number: int) -> None:
        self._line = number
        if match := _KNOT.match(line):
            self._skipping = bool(match["function"])
            if self._skipping:
                self._draft.skip(f"function {match['name']}", "functions are code, and campaigns bring none")
                return
            self._knot = match["name"]
            self._begin(self._knot)
        elif self._skipping or not line.strip():
            return
        elif match := _STITCH.match(line):
            name = f"{self._knot}.{match['name']}" if self._knot else match["name"]
            if self._home.name == self._knot and not self._home.lines and not self._home.links:
                self._home.links.append(Link("", name))  # a knot without a text begins with its first stitch
            self._begin(name)
        elif _LOGIC.match(line):
            self._logic(line)
        elif match := _CHOICE.match(line):
            marks = match["marks"]
            self._choice(match["rest"], sticky="+" in marks, depth=len(re.findall(r"[*+]", marks)))
        elif match := _GATHER.match(line):
            self._gather(match["rest"])
        else:
            self._text(line, self._at)

    def _logic(self, line: str) -> None:
        """Take over what sets a variable to a constant, and name everything else."""
        match = _SETTING.match(line)
        try:
            if match is None:
                raise UnsupportedLogic(line)
            value = read_constant(match["value"])
        except UnsupportedLogic:
            if not line.strip().startswith("TODO"):
                what = f"line {self._line}: {single_line(line, 60)}"
                self._draft.skip(what, "it is code, and campaigns bring none; constants alone can be set")
            return
        if match["first"] == "~":
            self._at.sets[match["name"]] = value
        else:
            self.initial[match["name"]] = value

    def _begin(self, name: str) -> None:
        self._home = self._at = _Knot(name)
        self._knots.append(self._home)
        self._gathers = []

    def _choice(self, rest: str, *, sticky: bool, depth: int) -> None:
        if depth > 1:
            self._draft.skip("choices within choices", "they are offered with the others")
        condition = _CONDITION.match(rest)
        needs = re.findall(r"\{([^{}]*)\}", condition[0]) if condition else []
        rest = rest[condition.end() :] if condition else rest
        divert = _DIVERT.search(rest)
        to = divert["to"] or "" if divert else ""
        rest = rest[: divert.start()] if divert else rest
        before, bracket, inside = rest.partition("[")
        only, _, after = inside.partition("]")
        offer = single_line(self._plain(f"{before}{only}" if bracket else rest), 200)
        text = self._plain(f"{before}{after}").strip() if bracket else ""
        if not offer:
            self._draft.skip("choices without words", "nobody could choose them")
            return
        step = _Knot(f"{self._home.name}.{len(self._knots)}", is_told_once=not sticky)
        if text:
            step.lines.append(text)
        if to and to not in GONE:
            step.links.append(Link("", to))
        joined = " and ".join(f"({one})" for one in needs)
        self._home.links.append(Link(offer, step.name, joined, self._line))
        self._knots.append(step)
        self._gathers.append(step)
        self._at = step

    def _gather(self, rest: str) -> None:
        """Begin the passage where the choices before it come together."""
        if not self._gathers:
            self._text(rest, self._at)
            return
        meeting = _Knot(f"{self._home.name}.{len(self._knots)}")
        self._knots.append(meeting)
        for step in self._gathers:
            if not step.links:
                step.links.append(Link("", meeting.name))
        self._gathers = []
        self._home = self._at = meeting
        if rest:
            self._text(rest, meeting)

    def _text(self, line: str, into: _Knot) -> None:
        line = _TAG.sub("", line)
        divert = _DIVERT.search(line)
        if divert:
            line = line[: divert.start()]
            if divert["to"] and divert["to"] not in GONE:
                into.links.append(Link("", divert["to"]))
        if written := self._plain(line).strip():
            into.lines.append(written)

    def _plain(self, text: str) -> str:
        if _INLINE.search(text):
            self._draft.skip(f"line {self._line}: {{ … }} in the text", "what varies is code; it is left out")
        return _INLINE.sub("", text).replace("<>", "").replace("\\", "")

    def passages(self) -> list[ImportedPassage]:
        """Return the passages with complete divert names."""
        names = {knot.name for knot in self._knots}
        passages = []
        for knot in self._knots:
            parent = knot.name.partition(".")[0]
            links = tuple(replace(link, to=_whole(link.to, parent, names)) for link in knot.links)
            passages.append(
                ImportedPassage(
                    knot.name,
                    clean_text("\n\n".join(knot.lines)),
                    links,
                    sets=knot.sets,
                    is_told_once=knot.is_told_once,
                )
            )
        if not passages[0].text and not passages[0].links and len(passages) > 1:
            passages = passages[1:]
        return passages


def _whole(name: str, parent: str, names: set[str]) -> str:
    return f"{parent}.{name}" if f"{parent}.{name}" in names else name

"""Imports ink's plain text: knots, stitches, the weave of choices and gathers, diverts, and plain logic.

What decides or varies more than beats can is lost, and named by its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from narratoria.campaign.importers.draft import ImportDraft, import_error, single_line
from narratoria.campaign.importers.ink_functions import InkFunctions
from narratoria.campaign.importers.ink_text import VaryingText, leave_braces_out, split_text
from narratoria.campaign.importers.logic import Change, Constant, UnsupportedLogic, read_change, read_constant
from narratoria.campaign.importers.passages import ImportedPassage, Link, TextPart, write_story

BEGINNING = "beginning"
GONE = ("END", "DONE")
CODE = "it is code that campaigns have nothing for"
_KNOT = re.compile(r"^\s*={2,}\s*(?P<function>function\s+)?(?P<name>\w+)\s*(?P<given>\([^()]*\))?\s*=*\s*$")
_STITCH = re.compile(r"^\s*=\s*(?P<name>\w+)\s*(?P<given>\([^()]*\))?\s*$")
_CHOICE = re.compile(r"^\s*(?P<marks>(?:[*+]\s*)+)(?P<rest>.*)$")
_GATHER = re.compile(r"^\s*(?P<marks>(?:-(?!>)\s*)+)(?P<rest>.*)$")
_LABEL = re.compile(r"^\s*\((?P<label>\w+)\)\s*")
_DIVERT = re.compile(r"->\s*(?P<to>[\w.]+)?\s*$")
_FLOW = re.compile(r"->|<-")  # tunnels, threads and diverts with values
_DECLARED = re.compile(r"^\s*(?P<kind>VAR|CONST)\s+(?P<name>\w+)\s*=\s*(?P<value>.+?)\s*$")
_LOGIC = re.compile(r"^\s*(?:~|VAR\b|CONST\b|LIST\b|EXTERNAL\b|INCLUDE\b|TODO\b)")
_CONDITIONS = re.compile(r"^(?:\s*\{[^{}]*\})+")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_TAG = re.compile(r"(?<!\\)#[^\n]*$")


@dataclass(slots=True)
class _Knot:
    name: str
    parts: list[TextPart] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    is_told_once: bool = False  # what a choice leads to that is not offered again
    is_over: bool = False  # a divert ended it
    is_glued: bool = False  # its next line goes on in the same paragraph

    @property
    def is_empty(self) -> bool:
        return not (self.parts or self.links or self.changes or self.is_over)


@dataclass(slots=True)
class _Level:
    """A depth of the weave: where its choices are offered, and what has yet to lead somewhere."""

    home: _Knot
    loose_ends: list[_Knot] = field(default_factory=list)


def read_ink(text: str, source: str, used_names: set[str]) -> ImportDraft:
    draft = ImportDraft()
    reader = _InkReader(draft)
    plain = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text.replace("\r\n", "\n"))
    reader.read(plain.split("\n"))
    passages = reader.passages()
    if not any(passage.has_text or passage.links for passage in passages):
        raise import_error(source, "holds no text; ink begins knots with “=== name ===”")
    write_story(passages, passages[0].name, draft, f"{source} (ink)", used_names, reader.initial)
    return draft


class _InkReader:
    """Reads line by line, and tracks the current knot and the weave of choices in it."""

    def __init__(self, draft: ImportDraft) -> None:
        self._draft = draft
        self._knots: list[_Knot] = [_Knot(BEGINNING)]
        self._knot = self._prefix = ""  # the knot that stitches belong to; what labels are called after
        self._at = self._knots[0]
        self._levels = [_Level(self._at)]
        self._line = 0
        self._constants: dict[str, Constant] = {}
        self._functions = InkFunctions()
        self.initial: dict[str, Constant] = {}  # what variables are at first

    def read(self, lines: list[str]) -> None:
        self._functions.read(lines)
        number = 0
        while number < len(lines):
            line, self._line = lines[number], number + 1
            number += 1
            if self._functions.holds(self._line):
                continue
            depth = line.count("{") - line.count("}")
            if depth <= 0:
                self._take(line)
                continue
            self._lose(line, "choices and text under a condition of several lines are not kept")
            while depth > 0 and number < len(lines):
                depth += lines[number].count("{") - lines[number].count("}")
                number += 1

    def _take(self, line: str) -> None:
        if not line.strip():
            return
        if match := _KNOT.match(line):
            self._knot = match["name"]
            self._begin(self._knot, match["given"])
        elif match := _STITCH.match(line):
            name = f"{self._knot}.{match['name']}" if self._knot else match["name"]
            if self._at.name == self._knot and self._at.is_empty:
                self._at.links.append(Link("", name))  # a knot without a text begins with its first stitch
            self._begin(name, match["given"])
        elif _LOGIC.match(line):
            self._logic(line)
        elif match := _CHOICE.match(line):
            marks = match["marks"]
            self._choice(match["rest"], sticky="+" in marks, depth=len(re.findall(r"[*+]", marks)))
        elif match := _GATHER.match(line):
            self._gather(match["rest"], match["marks"].count("-"))
        else:
            self._text(line, self._at)

    def _lose(self, what: str, why: str = CODE) -> None:
        self._draft.lose(self._line, f"“{single_line(what, 60)}”", why)

    def _logic(self, line: str) -> None:
        """Take over what variables are at first, and what is done to them."""
        if line.strip().startswith("TODO"):
            return
        try:
            if match := _DECLARED.match(line):
                value = self._constants.get(match["value"])
                value = read_constant(match["value"]) if value is None else value
                into = self._constants if match["kind"] == "CONST" else self.initial
                into[match["name"]] = self.initial[match["name"]] = value
            elif line.strip().startswith("~"):
                statement = line.strip().removeprefix("~").strip()
                for one in self._functions.expand_statement(statement):
                    self._at.changes.append(read_change(self._with_constants(one), self._line))
            else:
                raise UnsupportedLogic(line)
        except UnsupportedLogic:
            self._lose(line)

    def _with_constants(self, text: str) -> str:
        """Return code with the values of constants in place of their names."""
        text = text.removeprefix("temp ")
        head, mark, rest = text.partition("=")
        for name, value in self._constants.items():
            shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
            rest = shown.join(re.split(rf"\b{re.escape(name)}\b", rest))
        return f"{head}{mark}{rest}"

    def _begin(self, name: str, given: str | None) -> None:
        if given and given.strip("() "):
            self._lose(f"{name}{given}", "knots that are given values are not kept")
        self._at = _Knot(name)
        self._prefix = name
        self._knots.append(self._at)
        self._levels = [_Level(self._at)]

    def _choice(self, rest: str, *, sticky: bool, depth: int) -> None:
        label, rest = _split_label(rest)
        conditions = _CONDITIONS.match(rest)
        needs = re.findall(r"\{([^{}]*)\}", conditions[0]) if conditions else []
        rest = _TAG.sub("", rest[conditions.end() :] if conditions else rest)
        divert = _DIVERT.search(rest)
        to = divert["to"] or "" if divert else ""
        rest = rest[: divert.start()] if divert else rest
        if _FLOW.search(rest):
            self._lose(rest, "tunnels, threads and diverts with values are not kept")
        before, bracket, inside = rest.partition("[")
        only, _, after = inside.partition("]")
        offer = self._constant_text(f"{before}{only}" if bracket else rest)
        if not offer:
            self._lose(rest or "*", "a choice without words, for when no other is left, is not kept")
            return
        step = _Knot(f"{self._prefix}.{label or len(self._knots)}", is_told_once=not sticky)
        step_text = (
            f"{before}{after}" if bracket else rest
        )  # what is offered without brackets is told as well
        if step_text.strip():
            self._text(step_text, step)
        if to and to not in GONE:
            step.links.append(Link("", to, line=self._line))
        step.is_over = bool(to)
        level = self._level(depth)
        joined = " and ".join(f"({self._functions.expand_condition(one)})" for one in needs)
        level.home.links.append(Link(offer, step.name, joined, self._line))
        level.loose_ends.append(step)
        self._knots.append(step)
        self._at = step

    def _level(self, depth: int) -> _Level:
        """Return the level of choices this deep; what was deeper is brought together with them."""
        while len(self._levels) > depth:
            deeper = self._levels.pop()
            self._levels[-1].loose_ends += deeper.loose_ends
        if len(self._levels) < depth:
            self._levels.append(_Level(self._at))
        return self._levels[-1]

    def _gather(self, rest: str, depth: int) -> None:
        """Begin the passage where the choices before it come together."""
        label, rest = _split_label(rest)
        depth = min(depth, len(self._levels))
        level = self._level(depth)
        if not level.loose_ends and not label:
            self._text(rest, self._at)
            return
        meeting = _Knot(f"{self._prefix}.{label or len(self._knots)}")
        self._knots.append(meeting)
        for end in (*level.loose_ends, *([] if level.loose_ends else [self._at])):
            if not end.links and not end.is_over:
                end.links.append(Link("", meeting.name))
        self._levels[-1] = _Level(meeting)
        if depth > 1:
            self._levels[depth - 2].loose_ends.append(meeting)
        self._at = meeting
        if rest.strip():
            self._text(rest, meeting)

    def _text(self, line: str, into: _Knot) -> None:
        line = _TAG.sub("", line)
        divert = _DIVERT.search(line)
        line = line[: divert.start()] if divert else line
        if _FLOW.search(line) or (divert and not divert["to"]):
            self._lose(line or "->", "tunnels, threads and diverts with values are not kept")
            line = _FLOW.split(line)[0]
        if into.is_over:
            return  # nothing comes here any more
        if line.strip():
            is_glued = into.is_glued or line.lstrip().startswith("<>") or not into.parts
            into.parts += self._parts(line, into.name, joined=not is_glued)
            into.is_glued = line.rstrip().endswith("<>")
        if divert and divert["to"]:
            into.is_over = True
            if divert["to"] not in GONE:
                into.links.append(Link("", divert["to"], line=self._line))

    def _parts(self, line: str, name: str, *, joined: bool) -> list[TextPart]:
        """Return a line in pieces, each with what decides whether it is told."""
        try:
            pieces = split_text(line, name, self._constants)
        except VaryingText as reason:
            self._lose(line, str(reason))
            pieces = [TextPart(leave_braces_out(line))]
        pieces = [
            replace(one, condition=self._functions.expand_condition(one.condition), line=self._line)
            for one in pieces
        ]
        return [TextPart("\n\n"), *pieces] if joined else pieces

    def _constant_text(self, text: str) -> str:
        try:
            pieces = split_text(text, "", self._constants)
        except VaryingText as reason:
            self._lose(text, str(reason))
            return ""
        if any(one.condition for one in pieces):
            self._lose(text, "the words of a choice do not vary")
        return single_line("".join(one.text for one in pieces if not one.condition), 200)

    def passages(self) -> list[ImportedPassage]:
        """Return the passages with complete divert names."""
        names = {knot.name for knot in self._knots}
        labels = {name.rpartition(".")[2]: name for name in sorted(names) if "." in name}
        passages = [
            ImportedPassage(
                knot.name,
                tuple(knot.parts),
                tuple(replace(link, to=_whole(link.to, knot.name, names, labels)) for link in knot.links),
                changes=tuple(knot.changes),
                is_told_once=knot.is_told_once,
            )
            for knot in self._knots
        ]
        if not passages[0].has_text and not passages[0].links and len(passages) > 1:
            passages = passages[1:]
        return passages


def _split_label(rest: str) -> tuple[str, str]:
    match = _LABEL.match(rest)
    return (match["label"], rest[match.end() :]) if match else ("", rest)


def _whole(name: str, home: str, names: set[str], labels: dict[str, str]) -> str:
    """Return the whole name of what is diverted to: beside it, in its knot, or anywhere."""
    parts = home.split(".")
    for length in range(len(parts), 0, -1):
        whole = ".".join((*parts[:length], name))
        if whole in names:
            return whole
    return name if name in names else labels.get(name, name)

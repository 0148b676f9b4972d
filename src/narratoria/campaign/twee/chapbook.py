"""Parses a passage of the format Chapbook: variables above it, conditions on lines of their own."""

from __future__ import annotations

import re

from narratoria.campaign.ink.syntax import Binary, Branch, Conditional, Expression, Literal, Node, Print
from narratoria.campaign.twee.passage import PassageReader

_CONDITION = re.compile(
    r"^\[(?P<what>if|unless|else|continue|cont)\b\s*(?P<rest>[^\]\n]*)\]\s*$", re.MULTILINE
)
_INSERT = re.compile(r"\{(?P<what>[^{}\n]{1,300})\}")


class ChapbookReader(PassageReader):
    """Reads the body of a passage of Chapbook."""

    def _read_variables(self) -> list[Node]:
        """Read what stands above a line of dashes: `name: value`."""
        match = re.search(r"^--\s*$", self.body, re.MULTILINE)
        if match is None:
            return []
        nodes: list[Node] = []
        for row in self.body[: match.start()].splitlines():
            name, _, value = row.partition(":")
            if row.strip():
                nodes += self.read_changes(f"{name.strip()} = {value.strip()}")
            self.at += len(row) + 1
        self.at = match.end() + 1
        return nodes

    def read_nodes(self) -> list[Node]:
        """Read text with `[if …]`, `[else]` and `[continue]` on lines of their own, and `{values}`."""
        nodes = self._read_variables()
        rest, start = self.body, self.at
        marks = list(_CONDITION.finditer(rest, start))
        condition: Expression | None = None
        last: Expression | None = None
        for mark, begin in zip([None, *marks], [start, *(one.end() for one in marks)], strict=True):
            stop = next((one.start() for one in marks if one.start() >= begin), len(rest))
            if mark is not None:
                self.at = mark.start()
                what = mark["what"]
                if what in ("if", "unless"):
                    condition = last = self.parse(mark["rest"] if what == "if" else f"!({mark['rest']})")
                elif what == "else" and last is not None:
                    condition = Binary("==", last, Literal(value=False), self.line)
                else:
                    condition = None
            self.at = begin
            content = self._read_text(begin, stop)
            nodes += [Conditional((Branch(condition, tuple(content), self.line),))] if condition else content
        self.at = len(rest)
        return nodes

    def _read_text(self, begin: int, stop: int) -> list[Node]:
        inner = PassageReader(
            self.body[:stop], self.first_line, self.flow, self.find_passage, self.variables, self.problems
        )
        inner.choices, inner.flags = self.choices, self.flags
        nodes: list[Node] = []
        inner.at = begin
        for match in _INSERT.finditer(self.body, begin, stop):
            inner.body = self.body[: match.start()]
            nodes += inner.read_block()
            inner.body, inner.at = self.body[:stop], match.end()
            what = match["what"].strip()
            if embedded := re.fullmatch(r"embed passage(?: named)?:\s*(.+)", what):
                nodes += inner.go("include", embedded[1])
            elif (value := inner.parse(what)) is not None:
                nodes.append(Print(value))
        nodes += inner.read_block()
        return nodes

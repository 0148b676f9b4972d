"""Parses ink's content: text, and the logic, sequences, tags and diverts within it."""

from __future__ import annotations

import re
from collections.abc import Callable

from narratoria.campaign.ink.expressions import ExpressionParser
from narratoria.campaign.ink.scanner import InkSyntaxError, Scanner
from narratoria.campaign.ink.syntax import (
    Alternatives,
    Branch,
    Conditional,
    Divert,
    Expression,
    Glue,
    Node,
    Print,
    Tag,
    Text,
    TunnelReturn,
)

_SYMBOLS = {"!": "once", "&": "cycle", "~": "shuffle", "$": "stopping"}
_SEQUENCE_SYMBOLS = re.compile(r"[!&~$ ]*[!&~$][!&~$ ]*")
_SEQUENCE_WORDS = re.compile(r"(?:(?:once|cycle|shuffle|stopping)[ \t]*)+:")
_ARROWS = re.compile(r"(?:->)+")
_ELSE = re.compile(r"else[ \t]*:")
MOST_NESTED = 40  # braces within each other


class ContentParser:
    """Parses lines of content; `read_inner` reads the statements of a branch of several lines."""

    def __init__(self, scanner: Scanner, read_inner: Callable[[], list[Node]]) -> None:
        self._scanner, self._read_inner = scanner, read_inner
        self.expressions = ExpressionParser(scanner, self._parse_string)
        self._ends = ""  # what else ends a text here: "[]" in a choice, '"' between quotation marks
        self._depth = 0
        self.tags: list[tuple[int, str]] = []  # the line and the words of each that was read

    def parse_mixed(self) -> list[Node]:
        """Return text and logic up to the end of the line, or to what ends this piece of it."""
        nodes = self._parse_plain()
        before = self._scanner.at
        diverts = [] if self._ends else self.parse_diverts()
        if not diverts:
            self._scanner.at = before
            return nodes
        if any(isinstance(one, Divert) and not one.path for one in diverts):
            raise self._scanner.error("“->” stands without a name; only a choice may lead nowhere")
        if nodes and isinstance(nodes[-1], Text):
            nodes[-1] = Text(nodes[-1].text.rstrip(" \t") + " ")
        return [*nodes, *diverts]

    def parse_choice_parts(self) -> tuple[list[Node], list[Node], list[Node]]:
        """Return the three parts of `both [only offered] only told`."""
        before, self._ends = self._ends, "[]"
        try:
            start = self._parse_plain()
            if not self._scanner.take("["):
                return start, [], []
            only = self._parse_plain()
            self._scanner.expect("]", "after what is offered alone")
            return start, only, self._parse_plain()
        finally:
            self._ends = before

    def parse_diverts(self) -> list[Node]:
        """Return what `-> a`, `-> a -> b`, `-> a ->`, `->->` or `<- a` lead to; nothing without an arrow."""
        scanner = self._scanner
        scanner.skip_blanks()
        line = scanner.line
        if scanner.take("<-"):
            return [self._parse_target(line, is_thread=True)]
        parts: list[Divert | None] = []  # None for an arrow back
        while arrows := scanner.match(_ARROWS):
            if arrows == "->->":
                parts.append(None)
            elif arrows != "->":
                raise scanner.error("expected “->” or “->->”")
            scanner.skip_blanks()
            if not scanner.peek_identifier():
                is_last_arrow = arrows == "->"
                return self._join_diverts(parts, line, is_tunnel_last=is_last_arrow)
            parts.append(self._parse_target(line))
        return self._join_diverts(parts, line, is_tunnel_last=False)

    def _join_diverts(self, parts: list[Divert | None], line: int, *, is_tunnel_last: bool) -> list[Node]:
        if not parts:
            return [Divert((), line)] if is_tunnel_last else []
        nodes: list[Node] = []
        for index, part in enumerate(parts):
            is_last = index == len(parts) - 1
            if part is None:
                after = parts[index + 1] if not is_last else None
                nodes.append(TunnelReturn(line, after))
                if index < len(parts) - 2:
                    raise self._scanner.error("after “->->” stands one name at most")
                break
            is_tunnel = is_tunnel_last or not is_last
            nodes.append(Divert(part.path, line, part.arguments, is_tunnel=is_tunnel))
        return nodes

    def _parse_target(self, line: int, *, is_thread: bool = False) -> Divert:
        scanner = self._scanner
        scanner.skip_blanks()
        path = self.expressions.parse_path()
        if not path:
            raise scanner.error("expected the name of a knot, a stitch or a label")
        scanner.skip_blanks()
        arguments = self.expressions.parse_arguments() or ()
        scanner.skip_blanks()
        return Divert(path, line, arguments, is_thread=is_thread)

    def _parse_string(self) -> tuple[Node, ...]:
        before, self._ends = self._ends, '"'
        try:
            return tuple(self._parse_plain())
        finally:
            self._ends = before

    def _parse_plain(self) -> list[Node]:
        """Return text, logic, glue and tags, as they follow each other."""
        nodes: list[Node] = []
        while True:
            if text := self._parse_text():
                nodes.append(Text(text))
            elif self._scanner.take("<>"):
                nodes.append(Glue())
            elif self._scanner.peek("{"):
                nodes.append(self._parse_braces())
            elif self._ends != '"' and self._scanner.take("#"):
                nodes.append(self._parse_tag())
            else:
                return nodes

    def _parse_text(self) -> str:
        scanner, text = self._scanner, ""
        ends = "{}|\n#" + self._ends
        while not scanner.is_done:
            mark = scanner.text[scanner.at]
            if mark == "\\":
                text += scanner.text[scanner.at + 1 : scanner.at + 2]
                scanner.at += 2
                continue
            if mark in ends or scanner.peek("->") or scanner.peek("<-") or scanner.peek("<>"):
                break
            text += mark
            scanner.at += 1
        return text

    def _parse_tag(self) -> Tag:
        self._scanner.skip_blanks()
        nodes: list[Node] = []
        line, start = self._scanner.line, self._scanner.at
        while True:
            if text := self._parse_text():
                nodes.append(Text(text))
            elif self._scanner.peek("{"):
                nodes.append(self._parse_braces())
            else:
                self.tags.append((line, self._scanner.text[start : self._scanner.at].strip()))
                return Tag(tuple(nodes))

    # between braces

    def _parse_braces(self) -> Node:
        scanner = self._scanner
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise scanner.error("braces are nested too deeply; split them into knots")
        scanner.take("{")
        try:
            scanner.skip_blanks()
            node = self._parse_logic()
            scanner.skip_blanks()
            scanner.expect("}", "at the end of what stands between braces")
        finally:
            self._depth -= 1
        return node

    def _parse_logic(self) -> Node:
        scanner = self._scanner
        if words := scanner.match(_SEQUENCE_SYMBOLS):
            return self._parse_alternatives({_SYMBOLS[mark] for mark in words if mark != " "})
        if words := scanner.match(_SEQUENCE_WORDS):
            return self._parse_alternatives(set(words.rstrip(":").split()))
        before = scanner.at
        condition = self._try_expression(":")
        if condition is not None:
            return self._parse_conditional(condition)
        scanner.at = before
        if scanner.take_line_end():
            return Conditional(self._parse_branches())
        failure: InkSyntaxError | None = None
        try:
            expression = self.expressions.parse()
            scanner.skip_blanks()
            if scanner.peek("}"):
                return Print(expression)
        except InkSyntaxError as error:
            failure = error
        scanner.at = before
        alternatives = self._parse_alternatives({"stopping"})
        if len(alternatives.elements) > 1:
            return alternatives
        raise failure or scanner.error("what stands between these braces is not understood")

    def _try_expression(self, end: str) -> Expression | None:
        """Return an expression with this mark after it; None, and nothing taken, for anything else."""
        scanner, before = self._scanner, self._scanner.at
        try:
            expression = self.expressions.parse()
            scanner.skip_blanks()
        except InkSyntaxError:
            scanner.at = before
            return None
        if scanner.take(end):
            return expression
        scanner.at = before
        return None

    def _parse_conditional(self, condition: Expression) -> Conditional:
        scanner, line = self._scanner, self._scanner.line
        if not scanner.take_line_end():
            branches = [Branch(condition, tuple(self.parse_mixed()), line)]
            if scanner.take("|"):
                branches.append(Branch(None, tuple(self.parse_mixed()), line))
            if scanner.peek("|"):
                raise scanner.error("a condition has one alternative, after one “|”")
            return Conditional(tuple(branches))
        scanner.skip_lines()
        if not (scanner.peek("-") and not scanner.peek("->")):
            first = Branch(condition, (Text("\n"), *self._read_inner()), line)
            rest = self._parse_branches()
            if len(rest) > 1 or any(one.condition is not None for one in rest):
                raise scanner.error("expected one “- else:” here")
            return Conditional((first, *rest))
        branches = list(self._parse_branches())
        if any(one.condition is not None for one in branches):
            return Conditional(tuple(branches), subject=condition)
        if len(branches) > 2:
            raise scanner.error("“{condition:” has two branches without conditions at most")
        is_else_alone = len(branches) == 1 and self._was_else
        first_branch = [Branch(condition, (), line)] if is_else_alone else []
        rest_branches = branches if is_else_alone else branches[1:]
        if not is_else_alone:
            first_branch = [Branch(condition, branches[0].content, branches[0].line)]
        return Conditional((*first_branch, *rest_branches))

    _was_else = False  # whether the branch that was read last began with “else:”

    def _parse_branches(self) -> tuple[Branch, ...]:
        """Return the branches of several lines, each after a dash."""
        scanner = self._scanner
        branches: list[Branch] = []
        while True:
            scanner.skip_lines()
            if not scanner.peek("-") or scanner.peek("->"):
                break
            line = scanner.line
            scanner.take("-")
            scanner.skip_blanks()
            is_else = scanner.match(_ELSE) is not None
            condition = None if is_else else self._try_expression(":")
            if branches and branches[-1].condition is None and self._was_else:
                raise scanner.error("“- else:” stands last")
            branches.append(Branch(condition, (Text("\n"), *self._read_inner()), line))
            self._was_else = is_else
        return tuple(branches)

    def _parse_alternatives(self, kinds: set[str]) -> Alternatives:
        scanner = self._scanner
        if kinds - {"shuffle"} == {"cycle"} and "shuffle" in kinds:
            kinds = {"shuffle"}
        if len(kinds - {"shuffle"}) > 1:
            raise scanner.error(f"these kinds of alternatives do not go together: {', '.join(sorted(kinds))}")
        if scanner.take_line_end():
            elements = self._parse_elements()
        else:
            elements = [tuple(self.parse_mixed())]
            while scanner.take("|"):
                elements.append(tuple(self.parse_mixed()))
        is_plain_shuffle = kinds == {"shuffle"}
        return Alternatives(
            tuple(elements),
            is_once="once" in kinds,
            is_cycle="cycle" in kinds or is_plain_shuffle,
            is_shuffled="shuffle" in kinds,
        )

    def _parse_elements(self) -> list[tuple[Node, ...]]:
        scanner = self._scanner
        elements: list[tuple[Node, ...]] = []
        while True:
            scanner.skip_lines()
            if not scanner.peek("-") or scanner.peek("->"):
                break
            scanner.take("-")
            scanner.skip_blanks()
            elements.append((Text("\n"), *self._read_inner()))
        if not elements:
            raise scanner.error("expected alternatives, each on a line after “-”")
        return elements

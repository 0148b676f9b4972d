"""Parses ink source into a syntax tree: knots, stitches, and the statements in them."""

from __future__ import annotations

import re
from collections.abc import Callable

from narratoria.campaign.ink.content import ContentParser
from narratoria.campaign.ink.scanner import InkSyntaxError, Scanner
from narratoria.campaign.ink.syntax import (
    Assignment,
    Binary,
    CallExpression,
    ChoicePoint,
    Divert,
    Expression,
    Flow,
    FlowParameter,
    Gather,
    ListDefinition,
    ListItemDefinition,
    Literal,
    NameExpression,
    Node,
    Return,
    Statement,
    SyntaxTree,
    Tag,
    Text,
    TunnelReturn,
    Unary,
)

LINES_PER_FILE = 1_000_000  # so that one number says the file and the line
MOST_FILES = 200
OUTSIDE = "nothing outside the story can be called here; write what it does as a function in ink"
_KNOT = re.compile(r"[ \t]*={2,}[ \t]*")
_STITCH = re.compile(r"[ \t]*=(?!=)[ \t]*(?=\w)")
_EQUALS = re.compile(r"[ \t]*=*")
_TODO = re.compile(r"[ \t]*TODO\b[ \t]*:?")
_KEYWORD = re.compile(r"[ \t]*(VAR|CONST|LIST|EXTERNAL|INCLUDE)\b[ \t]*")
_FILE_NAME = re.compile(r"[^\n]*")
_SIGNED = re.compile(r"-?\d+")

ReadFile = Callable[[str], "str | None"]  # by the name that stands after INCLUDE


class Parser:
    """Parses a story from its first file on; problems are collected, each with its line."""

    def __init__(self, read_file: ReadFile) -> None:
        self._read_file = read_file
        self.files: list[str] = []
        self.problems: list[tuple[int, str]] = []
        self.tree = SyntaxTree()
        self._flows: list[Flow] = [self.tree.main]  # the story, the knot and the stitch that are being read

    def parse(self, file: str, text: str) -> SyntaxTree:
        self._parse_file(file, text)
        self.tree.tags = tuple(_head_tags(self.tree.main.content))
        return self.tree

    def _parse_file(self, file: str, text: str) -> None:
        self.files.append(file)
        scanner = Scanner(text.removeprefix("\ufeff"), (len(self.files) - 1) * LINES_PER_FILE + 1)
        reader = _FileReader(scanner, self)
        while not scanner.is_done:
            scanner.skip_lines()
            if not scanner.is_done:
                reader.read_statement()
        self.tree.tags_by_line += reader.tags

    def include(self, file: str, line: int) -> None:
        """Read another file; its text stands where it is included, and its knots after all the others."""
        if file in self.files:
            return
        text = self._read_file(file) if len(self.files) < MOST_FILES else None
        if text is None:
            self.problems.append(
                (line, f"INCLUDE {file}: there is no such file beside the story; put it there")
            )
            return
        flows, self._flows = self._flows, [self.tree.main]
        self._parse_file(file, text)
        self._flows = flows

    def add(self, nodes: list[Node]) -> None:
        self._flows[-1].content += nodes

    def begin_knot(self, flow: Flow) -> None:
        if any(one.name == flow.name for one in self.tree.knots):
            self.problems.append((flow.line, f"there are two knots “{flow.name}”; rename one"))
        self.tree.knots.append(flow)
        self._flows = [self.tree.main, flow]

    def begin_stitch(self, flow: Flow) -> None:
        if len(self._flows) < 2:
            self.problems.append(
                (flow.line, f"the stitch “{flow.name}” stands in no knot; write “== {flow.name}”")
            )
            return
        knot = self._flows[1]
        if any(one.name == flow.name for one in knot.stitches):
            self.problems.append((flow.line, f"there are two stitches “{flow.name}” in “{knot.name}”"))
        knot.stitches.append(flow)
        self._flows = [self.tree.main, knot, flow]


class _FileReader:
    """Reads the statements of one file."""

    def __init__(self, scanner: Scanner, parser: Parser) -> None:
        self._scanner, self._parser = scanner, parser
        self._content = ContentParser(scanner, self._read_inner)
        self._expressions = self._content.expressions
        self.tags = self._content.tags

    def read_statement(self) -> None:
        """Read one statement at the top of a file, a knot or a stitch; note what is wrong with it."""
        scanner, line = self._scanner, self._scanner.line
        try:
            if scanner.match(_KNOT):
                self._parser.begin_knot(self._read_flow(line))
            elif scanner.match(_STITCH):
                self._parser.begin_stitch(self._read_flow(line))
            else:
                self._parser.add(self._read_node(is_inner=False))
        except InkSyntaxError as error:
            self._parser.problems.append((error.line, error.message))
            scanner.skip_line()
        except RecursionError:
            self._parser.problems.append((line, "this is nested too deeply; split it into knots"))
            scanner.at = len(scanner.text)

    def _read_flow(self, line: int) -> Flow:
        scanner = self._scanner
        name = scanner.take_identifier()
        is_function = name == "function"
        if is_function:
            scanner.skip_blanks()
            name = scanner.take_identifier()
        if not name:
            raise scanner.error("expected the name of a knot or a stitch")
        scanner.skip_blanks()
        parameters = self._read_parameters() if scanner.take("(") else ()
        scanner.match(_EQUALS)
        self._expect_line_end("after the name of a knot")
        return Flow(name, line, parameters, is_function)

    def _read_parameters(self) -> tuple[FlowParameter, ...]:
        scanner = self._scanner
        parameters: list[FlowParameter] = []
        scanner.skip_blanks()
        while not scanner.take(")"):
            if parameters:
                scanner.expect(",", "between two parameters")
                scanner.skip_blanks()
            scanner.take("->")  # says that a place is given, which needs no saying here
            scanner.skip_blanks()
            name = scanner.take_identifier()
            is_reference = name == "ref"
            if is_reference:
                scanner.skip_blanks()
                name = scanner.take_identifier()
            if not name:
                raise scanner.error("expected the name of a parameter")
            parameters.append(FlowParameter(name, is_reference))
            scanner.skip_blanks()
        return tuple(parameters)

    def _read_inner(self) -> list[Node]:
        """Read the statements of a branch, up to the next branch or the closing bracket."""
        nodes: list[Node] = []
        scanner = self._scanner
        while True:
            scanner.skip_lines()
            if scanner.is_done:
                raise scanner.error("expected “}” at the end of what stands between braces")
            if scanner.peek("}") or (scanner.peek("-") and not scanner.peek("->")):
                return nodes
            nodes += self._read_node(is_inner=True)

    def _read_node(self, *, is_inner: bool) -> list[Node]:  # noqa: PLR0911 - one for each kind
        scanner = self._scanner
        scanner.skip_blanks()
        if scanner.peek("->") or scanner.peek("<-"):
            return self._read_line()
        if scanner.peek("*") or scanner.peek("+"):
            return [self._read_choice()]
        if scanner.match(_TODO):
            scanner.skip_line()
            return []
        if not is_inner and scanner.peek("-"):
            return [self._read_gather()]
        before = scanner.at
        if keyword := scanner.match(_KEYWORD):
            word = keyword.strip()
            if word == "INCLUDE" or scanner.peek_identifier():
                self._read_declaration(word)
                return []
            scanner.at = before
        if scanner.take("~"):
            return self._read_logic()
        return self._read_line()

    def _expect_line_end(self, where: str) -> None:
        scanner = self._scanner
        if not scanner.take_line_end() and not scanner.peek("}"):
            raise scanner.error(
                f"expected the end of the line {where}, and there is {scanner.describe_next()}"
            )

    # lines of text

    def _read_line(self) -> list[Node]:
        scanner = self._scanner
        nodes = self._content.parse_mixed()
        if not nodes:
            raise scanner.error(f"this is not understood: {scanner.describe_next()}")
        if not isinstance(nodes[-1], Divert | TunnelReturn):
            _trim_end(nodes)
        is_pure_tag = bool(nodes) and isinstance(nodes[0], Tag)
        scanner.skip_blanks()
        self._expect_line_end("here")
        return nodes if is_pure_tag else [*nodes, Text("\n")]

    # weave

    def _read_choice(self) -> ChoicePoint:
        scanner, line = self._scanner, self._scanner.line
        mark = "*" if scanner.peek("*") else "+"
        depth = 0
        while scanner.take(mark):
            depth += 1
            scanner.skip_blanks()
        label = self._read_label()
        if label:
            scanner.take_line_end()
            scanner.skip_blanks()
        conditions: list[Expression] = []
        while scanner.take("{"):
            conditions.append(self._expressions.parse())
            scanner.skip_blanks()
            scanner.expect(
                "}", "after the condition of a choice (write “\\{” for a text that begins with one)"
            )
            before = scanner.at
            scanner.skip_lines()
            if not scanner.peek("{") and "\n" in scanner.text[before : scanner.at]:
                scanner.at = before if scanner.peek("*") or scanner.peek("+") else scanner.at
        scanner.skip_blanks()
        start, only, inner = self._content.parse_choice_parts()
        diverts = self._content.parse_diverts()
        is_fallback = not (start or only or inner)
        inner += [one for one in diverts if not (isinstance(one, Divert) and not one.path)]
        scanner.skip_blanks()
        self._expect_line_end("after a choice")
        return ChoicePoint(
            depth=depth,
            line=line,
            is_sticky=mark == "+",
            label=label,
            conditions=tuple(conditions),
            start=tuple(start),
            only=tuple(only),
            inner=(*inner, Text("\n")),
            is_fallback=is_fallback,
        )

    def _read_gather(self) -> Gather:
        scanner, line = self._scanner, self._scanner.line
        depth = 0
        while scanner.peek("-") and not scanner.peek("->"):
            scanner.take("-")
            depth += 1
            scanner.skip_blanks()
        label = self._read_label()
        scanner.take_line_end()
        return Gather(depth, line, label)

    def _read_label(self) -> str:
        """Return the name between brackets that stands here; "" if what stands there is text."""
        scanner = self._scanner
        before = scanner.at
        if scanner.take("("):
            scanner.skip_blanks()
            name = scanner.take_identifier()
            scanner.skip_blanks()
            if name and scanner.take(")"):
                scanner.skip_blanks()
                return name
        scanner.at = before
        return ""

    # logic

    def _read_logic(self) -> list[Node]:
        scanner, line = self._scanner, self._scanner.line
        scanner.skip_blanks()
        if scanner.peek_identifier() == "return":
            scanner.take("return")
            before = scanner.at
            value = None if scanner.take_line_end() else self._expressions.parse()
            scanner.at = before if value is None else scanner.at
            self._expect_line_end("after “return”")
            return [Return(value)]
        if (assignment := self._read_assignment(line)) is not None:
            self._expect_line_end("after “~”")
            return [assignment, Text("\n")] if _has_call(assignment.value) else [assignment]
        value = self._expressions.parse()
        step = self._read_step(value, line)
        self._expect_line_end("after “~”")
        return [step, Text("\n")] if _has_call(value) else [step]

    def _read_assignment(self, line: int) -> Assignment | None:
        """Read `x = …`, `x += …`, `x -= …` or `temp x = …`; None for anything else."""
        scanner, before = self._scanner, self._scanner.at
        is_temporary = scanner.peek_identifier() == "temp"
        if is_temporary:
            scanner.take("temp")
            scanner.skip_blanks()
        name = scanner.take_identifier()
        scanner.skip_blanks()
        sign = "+" if scanner.peek("+=") else "-" if scanner.peek("-=") else ""
        scanner.take(sign)
        if not name or scanner.peek("==") or not scanner.take("="):
            if is_temporary:
                raise scanner.error("expected “temp name = value”")
            scanner.at = before
            return None
        value = self._expressions.parse()
        if sign:
            value = Binary(sign, NameExpression((name,), line), value)
        return Assignment(name, value, line, is_temporary)

    def _read_step(self, value: Expression, line: int) -> Node:
        """Return what `x++`, `x--` or a call of a function does."""
        scanner = self._scanner
        for mark, sign in (("++", "+"), ("--", "-")):
            if scanner.take(mark):
                if not isinstance(value, NameExpression) or len(value.path) != 1:
                    raise scanner.error(f"“{mark}” stands after the name of a variable alone")
                return Assignment(value.path[0], Binary(sign, value, Literal(1)), line)
        if not isinstance(value, CallExpression):
            raise scanner.error("after “~” stands “x = …”, “x++”, “return …” or the call of a function")
        return Statement(value)

    # declarations

    def _read_declaration(self, word: str) -> None:
        scanner, line, tree = self._scanner, self._scanner.line, self._parser.tree
        if word == "INCLUDE":
            name = (scanner.match(_FILE_NAME) or "").strip().replace("\\", "/")
            scanner.take("\n")
            self._parser.include(name, line)
            return
        name = scanner.take_identifier()
        if word == "EXTERNAL":
            scanner.skip_line()
            self._parser.problems.append((line, f"EXTERNAL {name}: {OUTSIDE}"))
            return
        scanner.skip_blanks()
        scanner.expect("=", f"and a value: “{word} {name} = …”")
        if word == "LIST":
            tree.lists[name] = ListDefinition(name, self._read_list_items(), line)
        else:
            into = tree.constants if word == "CONST" else tree.variables
            into[name] = (self._expressions.parse(), line)
        self._expect_line_end("after a declaration")

    def _read_list_items(self) -> tuple[ListItemDefinition, ...]:
        scanner = self._scanner
        items: list[ListItemDefinition] = []
        value = 0
        while True:
            scanner.skip_lines()
            is_set = scanner.take("(")
            scanner.skip_blanks()
            name = scanner.take_identifier()
            if not name:
                raise scanner.error("expected the name of an item of the list")
            scanner.skip_blanks()
            is_closed = is_set and scanner.take(")")
            scanner.skip_blanks()
            value += 1
            if scanner.take("="):
                scanner.skip_blanks()
                value = int(scanner.match(_SIGNED) or value)
            scanner.skip_blanks()
            if is_set and not is_closed:
                scanner.expect(")", f"after “{name}”")
            items.append(ListItemDefinition(name, value, is_set))
            before = scanner.at
            scanner.skip_lines()
            if not scanner.take(","):
                scanner.at = before
                return tuple(items)


def _trim_end(nodes: list[Node]) -> None:
    """Take the blanks off the end of a line."""
    while nodes and isinstance(last := nodes[-1], Text):
        nodes.pop()
        if text := last.text.rstrip(" \t"):
            nodes.append(Text(text))
            return


def _has_call(value: Expression) -> bool:
    match value:
        case CallExpression():
            return True
        case Unary(operand=operand):
            return _has_call(operand)
        case Binary(left=left, right=right):
            return _has_call(left) or _has_call(right)
    return False


def _head_tags(content: list[Node]) -> list[str]:
    """Return the tags before the first text of a story: its title, its author."""
    tags: list[str] = []
    for node in content:
        if isinstance(node, Tag):
            tags.append("".join(one.text for one in node.content if isinstance(one, Text)).strip())
        elif not (isinstance(node, Text) and not node.text.strip()):
            break
    return tags

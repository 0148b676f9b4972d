"""Parses one passage: its text, its links, and the macros of SugarCube, Harlowe and Chapbook among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from narratoria.campaign.ink.syntax import (
    Assignment,
    Binary,
    Branch,
    ChoicePoint,
    Conditional,
    Divert,
    Expression,
    Literal,
    NameExpression,
    Node,
    Print,
    Text,
)
from narratoria.campaign.twee.brackets import closing_bracket, split_changes, split_link
from narratoria.campaign.twee.expressions import (
    PassageContext,
    TwineExpressionParser,
    UnsupportedExpression,
    variable_name,
)

_SKIPPED = re.compile(r"<!--.*?-->|/%.*?%/|/\*.*?\*/|\\\n|<style\b.*?</style>", re.DOTALL | re.IGNORECASE)
_LINK = re.compile(r"\[\[(?P<inside>[^\[\]\n]{1,500})\](?:\[(?P<setter>[^\[\]\n]{0,500})\])?\]")
_MACRO = re.compile(
    r"<<(?P<name>/?[\w=-]+)\s*(?P<rest>(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\[\[.*?\]\]|[^\"'>]|>(?!>))*)>>",
    re.DOTALL,
)
_HARLOWE = re.compile(r"\((?P<name>[a-z][a-z-]*):", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?P<name>[A-Za-z]\w*)(?P<part>\.[A-Za-z_]\w*|\[)?")
_PLAIN = re.compile(r"[^\[\](<$\\/{\n]+|\n|.", re.DOTALL)
_CHANGE = re.compile(
    r"(?P<name>[$_]?[A-Za-z]\w*)\s*(?P<sign>\+\+|--|[-+*/]=|=(?!=)|\bto\b)\s*(?P<value>.*)", re.DOTALL
)
_QUOTED = re.compile(r"\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|\[\[(?P<link>.+?)\]\])\s*,?")
_CHAPBOOK = re.compile(
    r"^\[(?P<what>if|unless|else|continue|cont)\b\s*(?P<rest>[^\]\n]*)\]\s*$", re.MULTILINE
)
_INSERT = re.compile(r"\{(?P<what>[^{}\n]{1,300})\}")
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
CLOSERS = ("elseif", "else", "/if", "case", "default", "/switch", "/link", "/button", "/silently", "/nobr")
UNKNOWN = "this macro is not known here; write the story without it"


@dataclass(slots=True)
class PassageReader:
    """Reads the body of a passage into nodes; its links are offered after its text."""

    body: str
    first_line: int
    flow: str
    find_passage: Callable[[str], str]
    variables: set[str]
    problems: list[tuple[int, str]]
    at: int = 0
    choices: list[ChoicePoint] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)  # temporary variables that say which links are there
    _closer: tuple[str, str] = ("", "")  # the macro that ended the last block, and what stands in it

    @property
    def line(self) -> int:
        return self.first_line + self.body.count("\n", 0, min(self.at, len(self.body)))

    def read(self) -> list[Node]:
        """Return the passage's nodes: what is told, then what is offered."""
        nodes = self.read_nodes()
        while self._closer[0]:
            self.refuse(f"<<{self._closer[0]}>>", "nothing is open that it could belong to")
            nodes += self.read_block()
        resets = [self._set(flag, Literal(value=False), is_temporary=True) for flag in self.flags]
        return [*resets, *nodes, Text("\n"), *self.choices]

    def read_nodes(self) -> list[Node]:
        """Read everything that is told, and note what is offered."""
        return self.read_block()

    def refuse(self, what: str, why: str = UNKNOWN, line: int = 0) -> None:
        problem = (line or self.line, f"{' '.join(what.split())[:80]}: {why}")
        if problem not in self.problems:
            self.problems.append(problem)

    # blocks

    def read_block(self, end: str = "") -> list[Node]:
        """Read up to a macro that closes or divides a block, or to the mark that ends a hook."""
        nodes: list[Node] = []
        self._closer = ("", "")
        while self.at < len(self.body):
            if end and self.body.startswith(end, self.at):
                self.at += len(end)
                return nodes
            if match := _SKIPPED.match(self.body, self.at):
                self.at = match.end()
            elif match := _LINK.match(self.body, self.at):
                self._read_link(match, nodes)
                self.at = match.end()
            elif match := _MACRO.match(self.body, self.at):
                if match["name"] in CLOSERS:
                    self.at = match.end()
                    self._closer = (match["name"], match["rest"])
                    return nodes
                nodes += self._read_macro(match)
            elif match := _HARLOWE.match(self.body, self.at):
                nodes += self._read_harlowe(match)
            elif match := _VARIABLE.match(self.body, self.at):
                nodes += self._read_variable(match)
            elif _SCRIPT.match(self.body, self.at):
                self.refuse("<script>", "programs are not run")
                self.at = len(self.body)
            else:
                match = _PLAIN.match(self.body, self.at)
                assert match is not None
                nodes.append(Text(match[0]))
                self.at = match.end()
        return nodes

    def _read_variable(self, match: re.Match[str]) -> list[Node]:
        if match["part"]:
            self.refuse(match[0], "parts of objects and arrays are not kept")
        self.at = match.end() if not match["part"] else match.end("name")
        self.variables.add(match["name"])
        return [Print(NameExpression((match["name"],), self.line))]

    # links

    def _read_link(self, match: re.Match[str], nodes: list[Node]) -> None:
        """Offer a link; where it stands in a sentence, its words stay there."""
        text, to = split_link(match["inside"])
        actions = self.read_changes(match["setter"]) if match["setter"] else []
        self._offer(text, to, actions, nodes)
        start = self.body.rfind("\n", 0, match.start()) + 1
        stop = self.body.find("\n", match.end())
        around = (
            self.body[start : match.start()] + self.body[match.end() : stop if stop >= 0 else len(self.body)]
        )
        if re.search(r"[A-Za-z]{2}", re.sub(r"\[\[.*?\]\]|<<.*?>>|\([a-z-]+:[^()]*\)", "", around)):
            nodes.append(Text(text))

    def _offer(self, text: str, to: str, actions: Sequence[Node], nodes: list[Node]) -> None:
        flow = self.find_passage(to)
        if not flow:
            self.refuse(f"[[{text}]]", f"there is no passage “{to}”")
            return
        self._add_choice(text, [*actions, Divert((flow,), self.line)], nodes)

    def _add_choice(self, text: str, inner: Sequence[Node], nodes: list[Node]) -> None:
        flag = f"link_{len(self.flags) + 1}"
        self.flags.append(flag)
        nodes.append(self._set(flag, Literal(value=True), is_temporary=True))
        self.choices.append(
            ChoicePoint(
                depth=1,
                line=self.line * 100 + len(self.choices) % 100,
                is_sticky=True,
                conditions=(NameExpression((flag,), self.line),),
                only=tuple(self._read_words(text)),
                inner=tuple(inner),
            )
        )

    def _read_words(self, text: str) -> Iterator[Node]:
        """Yield a link's words, with the values that stand in them."""
        at = 0
        for match in _VARIABLE.finditer(text):
            self.variables.add(match["name"])
            yield Text(text[at : match.start()])
            yield Print(NameExpression((match["name"],), self.line))
            at = match.end("name")
        yield Text(text[at:])

    # macros between << and >>

    def _read_macro(self, match: re.Match[str]) -> list[Node]:  # noqa: PLR0911 - one for each macro
        name, rest = match["name"], match["rest"].strip()
        self.at = match.end()
        match name:
            case "if":
                return self._read_if(rest)
            case "switch":
                return self._read_switch(rest)
            case "set" | "run" if name == "set" or _CHANGE.match(rest):
                return self.read_changes(rest)
            case "unset":
                names = re.findall(r"[$_]\w+", rest)
                return [self._set(variable_name(one), Literal(0)) for one in names]
            case "print" | "=" | "-":
                value = self.parse(rest)
                return [Print(value)] if value is not None else []
            case "goto" | "include" | "display":
                return self.go(name, rest)
            case "silently" | "nobr":
                nodes = self._read_closed(f"/{name}")
                return (
                    [one for one in nodes if not isinstance(one, Text | Print)]
                    if name == "silently"
                    else nodes
                )
            case "link" | "button":
                return self._read_link_macro(name, rest)
        self.refuse(f"<<{name} {rest}>>")
        return []

    def _read_closed(self, closer: str) -> list[Node]:
        begun_at = self.line
        nodes = self.read_block()
        if self._closer[0] != closer:
            self.refuse(f"<<{closer[1:]}>>", f"it is not closed by <<{closer}>>", begun_at)
        self._closer = ("", "")
        return nodes

    def _read_if(self, condition: str) -> list[Node]:
        branches: list[Branch] = []
        begun_at = self.line
        expression = self.parse(condition)
        while True:
            line = self.line
            content = tuple(self.read_block())
            branches.append(Branch(expression, content, line))
            closer, rest = self._closer
            if closer == "elseif" or (closer == "else" and rest.strip().startswith("if ")):
                expression = self.parse(rest.strip().removeprefix("if "))
            elif closer == "else":
                expression = None
            else:
                break
        if closer != "/if":
            self.refuse("<<if>>", "it is not closed by <</if>>", begun_at)
        self._closer = ("", "")
        return [Conditional(tuple(branches))]

    def _read_switch(self, rest: str) -> list[Node]:
        subject, begun_at = self.parse(rest), self.line
        branches: list[Branch] = []
        self.read_block()  # nothing is told before the first case
        while self._closer[0] in ("case", "default"):
            closer, values = self._closer
            conditions = self._parse_list(values) if closer == "case" else []
            line = self.line
            content = tuple(self.read_block())
            either: Expression | None = None
            for value in conditions:
                equals = Binary("==", subject or Literal(0), value, line)
                either = Binary("||", either, equals, line) if either else equals
            branches.append(Branch(either, content, line))
        if self._closer[0] != "/switch":
            self.refuse("<<switch>>", "it is not closed by <</switch>>", begun_at)
        self._closer = ("", "")
        return [Conditional(tuple(branches))]

    def _read_link_macro(self, name: str, rest: str) -> list[Node]:
        """Read `<<link "text" "passage">>…<</link>>`: a link that does something first."""
        words = list(_QUOTED.finditer(rest))
        actions = [one for one in self._read_closed(f"/{name}") if not isinstance(one, Text)]
        nodes: list[Node] = []
        if words and words[0]["link"]:
            text, to = split_link(words[0]["link"])
        else:
            texts = [one["double"] or one["single"] or "" for one in words]
            text, to = texts[0] if texts else "", texts[1] if len(texts) > 1 else ""
        if to:
            self._offer(text, to, actions, nodes)
        elif text and any(isinstance(one, Divert) for one in actions):
            self._add_choice(text, actions, nodes)
        else:
            self.refuse(f"<<{name} {rest}>>", "only a link that leads to a passage is kept")
        return nodes

    def go(self, name: str, rest: str) -> list[Node]:
        quoted = _QUOTED.match(rest)
        to = (quoted["double"] or quoted["single"] or "") if quoted else rest
        if quoted and quoted["link"]:
            to = split_link(quoted["link"])[1]
        flow = self.find_passage(to.strip())
        if not flow:
            self.refuse(f"{name} {rest}", "there is no such passage")
            return []
        return [Divert((flow,), self.line, is_thread=name in ("include", "display"))]

    # macros in round brackets, with hooks in square ones

    def _read_harlowe(self, match: re.Match[str]) -> list[Node]:  # noqa: PLR0911 - one for each macro
        name, start = match["name"].casefold().replace("-", "").replace("_", ""), match.start()
        end = closing_bracket(self.body, start)
        if end < 0:
            self.at = match.end()
            return [Text(match[0])]
        rest, self.at = self.body[match.end() : end - 1].strip(), end
        match name:
            case "if" | "unless":
                return self._read_hooks(name, rest)
            case "set":
                return self.read_changes(rest)
            case "put":
                value, _, variable = rest.rpartition(" into ")
                return self.read_changes(f"{variable.strip()} to {value}")
            case "print":
                value_printed = self.parse(rest)
                return [Print(value_printed)] if value_printed is not None else []
            case "either" | "random":
                value_printed = self.parse(self.body[start:end])
                return [Print(value_printed)] if value_printed is not None else []
            case "goto" | "display":
                return self.go(name, rest)
            case "linkgoto":
                words = [one["double"] or one["single"] or "" for one in _QUOTED.finditer(rest)]
                nodes: list[Node] = []
                if words:
                    self._offer(words[0], words[-1], [], nodes)
                return nodes
            case "link" if self._peek_hook():
                words = [one["double"] or one["single"] or "" for one in _QUOTED.finditer(rest)]
                actions = [one for one in self._read_hook() if not isinstance(one, Text)]
                nodes = []
                if words and any(isinstance(one, Divert) for one in actions):
                    self._add_choice(words[0], actions, nodes)
                    return nodes
        self.refuse(self.body[start:end])
        return []

    def _peek_hook(self) -> bool:
        return re.compile(r"\s*\[(?!\[)").match(self.body, self.at) is not None

    def _read_hook(self) -> list[Node]:
        self.at = self.body.index("[", self.at) + 1
        return self.read_block("]")

    def _read_hooks(self, name: str, condition: str) -> list[Node]:
        branches: list[Branch] = []
        expression = self.parse(condition if name == "if" else f"not ({condition})")
        while True:
            if not self._peek_hook():
                self.refuse(f"({name}:)", "no hook “[…]” follows it")
                break
            line = self.line
            branches.append(Branch(expression, tuple(self._read_hook()), line))
            match = re.compile(r"\s*\((?P<name>else-?_?if|else):", re.IGNORECASE).match(self.body, self.at)
            if match is None:
                break
            end = closing_bracket(self.body, self.body.index("(", self.at))
            rest = self.body[match.end() : end - 1].strip()
            self.at = end
            expression = self.parse(rest) if rest else None
        return [Conditional(tuple(branches))] if branches else []

    # values

    def _around(self) -> PassageContext:
        return PassageContext(self.find_passage, self.flow, self.line, self.variables)

    def parse(self, text: str, it: Expression | None = None) -> Expression | None:
        try:
            return TwineExpressionParser(text, self._around(), it).parse()
        except (UnsupportedExpression, RecursionError):
            self.refuse(f"“{text.strip()}”", "this value is not understood")
            return None

    def _parse_list(self, text: str) -> list[Expression]:
        try:
            return TwineExpressionParser(text, self._around()).parse_list()
        except (UnsupportedExpression, RecursionError):
            self.refuse(f"“{text.strip()}”", "these values are not understood")
            return []

    def _set(self, name: str, value: Expression, *, is_temporary: bool = False) -> Assignment:
        if not is_temporary:
            self.variables.add(name)
        return Assignment(name, value, self.line, is_temporary)

    def read_changes(self, text: str) -> list[Node]:
        nodes: list[Node] = []
        for one in split_changes(text):
            match = _CHANGE.fullmatch(one.strip())
            if match is None:
                self.refuse(f"“{one.strip()}”", "this change of a variable is not understood")
                continue
            name, sign = variable_name(match["name"]), match["sign"]
            now = NameExpression((name,), self.line)
            if sign in ("++", "--"):
                nodes.append(self._set(name, Binary(sign[0], now, Literal(1), self.line)))
            elif (value := self.parse(match["value"], it=now)) is not None:
                if len(sign) == 2 and sign.endswith("="):
                    value = Binary(sign[0], now, value, self.line)
                nodes.append(self._set(name, value))
        return nodes

"""Compiles a syntax tree into a program: flows and weaves into blocks, and blocks into one list."""

from __future__ import annotations

from collections.abc import Sequence

from narratoria.campaign.ink.expression_compiler import ExpressionCompiler
from narratoria.campaign.ink.naming import InkNames
from narratoria.campaign.ink.program import (
    Alternate,
    Evaluate,
    Go,
    InkPlace,
    Jump,
    Label,
    LeaveTunnel,
    OfferChoice,
    Operation,
    Program,
    ReturnValue,
    RunBlock,
    Say,
    SayGlue,
    SayTag,
    SayValue,
    SetVariable,
    StopRun,
    Switch,
    ValueExpression,
    Visit,
)
from narratoria.campaign.ink.syntax import (
    Alternatives,
    Assignment,
    ChoicePoint,
    Conditional,
    Divert,
    Flow,
    Gather,
    Glue,
    Node,
    Print,
    Return,
    Statement,
    SyntaxTree,
    Tag,
    Text,
    TunnelReturn,
)
from narratoria.campaign.ink.weave import CodeBlock, Weave, nest

NESTED_CHOICE = "a choice between braces leads on by a divert; add “-> …” to it, or write “* {condition} …”"


def compile_story(tree: SyntaxTree) -> tuple[Program, list[tuple[int, str]]]:
    """Return the program of a story, and what is wrong with it by lines."""
    names = InkNames(tree)
    program = Program(tags=tuple(tree.tags), tags_by_line=tuple(sorted(set(tree.tags_by_line))))
    problems = list(names.problems)
    values = ExpressionCompiler(tree, names, program, problems)
    compiler = _Compiler(values, names, program, problems)
    values.declare()
    compiler.add_flow("", tree.main)
    for knot in tree.knots:
        compiler.add_flow(knot.name, knot)
        for stitch in knot.stitches:
            compiler.add_flow(f"{knot.name}.{stitch.name}", stitch)
    compiler.lay_out()
    return program, problems


class _Compiler:
    """Compiles one flow after the other; blocks that nothing runs into are kept for the end."""

    def __init__(
        self, values: ExpressionCompiler, names: InkNames, program: Program, problems: list[tuple[int, str]]
    ) -> None:
        self._values, self._names, self._program, self._problems = values, names, program, problems
        self._blocks: list[CodeBlock] = []  # in which nothing follows the last operation
        self._home = ""  # the flow that is compiled
        self._alternatives = 0
        values.add_text = self.add_text_block

    def add_flow(self, name: str, flow: Flow) -> None:
        self._home = self._values.home = name
        block = CodeBlock(label=self._place(name).label if name else self._program.start, line=flow.line)
        self._blocks.append(block)
        has_content = any(not (isinstance(node, Text) and not node.text.strip()) for node in flow.content)
        if not has_content and flow.stitches and not flow.stitches[0].parameters:
            first = f"{name}.{flow.stitches[0].name}"
            block.items.append(Go(first, None, (), "divert", flow.line, entered=(first,)))
            return
        self.add_weave(flow.content, block)
        if not name:
            block.items.append(StopRun("done"))

    def add_weave(self, nodes: Sequence[Node], block: CodeBlock, *, is_nested: bool = False) -> None:
        """Compile content into a block; loose ends of what is nested between braces are mistakes."""
        weave = _WeaveCompiler(self, nest(nodes), block)
        weave.compile()
        if is_nested:
            for end in weave.loose_ends:
                if isinstance(end.node, ChoicePoint) and not _leads_on(end.block):
                    self._problems.append((end.node.line, NESTED_CHOICE))

    def add_content(self, nodes: Sequence[Node], block: CodeBlock) -> None:
        for node in nodes:
            self.add_node(node, block)

    def add_node(self, node: Node, block: CodeBlock) -> None:  # noqa: C901 - one case for each kind of node
        values, items = self._values, block.items
        match node:
            case Text(text=text):
                items.append(Say(text))
            case Glue():
                items.append(SayGlue())
            case Tag(content=content):
                items.append(SayTag(self.add_text_block(content)))
            case Print(expression=expression):
                items.append(SayValue(values.compile(expression)))
            case Statement(expression=expression):
                items.append(Evaluate(values.compile(expression)))
            case Return(value=value):
                items.append(ReturnValue(values.compile(value) if value is not None else None))
            case Assignment(name=name, value=value, line=line):
                is_temporary = values.check_assigned(name, line, is_new=node.is_temporary)
                items.append(SetVariable(name, values.compile(value), is_temporary))
            case Conditional():
                self._add_conditional(node, block)
            case Alternatives():
                self._add_alternatives(node, block)
            case Divert():
                items.append(self._divert(node))
            case TunnelReturn(line=line, divert=divert):
                instead = values.compile_divert(divert, "return") if divert else None
                items.append(LeaveTunnel(instead, line))
            case ChoicePoint() | Gather():
                raise AssertionError("weaves place choices and gathers")

    def _divert(self, node: Divert) -> Operation:
        if node.path in (("END",), ("DONE",)):
            return StopRun(node.path[0].casefold(), node.line)
        kind = "tunnel" if node.is_tunnel else "thread" if node.is_thread else "divert"
        return self._values.compile_divert(node, kind)

    def _add_conditional(self, node: Conditional, block: CodeBlock) -> None:
        end = CodeBlock()
        branches: list[tuple[ValueExpression | None, Label]] = []
        inner: list[CodeBlock] = []
        subject = self._values.compile(node.subject) if node.subject is not None else None
        for branch in node.branches:
            of_branch = CodeBlock(line=branch.line)
            condition = self._values.compile(branch.condition) if branch.condition is not None else None
            self.add_weave(branch.content, of_branch, is_nested=True)
            of_branch.items.append(Jump(end.label))
            branches.append((condition, of_branch.label))
            inner.append(of_branch)
        line = node.branches[0].line if node.branches else 0
        block.items.append(Switch(subject, tuple(branches), end.label, line))
        self._blocks += inner
        block.items.append(end)

    def _add_alternatives(self, node: Alternatives, block: CodeBlock) -> None:
        self._alternatives += 1
        name = f"{self._home}~{self._alternatives}"
        end = CodeBlock()
        labels: list[Label] = []
        for element in node.elements:
            of_element = CodeBlock()
            self.add_weave(element, of_element, is_nested=True)
            of_element.items.append(Jump(end.label))
            labels.append(of_element.label)
            self._blocks.append(of_element)
        block.items.append(
            Alternate(name, tuple(labels), end.label, node.is_once, node.is_cycle, node.is_shuffled)
        )
        block.items.append(end)

    def add_text_block(self, nodes: Sequence[Node]) -> Label:
        """Compile text that is run by itself, and return where it begins."""
        block = CodeBlock()
        self.add_content(nodes, block)
        block.items.append(StopRun("block"))
        self._blocks.append(block)
        return block.label

    def add_block(self, block: CodeBlock) -> None:
        self._blocks.append(block)

    def _place(self, name: str) -> InkPlace:
        return self._values.places[name]

    def label_of(self, node: ChoicePoint | Gather) -> tuple[Label, str]:
        """Return where a labelled choice or gather begins, and the name that it is counted by."""
        if not node.label:
            return Label(), f"{self._home}#{node.line}"
        name = f"{self._home}.{node.label}".lstrip(".")
        return self._place(name).label, name

    def add_offer(self, node: ChoicePoint, block: CodeBlock) -> CodeBlock:
        """Offer a choice, and return the block in which its consequences begin."""
        label, name = self.label_of(node)
        inner = CodeBlock(label=label, counted_as=name, line=node.line)
        if not node.is_sticky:
            self._program.counted.add(name)
        start = self.add_text_block(node.start) if node.start else None
        only = self.add_text_block(node.only) if node.only else None
        block.items.append(
            OfferChoice(
                to=inner.label,
                name=name,
                conditions=tuple(self._values.compile(one) for one in node.conditions),
                start=start,
                only=only,
                is_once=not node.is_sticky,
                is_fallback=node.is_fallback,
            )
        )
        if start is not None:
            inner.items.append(RunBlock(start))
        self.add_content(node.inner, inner)
        self._blocks.append(inner)
        return inner

    def lay_out(self) -> None:
        """Put the blocks one after the other; what runs out of a block has nowhere to go."""
        code = self._program.code
        for block in self._blocks:
            self._lay_block(block, None)
            code.append(StopRun("out", block.line))

    def _lay_block(self, block: CodeBlock, outer_start: int | None) -> None:
        """Lay a block out; one that begins another begins where that does, so that both are visited."""
        code = self._program.code
        start = len(code) if outer_start is None else outer_start
        block.label.address = start
        if block.counted_as:
            code.append(Visit(block.counted_as))
        is_first = True
        for item in block.items:
            if isinstance(item, CodeBlock):
                self._lay_block(item, start if is_first else None)
            else:
                code.append(item)
            is_first = is_first and isinstance(item, CodeBlock) and not item.items


class _LooseEnd:
    def __init__(self, node: ChoicePoint | Gather, block: CodeBlock) -> None:
        self.node, self.block = node, block


class _WeaveCompiler:
    """Compiles one weave into a block, and collects the ends that lead to its next gather."""

    def __init__(self, compiler: _Compiler, weave: Weave, block: CodeBlock) -> None:
        self._compiler, self._weave, self._root = compiler, weave, block
        self._current = block
        self._previous: _LooseEnd | None = None
        self._is_under_choice = False
        self._has_offered = False
        self.loose_ends: list[_LooseEnd] = []

    def compile(self) -> None:
        for node in self._weave.content:
            match node:
                case ChoicePoint():
                    self._add_choice(node)
                case Gather():
                    self._add_gather(node)
                case Weave():
                    self._add_weave(node)
                case _:
                    self._compiler.add_node(node, self._target())

    def _target(self) -> CodeBlock:
        """Return where plain content goes: under the last choice, or on in the main block."""
        if self._is_under_choice and self._previous is not None:
            return self._previous.block
        return self._current

    def _drop(self, end: _LooseEnd | None) -> None:
        if end in self.loose_ends:
            self.loose_ends.remove(end)

    def _add_choice(self, node: ChoicePoint) -> None:
        if self._previous is not None and isinstance(self._previous.node, Gather):
            self._drop(self._previous)  # it has choices to lead on
        inner = self._compiler.add_offer(node, self._current)
        self._has_offered = True
        self._previous = _LooseEnd(node, inner)
        self.loose_ends.append(self._previous)
        self._is_under_choice = True

    def _add_weave(self, weave: Weave) -> None:
        block = CodeBlock(line=self._root.line)
        self._target().items.append(block)
        inner = _WeaveCompiler(self._compiler, weave, block)
        inner.compile()
        self._drop(self._previous)
        self._is_under_choice = False
        self.loose_ends += inner.loose_ends

    def _add_gather(self, node: Gather) -> None:
        label, name = self._compiler.label_of(node)
        block = CodeBlock(label=label, counted_as=name if node.label else "", line=node.line)
        if self._has_offered:
            self._compiler.add_block(block)
        else:
            self._current.items.append(block)  # the story runs into it
        self._has_offered = False
        for end in self.loose_ends:
            if not (isinstance(end.node, Gather) and end.node.depth == node.depth):
                end.block.items.append(Jump(label))
        self._current = block
        self._previous = _LooseEnd(node, block)
        self.loose_ends = [self._previous]
        self._is_under_choice = False


def _leads_on(block: CodeBlock) -> bool:
    """Return whether what stands under a choice goes somewhere of its own."""
    return any(
        isinstance(item, Go | LeaveTunnel | Switch)
        or (isinstance(item, StopRun) and item.kind in ("done", "end"))
        for item in block.items
    )

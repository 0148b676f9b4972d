"""Compiles ink's expressions and diverts: resolves their names, and says which cannot be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from narratoria.campaign.ink.functions import ANY_NUMBER, NATIVE_ARGUMENTS
from narratoria.campaign.ink.naming import InkNames
from narratoria.campaign.ink.program import (
    BinaryValue,
    ConstantValue,
    FunctionCall,
    Go,
    InkPlace,
    Label,
    NativeCall,
    Program,
    TextValue,
    UnaryValue,
    ValueExpression,
    Variable,
    VariableReference,
    VisitCount,
)
from narratoria.campaign.ink.syntax import (
    Binary,
    CallExpression,
    Divert,
    Expression,
    Flow,
    ListLiteral,
    Literal,
    NameExpression,
    Node,
    Path,
    StringLiteral,
    SyntaxTree,
    TargetLiteral,
    Unary,
)
from narratoria.campaign.ink.values import InkList, ListItem, Target

NOWHERE = ConstantValue(0)
TURNS_SINCE, READ_COUNT = "TURNS_SINCE", "READ_COUNT"


class ExpressionCompiler:
    """Compiles expressions as they are meant in the flow `home`."""

    def __init__(
        self, tree: SyntaxTree, names: InkNames, program: Program, problems: list[tuple[int, str]]
    ) -> None:
        self._tree, self._names, self._program, self._problems = tree, names, program, problems
        self.home = ""
        self.add_text: Callable[[Sequence[Node]], Label] = lambda _: Label()
        self._constants_open: set[str] = set()  # that are being worked out
        self.places = program.places
        self._functions = {knot.name: knot for knot in tree.knots if knot.is_function}
        for name, scope in names.scopes.items():
            if name:
                parameters = tuple((one.name, one.is_reference) for one in scope.flow.parameters)
                self.places[name] = InkPlace(Label(name), parameters)
            for label in scope.labels:
                whole = f"{name}.{label}".lstrip(".")
                self.places.setdefault(whole, InkPlace(Label(whole)))
                program.labels.add(whole)

    def declare(self) -> None:
        """Compile what lists and variables are when the story begins."""
        for definition in self._tree.lists.values():
            items = tuple(ListItem(definition.name, item.name, item.value) for item in definition.items)
            self._program.lists[definition.name] = items
            at_first = frozenset(
                one for one, item in zip(items, definition.items, strict=True) if item.is_set
            )
            value = ConstantValue(InkList(at_first, (definition.name,)))
            self._program.variables[definition.name] = (value, definition.line)
        for name, (expression, line) in self._tree.variables.items():
            self._program.variables[name] = (self.compile(expression), line)
        for name, (_, line) in self._tree.constants.items():
            self._compile_name(NameExpression((name,), line))

    def report(self, line: int, message: str) -> None:
        if (line, message) not in self._problems:
            self._problems.append((line, message))

    def compile(self, expression: Expression) -> ValueExpression:  # noqa: PLR0911 - one for each kind
        match expression:
            case Literal(value=value):
                return ConstantValue(value)
            case NameExpression():
                return self._compile_name(expression)
            case TargetLiteral(path=path, line=line):
                return self._compile_target(path, line)
            case ListLiteral():
                return self._compile_list(expression)
            case StringLiteral(content=content):
                return TextValue(self.add_text(content))
            case Unary(operator=operator, operand=operand):
                return UnaryValue(operator, self.compile(operand))
            case Binary(operator=operator, left=left, right=right, line=line):
                return BinaryValue(operator, self.compile(left), self.compile(right), line)
            case CallExpression():
                return self._compile_call(expression)

    def check_assigned(self, name: str, line: int, *, is_new: bool) -> bool:
        """Return whether a variable that is set is a temporary one; report one that there is not."""
        if is_new or self._names.is_temporary(name, self.home):
            return True
        if name not in self._program.variables and name not in self._tree.variables:
            if name in self._tree.constants:
                self.report(line, f"“{name}” is a constant and cannot be set; declare it with VAR")
            else:
                self.report(
                    line, f"there is no variable “{name}”; declare it: VAR {name} = 0, or ~ temp {name} = 0"
                )
        return False

    def compile_divert(self, node: Divert, kind: str) -> Go:
        """Return a divert to a place, or to the place that a variable holds."""
        name = self._names.find_place(node.path, self.home)
        if name:
            place = self.places[name]
            if name in self._functions:
                self.report(node.line, f"“{name}” is a function; call it: ~ {name}()")
            arguments = self._compile_arguments(name, node.arguments, place.parameters, node.line)
            return Go(name, None, arguments, kind, node.line, self._find_entered(name, kind))
        is_variable = len(node.path) == 1 and (
            self._names.is_temporary(node.path[0], self.home) or node.path[0] in self._tree.variables
        )
        variable = self._compile_name(NameExpression(node.path, node.line)) if is_variable else None
        if not isinstance(variable, Variable):
            whole = ".".join(node.path)
            self.report(
                node.line, f"“-> {whole}” leads nowhere: there is no knot, stitch or label of that name"
            )
            return Go("", None, (), kind, node.line)
        return Go("", variable, tuple(self.compile(one) for one in node.arguments), kind, node.line)

    def _find_entered(self, name: str, kind: str) -> tuple[str, ...]:
        """Return the knot and the stitch of a place, if the flow that goes there is outside of them."""
        if kind == "return":
            return (name,) if name in self._names.scopes else ()
        knot, _, rest = name.partition(".")
        flows = (knot, f"{knot}.{rest.partition('.')[0]}")
        own = (self.home.partition(".")[0], self.home)
        return tuple(one for one in flows if one in self._names.scopes and one not in own)

    def _compile_name(self, expression: NameExpression) -> ValueExpression:
        path, line = expression.path, expression.line
        name = path[0]
        if len(path) == 1:
            if self._names.is_temporary(name, self.home):
                return Variable(name, is_temporary=True, line=line)
            if name in self._tree.constants:
                return self._compile_constant(name, line)
        place = self._names.find_place(path, self.home)
        if place and place not in self._functions:
            self._program.counted.add(place)
            return VisitCount(place)
        if len(path) == 1 and (name in self._tree.variables or name in self._tree.lists):
            return Variable(name, is_temporary=False, line=line)
        if item := self._names.find_item(path):
            return self._item_value(*item)
        whole = ".".join(path)
        self.report(line, f"nothing is called “{whole}”: no variable, no knot and no label")
        return NOWHERE

    def _compile_constant(self, name: str, line: int) -> ValueExpression:
        if name in self._constants_open:
            self.report(line, f"the constant “{name}” stands for itself")
            return NOWHERE
        self._constants_open.add(name)
        try:
            return self.compile(self._tree.constants[name][0])
        finally:
            self._constants_open.discard(name)

    def _compile_target(self, path: Path, line: int) -> ValueExpression:
        name = self._names.find_place(path, self.home)
        if not name:
            if len(path) == 1 and (
                path[0] in self._tree.variables or self._names.is_temporary(path[0], self.home)
            ):
                return self._compile_name(NameExpression(path, line))
            self.report(line, f"“-> {'.'.join(path)}” leads nowhere: there is no place of that name")
            return NOWHERE
        self._program.counted.add(name)
        self._program.timed.add(name)
        return ConstantValue(Target(name))

    def _item_value(self, origin: str, name: str) -> ConstantValue:
        item = next(
            ListItem(origin, one.name, one.value)
            for one in self._tree.lists[origin].items
            if one.name == name
        )
        return ConstantValue(InkList(frozenset((item,)), (origin,)))

    def _compile_list(self, expression: ListLiteral) -> ValueExpression:
        found = [self._names.find_item(path) for path in expression.items]
        if len(found) == 1 and found[0] is None:
            return self._compile_name(
                NameExpression(expression.items[0], expression.line)
            )  # brackets around a name
        items: set[ListItem] = set()
        for path, item in zip(expression.items, found, strict=True):
            if item is None:
                self.report(expression.line, f"“{'.'.join(path)}” is an item of no list")
                continue
            value = self._item_value(*item).value
            assert isinstance(value, InkList)
            items |= value.items
        return ConstantValue(
            InkList(frozenset(items), tuple(dict.fromkeys(one.origin for one in sorted(items))))
        )

    def _compile_call(self, call: CallExpression) -> ValueExpression:
        name, line = call.name, call.line
        function = self._functions.get(name)
        if function is not None:
            return FunctionCall(name, self._compile_references(function, call), line)
        if name in self._tree.lists:
            return NativeCall("LIST_ITEM", (ConstantValue(name), *map(self.compile, call.arguments)), line)
        if name not in NATIVE_ARGUMENTS:
            self.report(line, f"there is no function “{name}”; define it: === function {name}()")
            return NOWHERE
        if NATIVE_ARGUMENTS[name] not in (ANY_NUMBER, len(call.arguments)):
            self.report(line, f"{name} takes {NATIVE_ARGUMENTS[name]} values, not {len(call.arguments)}")
            return NOWHERE
        if name in (TURNS_SINCE, READ_COUNT) and isinstance(call.arguments[0], NameExpression):
            place = self._names.find_place(call.arguments[0].path, self.home)
            if place:  # the arrow was left out
                return NativeCall(name, (self._compile_target(call.arguments[0].path, line),), line)
        return NativeCall(name, tuple(map(self.compile, call.arguments)), line)

    def _compile_references(self, function: Flow, call: CallExpression) -> tuple[ValueExpression, ...]:
        parameters = tuple((one.name, one.is_reference) for one in function.parameters)
        return self._compile_arguments(function.name, call.arguments, parameters, call.line)

    def _compile_arguments(
        self,
        name: str,
        arguments: Sequence[Expression],
        parameters: Sequence[tuple[str, bool]],
        line: int,
    ) -> tuple[ValueExpression, ...]:
        if len(arguments) != len(parameters):
            self.report(line, f"“{name}” takes {len(parameters)} values, and is given {len(arguments)}")
            return ()
        compiled: list[ValueExpression] = []
        for argument, (parameter, is_reference) in zip(arguments, parameters, strict=True):
            value = self.compile(argument)
            if is_reference:
                if isinstance(value, Variable):
                    value = VariableReference(value)
                else:
                    self.report(line, f"“{parameter}” of “{name}” is a reference; give it a variable")
            compiled.append(value)
        return tuple(compiled)

"""Runs an ink program from one choice of the player to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from narratoria.campaign.ink.chance import next_number, shuffled_index
from narratoria.campaign.ink.functions import call_native
from narratoria.campaign.ink.output import Output
from narratoria.campaign.ink.program import (
    Alternate,
    BinaryValue,
    ConstantValue,
    Evaluate,
    FunctionCall,
    Go,
    InkPlace,
    Jump,
    Label,
    LeaveTunnel,
    NativeCall,
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
    TextValue,
    UnaryValue,
    ValueExpression,
    Variable,
    VariableReference,
    Visit,
    VisitCount,
)
from narratoria.campaign.ink.state import Frame, OfferedChoice, RunState
from narratoria.campaign.ink.values import (
    InkList,
    InkRuntimeError,
    Reference,
    Target,
    Value,
    apply_binary,
    apply_unary,
    as_number,
    as_text,
    is_true,
)

MOST_STEPS = 100_000  # of one turn; a story that takes more goes round in circles
MOST_FRAMES = 400  # functions and tunnels within each other
LARGEST_TEXT = 1_000_000  # characters that one value may hold


class Machine:
    """Runs a program on a state, which it changes."""

    def __init__(self, program: Program, state: RunState) -> None:
        self._program, self._state = program, state
        self._code = program.code
        self._threads: list[list[Frame]] = []
        self._output = Output()
        self._steps = 0
        self.line = 0  # of what was last done and has one, for messages

    def begin(self) -> None:
        """Run from the beginning of the story."""
        self._threads = [[Frame("story", self._program.start.address)]]
        for name, (value, line) in self._program.variables.items():
            self.line = line
            self._state.variables[name] = self._evaluate(value)
        self._run()

    def choose(self, index: int) -> None:
        """Run on from one of the choices on offer."""
        choice = self._state.choices[index]
        self._state.turn += 1
        self._follow(choice)
        self._run()

    def take_output(self) -> tuple[list[str], list[str]]:
        """Return the lines and the tags of this turn."""
        return self._output.take()

    def _follow(self, choice: OfferedChoice) -> None:
        self._state.choices = []
        self._threads = [[frame.copy() for frame in choice.frames]]
        self._frame.address = choice.address

    @property
    def _frames(self) -> list[Frame]:
        return self._threads[-1]

    @property
    def _frame(self) -> Frame:
        return self._threads[-1][-1]

    # the run

    def _run(self) -> None:
        """Run until the player has to choose, or the story is over."""
        state = self._state
        while True:
            while self._step():
                pass
            shown = [one for one in state.choices if not one.is_fallback]
            if state.has_ended or shown or not state.choices:
                break
            self._follow(state.choices[0])
        state.choices = [] if state.has_ended else shown
        state.has_ended = not state.choices

    def _step(self) -> bool:
        """Do one operation, and return whether there is more to do."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise InkRuntimeError("the story goes on without a choice and comes to no end")
        frame = self._frame
        operation = self._code[frame.address]
        frame.address += 1
        return self._do(operation)

    def _do(self, operation: Operation) -> bool:  # noqa: C901, PLR0912 - one case for each operation
        match operation:
            case Say(text=text):
                self._output.say(text)
            case SayGlue():
                self._output.glue()
            case SayValue(value=value):
                self._output.say(as_text(self._evaluate(value)))
            case SayTag(block=block):
                self._output.add_tag(self._read_block(block))
            case Evaluate(value=value):
                self._evaluate(value)
            case SetVariable(name=name, value=value, is_temporary=is_temporary):
                self._set(name, self._evaluate(value), is_temporary=is_temporary)
            case Visit(name=name):
                self._visit(name)
            case Jump(to=to):
                self._frame.address = to.address
            case Switch():
                self._switch(operation)
            case Alternate():
                self._alternate(operation)
            case OfferChoice():
                self._offer(operation)
            case RunBlock(block=block):
                self._run_block(block)
            case Go():
                self._go(operation)
            case LeaveTunnel():
                self._leave_tunnel(operation)
            case ReturnValue():
                raise InkRuntimeError("“return” stands outside a function")
            case StopRun(kind=kind):
                return self._stop(kind)
            case _:
                assert_never(operation)
        return True

    def _stop(self, kind: str) -> bool:
        if kind == "end":
            self._state.has_ended = True
            self._threads = [[Frame("story", 0)]]
            return False
        if len(self._threads) > 1:
            self._threads.pop()
            return True
        return False

    def _visit(self, name: str) -> None:
        state = self._state
        if name in self._program.counted:
            state.visits[name] = state.visits.get(name, 0) + 1
        if name in self._program.timed:
            state.last_turns[name] = state.turn

    def _switch(self, operation: Switch) -> None:
        self.line = operation.line or self.line
        subject = self._evaluate(operation.subject) if operation.subject is not None else None
        target = operation.end
        for condition, label in operation.branches:
            value: Value = True
            if condition is not None:
                value = self._evaluate(condition)
                if operation.subject is not None:
                    value = apply_binary("==", subject, value, self._program.lists)
            if is_true(value):
                target = label
                break
        self._frame.address = target.address

    def _alternate(self, operation: Alternate) -> None:
        count, state = len(operation.elements), self._state
        visit = state.visits.get(operation.name, 0)
        state.visits[operation.name] = visit + 1
        index = visit % count if operation.is_cycle and not operation.is_shuffled else visit
        if not operation.is_cycle:
            index = min(visit, count if operation.is_once else count - 1)
        if operation.is_shuffled:
            shuffled = count if operation.is_once or operation.is_cycle else count - 1
            if operation.is_cycle or index < shuffled:
                index = shuffled_index(self._state.seed, operation.name, visit, shuffled)
        label = operation.elements[index] if index < count else operation.end
        self._frame.address = label.address

    def _offer(self, operation: OfferChoice) -> None:
        start = self._read_block(operation.start)
        only = self._read_block(operation.only)
        answers = [is_true(self._evaluate(one)) for one in operation.conditions]  # each may do something
        if not all(answers) or (operation.is_once and self._state.visits.get(operation.name, 0)):
            return
        text = " ".join(f"{start}{only}".split())
        frames = [frame.copy() for frame in self._frames]
        self._state.choices.append(
            OfferedChoice(text, operation.to.address, frames, is_fallback=operation.is_fallback)
        )

    # diverts

    def _go(self, operation: Go) -> None:
        self.line = operation.line
        if len(self._frames) > MOST_FRAMES or len(self._threads) > MOST_FRAMES:
            raise InkRuntimeError("tunnels or threads lead into each other without an end")
        place = self._place_of(operation)
        values = self._bind(place.parameters, operation.arguments)
        self._enter(operation, place)
        if operation.kind == "tunnel":
            self._frames.append(Frame("tunnel", place.label.address, values))
            return
        if operation.kind == "thread":
            self._threads.append([frame.copy() for frame in self._frames])
        self._frame.temporary.update(values)
        self._frame.address = place.label.address

    def _enter(self, operation: Go, place: InkPlace) -> None:
        """Count the visits of the knots and stitches that a divert comes into; labels count their own."""
        for name in (place.label.name,) if operation.variable is not None else operation.entered:
            if not self._is_label(name):
                self._visit(name)

    def _is_label(self, name: str) -> bool:
        return name in self._program.labels

    def _place_of(self, operation: Go) -> InkPlace:
        if operation.variable is None:
            return self._program.places[operation.to]
        target = self._evaluate(operation.variable)
        if not isinstance(target, Target):
            raise InkRuntimeError(f"“{operation.variable.name}” holds no place to go to")
        return self._program.places[target.name]

    def _leave_tunnel(self, operation: LeaveTunnel) -> None:
        self.line = operation.line
        if self._frame.kind != "tunnel":
            raise InkRuntimeError("“->->” stands where no tunnel was entered")
        if operation.instead is None:
            self._frames.pop()
            return
        place = self._place_of(operation.instead)
        values = self._bind(place.parameters, operation.instead.arguments)
        self._enter(operation.instead, place)
        self._frames.pop()
        self._frame.temporary.update(values)
        self._frame.address = place.label.address

    def _bind(
        self, parameters: Sequence[tuple[str, bool]], arguments: Sequence[ValueExpression]
    ) -> dict[str, Value]:
        values = [self._evaluate(argument) for argument in arguments]
        if len(values) != len(parameters):
            raise InkRuntimeError(f"{len(parameters)} values are needed here, and {len(values)} are given")
        return {name: value for (name, _), value in zip(parameters, values, strict=True)}

    # blocks and functions

    def _read_block(self, block: Label | None) -> str:
        """Return the text of a block."""
        if block is None:
            return ""
        self._output.begin()
        self._run_block(block)
        text = self._output.end()
        if len(text) > LARGEST_TEXT:
            raise InkRuntimeError("a text grows without an end")
        return text

    def _run_block(self, block: Label) -> None:
        """Run a block within the present frame, and go on behind it."""
        frame, back = self._frame, self._frame.address
        frame.address = block.address
        while True:
            operation = self._code[frame.address]
            if isinstance(operation, StopRun):
                break
            self._step()
        frame.address = back

    def _call(self, call: FunctionCall) -> Value:
        self.line = call.line
        if len(self._frames) > MOST_FRAMES:
            raise InkRuntimeError(f"the function “{call.function}” calls itself without an end")
        place, output = self._program.places[call.function], self._output
        values = self._bind(place.parameters, call.arguments)
        self._frames.append(Frame("function", place.label.address, values))
        frame, result = self._frame, None
        start = output.size
        output.function_starts.append(start)
        while True:
            operation = self._code[frame.address]
            if isinstance(operation, StopRun):
                break
            if isinstance(operation, ReturnValue):
                result = self._evaluate(operation.value) if operation.value is not None else None
                break
            self._step()
        output.end_function(output.function_starts.pop())
        self._frames.pop()
        return result

    # values

    def _evaluate(self, value: ValueExpression) -> Value:  # noqa: PLR0911 - one for each kind
        match value:
            case ConstantValue(value=constant):
                return constant
            case Variable(name=name, is_temporary=is_temporary):
                return self._read(name, is_temporary=is_temporary)
            case VisitCount(name=name):
                return self._state.visits.get(name, 0)
            case TextValue(block=block):
                return self._read_block(block)
            case UnaryValue(operator=operator, operand=operand):
                return apply_unary(operator, self._evaluate(operand))
            case BinaryValue(operator=operator, left=left, right=right, line=line):
                self.line = line or self.line
                first, second = self._evaluate(left), self._evaluate(right)
                return apply_binary(operator, first, second, self._program.lists)
            case FunctionCall():
                return self._call(value)
            case NativeCall():
                return self._call_native(value)
            case VariableReference(variable=variable):
                return self._refer_to(variable)

    def _refer_to(self, variable: Variable) -> Value:
        if not variable.is_temporary:
            return Reference(variable.name, -1)
        held = self._frame.temporary.get(variable.name)
        return held if isinstance(held, Reference) else Reference(variable.name, len(self._frames) - 1)

    def _read(self, name: str, *, is_temporary: bool) -> Value:
        values = self._frame.temporary if is_temporary else self._state.variables
        value = values.get(name, 0)
        if isinstance(value, Reference):
            owner = self._frames[value.frame].temporary if value.frame >= 0 else self._state.variables
            return owner.get(value.name, 0)
        return value

    def _set(self, name: str, value: Value, *, is_temporary: bool) -> None:
        into = self._frame.temporary if is_temporary else self._state.variables
        held = into.get(name)
        if isinstance(held, Reference) and not isinstance(value, Reference):
            into = self._frames[held.frame].temporary if held.frame >= 0 else self._state.variables
            name = held.name
        if isinstance(value, str) and len(value) > LARGEST_TEXT:
            raise InkRuntimeError("a text grows without an end")
        before = into.get(name)
        if isinstance(value, InkList) and not value.items and isinstance(before, InkList):
            value = InkList(frozenset(), value.origins or before.all_origins)
        into[name] = value

    def _call_native(self, call: NativeCall) -> Value:  # noqa: PLR0911 - one for each function
        self.line, state = call.line, self._state
        values = [self._evaluate(argument) for argument in call.arguments]
        match call.name:
            case "TURNS_SINCE":
                name = _target_name(values[0], call.name)
                return state.turn - state.last_turns[name] if name in state.last_turns else -1
            case "READ_COUNT":
                return state.visits.get(_target_name(values[0], call.name), 0)
            case "TURNS":
                return state.turn + 1
            case "CHOICE_COUNT":
                return sum(not one.is_fallback for one in state.choices)
            case "SEED_RANDOM":
                state.seed, state.random = int(as_number(values[0])), 0
                return None
            case "RANDOM":
                low, high = int(as_number(values[0])), int(as_number(values[1]))
                if high < low:
                    raise InkRuntimeError(f"RANDOM({low}, {high}): the second number is the larger one")
                return low + self._draw() % (high - low + 1)
            case "EITHER":
                return values[self._draw() % len(values)] if values else None
            case "LIST_RANDOM":
                return self._draw_item(values[0])
        return call_native(call.name, values, self._program.lists)

    def _draw_item(self, value: Value) -> Value:
        if not isinstance(value, InkList) or not value.items:
            return InkList()
        items = value.sorted_items()
        return value.with_items((items[self._draw() % len(items)],))

    def _draw(self) -> int:
        """Return the next number of chance; the story's seed decides it."""
        self._state.random = next_number(self._state.seed + self._state.random)
        return self._state.random


def _target_name(value: Value, function: str) -> str:
    if not isinstance(value, Target):
        raise InkRuntimeError(f"{function} needs a place: {function}(-> name)")
    return value.name

"""Defines the program that an ink story is compiled to: operations one after the other, and their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from narratoria.campaign.ink.values import ListItem, Value


@dataclass(slots=True, eq=False)
class Label:
    """Names a place of the program; its address is known once everything is laid out."""

    name: str = ""
    address: int = -1


# expressions, every name resolved


@dataclass(frozen=True, slots=True)
class ConstantValue:
    value: Value


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    is_temporary: bool
    line: int


@dataclass(frozen=True, slots=True)
class VisitCount:
    name: str  # of the label


@dataclass(frozen=True, slots=True)
class TextValue:
    block: Label


@dataclass(frozen=True, slots=True)
class UnaryValue:
    operator: str
    operand: ValueExpression


@dataclass(frozen=True, slots=True)
class BinaryValue:
    operator: str
    left: ValueExpression
    right: ValueExpression
    line: int


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """Calls a function of the story; a reference is given by the variable's name."""

    function: str
    arguments: tuple[ValueExpression, ...]
    line: int


@dataclass(frozen=True, slots=True)
class NativeCall:
    name: str
    arguments: tuple[ValueExpression, ...]
    line: int


@dataclass(frozen=True, slots=True)
class VariableReference:
    """Gives a variable itself to a function."""

    variable: Variable


ValueExpression: TypeAlias = (
    "ConstantValue | Variable | VisitCount | TextValue | UnaryValue | BinaryValue | FunctionCall | NativeCall"
    " | VariableReference"
)


# operations


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class SayGlue:
    pass


@dataclass(frozen=True, slots=True)
class SayTag:
    block: Label


@dataclass(frozen=True, slots=True)
class SayValue:
    value: ValueExpression


@dataclass(frozen=True, slots=True)
class Evaluate:
    value: ValueExpression


@dataclass(frozen=True, slots=True)
class SetVariable:
    name: str
    value: ValueExpression
    is_temporary: bool


@dataclass(frozen=True, slots=True)
class Visit:
    name: str


@dataclass(frozen=True, slots=True)
class Jump:
    to: Label


@dataclass(frozen=True, slots=True)
class Switch:
    """Goes to the first branch whose value is so, or equals the subject; None for the last resort."""

    subject: ValueExpression | None
    branches: tuple[tuple[ValueExpression | None, Label], ...]
    end: Label
    line: int


@dataclass(frozen=True, slots=True)
class Alternate:
    name: str  # under which it is counted
    elements: tuple[Label, ...]
    end: Label
    is_once: bool
    is_cycle: bool
    is_shuffled: bool


@dataclass(frozen=True, slots=True)
class OfferChoice:
    """Offers a choice, where its conditions hold."""

    to: Label
    name: str  # under which it is counted
    conditions: tuple[ValueExpression, ...]
    start: Label | None
    only: Label | None
    is_once: bool
    is_fallback: bool


@dataclass(frozen=True, slots=True)
class RunBlock:
    """Tells the text of a block."""

    block: Label


@dataclass(frozen=True, slots=True)
class Go:
    """Diverts: to a place of the story, or to the one that a variable holds."""

    to: str
    variable: Variable | None
    arguments: tuple[ValueExpression, ...]
    kind: str  # divert, tunnel or thread
    line: int
    entered: tuple[str, ...] = ()  # knots and stitches that it comes into from outside


@dataclass(frozen=True, slots=True)
class LeaveTunnel:
    instead: Go | None
    line: int


@dataclass(frozen=True, slots=True)
class ReturnValue:
    value: ValueExpression | None


@dataclass(frozen=True, slots=True)
class StopRun:
    """Stops a thread (`done`), the story (`end`), a block (`block`), or what nothing follows (`out`)."""

    kind: str
    line: int = 0


Operation: TypeAlias = (
    "Say | SayGlue | SayTag | SayValue | Evaluate | SetVariable | Visit | Jump | Switch | Alternate"
    " | OfferChoice | RunBlock | Go | LeaveTunnel | ReturnValue | StopRun"
)


@dataclass(frozen=True, slots=True)
class InkPlace:
    """A knot, a stitch, a function or a label that can be gone to."""

    label: Label
    parameters: tuple[tuple[str, bool], ...] = ()  # names, and whether each is a reference


@dataclass(slots=True)
class Program:
    code: list[Operation] = field(default_factory=list)
    places: dict[str, InkPlace] = field(default_factory=dict)
    variables: dict[str, tuple[ValueExpression, int]] = field(default_factory=dict)
    lists: dict[str, tuple[ListItem, ...]] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)  # names whose visits somebody asks for
    timed: set[str] = field(default_factory=set)  # names whose last visit somebody asks for
    labels: set[str] = field(default_factory=set)  # places that are choices or gathers
    start: Label = field(default_factory=Label)
    digest: str = ""
    tags: tuple[str, ...] = ()
    tags_by_line: tuple[tuple[int, str], ...] = ()
    files: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

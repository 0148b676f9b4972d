"""Defines the syntax tree of an ink story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Path: TypeAlias = tuple[str, ...]


# expressions


@dataclass(frozen=True, slots=True)
class Literal:
    value: bool | int | float


@dataclass(frozen=True, slots=True)
class NameExpression:
    """Names a variable, a constant, an item of a list, or a place whose visits are counted."""

    path: Path
    line: int


@dataclass(frozen=True, slots=True)
class TargetLiteral:
    path: Path
    line: int


@dataclass(frozen=True, slots=True)
class ListLiteral:
    items: tuple[Path, ...]
    line: int


@dataclass(frozen=True, slots=True)
class StringLiteral:
    content: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: Expression
    right: Expression
    line: int = 0


@dataclass(frozen=True, slots=True)
class CallExpression:
    name: str
    arguments: tuple[Expression, ...]
    line: int


Expression: TypeAlias = (
    "Literal | NameExpression | TargetLiteral | ListLiteral | StringLiteral | Unary | Binary | CallExpression"
)


# content


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Glue:
    """Joins what is before it with what is after it into one line."""


@dataclass(frozen=True, slots=True)
class Tag:
    content: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Print:
    expression: Expression


@dataclass(frozen=True, slots=True)
class Branch:
    """Holds what is told under a condition; without one it is the last resort."""

    condition: Expression | None
    content: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Conditional:
    branches: tuple[Branch, ...]
    subject: Expression | None = None  # that the conditions of the branches are compared with


@dataclass(slots=True, eq=False)
class Alternatives:
    """Holds what is told in turn; it counts how often it was reached, wherever it is compiled."""

    elements: tuple[tuple[Node, ...], ...]
    is_once: bool = False
    is_cycle: bool = False
    is_shuffled: bool = False


@dataclass(frozen=True, slots=True)
class Divert:
    path: Path
    line: int
    arguments: tuple[Expression, ...] = ()
    is_tunnel: bool = False
    is_thread: bool = False


@dataclass(frozen=True, slots=True)
class TunnelReturn:
    line: int
    divert: Divert | None = None  # where the story goes instead of where it came from


@dataclass(frozen=True, slots=True)
class Assignment:
    name: str
    value: Expression
    line: int
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """An expression that is evaluated for what it does."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None


@dataclass(slots=True, eq=False)
class ChoicePoint:
    depth: int
    line: int
    is_sticky: bool
    label: str = ""
    conditions: tuple[Expression, ...] = ()
    start: tuple[Node, ...] = ()  # offered, and told once it is picked
    only: tuple[Node, ...] = ()  # offered alone
    inner: tuple[Node, ...] = ()  # told alone
    is_fallback: bool = False


@dataclass(slots=True, eq=False)
class Gather:
    depth: int
    line: int
    label: str = ""


Node: TypeAlias = (
    "Text | Glue | Tag | Print | Conditional | Alternatives | Divert | TunnelReturn | Assignment"
    " | Statement | Return | ChoicePoint | Gather"
)


# the story


@dataclass(frozen=True, slots=True)
class FlowParameter:
    name: str
    is_reference: bool = False


@dataclass(slots=True)
class Flow:
    """A knot, a stitch or a function; the story itself is one without a name."""

    name: str
    line: int
    parameters: tuple[FlowParameter, ...] = ()
    is_function: bool = False
    content: list[Node] = field(default_factory=list)
    stitches: list[Flow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ListItemDefinition:
    name: str
    value: int
    is_set: bool  # when the story begins


@dataclass(frozen=True, slots=True)
class ListDefinition:
    name: str
    items: tuple[ListItemDefinition, ...]
    line: int


@dataclass(slots=True)
class SyntaxTree:
    """Holds a story as it was parsed, with everything it includes."""

    main: Flow = field(default_factory=lambda: Flow("", 1))
    knots: list[Flow] = field(default_factory=list)
    variables: dict[str, tuple[Expression, int]] = field(default_factory=dict)
    constants: dict[str, tuple[Expression, int]] = field(default_factory=dict)
    lists: dict[str, ListDefinition] = field(default_factory=dict)
    tags: Sequence[str] = ()  # at the head of the story
    tags_by_line: list[tuple[int, str]] = field(default_factory=list)  # wherever they stand

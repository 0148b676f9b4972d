"""Finds what the names in an ink story stand for: places, variables, constants and items of lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from narratoria.campaign.ink.syntax import (
    Alternatives,
    Assignment,
    ChoicePoint,
    Conditional,
    Flow,
    Gather,
    Node,
    Path,
    SyntaxTree,
)


@dataclass(slots=True)
class FlowScope:
    """Holds the names of a flow: its labels, its temporary variables and its parameters."""

    name: str  # "", "knot" or "knot.stitch"
    flow: Flow
    labels: dict[str, ChoicePoint | Gather] = field(default_factory=dict)
    temporary: set[str] = field(default_factory=set)


class InkNames:
    """Looks names up, from the flow in which they stand outwards."""

    def __init__(self, tree: SyntaxTree) -> None:
        self.problems: list[tuple[int, str]] = []
        self.scopes: dict[str, FlowScope] = {}
        self.item_lists: dict[str, list[str]] = {}  # by the name of an item
        self._add_scope("", tree.main)
        for knot in tree.knots:
            self._add_scope(knot.name, knot)
            for stitch in knot.stitches:
                self._add_scope(f"{knot.name}.{stitch.name}", stitch)
        for definition in tree.lists.values():
            for item in definition.items:
                self.item_lists.setdefault(item.name, []).append(definition.name)

    def _add_scope(self, name: str, flow: Flow) -> None:
        scope = FlowScope(name, flow)
        scope.temporary |= {parameter.name for parameter in flow.parameters}
        for node in walk(flow.content):
            if isinstance(node, ChoicePoint | Gather) and node.label:
                if node.label in scope.labels:
                    self.problems.append(
                        (node.line, f"the label “{node.label}” stands twice in “{name or 'the beginning'}”")
                    )
                scope.labels[node.label] = node
            elif isinstance(node, Assignment) and node.is_temporary:
                scope.temporary.add(node.name)
        self.scopes[name] = scope

    def find_place(self, path: Path, home: str) -> str:
        """Return the whole name of a place, as it is meant in a flow; "" if there is none."""
        first, *rest = path
        for base in self._find_first(first, home):
            name = base
            for part in rest:
                name = f"{name}.{part}"
            if self.is_place(name):
                return name
            # a label of a stitch may be named by its knot alone
            if len(rest) == 1 and (inner := self._find_below(base, rest[0])):
                return inner
        return ""

    def _find_first(self, name: str, home: str) -> Iterator[str]:
        knot = home.partition(".")[0]
        for scope in dict.fromkeys((home, knot)):
            if scope in self.scopes and name in self.scopes[scope].labels:
                yield f"{scope}.{name}".lstrip(".")
            if scope == knot and knot and f"{knot}.{name}" in self.scopes:
                yield f"{knot}.{name}"
            if scope == home and (inner := self._find_below(home, name)):
                yield inner
        if name in self.scopes:
            yield name
        if name in self.scopes[""].labels:
            yield name
        if not home and (inner := self._find_below("", name)):
            yield inner

    def _find_below(self, home: str, name: str) -> str:
        """Return a label in a stitch of a knot."""
        prefix = f"{home}." if home else ""
        return next(
            (
                f"{scope}.{name}"
                for scope, names in self.scopes.items()
                if scope.startswith(prefix) and scope != home and name in names.labels
            ),
            "",
        )

    def is_place(self, name: str) -> bool:
        if name in self.scopes:
            return True
        home, _, label = name.rpartition(".")
        return home in self.scopes and label in self.scopes[home].labels

    def is_temporary(self, name: str, home: str) -> bool:
        knot = home.partition(".")[0]
        return any(name in self.scopes[one].temporary for one in (home, knot) if one in self.scopes)

    def find_item(self, path: Path) -> tuple[str, str] | None:
        """Return the list and the item that a name stands for."""
        if len(path) == 2 and path[0] in self.item_lists.get(path[1], ()):
            return path[0], path[1]
        if len(path) == 1 and path[0] in self.item_lists:
            return self.item_lists[path[0]][0], path[0]
        return None


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield every node of a content, whatever it stands in."""
    for node in nodes:
        yield node
        match node:
            case Conditional():
                for branch in node.branches:
                    yield from walk(branch.content)
            case Alternatives():
                for element in node.elements:
                    yield from walk(element)
            case ChoicePoint():
                yield from walk((*node.start, *node.only, *node.inner))

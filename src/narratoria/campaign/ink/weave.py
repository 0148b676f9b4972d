"""Arranges choices and gathers by their depth, and joins their loose ends, as ink's weave does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from narratoria.campaign.ink.program import Label, Operation
from narratoria.campaign.ink.syntax import ChoicePoint, Gather, Node


@dataclass(slots=True, eq=False)
class CodeBlock:
    """A piece of the program; what follows it in its parent follows it in the story."""

    items: list[Operation | CodeBlock] = field(default_factory=list)
    label: Label = field(default_factory=Label)
    counted_as: str = ""  # the name of its visits
    line: int = 0


@dataclass(slots=True)
class Weave:
    """Choices and gathers of one depth, with what stands under them, and deeper weaves."""

    content: list[Node | Weave]
    depth: int


def nest(nodes: Sequence[Node], depth: int | None = None) -> Weave:
    """Return nodes with everything that is deeper than the first choice or gather in weaves of its own."""
    if depth is None:
        depth = next((node.depth for node in nodes if isinstance(node, ChoicePoint | Gather)), 1)
    content: list[Node | Weave] = []
    index = 0
    while index < len(nodes):
        node = nodes[index]
        if isinstance(node, ChoicePoint | Gather) and node.depth > depth:
            end = index
            while end < len(nodes):
                other = nodes[end]
                if isinstance(other, ChoicePoint | Gather) and other.depth <= depth:
                    break
                end += 1
            content.append(nest(nodes[index:end], node.depth))
            index = end
        else:
            content.append(node)
            index += 1
    return Weave(content, depth)

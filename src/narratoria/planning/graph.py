"""Orders the tools of a plan by their dependencies, and refuses dependencies that cannot be met."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from narratoria.contracts.messages import closest_match, quote
from narratoria.errors import CyclicDependencyException, PlanRejected, Problem
from narratoria.planning.plan import Plan, ToolInvocation

Edges = Mapping[str, Sequence[str]]

MAX_NAMED = 12  # tools of a cycle in a message; the exception holds all
MAX_FOR_ADVICE = 200  # tools, beyond which looking for the nearest name takes longer than it helps


class Graph:
    """Orders the tools of a plan by dependency; the constructor raises PlanRejected with every problem."""

    def __init__(self, plan: Plan, *, file: str = "") -> None:
        self.tools: dict[str, ToolInvocation] = {}
        for tool in plan.tools:
            self.tools.setdefault(tool.tool_id, tool)
        self.dependencies: dict[str, tuple[str, ...]] = {
            tool_id: tuple(needed for needed in dict.fromkeys(tool.dependencies) if needed in self.tools)
            for tool_id, tool in self.tools.items()
        }
        self._dependents: dict[str, list[str]] = {tool_id: [] for tool_id in self.tools}
        for tool_id, needed in self.dependencies.items():
            for dependency in needed:
                self._dependents[dependency].append(tool_id)
        self.order: tuple[str, ...] = _topological_order(self.dependencies, self._dependents)
        self._refuse_problems(plan, file)

    def ready(self, completed: Collection[str]) -> tuple[str, ...]:
        """Return the uncompleted tools whose dependencies are completed, by position."""
        done = frozenset(completed)
        return tuple(
            tool_id
            for tool_id, needed in self.dependencies.items()
            if tool_id not in done and done.issuperset(needed)
        )

    def dependents(self, tool_id: str) -> tuple[str, ...]:
        """Return the tools that name this one as a dependency, by position."""
        return tuple(self._dependents[tool_id])

    def all_dependents(self, tool_id: str) -> frozenset[str]:
        """Return the tools that need this one, directly or through others."""
        dependents: set[str] = set()
        waiting = [tool_id]
        while waiting:
            new = [needing for needing in self._dependents[waiting.pop()] if needing not in dependents]
            dependents.update(new)
            waiting += new
        return frozenset(dependents)

    def _refuse_problems(self, plan: Plan, file: str) -> None:
        problems = [*_duplicate_ids(plan, file), *_unknown_dependencies(plan, self.tools, file)]
        stuck = self.dependencies.keys() - self.order
        cycles = _cycles(
            {tool_id: needed for tool_id, needed in self.dependencies.items() if tool_id in stuck}
        )
        if cycles:
            positions = {tool.tool_id: index for index, tool in reversed([*enumerate(plan.tools)])}
            for cycle in cycles:
                pointer = f"/tools/{positions[cycle[0]]}/dependencies"
                problems.append(Problem(f"circular dependency: {_arrows(cycle)}", pointer, file))
            raise CyclicDependencyException(cycles[0], problems)
        if problems:
            raise PlanRejected(problems)


def _topological_order(dependencies: Edges, dependents: Edges) -> tuple[str, ...]:
    """Sort topologically (Kahn), by position where several tools could be next; leave cycles out."""
    position = {tool_id: index for index, tool_id in enumerate(dependencies)}
    ids = list(dependencies)
    waiting_for = {tool_id: len(needed) for tool_id, needed in dependencies.items()}
    free = [position[tool_id] for tool_id, count in waiting_for.items() if count == 0]
    heapify(free)
    order = []
    while free:
        tool_id = ids[heappop(free)]
        order.append(tool_id)
        for needing in dependents[tool_id]:
            waiting_for[needing] -= 1
            if waiting_for[needing] == 0:
                heappush(free, position[needing])
    return tuple(order)


def _duplicate_ids(plan: Plan, file: str) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, tool in enumerate(plan.tools):
        if first.setdefault(tool.tool_id, index) != index:
            name, pointer = quote(tool.tool_id), f"/tools/{index}/toolId"
            yield Problem(
                f"{name} is already the id of tool {first[tool.tool_id]}; rename one", pointer, file
            )


def _unknown_dependencies(plan: Plan, tool_ids: Collection[str], file: str) -> Iterator[Problem]:
    for index, tool in enumerate(plan.tools):
        for place, needed in enumerate(tool.dependencies):
            if needed in tool_ids:
                continue
            near = closest_match(needed, tool_ids) if len(tool_ids) <= MAX_FOR_ADVICE else ""
            advice = f"did you mean {quote(near)}?" if near else "add that tool or remove the dependency"
            pointer = f"/tools/{index}/dependencies/{place}"
            yield Problem(f"{quote(needed)} is not a tool of this plan; {advice}", pointer, file)


def _arrows(cycle: Sequence[str]) -> str:
    if len(cycle) > MAX_NAMED:
        cycle = (*cycle[: MAX_NAMED - 2], f"… {len(cycle) - MAX_NAMED + 1} more …", cycle[-1])
    return " → ".join(cycle)


def _cycles(dependencies: Edges) -> list[tuple[str, ...]]:
    """Return a shortest cycle through the first tool of each strongly connected component."""
    position = {tool_id: index for index, tool_id in enumerate(dependencies)}
    starts = [
        (min(component, key=position.__getitem__), component) for component in _components(dependencies)
    ]
    starts.sort(key=lambda pair: position[pair[0]])
    return [
        _shortest_cycle(start, component, dependencies)
        for start, component in starts
        if len(component) > 1 or start in dependencies[start]
    ]


def _components(dependencies: Edges) -> list[set[str]]:
    """Return the strongly connected components (Tarjan's algorithm, without recursion)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_path: list[str] = []
    is_open: set[str] = set()
    components: list[set[str]] = []
    for root in dependencies:
        walk = [] if root in number else [(root, iter(dependencies[root]))]
        while walk:
            tool_id, remaining = walk[-1]
            if tool_id not in number:
                number[tool_id] = lowest[tool_id] = len(number)
                open_path.append(tool_id)
                is_open.add(tool_id)
            for needed in remaining:
                if needed in dependencies and needed not in number:
                    walk.append((needed, iter(dependencies[needed])))
                    break
                if needed in is_open:
                    lowest[tool_id] = min(lowest[tool_id], number[needed])
            else:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    lowest[above] = min(lowest[above], lowest[tool_id])
                if lowest[tool_id] == number[tool_id]:
                    component = {member := open_path.pop()}
                    while member != tool_id:
                        component.add(member := open_path.pop())
                    is_open -= component
                    components.append(component)
    return components


def _shortest_cycle(start: str, component: Collection[str], dependencies: Edges) -> tuple[str, ...]:
    came_from: dict[str, str] = {}
    layer = [start]
    while True:  # ends: in a component there is a way from every tool back to every other
        following = []
        for tool_id in layer:
            for needed in dependencies[tool_id]:
                if needed == start:
                    return _way_back(start, tool_id, came_from)
                if needed in component and needed not in came_from:
                    came_from[needed] = tool_id
                    following.append(needed)
        layer = following


def _way_back(start: str, last: str, came_from: Mapping[str, str]) -> tuple[str, ...]:
    way = [last]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return (*reversed(way), start)

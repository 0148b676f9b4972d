"""Resolves the tools, order and references of a plan, and finds every problem before anything starts.

`{"$from": "toolId", "path": "/json/pointer"}` stands for a part of another tool's output.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from narratoria.contracts.json_pointer import join_pointer, split_pointer
from narratoria.errors import (
    CyclicDependencyException,
    NotRunnable,
    PlanRejected,
    Problem,
    SkillScriptNotFoundError,
)
from narratoria.planning.graph import Graph
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.skills.input_schema import check_input
from narratoria.skills.runnable import Runnable

KEYS = ({"$from"}, {"$from", "path"})
POINTER = re.compile("(/([^~/]|~[01])*)*")
INDEX = re.compile("0|[1-9][0-9]{0,8}")


def references(value: Any, pointer: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield every reference inside an input: its pointer, the tool it names and the path it asks for."""
    if is_reference(value):
        yield pointer, value["$from"], value.get("path", "")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from references(item, pointer + join_pointer([key]))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from references(item, f"{pointer}/{index}")


def resolve_input(input: dict[str, Any], outputs: Mapping[str, dict[str, Any] | None]) -> dict[str, Any]:
    """Return the input with its references replaced; empty if it is itself one and leads to no object."""
    resolved = resolve(input, outputs)
    return resolved if isinstance(resolved, dict) else {}


def resolve(value: Any, outputs: Mapping[str, dict[str, Any] | None]) -> Any:
    """Return the value with every reference replaced, by None where the part does not exist."""
    if is_reference(value):
        return _part(outputs.get(value["$from"]), value.get("path", ""))
    if isinstance(value, dict):
        return {key: resolve(item, outputs) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, outputs) for item in value]
    return value


def is_reference(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() in KEYS


def is_pointer(path: Any) -> bool:
    return isinstance(path, str) and POINTER.fullmatch(path) is not None


def _part(value: Any, pointer: str) -> Any:
    for key in split_pointer(pointer):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and INDEX.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


Resolve = Callable[[str], Runnable]  # SkillScriptNotFoundError or NotRunnable when a path leads nowhere


@dataclass(frozen=True, slots=True)
class PreparedPlan:
    """Holds a plan with its resolved tools and their order."""

    plan: Plan
    graph: Graph
    tools: Mapping[str, Runnable]


def prepare_plan(
    plan: Plan, resolve: Resolve, *, disabled: Collection[str] = (), file: str = ""
) -> PreparedPlan:
    """Return the plan ready to run; raise PlanRejected with every problem of one that may not run."""
    graph, rejected = _graph(plan, file)
    problems = list(rejected.problems) if rejected else []
    resolved = _resolve_all(plan, resolve)
    tools: dict[str, Runnable] = {}
    off = {*disabled, *plan.disabled_skills}
    for index, call in enumerate(plan.tools):
        where = f"/tools/{index}"
        problems.extend(_reference_problems(call, where, file))
        tool = resolved[call.tool_path]
        if not isinstance(tool, Runnable):
            problems.append(Problem(str(tool), f"{where}/toolPath", file))
            continue
        tools[call.tool_id] = tool
        if tool.input_schema is not None and not any(references(call.input)):
            problems.extend(
                Problem(one.message, f"{where}/input{one.pointer}", file)
                for one in check_input(tool.input_schema, call.input)
            )
        if tool.skill in off:
            message = f"'{call.tool_path}' belongs to the skill '{tool.skill}', which is disabled"
            problems.append(Problem(message, f"{where}/toolPath", file))
    if isinstance(rejected, CyclicDependencyException):
        raise CyclicDependencyException(rejected.cycle, problems)  # told apart, for the planner's next try
    if graph is None or problems:
        raise PlanRejected(problems)
    return PreparedPlan(plan, graph, tools)


def _graph(plan: Plan, file: str) -> tuple[Graph | None, PlanRejected | None]:
    try:
        return Graph(plan, file=file), None
    except PlanRejected as rejected:
        return None, rejected


def _resolve_all(
    plan: Plan, resolve: Resolve
) -> dict[str, Runnable | SkillScriptNotFoundError | NotRunnable]:
    """Resolve each path once (a plan may name a script 5,000 times) to its tool, or to why there is none."""
    tools: dict[str, Runnable | SkillScriptNotFoundError | NotRunnable] = {}
    for path in dict.fromkeys(call.tool_path for call in plan.tools):
        try:
            tools[path] = resolve(path)
        except (SkillScriptNotFoundError, NotRunnable) as error:
            tools[path] = error
    return tools


def _reference_problems(call: ToolInvocation, where: str, file: str) -> Iterator[Problem]:
    for pointer, source, path in references(call.input):
        if source not in call.dependencies:
            message = f"takes a value from '{source}', which is not among its dependencies; add it there"
            yield Problem(message, f"{where}/input{pointer}/$from", file)
        if not is_pointer(path):
            message = f'{path!r} is not a JSON pointer; write "/key/0", or leave it out for the whole output'
            yield Problem(message, f"{where}/input{pointer}/path", file)

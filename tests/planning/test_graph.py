"""The graph of a plan: its order, what is ready, and what is refused before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.errors import CyclicDependencyException, PlanRejected
from narratoria.planning.graph import Graph
from narratoria.planning.plan import Plan, ToolInvocation

ID = "3f2b8c1e-6a54-4d0b-9c57-2a7d1e0f4b61"
Edges = Sequence[tuple[str, Sequence[str]]]


def plan_of(*edges: tuple[str, Sequence[str]]) -> Plan:
    return Plan(
        request_id=ID,
        tools=tuple(
            ToolInvocation(tool_id=name, tool_path="x", dependencies=tuple(needs)) for name, needs in edges
        ),
    )


def rejection(*edges: tuple[str, Sequence[str]]) -> PlanRejected:
    with pytest.raises(PlanRejected) as caught:
        Graph(plan_of(*edges), file="plan.json")
    return caught.value


def test_the_diamond_of_the_architecture_runs_from_top_to_bottom() -> None:
    graph = Graph(plan_of(("A", ""), ("B", "A"), ("C", "A"), ("D", "BC")))
    assert graph.order == ("A", "B", "C", "D")
    assert graph.dependents("A") == ("B", "C")
    assert graph.all_dependents("A") == {"B", "C", "D"}
    assert graph.all_dependents("B") == {"D"}
    assert graph.all_dependents("D") == frozenset()


def test_what_dependencies_leave_open_goes_by_position() -> None:
    assert Graph(plan_of(("d", "bc"), ("z", ""), ("c", "a"), ("a", ""), ("b", "a"))).order == (
        "z",
        "a",
        "c",
        "b",
        "d",
    )


def test_the_ready_tools_are_those_whose_dependencies_are_completed() -> None:
    graph = Graph(plan_of(("d", "bc"), ("c", "a"), ("b", "a"), ("a", ""), ("z", "")))
    assert graph.ready(()) == ("a", "z")
    assert graph.ready({"a"}) == ("c", "b", "z")
    assert graph.ready({"a", "b", "z"}) == ("c",)
    assert graph.ready({"a", "b", "c", "z"}) == ("d",)
    assert graph.ready({"a", "b", "c", "d", "z"}) == ()


def test_a_dependency_named_twice_counts_once() -> None:
    graph = Graph(plan_of(("b", "aa"), ("a", "")))
    assert (graph.order, graph.dependents("a")) == (("a", "b"), ("b",))


def test_a_plan_without_tools_has_an_empty_order() -> None:
    assert Graph(plan_of()).order == ()


@pytest.mark.parametrize(
    ("edges", "path"),
    [
        ([("a", "a")], "a → a"),
        ([("a", "b"), ("b", "a")], "a → b → a"),
        ([("x", "b"), ("a", "c"), ("b", "a"), ("c", "b")], "a → c → b → a"),
        ([("a", "bc"), ("b", "c"), ("c", "a")], "a → c → a"),
    ],
)
def test_a_cycle_is_refused_with_its_shortest_path(edges: Edges, path: str) -> None:
    refused = rejection(*edges)
    assert isinstance(refused, CyclicDependencyException)
    assert refused.cycle == tuple(path.split(" → "))
    assert [problem.message for problem in refused.problems] == [f"circular dependency: {path}"]


def test_every_problem_is_listed_with_its_place() -> None:
    refused = rejection(
        ("roll", ["rol"]), ("a", "b"), ("b", "a"), ("roll", []), ("c", ["nowhere"]), ("d", "d")
    )
    assert isinstance(refused, CyclicDependencyException)
    assert [str(problem) for problem in refused.problems] == [
        "plan.json /tools/3/toolId: 'roll' is already the id of tool 0; rename one",
        "plan.json /tools/0/dependencies/0: 'rol' is not a tool of this plan; did you mean 'roll'?",
        "plan.json /tools/4/dependencies/0: 'nowhere' is not a tool of this plan;"
        " add that tool or remove the dependency",
        "plan.json /tools/1/dependencies: circular dependency: a → b → a",
        "plan.json /tools/5/dependencies: circular dependency: d → d",
    ]


def test_without_a_cycle_the_rejection_is_no_cyclic_one() -> None:
    assert not isinstance(rejection(("a", "x")), CyclicDependencyException)


def test_what_only_waits_for_a_cycle_is_not_blamed_for_it() -> None:
    refused = rejection(("late", "ab"), ("a", "b"), ("b", "a"), ("later", ["late"]))
    assert [problem.message for problem in refused.problems] == ["circular dependency: a → b → a"]


# properties


@st.composite
def dags(draw: st.DrawFn) -> Edges:
    """Tools in a random position each, that depend only on tools earlier in a hidden order."""
    count = draw(st.integers(1, 12))
    names = [f"t{number}" for number in range(count)]
    edges = [
        (name, draw(st.lists(st.sampled_from(names[:index]), max_size=4)) if index else [])
        for index, name in enumerate(names)
    ]
    return draw(st.permutations(edges))


def first_possible(edges: Edges) -> tuple[str, ...]:
    """The definition, slowly: again and again the first tool by position that could be next."""
    order: list[str] = []
    while len(order) < len(edges):
        order.append(next(name for name, needs in edges if name not in order and set(needs) <= set(order)))
    return tuple(order)


@given(dags())
def test_every_acyclic_plan_gets_the_order_that_is_stable_by_position(edges: Edges) -> None:
    assert Graph(plan_of(*edges)).order == first_possible(edges)


@given(dags())
def test_running_whatever_is_ready_completes_every_acyclic_plan(edges: Edges) -> None:
    graph = Graph(plan_of(*edges))
    completed: set[str] = set()
    while ready := graph.ready(completed):
        assert all(completed.issuperset(graph.tools[name].dependencies) for name in ready)
        completed.update(ready)
    assert completed == graph.tools.keys()


@given(dags())
def test_dependents_are_dependencies_read_backwards(edges: Edges) -> None:
    graph = Graph(plan_of(*edges))
    for name, needs in edges:
        for needed in needs:
            assert name in graph.dependents(needed)
    for name in graph.tools:
        reached = {name}
        for later in graph.order:
            if reached.intersection(graph.tools[later].dependencies):
                reached.add(later)
        assert graph.all_dependents(name) == reached - {name}


@given(dags(), st.data())
def test_every_plan_with_a_cycle_is_refused_with_a_real_cycle(edges: Edges, data: st.DataObject) -> None:
    graph = Graph(plan_of(*edges))
    first = data.draw(st.sampled_from(graph.order))
    last = data.draw(st.sampled_from([first, *sorted(graph.all_dependents(first))]))
    refused = rejection(*[(name, [*needs, last] if name == first else needs) for name, needs in edges])
    assert isinstance(refused, CyclicDependencyException)
    needs_of = {name: {*needs, *([last] if name == first else [])} for name, needs in edges}
    cycle = refused.cycle
    assert cycle[0] == cycle[-1]
    assert len(set(cycle)) == len(cycle) - 1
    assert all(needed in needs_of[name] for name, needed in pairwise(cycle))


@given(st.lists(st.lists(st.integers(0, 7), max_size=3), min_size=1, max_size=8))
def test_any_graph_is_either_ordered_or_refused(needs: list[list[int]]) -> None:
    edges = [(str(index), [str(number) for number in numbers]) for index, numbers in enumerate(needs)]
    unknown = any(number >= len(needs) for numbers in needs for number in numbers)
    try:
        graph = Graph(plan_of(*edges))
    except PlanRejected as rejected:
        refused = rejected
    else:
        assert graph.order == first_possible(edges)
        return
    assert unknown or isinstance(refused, CyclicDependencyException)


# size

N = 10_000


def test_ten_thousand_tools_in_a_row_are_ordered() -> None:
    graph = Graph(plan_of(*((str(n), [str(n + 1)] if n < N - 1 else []) for n in range(N))))
    assert graph.order == tuple(str(n) for n in reversed(range(N)))
    assert len(graph.all_dependents(str(N - 1))) == N - 1


def test_a_cycle_of_ten_thousand_tools_is_found_and_told_briefly() -> None:
    refused = rejection(*((str(n), [str((n + 1) % N)]) for n in range(N)))
    assert isinstance(refused, CyclicDependencyException)
    assert len(refused.cycle) == N + 1
    assert len(str(refused)) < 200


def test_five_thousand_small_cycles_are_all_listed() -> None:
    edges = [(str(n), [str(n ^ 1), *([str(n + 2)] if n + 2 < N else [])]) for n in range(N)]
    assert len(rejection(*edges).problems) == N // 2

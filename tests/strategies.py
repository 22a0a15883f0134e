"""Hypothesis strategies, and every small dag there is."""

from collections.abc import Iterator
from itertools import combinations

from hypothesis import strategies as st

from icsched import Dag


@st.composite
def arc_lists(draw: st.DrawFn, *, most_tasks: int = 8) -> tuple[int, list[tuple[int, int]]]:
    """A number of tasks and arcs between them; repeats, self-loops and cycles occur."""
    tasks = draw(st.integers(1, most_tasks))
    task = st.integers(0, tasks - 1)
    return tasks, draw(st.lists(st.tuples(task, task), max_size=2 * tasks))


@st.composite
def dags(draw: st.DrawFn, *, most_tasks: int = 8) -> Dag:
    """A dag whose ids need not be in topological order."""
    tasks = draw(st.integers(0, most_tasks))
    pairs = list(combinations(range(tasks), 2))
    arcs = draw(st.lists(st.sampled_from(pairs), max_size=3 * tasks)) if pairs else []
    shuffled = draw(st.permutations(range(tasks)))
    return Dag.from_arcs(tasks, [(shuffled[a], shuffled[b]) for a, b in arcs])


@st.composite
def dags_with_orders(draw: st.DrawFn, *, most_tasks: int = 8) -> tuple[Dag, list[int]]:
    """A dag and a legal order of it."""
    dag = draw(dags(most_tasks=most_tasks))
    order: list[int] = []
    missing = dag.in_degrees.tolist()
    ready = dag.sources.tolist()
    while ready:
        task = ready.pop(draw(st.integers(0, len(ready) - 1)))
        order.append(task)
        for child in dag.children(task).tolist():
            missing[child] -= 1
            if missing[child] == 0:
                ready.append(child)
    return dag, order


def naturally_labelled_dags(tasks: int) -> Iterator[Dag]:
    """Every dag on 0 .. tasks-1 whose arcs go from smaller to larger ids."""
    pairs = list(combinations(range(tasks), 2))
    for bits in range(2 ** len(pairs)):
        yield Dag.from_arcs(tasks, [pair for i, pair in enumerate(pairs) if bits >> i & 1])


def different_dags(tasks: int) -> Iterator[Dag]:
    """Every dag of so many tasks once, whatever its labels: 1, 2, 6, 31, 302, 5984 of them.

    Any two natural labellings of a dag are a chain of exchanges of two neighbouring labels
    without an arc between them.
    """
    pairs = list(combinations(range(tasks), 2))
    bit = {pair: 1 << i for i, pair in enumerate(pairs)}
    seen: set[int] = set()
    for bits in range(2 ** len(pairs)):
        if bits in seen:
            continue
        arcs = [pair for pair in pairs if bits & bit[pair]]
        yield Dag.from_arcs(tasks, arcs)
        found = [bits]
        while found:
            labelled = found.pop()
            if labelled in seen:
                continue
            seen.add(labelled)
            arcs = [pair for pair in pairs if labelled & bit[pair]]
            for low in range(tasks - 1):
                if not labelled & bit[low, low + 1]:
                    swap = {low: low + 1, low + 1: low}
                    swapped = ((swap.get(a, a), swap.get(b, b)) for a, b in arcs)
                    found.append(sum(bit[pair] for pair in swapped))

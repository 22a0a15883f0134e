"""Every small dag without shortcuts, and what can have run in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from icsched import Dag
from icsched.pebble import ic_optimal_order
from tests.theorems.search import Bits, ideals


def small_dags(tasks: int) -> Iterator[Dag]:
    """Every dag of *tasks* tasks that has no shortcuts, up to names; some more than once.

    Tasks come by level, and within a level by their parents: every dag can be numbered so.

    >>> [len(list(small_dags(tasks))) for tasks in range(1, 5)]
    [1, 2, 6, 25]
    """

    def grown(parents: list[tuple[int, ...]], above: list[int], level: list[int]) -> Iterator[Dag]:
        task = len(parents)
        if task == tasks:
            yield Dag.from_arcs(tasks, [(p, t) for t in range(tasks) for p in parents[t]])
            return
        for chosen in _antichains(above, task):
            depth = 1 + max((level[p] for p in chosen), default=-1)
            if task and (depth, chosen) < (level[-1], parents[-1]):
                continue
            ancestors = _union(1 << p | above[p] for p in chosen)
            yield from grown([*parents, chosen], [*above, ancestors], [*level, depth])

    return grown([], [], [])


def _antichains(above: list[int], tasks: int) -> Iterator[tuple[int, ...]]:
    for bits in range(2**tasks):
        chosen = tuple(task for task in range(tasks) if bits >> task & 1)
        if not any(above[task] & bits for task in chosen):
            yield chosen


def _union(sets: Iterable[int]) -> int:
    union = 0
    for one in sets:
        union |= one
    return union


def task_list(ideal: int) -> list[int]:
    """Return a set of tasks as a list.

    >>> task_list(5)
    [0, 2]
    """
    return [task for task in range(ideal.bit_length()) if ideal >> task & 1]


def ideal_lists(dag: Dag) -> list[list[int]]:
    """Every set of tasks that can have run, as a list."""
    return [task_list(ideal) for ideal in sorted(ideals(Bits.of(dag)))]


def has_order(dag: Dag) -> bool:
    """Whether *dag* has an IC-optimal order."""
    return ic_optimal_order(dag) is not None


def gives_everything(dag: Dag) -> bool:
    """Whether *dag* is a universal donor: what is left has an IC-optimal order whatever ran."""
    return all(has_order(dag.residual(executed)) for executed in ideal_lists(dag))


def source_sets(block: Dag) -> list[list[int]]:
    """Every set of sources of a bipartite *block*.

    As clusters these stand for all: taking an enabled sink, too, takes an isolated task away.
    """
    sources = block.sources.tolist()
    return [
        [s for place, s in enumerate(sources) if b >> place & 1] for b in range(2 ** len(sources))
    ]

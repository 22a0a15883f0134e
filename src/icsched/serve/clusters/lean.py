"""Lean clusters: sets with few cut arcs, for any dag."""

from collections.abc import Sequence
from functools import partial
from math import inf

from icsched.dag import Dag
from icsched.serve.clusters.clusterer import Clusterer, Ground, NamedClusterer
from icsched.serve.clusters.rest import Frontier, Neighbourhood
from icsched.theory.donors import is_universal_donor

# Arcs that a way of growing sets may look at for sets that are not taken: at first, and for each
# task and arc that is handed out.
_FIRST_LOOKS = 100_000
_LOOKS = 16


class Lean(Clusterer):
    """Take the cheapest of four sets grown in different ways.

    The four ways are: the tasks that open fewest arcs, a neighbourhood, depth first, and direct,
    which follows the order. So a lean cluster never costs more than a direct one in its place, and
    is direct if the other ways gain nothing. A set costs the bytes that it sends to others if sizes
    are known, and otherwise the arcs that it cuts.

    A task of very many children may be looked at for one cluster after another, in sets that are
    never the cheapest. So each way may look at a limited number of arcs in sets that are not taken.
    A way that has used up its looks is skipped until more tasks have been handed out. If the direct
    way has used up its looks, its set is taken.
    """

    def __init__(self, ground: Ground, name: str = "lean") -> None:
        dag, rest, order = ground.dag, ground.rest, ground.order
        deep = sink_by_sink_order(dag, order)
        super().__init__(
            name,
            [
                # First, because it leaves tasks of very many children for last. A set that is sure
                # to cost more is given up early, so the children of these tasks are not looked at
                # for nothing.
                Frontier(rest, deep, score=lambda task: rest.out_degree(task) - rest.missing[task]),
                Neighbourhood(rest, deep, dag.parent_rows),
                # From the other end, so that the sets have little in common.
                Frontier(rest, sink_by_sink_order(dag, order[::-1])),
                Frontier(rest, order),
            ],
        )
        self._rest = rest
        self._sizes = ground.sizes
        self._looks = [_FIRST_LOOKS] * len(self._frontiers)

    def choose(self, size: int) -> list[int]:
        """Return the cheapest set, the last if several are; all sets are equally large."""
        if self._looks[-1] < 0:
            return self._paid(self._frontiers[-1].grow(size) or [], [])
        best, way = [], -1
        least: float = inf
        asked = [i for i, looks in enumerate(self._looks) if looks >= 0]
        for i in asked:
            tasks = self._frontiers[i].grow(size, least, self._sizes)
            if tasks is not None and (cost := self._cost(tasks)) <= least:
                best, least, way = tasks, cost, i
        return self._paid(best, [i for i in asked if i != way])

    def _paid(self, tasks: list[int], in_vain: Sequence[int]) -> list[int]:
        """Return *tasks*; charge the other ways for their looks, and grant all ways new ones."""
        for i in in_vain:
            self._looks[i] -= self._frontiers[i].looked
        arcs = sum(map(self._rest.out_degree, tasks))
        self._looks = [looks + _LOOKS * (len(tasks) + arcs) for looks in self._looks]
        return tasks

    def _cost(self, tasks: Sequence[int]) -> int:
        if self._sizes is None:
            return self._rest.cut_arcs(tasks)
        return self._rest.cut_bytes(tasks, self._sizes)


def sink_by_sink_order(dag: Dag, order: Sequence[int]) -> list[int]:
    """Return an order that finishes what a task waits for before it begins anything else.

    The sinks come in the order of *order*. Each sink comes after everything that it still waits
    for, found depth first. A prefix holds whole subtrees of reductions and whole branches of
    expansions, so few arcs leave it. O(tasks + arcs).

    >>> in_tree = Dag.from_arcs(7, [(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6)])
    >>> sink_by_sink_order(in_tree, range(7))
    [0, 1, 4, 2, 3, 5, 6]
    """
    offsets, targets = dag.parent_rows.offsets.tolist(), dag.parent_rows.targets.tolist()
    begun, deep = bytearray(len(dag)), []
    out_degrees = dag.out_degrees.tolist()
    for sink in order:
        if out_degrees[sink]:
            continue
        stack = [sink]
        while stack:
            task = stack[-1]
            if begun[task]:
                stack.pop()
                if begun[task] == 1:
                    deep.append(task)
                begun[task] = 2
                continue
            begun[task] = 1
            stack += [p for p in targets[offsets[task] : offsets[task + 1]][::-1] if not begun[p]]
    return deep


def _no_donor(ground: Ground) -> str | None:
    if is_universal_donor(ground.analysis):
        return None
    return (
        "expected W-, N- and C-dags, or M-dags, laid on each other source by source;"
        " this dag is not made of them"
    )


LEAN = NamedClusterer("lean", "the cheapest set, for any dag", Lean)
DONOR = NamedClusterer(
    "donor",
    "the cheapest set, for dags of which every residual has an IC-optimal order",
    partial(Lean, name="donor"),
    _no_donor,
)

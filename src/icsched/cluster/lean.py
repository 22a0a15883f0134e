"""Lean clusters: sets with few cut arcs, for any dag."""

from collections.abc import Callable, Sequence
from math import inf

from icsched.cluster.rest import Frontier, Neighbourhood, Rest
from icsched.cluster.strategy import Strategy
from icsched.dag import Dag

Cost = Callable[[Sequence[int]], int]


class Lean(Strategy):
    """Take the cheapest of four sets grown in different ways.

    The tasks that open fewest arcs, a neighbourhood, depth first, and direct: what the order
    would do, so a lean cluster never costs more than a direct one in its place, and is direct
    where the others gain nothing. *cost* is what a set costs; if None, the arcs it cuts.
    """

    def __init__(
        self, dag: Dag, rest: Rest, order: Sequence[int], cost: Cost | None = None
    ) -> None:
        deep = sink_by_sink_order(dag, order)
        super().__init__(
            [
                # First, as it leaves tasks of very many children for last: a set that is sure
                # to cost more is given up early, so their children are not looked at in vain.
                Frontier(rest, deep, score=lambda task: rest.out_degree(task) - rest.missing[task]),
                Neighbourhood(rest, deep, dag.parent_rows),
                # From the other end, so that the sets have little in common.
                Frontier(rest, sink_by_sink_order(dag, order[::-1])),
                Frontier(rest, order),
            ]
        )
        self._cost = cost or rest.cut_arcs
        self._counts_arcs = cost is None

    def choose(self, size: int) -> list[int]:
        """Return the cheapest of the sets, the last of equals; all are equally large."""
        best: list[int] = []
        least = inf
        for frontier in self._frontiers:
            tasks = frontier.grow(size, least if self._counts_arcs else inf)
            if tasks is not None and (cost := self._cost(tasks)) <= least:
                best, least = tasks, cost
        return best


def sink_by_sink_order(dag: Dag, order: Sequence[int]) -> list[int]:
    """Return an order that finishes what a task waits for before it begins anything else.

    Each sink in turn, as they stand in *order*, after all it still waits for, found depth
    first. A prefix holds whole subtrees of reductions and whole branches of expansions, so
    few arcs leave it. O(tasks + arcs).

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

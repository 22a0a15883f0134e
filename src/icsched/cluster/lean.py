"""Lean clusters: sets with few cut arcs, for any dag."""

from collections.abc import Callable, Sequence

from icsched.cluster.rest import Frontier, Rest
from icsched.cluster.strategy import Strategy
from icsched.dag import Dag

Cost = Callable[[Sequence[int]], int]


class Lean(Strategy):
    """Take the cheapest of three sets: direct, depth first, and fewest arcs opened.

    The direct one stands for what the order would do, so a lean cluster never costs more
    than a direct one in its place. *cost* is what a set costs.
    """

    def __init__(self, dag: Dag, rest: Rest, order: Sequence[int], cost: Cost) -> None:
        deep = depth_first_order(dag, order)
        opened = Frontier(rest, deep, score=lambda task: rest.out_degree(task) - rest.missing[task])
        super().__init__([Frontier(rest, order), Frontier(rest, deep), opened])
        self._cost = cost

    def choose(self, size: int) -> list[int]:
        """Return the cheapest of the three sets; all are equally large."""
        return min((frontier.grow(size) for frontier in self._frontiers), key=self._cost)


def depth_first_order(dag: Dag, order: Sequence[int]) -> list[int]:
    """Return an order that finishes what a task waits for before it begins anything else.

    Each sink in turn, as they stand in *order*, after all it still waits for, found depth
    first. A prefix holds whole subtrees of reductions and whole branches of expansions, so
    few arcs leave it. O(tasks + arcs).

    >>> in_tree = Dag.from_arcs(7, [(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6)])
    >>> depth_first_order(in_tree, range(7))
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

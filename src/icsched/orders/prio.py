"""The orders "prio" and "critical-path-steps".

"prio" keeps as many tasks as possible eligible at every step. It follows Malewicz, Foster,
Rosenberg and Wilde 2007, "A Tool for Prioritizing DAGMan Jobs and its Evaluation".

"critical-path-steps" compares remaining paths only coarsely, because run times are never exact. It
sorts the paths into 16 steps of equal length. Tasks of one step run in the order of "prio", with
ties broken by run time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from icsched.arrays import Floats, Ids, ranks_of
from icsched.dag import Dag
from icsched.orders.definition import Made, NamedOrder
from icsched.pebble import area, priority_order, remaining_paths
from icsched.theory.analysis import analyse_reduced, proved_by_theorem, settled_by_referee
from icsched.theory.blocks import without_shortcuts
from icsched.theory.bounds import proof_of
from icsched.theory.recursion import optimal_by_parts

# Above this size, in tasks plus arcs, only the first way to break ties is tried.
MOST_TRIED = 500_000


def prio_order(dag: Dag, run_times: Floats | None = None) -> Made:
    """Order *dag* by the six steps of Malewicz et al. 2007; the result has its proofs.

    Ties are broken by the longest remaining path, by *run_times* if given, then by the smaller id.
    If no theorem proves the order, two other ways to break ties are tried, and the order with the
    largest area is kept. If the dag is small, the referee may replace that order by a better one.
    Near O(tasks + arcs) on workflow-shaped dags.

    >>> made = prio_order(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}))
    >>> made.order.tolist(), [link.block for link in made.proof.chain.links]
    ([2, 0, 1, 3, 4], ['W(1,2)', 'N(1)'])
    """
    dag = without_shortcuts(dag)
    orders = []
    ways = numberings(dag, run_times)
    for way in chain([first := next(ways)], ways):
        analysis = analyse_reduced(way.dag)
        proved = proved_by_theorem(analysis)
        if proved is not None:
            return Made(way.old[proved[0]], proved[1])
        orders.append(way.old[analysis.order])
        if way is first:
            bounded = optimal_by_parts(way.dag, analysis)
            if bounded is not None:
                order = np.append(bounded.order, way.dag.sinks)
                return Made(way.old[order], proof_of(bounded))
        if len(dag) + dag.arc_count > MOST_TRIED:
            break
    best = max(orders, key=lambda order: area(dag, order))  # ties are broken by position
    new_id = ranks_of(first.old)
    order, proof = settled_by_referee(first.dag, new_id[best])
    return Made(first.old[order], proof)


# Ways to break ties. The six steps choose between equal blocks and equal tasks by number. The
# number of a task in a file means nothing. So the tasks are renumbered before the steps, by their
# descendants.


class Renumbered(NamedTuple):
    """A dag without names whose tasks have new numbers.

    `old` has the old id of each task, by its new id.
    """

    dag: Dag
    old: Ids


def numberings(dag: Dag, run_times: Floats | None = None) -> Iterator[Renumbered]:
    """Yield *dag* with its tasks numbered in three ways, the preferred one first.

    1. The longest remaining path first, by *run_times* if they are given.
    2. The shortest path in tasks first.
    3. The task with the fewest children first.

    Ties are broken by the other keys, then by id. The second and third are for dags that no theorem
    covers: there any of the three may give the largest area.

    >>> fork = Dag({"a": [], "b": [], "c": ["b"]})
    >>> [way.old.tolist() for way in numberings(fork)]
    [[1, 0, 2], [0, 2, 1], [0, 2, 1]]
    """
    lengths = remaining_paths(dag)
    times = lengths if run_times is None else remaining_paths(dag, run_times)
    children = dag.out_degrees
    for keys in (
        (-times, -lengths, -children),
        (lengths, -times, -children),
        (children, -times, -lengths),
    ):
        old = np.lexsort(keys[::-1]).astype(np.int32)
        yield Renumbered(Dag.from_arcs(len(dag), ranks_of(old)[dag.arcs]), old)


PRIO = NamedOrder(
    "prio",
    "as many eligible jobs as possible at every step, with proofs",
    prio_order,
    run_times="used",
)


STEP_COUNT = 16


def steps_order(dag: Dag, run_times: Floats | None = None) -> Ids:
    """Order *dag* by remaining path in 16 coarse steps, then by "prio".

    The longest path of the dag spans all steps. Without *run_times* every task counts 1.

    >>> dag = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> steps_order(dag).tolist(), steps_order(dag, np.array([1.0, 9.0, 1.0, 1.0, 1.0])).tolist()
    ([2, 0, 1, 3, 4], [0, 1, 2, 3, 4])
    """
    return by_steps(dag, run_times, prio_order(dag, run_times).order)


def by_steps(dag: Dag, run_times: Floats | None, inside: Ids) -> Ids:
    """Order *dag* by remaining path in 16 coarse steps, then by the order *inside*."""
    step = path_steps(remaining_paths(dag, run_times))
    wanted = np.lexsort((ranks_of(inside), -step)).astype(np.int32)
    return priority_order(dag, ranks_of(wanted))


def path_steps(paths: Floats) -> Ids:
    """Return the step of each path: 15 for the longest, 0 for the shortest sixteenth.

    >>> path_steps(np.array([16.0, 8.0, 0.5, 0.0])).tolist()
    [15, 8, 0, 0]
    """
    longest = paths.max(initial=0.0)
    scale = STEP_COUNT / longest if longest > 0 else 0.0
    return np.minimum(paths * scale, STEP_COUNT - 1).astype(np.int32)


STEPS = NamedOrder(
    "critical-path-steps",
    "the longest path first in 16 coarse steps, and by prio inside a step",
    steps_order,
    run_times="used",
)
